"""What the server knows: results, runs, people's games, and how its pages are rendered."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from cantstop_arena.bots.bot_start import Isolation, sandbox_problem
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription, refusal_of
from cantstop_arena.errors import ArenaError
from cantstop_arena.extensions.serve.forms import FormError
from cantstop_arena.extensions.serve.live_runs import LiveRun, RunView, running
from cantstop_arena.extensions.serve.people_games import PeopleGames
from cantstop_arena.extensions.serve.people_store import PeopleStore
from cantstop_arena.extensions.serve.results_index import ResultsIndex
from cantstop_arena.extensions.serve.web_pages import VISITOR, added_pages
from cantstop_arena.extensions.serve.web_seat import seat_of
from cantstop_arena.games.registry import all_games, game_named
from cantstop_arena.pages import document
from cantstop_arena.pages.document import rendered

TEMPLATES = Path(__file__).parent / "templates"
FRAGMENT = "x-fragment"  # the header with which the script asks for a part of a page
_TABLE_THREADS, _READ_THREADS = 8, 2
_MAX_REVIEWS = 32
_MAX_FILES = 5000  # of the folder of bots that are looked at for changes
_PAGES = (
    ("/", "Results"),
    ("/live", "Live"),
    ("/play", "Play"),
    ("/bots", "Bots"),
)

Result = TypeVar("Result")


class StaticFile(NamedTuple):
    """A file that pages load; its name has a digest of the content."""

    name: str
    kind: str
    content: bytes


class RequestRefused(Exception):
    """A request cannot be met: a sentence, and the status of the answer."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class RecentlyUsed:
    """Values by key, of which only the most recently used stay."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[object, Any] = {}

    def get(self, key: object) -> Any:
        """The value of a key; None if it is not here."""
        if key in self._values:
            self._values[key] = self._values.pop(key)
        return self._values.get(key)

    def add(self, key: object, value: object) -> None:
        """Store a value; the one that was not used for longest goes."""
        self._values[key] = value
        while len(self._values) > self._size:
            del self._values[next(iter(self._values))]


class Site:
    """The state of a server. Its threads last as long as it does.

    A bot's process ends with the thread that has started it, and tables must not wait for readers.
    """

    def __init__(self, results: Path, bots: Path) -> None:
        self.results = results
        self.bots = bots
        self.sandbox_problem = sandbox_problem()
        self._catalogue: tuple[object, Catalogue] | None = None
        self._cataloguing = Lock()
        self.index = ResultsIndex(results)
        self.people = PeopleGames(PeopleStore(results), self.catalogue, results)
        self.should_exit: Callable[[], bool] = lambda: False  # open streams end when it is true
        self.reviews = RecentlyUsed(_MAX_REVIEWS)  # judged games: each page shows another step
        self._live: dict[Path, LiveRun] = {}
        self._added = added_pages()
        self._tables = ThreadPoolExecutor(_TABLE_THREADS, "table")
        self._readers = ThreadPoolExecutor(_READ_THREADS, "reader")
        # Seats import their games' engines: the address is printed before these are loaded.
        self._static_files = self._readers.submit(_static_files)

    @property
    def style(self) -> StaticFile:
        """The style of all pages."""
        return self._static_files.result()[0]

    @property
    def script(self) -> StaticFile:
        """The script of all pages."""
        return self._static_files.result()[1]

    def catalogue(self) -> Catalogue:
        """The bots as they are now: described again when a file in their folder has changed."""
        with self._cataloguing:
            stamp = _stamp(self.bots)
            if self._catalogue is None or self._catalogue[0] != stamp:
                isolation = Isolation.PROCESSES if self.sandbox_problem else Isolation.SANDBOX
                catalogue = Catalogue(self.bots, results=self.results, isolation=isolation)
                self._catalogue = stamp, catalogue
            return self._catalogue[1]

    def bots_of(self, game: str) -> list[BotDescription]:
        """All bots of a game that can be used."""
        catalogue = self.catalogue().playing(game_named(game))
        with self._cataloguing:
            bots, _ = catalogue.everything()
        return [bot for bot in bots if bot.game == game]

    def bots_to_play(self, game: str) -> list[BotDescription]:
        """The bots that can play under some of the game's rule sets, which forms offer."""
        settings = [
            (named.rules, players)
            for named in game_named(game).rules.named.values()
            for players in game_named(game).players
        ]
        return [
            bot
            for bot in self.bots_of(game)
            if not all(refusal_of(bot.address, game_named(game), *each) for each in settings)
        ]

    async def at_table(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """The result of a function that plays games."""
        return await _run(self._tables, function, *arguments)

    async def read(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """The result of a function that reads results."""
        return await _run(self._readers, function, *arguments)

    def live_run(self, name: str) -> LiveRun | None:
        """The run in a folder of results; None if there is no such folder."""
        folder = self.index.folder(name)
        return self._live.setdefault(folder, LiveRun(folder)) if folder else None

    def running(self) -> list[RunView]:
        """The runs that go on."""
        views = (self._live.setdefault(f, LiveRun(f)).view() for f in self.running_folders())
        return [view for view in views if view.is_running]

    def running_folders(self) -> Sequence[Path]:
        """The folders of the runs that go on."""
        return running(self.index.folders())

    @property
    def running_count(self) -> int:
        """The number of runs that go on."""
        return len(self.running_folders())

    def html(self, template: str, /, **content: Any) -> str:
        """A template, filled in."""
        folders = (TEMPLATES, *(each.templates for each in self._added))
        return rendered(folders, template, **content)

    def page(self, template: str, here: str, /, status: int = 200, **content: Any) -> HTMLResponse:
        """A whole page; `here` is the path of its entry in the navigation.

        The navigation has what is open to the visitor.
        """
        visitor = VISITOR.get()
        owners = (*_PAGES, *(each.entry for each in self._added))
        html = self.html(
            template,
            pages=owners if visitor.is_owner else visitor.guest.entries if visitor.guest else (),
            here=here,
            running_count=self.running_count if visitor.is_owner else 0,
            style=self.style.name,
            script=self.script.name,
            visitor=visitor,
            **content,
        )
        return HTMLResponse(html, status)

    def problem_page(self, sentence: str, status: int) -> HTMLResponse:
        """A page with one sentence on what is wrong."""
        return self.page("problem.html", "", status, sentence=sentence)

    def answer(self, route: Callable[["Site", Request], Any]) -> Callable[[Request], Any]:
        """A route whose errors become pages with a sentence."""

        async def answered(request: Request) -> Response:
            try:
                response: Response = await route(self, request)
                return response
            except (RequestRefused, FormError) as error:
                return self._problem(request, str(error), error.status)
            except ArenaError as error:
                text = str(error)
                return self._problem(request, text if text.endswith(".") else f"{text}.", 422)

        return answered

    def _problem(self, request: Request, sentence: str, status: int) -> Response:
        if FRAGMENT in request.headers:
            return HTMLResponse(self.html("_problem.html", sentence=sentence), status)
        return self.problem_page(sentence, status)

    def close(self) -> None:
        """Close all tables; runs go on, and so do games when the server is started again."""
        self._tables.submit(self.people.close).result()
        self._tables.shutdown()
        self._readers.shutdown(cancel_futures=True)


def see_other(path: str) -> Response:
    """The answer to a form: go and see there."""
    return RedirectResponse(path, 303)


def _stamp(folder: Path) -> object:
    """What changes when a file in a folder of bots does."""
    stamps = []
    for path in sorted(folder.rglob("*"))[:_MAX_FILES]:
        with suppress(OSError):
            status = path.stat()
            if "__pycache__" not in path.parts:
                stamps.append((str(path), status.st_mtime_ns, status.st_size))
    return stamps


async def _run(
    threads: ThreadPoolExecutor, function: Callable[..., Result], *arguments: Any
) -> Result:
    return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)


def _static_files() -> tuple[StaticFile, StaticFile]:
    """The style of reports and games with that of the forms, and the scripts."""
    seats = [seat_of(game) for game in all_games()]
    common, own = document.TEMPLATES / "page.css", TEMPLATES / "serve.css"
    styles = dict.fromkeys(seat.style for seat in seats)
    style = "\n".join([common.read_text("utf-8"), *styles, own.read_text("utf-8")])
    scripts = dict.fromkeys(seat.script for seat in seats if seat.script)
    script = "\n".join([(TEMPLATES / "serve.js").read_text("utf-8"), *scripts])
    return _static("serve", "css", "text/css", style), _static(
        "serve", "js", "text/javascript", script
    )


def _static(name: str, ending: str, kind: str, text: str) -> StaticFile:
    content = text.encode()
    digest = hashlib.sha256(content).hexdigest()[:12]
    return StaticFile(f"{name}-{digest}.{ending}", kind, content)


def first_values(fields: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The first value of each field."""
    return {name: values[0] for name, values in fields.items() if values}
