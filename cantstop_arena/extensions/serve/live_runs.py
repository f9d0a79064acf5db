"""Runs that go on: who writes to a folder, the standings so far, how runs are started and stopped.

A run is a child in a session of its own, which outlives the server; after a restart it is known by
the lock on its folder.
"""

import os
import signal
import struct
import sys
import time
from math import comb
from pathlib import Path
from threading import Lock

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from cantstop_arena.errors import ArenaError, UsageError
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.system import ArenaProcess, start_arena
from cantstop_arena.reports.headline import answer, headline
from cantstop_arena.reports.page.standings_section import standings_section
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.ledger.open_ledger import part_folders
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims, look_into
from cantstop_arena.tournaments.pool.bot_logs import first_faults
from cantstop_arena.tournaments.run import LOGS

_LOCK = "hhqqi4x" if sys.platform == "linux" else "qqihh"  # struct flock
_MAX_SHARE = 20  # reading takes at most one in so many seconds
_PACE_SECONDS = 30.0  # a ledger grows in jumps: the pace is averaged over this time


class RunView(msgspec.Struct, frozen=True):
    """What the page of a run shows; `html` is the figure of the standings."""

    name: str
    is_running: bool
    about: str = ""
    headline: str = "Nothing has been played yet"
    answer: str = ""
    played: int = 0
    games: int = 0
    pace: float | None = None
    widest: float | None = None
    widest_bot: str = ""
    finding: str = ""
    html: Markup = Markup("")
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """How much has been played, in percent."""
        return 100 * self.played / max(1, self.games)

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at this pace."""
        return (self.games - self.played) / self.pace if self.pace else None


def writer(folder: Path) -> int | None:
    """The process that writes to a folder of results: the one that holds its lock.

    It is asked for without a lock of its own, which could make a run fail that begins just now.
    """
    try:
        import fcntl

        with (folder / ".lock").open("rb") as file:
            if sys.platform == "linux":
                request = struct.pack(_LOCK, fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
            else:
                request = struct.pack(_LOCK, 0, 0, 0, fcntl.F_RDLCK, os.SEEK_SET)
            fields = struct.unpack(_LOCK, fcntl.fcntl(file, fcntl.F_GETLK, request))
    except (ImportError, OSError):
        return None
    kind, process = (fields[0], fields[4]) if sys.platform == "linux" else (fields[3], fields[2])
    return process if kind != fcntl.F_UNLCK else None


def stop(folder: Path) -> bool:
    """End a run in order; what was played is kept. False when nobody writes.

    A run that was started in the background may ignore SIGINT.
    """
    process = writer(folder)
    if process is None or process == os.getpid():
        return False
    try:
        os.kill(process, signal.SIGTERM)
    except OSError:
        return False
    return True


def start(file: Path, results: Path, bots: Path, log: Path) -> ArenaProcess:
    """Start `arena run FILE`, which outlives this process; its messages go to a log."""
    arguments = ["run", str(file), "--results", str(results), "--bots", str(bots), "--quiet"]
    return start_arena(arguments, log=log)


class LiveRun:
    """The view of one run, read so seldom that it costs a twentieth of the time at most."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._view: RunView | None = None
        self._due = 0.0
        self._marks: list[tuple[float, int]] = []
        self._lock = Lock()

    def view(self) -> RunView:
        """What the page shows now."""
        with self._lock:
            started = time.monotonic()
            is_running = writer(self.folder) is not None
            if self._view is None or started >= self._due or is_running != self._view.is_running:
                self._view = self._read(is_running)
                self._due = started + max(1.0, _MAX_SHARE * (time.monotonic() - started))
            return self._view

    def forget(self) -> None:
        """Read again at the next look."""
        with self._lock:
            self._due = 0.0

    def _read(self, is_running: bool) -> RunView:
        try:
            part, analysis = _current(self.folder)
        except ArenaError as error:
            return RunView(
                self.folder.name, is_running, answer=f"{error}" if not is_running else ""
            )
        now = time.monotonic()
        marks = [mark for mark in self._marks if now - mark[0] < _PACE_SECONDS]
        marks = [mark for mark in marks if mark[1] <= analysis.games]  # another part has begun
        self._marks = [*marks, (now, analysis.games)]
        view = _view_of(self.folder.name, part, analysis, is_running, self._pace())
        faults = first_faults(self.folder / LOGS) if is_running else []
        return replace(view, notes=(*faults, *view.notes))

    def _pace(self) -> float | None:
        (then, before), (now, games) = self._marks[0], self._marks[-1]
        return (games - before) / (now - then) if now - then > 0.5 and games > before else None


def _current(folder: Path) -> tuple[str, Analysis]:
    """The results that the page of a run shows.

    Of a comparison those of one part after its name: the one that lacks games, else the last.
    """
    if not (parts := [*part_folders(folder)]):
        return "", Analysis(load_results_with_aims(folder))
    parts_started = look_into(folder, lambda ledger: ledger.parts())
    for name in parts_started:
        results = load_results_with_aims(folder / name)
        if results.missing_games or name == parts_started[-1]:
            players, rules = name.split("/")
            part = f"{rules} rules, {how_many(int(players.partition('-')[0]), 'player')}"
            verb = "has" if len(parts_started) == 1 else "have"
            text = f"{part}: {len(parts_started)} of {len(parts)} parts {verb} begun"
            return text, Analysis(results)
    raise UsageError("Nothing has been played yet")


def _view_of(
    name: str, part: str, analysis: Analysis, is_running: bool, pace: float | None
) -> RunView:
    results = analysis.results
    rules = f"{results.rules.get('name', '')} rules"
    section = standings_section(analysis)
    text = headline(analysis)
    if is_running:
        text = _without_leader(analysis) or text.replace(" wins", " leads")
    rated = (
        []
        if analysis.is_solo
        else [
            ((each.high - each.low) / 2, bot)
            for bot, each in enumerate(analysis.elo)
            if each.low is not None and each.high is not None
        ]
    )
    width, widest = max(rated, default=(None, None))
    so_far = f"{how_many(len(results.bots), 'bot')} in the order of their standing so far"
    figure = section.figures[0]
    return RunView(
        name=name,
        is_running=is_running,
        about=f"{game_named(results.game).title}, {part or rules}",
        headline=text,
        answer=" ".join(answer(analysis)),
        played=analysis.games,
        games=analysis.games + results.missing_games,
        pace=pace if is_running else None,
        widest=width,
        widest_bot=results.bots[widest] if widest is not None else "",
        finding=so_far if is_running else section.finding,
        html=figure.html,
        notes=tuple(figure.notes),
    )


def _without_leader(analysis: Analysis) -> str:
    """The headline before all groups have met: until then it is chance who leads."""
    results = analysis.results
    if analysis.is_solo or results.challenger:
        return ""
    met = len({tuple(sorted(seating)) for seating in results.tallies})
    groups = comb(len(results.bots), results.players)
    if met >= groups or len(results.bots) < results.players:
        return ""
    return f"{met:,} of {groups:,} lineups have met; who leads is not known yet"


def running(folders: list[Path]) -> list[Path]:
    """The folders to which a run writes now."""
    return [folder for folder in folders if writer(folder) is not None]
