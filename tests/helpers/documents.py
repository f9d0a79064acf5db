"""What the documentation's pages hold."""

import re
from pathlib import Path
from textwrap import dedent


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language, those in lists included."""
    fenced = rf"^( *)```{language}\n(.*?)^\1```$"
    found = re.finditer(fenced, page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [dedent(block[2]) for block in found]
