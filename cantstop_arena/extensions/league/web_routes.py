"""A league's public pages, and the form with which participants hand in a bot.

An upload is stored as it is. Nobody here reads or runs it: the league's next round checks it.
"""

import re
from datetime import datetime
from hmac import compare_digest
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from cantstop_arena.atomic_files import write_result
from cantstop_arena.bots.bot_paths import ENDINGS
from cantstop_arena.extensions.league.league_files import (
    INDEX,
    PUBLIC,
    StoredToken,
    stored_tokens,
)
from cantstop_arena.extensions.league.league_summary import LeagueSummary, read_summary
from cantstop_arena.extensions.serve.access import foreign_file
from cantstop_arena.extensions.serve.forms import FormError, read_upload
from cantstop_arena.extensions.serve.results_index import ResultsIndex
from cantstop_arena.extensions.serve.site import RequestRefused, Site, see_other
from cantstop_arena.extensions.serve.web_pages import Admission, Guest, WebPages

LEAGUES = "/league/"
MAX_UPLOAD_BYTES = 2_000_000
_storing = Lock()
_PUBLIC_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\.(html|svg|csv|json)")


def admission(index: ResultsIndex) -> Admission:
    """A function that returns the participant of a path's league with a token."""

    def admitted(path: str, token: str) -> Guest | None:
        name = path.removeprefix(LEAGUES).partition("/")[0] if path.startswith(LEAGUES) else ""
        participant = holder(index, name, token) if name and token else None
        if participant is None:
            return None
        home = f"{LEAGUES}{quote(name)}"
        entries = ((home, "Your bot"), (f"{home}/{INDEX}", "Standings"))
        return Guest(participant.id, Path(participant.folder), entries)

    return admitted


def holder(index: ResultsIndex, league: str, token: str) -> StoredToken | None:
    """The participant of a league whose token this is; None if it is nobody's."""
    folder = index.folder(league)
    if folder is None:
        return None
    for stored in stored_tokens(folder):
        if compare_digest(stored.token.encode(), token.encode()):
            return stored
    return None


async def leagues(site: Site, request: Request) -> Response:
    """The leagues that have public pages."""
    folders = await site.read(site.index.folders)
    names = [folder.name for folder in folders if (folder / PUBLIC).is_dir()]
    rows = [(name, await site.read(_summary, site, name)) for name in names]
    return site.page("league.html", "/league", leagues=rows)


def _summary(site: Site, name: str) -> LeagueSummary | None:
    folder = site.index.folder(name)
    return read_summary(folder) if folder else None


async def public_file(site: Site, request: Request) -> Response:
    """A file of a league's public pages, in an origin of its own."""
    folder = site.index.folder(request.path_params["name"])
    file = request.path_params["file"]
    if folder is None or not _PUBLIC_FILE.fullmatch(file):
        raise RequestRefused("There is no such page.", 404)
    path = folder / PUBLIC / file
    if path.is_symlink() or (folder / PUBLIC).is_symlink() or not path.is_file():
        raise RequestRefused("There is no such page.", 404)
    return foreign_file(path)


async def league(site: Site, request: Request) -> Response:
    """A league: for a participant the form, and what became of the last version."""
    name, visitor = request.path_params["name"], request.scope["visitor"]
    folder = site.index.folder(name)
    if folder is None or (not (folder / PUBLIC).is_dir() and not stored_tokens(folder)):
        raise RequestRefused("There is no such league.", 404)
    summary = await site.read(read_summary, folder)
    guest: Guest | None = visitor.guest
    stored = _stored(guest.folder) if guest else None
    return site.page(
        "submit.html",
        f"{LEAGUES}{quote(name)}" if not visitor.is_owner else "/league",
        name=name,
        guest=guest,
        has_pages=(folder / PUBLIC / INDEX).is_file(),
        stored=stored,
        is_checked=bool(stored and summary and stored.time < summary.time),
        summary=summary,
        own=summary.participants.get(guest.name) if summary and guest else None,
    )


class StoredFile(NamedTuple):
    """A file that was handed in: its name, and when (seconds since 1970)."""

    name: str
    time: float

    @property
    def day_and_time(self) -> str:
        """When it was handed in, by the clock of this machine."""
        return f"{datetime.fromtimestamp(self.time):%Y-%m-%d %H:%M}"


def _stored(folder: Path) -> StoredFile | None:
    """The file that lies in a participant's folder."""
    for path in (folder / f"bot{ending}" for ending in ENDINGS):
        if path.is_file():
            return StoredFile(path.name, path.stat().st_mtime)
    return None


async def submit(site: Site, request: Request) -> Response:
    """Store a participant's file in the participant's folder."""
    name, guest = request.path_params["name"], request.scope["visitor"].guest
    if guest is None:
        raise RequestRefused(
            "Open the address with your token: only participants hand in bots.", 403
        )
    if guest.folder == Path():
        raise RequestRefused(
            "Run arena league FILE --tokens again: tokens.csv names no folders yet.", 409
        )
    upload = await read_upload(request, MAX_UPLOAD_BYTES)
    ending = Path(upload.name).suffix
    if ending not in ENDINGS:
        raise FormError("Only .py and .onnx files are accepted; bots that are folders come by git.")
    await site.read(_store, guest.folder, ending, upload.content)
    return see_other(f"{LEAGUES}{quote(name)}")


def _store(folder: Path, ending: str, content: bytes) -> None:
    """Write the file whole, and remove one of the other kind."""
    with _storing:  # two at once would remove each other's
        write_result(folder.parent, f"{folder.name}/bot{ending}", content)
        for other in ENDINGS:
            if other != ending:
                (folder / f"bot{other}").unlink(missing_ok=True)


async def without_slash(site: Site, request: Request) -> Response:
    """The address of a league without the slash at its end."""
    return see_other(f"{LEAGUES}{quote(request.path_params['name'])}")


ROUTES = (
    ("/league", ("GET",), leagues),
    ("/league/{name}", ("GET",), league),
    ("/league/{name}/", ("GET",), without_slash),
    ("/league/{name}/submissions", ("POST",), submit),
    ("/league/{name}/{file}", ("GET",), public_file),
)

PAGES = WebPages(ROUTES, ("/league", "League"), Path(__file__).parent / "templates", admission)
