"""Pages of runs: those that go on, one of them as it grows, starting and stopping."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Lock
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from cantstop_arena.atomic_files import create_below, write_atomically
from cantstop_arena.extensions.serve import live_runs
from cantstop_arena.extensions.serve.forms import Form, FormError, read_form
from cantstop_arena.extensions.serve.live_runs import LiveRun, RunView
from cantstop_arena.extensions.serve.site import FRAGMENT, RequestRefused, Site, see_other
from cantstop_arena.games.registry import all_games, game_named
from cantstop_arena.processes.system import ArenaProcess
from cantstop_arena.texts import in_a_line, time_text
from cantstop_arena.tournaments.file.tournament_file import PEOPLE
from cantstop_arena.tournaments.file.yaml_reader import dump
from cantstop_arena.tournaments.ledger.ledger import LEDGER

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_GAMES = range(2, 10_000_001)
_MAX_RUNS = 2
_FILES = Path("tournaments")  # where the files of runs are written
_LOGS = f"{PEOPLE}/runs"
_MAX_START = 20.0  # seconds until a run has begun
_PAUSE = 1.0  # seconds between two states that a page is sent

_children: dict[str, ArenaProcess] = {}  # polled, so that they do not stay as zombies
_starting = Lock()


async def live(site: Site, request: Request) -> Response:
    """All runs that go on, and the form to start one."""
    views = await site.read(site.running)
    game = game_of(request)
    bots = await site.read(site.bots_to_play, game)
    return site.page(
        "runs.html",
        "/live",
        going=views,
        bots=bots,
        game=game_named(game),
        games=all_games(),
        rules=[*game_named(game).rules.named],
        is_full=len(views) >= _MAX_RUNS,
        files=str(_FILES),
    )


def game_of(request: Request) -> str:
    """The game in the query; the default game where it names none that there is."""
    names = [game.name for game in all_games()]
    requested = request.query_params.get("game", "")
    return requested if requested in names else names[0]


async def run_page(site: Site, request: Request) -> Response:
    """One run with its standings so far."""
    run = _run_of(site, request)
    view = await site.read(run.view)
    return site.page("live.html", "/live", **_content(view))


def _run_of(site: Site, request: Request) -> LiveRun:
    run = site.live_run(request.path_params["name"])
    if run is None:
        raise RequestRefused("There is no such run.", 404)
    return run


def _content(view: RunView) -> dict[str, Any]:
    left = view.seconds_left
    return {"run": view, "left": time_text(left) if left else ""}


async def events(site: Site, request: Request) -> Response:
    """The states of a run as they come: a fragment each, and `end` when it is over."""
    run = _run_of(site, request)

    async def states() -> AsyncIterator[str]:
        last = None
        while not (site.should_exit() or await request.is_disconnected()):
            view = await site.read(run.view)
            if view is not last:
                last = view
                html = site.html("_live.html", **_content(view))
                yield "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
            if not view.is_running:
                yield "event: end\ndata: over\n\n"
                return
            await asyncio.sleep(_PAUSE)

    return StreamingResponse(states(), media_type="text/event-stream")


async def stop(site: Site, request: Request) -> Response:
    """End a run in order."""
    run = _run_of(site, request)
    if not await site.read(live_runs.stop, run.folder):
        raise RequestRefused("Nobody writes to this result: the run is over.", 409)
    deadline = time.monotonic() + _MAX_START
    while live_runs.writer(run.folder) is not None and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    run.forget()
    if FRAGMENT in request.headers:
        view = await site.read(run.view)
        return Response(site.html("_live.html", **_content(view)), media_type="text/html")
    return see_other(f"/live/{run.folder.name}")


async def start(site: Site, request: Request) -> Response:
    """Write the file of a tournament, and start its run."""
    form = await read_form(request)
    name, process, log = await site.read(_start, site, form)
    deadline = time.monotonic() + _MAX_START
    while not (site.results / name / LEDGER).is_file():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RequestRefused(f"The run did not begin: {_last_line(log)}", 422)
        await asyncio.sleep(0.05)
    return see_other(f"/live/{name}")


def _start(site: Site, form: Form) -> tuple[str, ArenaProcess, Path]:
    """Start a run under a name that is free, unless enough go on: forms can come at once."""
    with _starting:
        for old in [key for key, child in _children.items() if child.poll() is not None]:
            del _children[old]
        folders = [site.results / name for name in _children]
        beginning = {folder for folder in folders if not (folder / LEDGER).is_file()}
        if len(beginning.union(site.running_folders())) >= _MAX_RUNS:
            raise RequestRefused("Two runs go on already: wait for one, or stop it.", 409)
        name, content = _tournament_of(site, form)
        file, logs = _FILES / f"{name}.yaml", site.results / _LOGS
        file.parent.mkdir(exist_ok=True)
        write_atomically(file, content)
        create_below(site.results, logs)
        log = logs / f"{name}.log"
        process = _children[name] = live_runs.start(file, site.results, site.bots, log)
        return name, process, log


def _last_line(log: Path) -> str:
    try:
        lines = log.read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    return in_a_line(lines[-1], 300) if lines else "it has said nothing."


def _tournament_of(site: Site, form: Form) -> tuple[str, str]:
    """The name and the file of the tournament in a form. Raises FormError."""
    name, game_name = form.get("name"), form.get("game")
    if not _NAME.fullmatch(name) or name == PEOPLE:
        raise FormError(
            "A name has small letters, digits, - _ and . only, and begins with one of"
            " the first two."
        )
    file = _FILES / f"{name}.yaml"
    if (site.results / name).exists() or file.exists():
        raise FormError(f"There is a result or a file called {name} already: choose another name.")
    if game_name not in [game.name for game in all_games()]:
        raise FormError("There is no such game.")
    game = game_named(game_name)
    rules = form.get("rules")
    if rules not in game.rules.named:
        raise FormError("There are no such rules.")
    bots = form.all("bot")
    names_of_bots = {bot.name for bot in site.bots_of(game_name)}
    if unknown := [bot for bot in bots if bot not in names_of_bots]:
        raise FormError(f"No bot is called {in_a_line(unknown[0], 60)}.")
    players = form.number("players", range(max(1, game.players[0]), game.players[-1] + 1))
    if len(set(bots)) != len(bots) or len(bots) < players:
        raise FormError(f"Choose at least {players} different bots.")
    content = {
        "name": name,
        "game": game_name,
        "rules": rules,
        "players": players,
        "games": form.number("games", _GAMES),
        "bots": bots,
    }
    return name, dump(content)


ROUTES = (
    ("/live", ("GET",), live),
    ("/live/{name}", ("GET",), run_page),
    ("/live/{name}/events", ("GET",), events),
    ("/live/{name}/stop", ("POST",), stop),
    ("/runs", ("POST",), start),
)
