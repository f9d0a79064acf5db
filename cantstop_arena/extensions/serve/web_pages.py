"""Pages that other extensions add to the server (the slot `web_pages`)."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from cantstop_arena.extension_registry import parts
from cantstop_arena.extensions.serve.results_index import ResultsIndex

if TYPE_CHECKING:
    from cantstop_arena.extensions.serve.site import Site

Admission = Callable[[str, str], bool]
"""Whether a path is open to the holder of a token."""


def _nobody(path: str, token: str) -> bool:
    return False


class WebPages(NamedTuple):
    """Routes, each with its methods; their entry in the navigation; and whom they let in."""

    routes: Sequence[tuple[str, Sequence[str], "Callable[[Site, Request], Awaitable[Response]]"]]
    entry: tuple[str, str]
    templates: Path
    admission: Callable[[ResultsIndex], Admission] = lambda index: _nobody


def added_pages() -> list[WebPages]:
    """The pages of other extensions."""
    return list(parts("web_pages"))


def admission_to(pages: Sequence[WebPages], index: ResultsIndex) -> Admission:
    """Whether any of the pages lets the holder of a token in."""
    admissions = [each.admission(index) for each in pages]
    return lambda path, token: any(admits(path, token) for admits in admissions)
