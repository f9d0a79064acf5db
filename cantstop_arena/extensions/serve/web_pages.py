"""Pages that other extensions add to the server (the slot `web_pages`)."""

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from cantstop_arena.extension_registry import parts
from cantstop_arena.extensions.serve.results_index import ResultsIndex

if TYPE_CHECKING:
    from cantstop_arena.extensions.serve.site import Site


class Guest(NamedTuple):
    """The holder of a token that opens some pages only.

    `name` says who it is, `folder` where a guest's files go; `entries` are the navigation, the
    guest's own page first.
    """

    name: str
    folder: Path
    entries: Sequence[tuple[str, str]]


class Visitor(NamedTuple):
    """Who asks: the owner of the server, a guest on a page that is open to the guest, or nobody."""

    is_owner: bool = False
    guest: Guest | None = None

    @property
    def is_known(self) -> bool:
        """Whether pages are open to this visitor."""
        return self.is_owner or self.guest is not None


NOBODY = Visitor()
VISITOR = ContextVar("visitor", default=NOBODY)
"""The visitor of the request that is being answered."""

Admission = Callable[[str, str], Guest | None]
"""The guest to whom a path is open with a token; None if it is not."""


def _nobody(path: str, token: str) -> Guest | None:
    return None


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
    """The guest whom any of the pages lets in."""
    admissions = [each.admission(index) for each in pages]
    return lambda path, token: next(
        (guest for admits in admissions if (guest := admits(path, token))), None
    )
