"""A written report page, which notebooks display."""

import html
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ReportPage:
    """The page in a file; a notebook displays it in a frame, `height` pixels high."""

    file: Path
    height: int = 800

    def _repr_html_(self) -> str:
        text = html.escape(self.file.read_text("utf-8"))
        return f'<iframe srcdoc="{text}" width="100%" height="{self.height}"></iframe>'
