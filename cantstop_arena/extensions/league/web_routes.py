"""A league's public pages, and the form with which participants hand in a bot.

An upload is stored as it is. Nobody here reads or runs it: the league's next round checks it.
"""

import re
from hmac import compare_digest
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cantstop_arena.atomic_files import write_result
from cantstop_arena.bots.bot_paths import ENDINGS
from cantstop_arena.extensions.league.league_files import PUBLIC, StoredToken, stored_tokens
from cantstop_arena.extensions.serve.access import foreign_file
from cantstop_arena.extensions.serve.forms import FormError, read_upload
from cantstop_arena.extensions.serve.results_index import ResultsIndex
from cantstop_arena.extensions.serve.site import RequestRefused, Site, see_other
from cantstop_arena.extensions.serve.web_pages import Admission, WebPages

LEAGUES = "/league/"
MAX_UPLOAD_BYTES = 2_000_000
_PUBLIC_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\.(html|svg|csv|json)")


def admission(index: ResultsIndex) -> Admission:
    """A function that tells whether a token is that of a participant of a path's league."""

    def admits(path: str, token: str) -> bool:
        if not path.startswith(LEAGUES):
            return False
        return holder(index, path.removeprefix(LEAGUES).partition("/")[0], token) is not None

    return admits


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
    return site.page("league.html", "/league", leagues=names)


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
    """A league: its public pages, and the form for a participant."""
    name = request.path_params["name"]
    folder = site.index.folder(name)
    if folder is None or (not (folder / PUBLIC).is_dir() and not stored_tokens(folder)):
        raise RequestRefused("There is no such league.", 404)
    participant = _participant(site, request, name)
    if participant is None and not (folder / PUBLIC / "index.html").is_file():
        raise RequestRefused("This league has no public pages yet: no round has been played.", 404)
    return site.page(
        "submit.html",
        "/league",
        name=name,
        participant=participant,
        has_pages=(folder / PUBLIC / "index.html").is_file(),
        stored=_stored(participant) if participant else "",
        is_owner=bool(request.scope.get("arena_owner")),
    )


def _participant(site: Site, request: Request, league: str) -> StoredToken | None:
    port = request.url.port or 80
    token = request.cookies.get(f"arena-league-{port}", "")
    return holder(site.index, league, token) if token else None


def _stored(participant: StoredToken) -> str:
    """The name of the file that lies in the participant's folder; empty if there is none."""
    folder = Path(participant.folder)
    files = [f"bot{ending}" for ending in ENDINGS if (folder / f"bot{ending}").is_file()]
    return files[0] if files else ""


async def submit(site: Site, request: Request) -> Response:
    """Store a participant's file in the participant's folder."""
    name = request.path_params["name"]
    participant = _participant(site, request, name)
    if participant is None:
        raise RequestRefused(
            "Open the address with your token: only participants hand in bots.", 403
        )
    if not participant.folder:
        raise RequestRefused(
            "Run arena league FILE --tokens again: tokens.csv names no folders yet.", 409
        )
    upload = await read_upload(request, MAX_UPLOAD_BYTES)
    ending = Path(upload.name).suffix
    if ending not in ENDINGS:
        raise FormError("Only .py and .onnx files are accepted; bots that are folders come by git.")
    await site.read(_store, participant, ending, upload.content)
    return see_other(f"/league/{name}")


def _store(participant: StoredToken, ending: str, content: bytes) -> None:
    """Write the file whole, and remove one of the other kind."""
    folder = Path(participant.folder)
    write_result(folder.parent, f"{folder.name}/bot{ending}", content)
    for other in ENDINGS:
        if other != ending:
            (folder / f"bot{other}").unlink(missing_ok=True)


async def without_slash(site: Site, request: Request) -> Response:
    """The address of a league without the slash at its end."""
    return RedirectResponse(f"/league/{request.path_params['name']}", 303)


ROUTES = (
    ("/league", ("GET",), leagues),
    ("/league/{name}", ("GET",), league),
    ("/league/{name}/", ("GET",), without_slash),
    ("/league/{name}/submissions", ("POST",), submit),
    ("/league/{name}/{file}", ("GET",), public_file),
)

PAGES = WebPages(ROUTES, ("/league", "League"), Path(__file__).parent / "templates", admission)
