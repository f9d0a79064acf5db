"""A run as it is watched: the live table on a terminal, lines elsewhere, and what neither does."""

import io
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.terminals import ARENA, on_a_terminal, picture
from rich.cells import cell_len

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.cli.terminal.live_table import LiveFrame, LiveTable
from cantstop_arena.cli.terminal.progress_screen import (
    LINE_INTERVAL,
    Pace,
    Progress,
    ProgressScreen,
    RateLimiter,
    RunScreen,
)
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.errors import Interrupted
from cantstop_arena.processes import shutdown
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import Column, Table, Value, estimate, number
from cantstop_arena.tables.formats import TEXT, draw
from cantstop_arena.tables.interim import Interim, interim
from cantstop_arena.tables.standings import ELO
from cantstop_arena.texts import time_text
from cantstop_arena.tournaments import run
from cantstop_arena.tournaments.file import tournament_file
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run_observer import RunObserver

SLOW = """
import os, time
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    time.sleep(0.002)
    return turn.rolls < 3
"""
WAITING = SLOW.replace("0.002", "0.002 if os.path.exists('shown') else 0.05")
OOPS = "def choose_move(turn, moves): return 99\ndef roll_again(turn): return turn.rolls < 2\n"
LATER = """
import os, time
def choose_move(turn, moves):
    time.sleep(0.0001)
    return 99 if os.path.exists("misbehave") else 0
def roll_again(turn):
    return turn.rolls < 2
"""
LONG = "players: 2\ngames: 10000\nseed: 1\nbots: [rule28, slow, random]\n"
SHORT = LONG.replace("10000", "40")
MATCH = ("match", "slow", "rule28", "--games", "20")
STANDINGS = r"rank  bot +Elo +score % +games"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, where we stand, with a bot that is slow and one that misbehaves."""
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    Path("bots").mkdir()
    Path("bots/slow.py").write_text(SLOW)
    Path("bots/oops.py").write_text(OOPS)
    Path("long.yaml").write_text(LONG)
    Path("short.yaml").write_text(SHORT)
    return tmp_path


def without_codes(seen: str) -> str:
    return re.sub(r"\x1b\[[?\d;]*[a-zA-Z]|\r", "", seen)


def prose(lines: Sequence[str]) -> list[str]:
    """What is not said the first time only."""
    return [line for line in lines if line and not line.startswith("Compiling")]


# --- On a terminal --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_shows_its_standings_and_leaves_the_tables_as_usual() -> None:
    """The bot waits for the screen: how often that is drawn depends on how busy the machine is."""
    words = ("run", "short.yaml")
    Path("bots/slow.py").write_text(WAITING)
    with Path("out").open("wb") as out, on_a_terminal(*words, stdout=out) as terminal:
        terminal.awaits(" s left", " min left")
        terminal.awaits(" s ago.")
        Path("shown").touch()
        assert terminal.ends() == 0
    told = without_codes(terminal.seen)
    assert re.search(r"short  ━.*\d%\n\d+ of 120 games", told)
    assert re.search(r"\d of 120 games, [\d.]+ games/s, \d+ (s|min) left", told)
    assert re.search(STANDINGS, told)
    assert re.search(r"1  rule28 +1\d{3}\.\d( ± +[\d.]+)? +\d", told)
    assert re.search(r"After \d+ games, \d+ s ago\.", told)
    assert prose(picture(terminal.seen)) == []
    piped = subprocess.run([*ARENA, *words, "--fresh"], capture_output=True, check=True)
    assert Path("out").read_bytes() == piped.stdout
    said = prose(piped.stderr.decode().splitlines())
    assert [line for line in said if "of 120 games" not in line] == []  # a slow run says how far
    assert b"\x1b" not in piped.stdout


@pytest.mark.slow
def test_what_comes_after_stands_where_the_live_table_was() -> None:
    with on_a_terminal(*MATCH) as terminal:
        assert terminal.ends() == 0
    assert re.search(r"\d of 20 games", without_codes(terminal.seen))
    told = prose(picture(terminal.seen))
    assert told[0] == "slow-vs-rule28: playing 1 pairing (20 games)."
    assert told[1].startswith("slow scores ") and told[2].startswith(
        "slow against rule28: 20 games"
    )
    assert "Written to results/slow-vs-rule28" in told


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_run_that_is_stopped_leaves_the_terminal_as_it_was(sent: signal.Signals) -> None:
    with on_a_terminal("run", "long.yaml") as terminal:
        terminal.awaits("rank")
        if sent == signal.SIGINT:
            terminal.type("\x03")
        else:
            terminal.process.send_signal(sent)
        assert terminal.ends() == 128 + sent
    assert "Traceback" not in terminal.seen
    assert re.findall(r"\x1b\[\?25([hl])", terminal.seen)[-1] == "h"
    told = [line for line in prose(picture(terminal.seen)) if line != "^C"]
    assert told == [
        "long: playing 3 pairings (30,000 games).",
        "Stopped. Nothing finished is lost; go on with:",
        "  arena run long.yaml",
    ]


@pytest.mark.slow
def test_the_cursor_is_seen_all_the_time() -> None:
    """Whoever kills or stops the arena has a terminal as it was."""
    with on_a_terminal("run", "long.yaml") as terminal:
        terminal.awaits("rank")
        terminal.process.kill()
        terminal.ends()
    assert re.findall(r"\x1b\[\?25([hl])", terminal.seen)[-1] == "h"


@pytest.mark.slow
def test_an_error_is_told_below_what_is_left() -> None:
    Path("bots/later.py").write_text(LATER)
    Path("abort.yaml").write_text("on_fault: abort\ngames: 50000\nbots: [rule28, later]\n")
    with on_a_terminal("run", "abort.yaml") as terminal:
        terminal.awaits("rank")
        Path("misbehave").touch()
        assert terminal.ends() == 1
    told = prose(picture(terminal.seen))
    assert told[0] == "abort: playing 1 pairing (50,000 games)."
    assert told[1].startswith("later: illegal answer: ")
    assert told[2].startswith("later misbehaved in deal")
    assert len(told) == 5


@pytest.mark.slow
def test_a_quiet_match_is_quiet() -> None:
    with Path("out").open("wb") as out, on_a_terminal(*MATCH, "--quiet", stdout=out) as terminal:
        assert terminal.ends() == 0
    assert terminal.seen == ""
    assert b"20 games" in Path("out").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [{"TERM": "dumb"}, {"TERM": "unknown"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_a_terminal_that_cannot_show_a_table_gets_no_codes(how: dict[str, Any]) -> None:
    with on_a_terminal(*MATCH, **how) as terminal:
        assert terminal.ends() == 0
    assert "\x1b" not in terminal.seen
    lines = prose(picture(terminal.seen))
    assert lines[0] == "slow-vs-rule28: playing 1 pairing (20 games)."
    assert lines[1].startswith("slow scores ") and lines[2].startswith("slow against rule28: 20 ")


@pytest.mark.slow
def test_no_colours_where_none_are_wanted() -> None:
    with on_a_terminal("run", "long.yaml", NO_COLOR="1") as terminal:
        terminal.awaits("rank")
        terminal.type("\x03")
        terminal.ends()
    assert re.search(r"\x1b\[\d*A", terminal.seen)
    assert not re.search(r"\x1b\[[\d;]*m", terminal.seen)


@pytest.mark.slow
@pytest.mark.parametrize(
    "size",
    [(40, 24), (20, 5)],
)
def test_small_terminals_are_not_overrun(size: tuple[int, int]) -> None:
    words = ("run", "long.yaml")
    with Path("out").open("wb") as out, on_a_terminal(*words, stdout=out, size=size) as terminal:
        terminal.awaits("rank" if size[1] > 5 else " games")
        terminal.awaits(" games")
        terminal.type("\x03")
        terminal.ends()
    told = prose(picture(terminal.seen, size[0]))
    stopped = "Stopped. Nothing finished is lost; go on with:"[: size[0]]
    assert stopped in told[:2]  # the terminal's echo, ^C, may have made a full line two
    ups = [
        len(re.findall("\x1b\\[1A", part)) for part in re.split("[^\x1b\\[\\d;AK\r]", terminal.seen)
    ]
    assert 0 < max(ups) < size[1]


@pytest.mark.slow
def test_a_comparison_shows_which_part_is_played() -> None:
    Path("rules.yaml").write_text(
        "compare: [classic, jump]\ngames: 20\nseed: 1\nbots: [slow, random]\n"
    )
    with on_a_terminal("compare", "rules.yaml") as terminal:
        assert terminal.ends() == 0
    told = without_codes(terminal.seen)
    assert "games; rules, classic, 2 players (1 of 2)" in told
    assert re.search(r"games.*; rules, jump, 2 players \(2 of 2\)", told)
    assert re.search(r"\d of 40 games", told)
    assert "games ago" not in told and not any("━" in line for line in picture(terminal.seen))


@pytest.mark.slow
def test_a_match_shows_how_its_test_stands() -> None:
    with on_a_terminal("match", "slow", "rule28", "--sprt", "-900", "-50") as terminal:
        assert terminal.ends() == 0
    told = without_codes(terminal.seen)
    assert re.search(r"\d games, .*next look at \d+\nuntil a hypothesis is accepted\n", told)
    assert not any("━" in line for line in picture(terminal.seen))


@pytest.mark.slow
def test_a_run_until_intervals_are_narrow_shows_how_wide_they_are() -> None:
    Path("narrow.yaml").write_text("until: {width: 0.01}\nseed: 1\nbots: [rule28, slow]\n")
    with on_a_terminal("run", "narrow.yaml") as terminal:
        terminal.awaits("so far a score interval")
        terminal.type("\x03")
        terminal.ends()
    told = without_codes(terminal.seen)
    assert re.search(r"\d games, .*next look at [\d,]+\n", told)
    wanted = "until every bot has a score interval 0.01 wide or less; so far a score interval"
    assert wanted in " ".join(told.split())


# --- Elsewhere ------------------------------------------------------------------------------------


class Hands:
    """A clock that is put forward by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Hands:
    return Hands()


def never() -> TournamentTotals:
    raise AssertionError("nobody wants to see standings")


def test_a_pipe_gets_a_line_now_and_then(clock: Hands, capsys: pytest.CaptureFixture[str]) -> None:
    screen = RunScreen("cup", quiet=False, aside=False, clock=clock)
    screen.on_start(1000, 4000)
    capsys.readouterr()
    for _ in range(1000):
        screen.on_tick(never)
        clock.seconds += 0.07
        screen.on_progress(2)
    screen.close()
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "cup: 1,858 of 4,000 games, 29 games/s, 75 s left",
        "cup: 2,716 of 4,000 games, 29 games/s, 45 s left",
    ]


def test_lines_say_how_far_an_open_end_is(clock: Hands, capsys: pytest.CaptureFixture[str]) -> None:
    screen = RunScreen("cup", quiet=False, aside=False, aim="it is enough", clock=clock)
    screen.on_start(0, 4000)
    screen.on_tick(never)
    clock.seconds += LINE_INTERVAL
    screen.on_progress(1500)
    screen.on_tick(never)
    assert capsys.readouterr().err == "cup: 1,500 games, 50 games/s, next look at 4,000\n"


class Tty(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("kind", "in_front", "lively"),
    [("xterm", True, True), ("xterm", False, False), ("dumb", True, False)],
)
def test_lines_come_where_nothing_can_be_drawn(
    kind: str, in_front: bool, lively: bool, clock: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Tty()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setattr(
        "cantstop_arena.cli.terminal.progress_screen.is_in_front", lambda _: in_front
    )
    screen = RunScreen("cup", quiet=False, aside=True, standings=False, clock=clock)
    screen.on_start(0, 4000)
    for _ in range(2):
        screen.on_tick(never)
        clock.seconds += LINE_INTERVAL
        screen.on_progress(1000)
    screen.on_tick(never)
    assert ("\x1b[" in terminal.getvalue()) == lively
    assert ("\ncup: 2,000 of 4,000 games, 33 games/s, 60 s left\n" in terminal.getvalue()) != lively


def test_what_is_drawn_is_left_to_the_shell_that_takes_the_terminal_back(
    clock: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal, in_front = Tty(), [True]
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(
        "cantstop_arena.cli.terminal.progress_screen.is_in_front", lambda _: in_front[0]
    )
    screen = RunScreen("cup", quiet=False, aside=True, standings=False, clock=clock)
    screen.on_start(0, 4000)
    screen.on_tick(never)
    clock.seconds += 1
    screen.on_tick(never)
    drawn = terminal.getvalue()
    assert "of 4,000 games" in drawn
    in_front[0] = False
    screen.on_tick(never)
    screen.close()
    assert terminal.getvalue() == drawn


def test_a_terminal_that_is_gone_does_not_stop_the_run(
    clock: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(Tty):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr("sys.stderr", Gone())
    monkeypatch.setenv("TERM", "xterm")
    screen = RunScreen("cup", quiet=False, aside=False, standings=False, clock=clock)
    screen.on_start(0, 4000)
    for _ in range(4):
        screen.on_tick(never)
        clock.seconds += LINE_INTERVAL
    monkeypatch.setenv("TERM", "dumb")
    screen.on_tick(never)
    screen.close()


def test_quiet_screens_say_nothing(clock: Hands, capsys: pytest.CaptureFixture[str]) -> None:
    screen = RunScreen("cup", quiet=True, aside=False, clock=clock)
    screen.on_start(0, 4000)
    for _ in range(9):
        screen.on_tick(never)
        clock.seconds += LINE_INTERVAL
        screen.on_progress(10)
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_what_draws_is_not_loaded_before_there_is_something_to_draw() -> None:
    script = (
        "import sys\nfrom cantstop_arena.cli import main\n"
        "main(['match', 'rule28', 'odds', '--games', '2'], standalone_mode=False)\n"
        "print('rich' in sys.modules)\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


# --- The numbers ----------------------------------------------------------------------------------


def test_a_budget_keeps_the_pause_and_the_share_of_the_time(clock: Hands) -> None:
    budget = RateLimiter(1.0, 50, clock)
    moments = []
    for _ in range(10_000):
        if budget.due():
            moments.append(clock.seconds)
            with budget.spent():
                clock.seconds += 0.01 if len(moments) < 5 else 0.2
        clock.seconds += 0.01
    gaps = [after - before for before, after in pairwise(moments)]
    assert moments[0] == pytest.approx(1001, abs=0.02)
    assert gaps[:4] == [pytest.approx(1.01, abs=0.02)] * 4
    assert gaps[4:] == [pytest.approx(10.2, abs=0.02)] * len(gaps[4:])


def test_a_budget_counts_what_fails(clock: Hands) -> None:
    budget = RateLimiter(1.0, 50, clock)
    with pytest.raises(ValueError, match="no"), budget.spent():
        clock.seconds += 1
        raise ValueError("no")
    clock.seconds += 49
    assert not budget.due()
    clock.seconds += 1
    assert budget.due()


def test_the_pace_is_that_of_the_last_ten_seconds(clock: Hands) -> None:
    pace = Pace(clock)
    pace.start()
    assert pace.rate() is None
    for games in [100] * 300 + [500] * 150:
        clock.seconds += 0.1
        pace.add_games(games)
    assert pace.rate() == pytest.approx(5000)


def test_the_pace_of_slow_blocks_does_not_dance(clock: Hands) -> None:
    pace = Pace(clock)
    pace.start()
    rates = []
    for second in range(1, 300):
        clock.seconds += 1
        if second % 25 == 0:
            pace.add_games(250)
        rates.append(pace.rate())
    assert rates[:24] == [None] * 24
    assert rates[24:] == [pytest.approx(10)] * len(rates[24:])


def test_the_pace_sinks_when_nothing_happens(clock: Hands) -> None:
    pace = Pace(clock)
    pace.start()
    for _ in range(20):
        clock.seconds += 1
        pace.add_games(10)
    clock.seconds += 100
    assert pace.rate() == pytest.approx(1)


def test_nothing_silly_is_said_at_the_start(clock: Hands) -> None:
    progress = Progress("", clock)
    progress.stands(0, 2_000_000)
    clock.seconds += 30  # for the compiler
    progress.start()
    assert str(progress) == "0 of 2,000,000 games"
    clock.seconds += 0.4
    progress.add_games(1)
    assert str(progress) == "1 of 2,000,000 games"
    clock.seconds += 0.6
    progress.add_games(150_000)
    assert str(progress) == "150,001 of 2,000,000 games, 150,000 games/s, 12 s left"
    progress.stands(100_000, 400_000)  # a bot is out
    assert str(progress) == "100,000 of 400,000 games, 150,000 games/s, 2 s left"
    assert progress.share == 0.25


@pytest.mark.parametrize(
    ("games", "told"),
    [
        *((3, "0.03"), (40, "0.4"), (95, "0.95"), (123, "1.2"), (300, "3"), (994, "9.9")),
        *((996, "10"), (1234, "12"), (9987, "100"), (20_988_700, "210,000")),
    ],
)
def test_rates_have_two_digits(games: int, told: str, clock: Hands) -> None:
    progress = Progress("", clock)
    progress.start()
    clock.seconds += 100
    progress.add_games(games)
    assert f", {told} games/s, " in str(progress)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        *((0.2, "1 s"), (120, "120 s"), (121, "2 min"), (7200, "120 min"), (7201, "2 h")),
        *((48 * 3600, "48 h"), (9 * 86400, "9 d"), (1e30, "ages")),
    ],
)
def test_times_have_the_unit_that_fits(seconds: float, told: str) -> None:
    assert time_text(seconds) == told


# --- The standings so far -------------------------------------------------------------------------


class Curious(RunObserver):
    """A watch that looks at the standings after every block."""

    def __init__(self) -> None:
        self.results: Callable[[], TournamentTotals] | None = None
        self.seen: list[Interim] = []
        self.extents: list[tuple[int, int]] = []

    def on_start(self, played: int, games: int) -> None:
        """Keep how many games there are."""
        self.extents.append((played, games))

    def on_progress(self, games: int) -> None:
        """Look."""
        self.extents[-1] = self.extents[-1][0] + games, self.extents[-1][1]
        if self.results:
            self.on_tick(self.results)

    def on_total(self, played: int, games: int) -> None:
        """Keep how many games are left."""
        self.extents.append((played, games))

    def on_tick(self, totals: Callable[[], TournamentTotals] | None = None) -> None:
        """Look."""
        assert totals
        self.results = totals
        self.seen.append(interim(totals()))


class Incurious(Curious):
    """A watch that does not look."""

    def on_tick(self, totals: Callable[[], TournamentTotals] | None = None) -> None:
        """Nothing to say."""


def played(text: str, watch: Curious, folder: str) -> TournamentTotals:
    Path("cup.yaml").write_text(text)
    catalogue = Catalogue(Path("bots"))
    tournament = tournament_file.read(Path("cup.yaml"), catalogue)
    return run.run_tournament(tournament, catalogue, Path(folder), PoolOptions(1), watch)


CUPS = {
    "two": "games: 24\nseed: 1\nbots: [random, cautious, odds]\n",
    "few": "games: 2\nseed: 1\nbots: [random, cautious, rule28]\n",
    "three": "players: 3\ngames: 30\nseed: 1\nbots: [random, cautious, rule28, odds]\n",
    "four": "players: 4\ngames: 48\nseed: 1\nbots: [random, cautious, rule28, odds, daring]\n",
    "alone": "players: 1\ngames: 30\nseed: 1\nbots: [random, oops, rule28]\n",
    "lonely": "players: 1\ngames: 30\nseed: 1\nbots: [rule28]\n",
    "anchored": "games: 20\nanchor: {odds: 1800}\nseed: 1\nbots: [random, cautious, odds]\n",
    "faulty": "games: 40\nmax_faults: 7\nseed: 1\nbots: [random, oops, rule28]\n",
    "nobody": "games: 40\nmax_faults: 1\nseed: 1\nbots: [{bot: oops, as: a}, {bot: oops, as: b}]\n",
    "until": "games: 2000\nuntil: {elo_error: 90}\nseed: 1\nbots: [random, cautious, rule28]\n",
    "width": "games: 2000\nuntil: {width: 0.2}\nplayers: 3\nseed: 1\n"
    "bots: [random, cautious, rule28]\n",
}
SOON = ("lonely", "faulty")  # those that `make test` waits for


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "cup", [pytest.param(cup, marks=[pytest.mark.slow] * (cup not in SOON)) for cup in CUPS]
)
def test_standings_can_be_seen_after_every_block_and_change_nothing(cup: str) -> None:
    watch = Curious()
    results = played(CUPS[cup], watch, "watched")
    played(CUPS[cup], Incurious(), "not")
    ledgers = [Path(folder, LEDGER).read_bytes() for folder in ("watched", "not")]
    assert ledgers[0] == ledgers[1]
    assert watch.seen
    for seen in watch.seen:
        text = draw(seen.table, TEXT)
        assert "nan" not in text and "inf" not in text
        ranks = [row[0] for row in seen.table.rows]
        known = [rank for rank in ranks if rank is not None]
        assert known == sorted(known) and ranks[len(known) :] == [None] * (len(ranks) - len(known))
        assert (1 in known) == (seen.games > 0)
        for rank, _, *told in seen.table.rows:
            assert rank or told == [Estimate(None)] * (len(told) - 2) + [None, 0]
    assert [seen.games for seen in watch.seen] == sorted(seen.games for seen in watch.seen) or (
        results.disqualified
    )
    done, games = watch.extents[-1]
    assert done == games == interim(results).games


def test_a_wish_to_end_is_heard_while_standings_are_reckoned() -> None:
    """With very many games that takes seconds."""
    played(CUPS["few"], Incurious(), "cup")
    tournament = tournament_file.read(Path("cup.yaml"), Catalogue(Path("bots")))
    with run.open_session(
        tournament, Catalogue(Path("bots")), Path("cup"), RunObserver()
    ) as session:
        session.announce_plan(tournament.deals, RunObserver())
        with pytest.raises(Interrupted), shutdown.handle_signals(""), shutdown.defer_until_safe():
            signal.raise_signal(signal.SIGTERM)
            session.results()
            pytest.fail("nobody heard it")
        assert interim(session.results()).games


@pytest.mark.slow
def test_a_bot_that_is_out_is_named_and_its_games_count_no_more() -> None:
    watch = Curious()
    played(CUPS["faulty"], watch, "watched")
    assert watch.extents[0][1] == 120
    assert watch.extents[-1] == (40, 40)
    last = watch.seen[-1]
    assert last.notes == ("Disqualified: oops.",)
    assert [row[1] for row in last.table.rows] == ["rule28", "random"]
    assert watch.seen[0].notes == ()


@pytest.mark.slow
def test_what_a_tournament_waits_for_is_told_as_far_as_it_is_known() -> None:
    watch = Curious()
    played(CUPS["until"], watch, "watched")
    told = [seen.extent for seen in watch.seen if seen.extent]
    assert told[0].startswith("Elo without bounds for ")
    assert re.fullmatch(r"Elo ± \d\d\.\d+ for random", told[-1])


# --- The drawing ----------------------------------------------------------------------------------

NAMES = ("rule28", "[bold]x[/] :dice:", "目録" * 12, "e\u0301" * 10, "🎲" * 30, "b" * 60)


def drawn(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch, scene: LiveFrame) -> list[str]:
    """The lines of a scene on a terminal of that size."""
    stderr = io.StringIO()
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setenv("COLUMNS", str(size[0]))
    monkeypatch.setenv("LINES", str(size[1]))
    LiveTable(coloured=False).show(scene)
    return without_codes(stderr.getvalue()).splitlines()


def a_scene(bots: Sequence[str] = NAMES) -> LiveFrame:
    columns = (
        *(number("rank"), Column("bot", "bot"), ELO, estimate("score", "score %", 2, percent=True)),
        *(number("games"), number("faults", optional=True)),
    )
    rows: list[list[Value]] = [
        [rank, bot, Estimate(1500.0, 1480.0, 1520.0), Estimate(0.5, 0.4, 0.6), 1200, rank - 1]
        for rank, bot in enumerate(bots, 1)
    ]
    standings = Interim(
        Table("interim", "", columns, rows), 1200, "", ("Disqualified: a, \x1b[2Jb.",)
    )
    lines = ("1,200 of 4,000 games, 29 games/s, 97 s left",)
    return LiveFrame("\x1b[2J [red]cup[/]", 0.3, lines, standings, "3 s ago")


@pytest.mark.parametrize("columns", [*range(1, 60, 4), 80, 133, 400])
@pytest.mark.parametrize("lines", [1, 2, 5, 10, 24])
def test_a_scene_fits_every_terminal(
    columns: int, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = drawn((columns, lines), monkeypatch, a_scene())
    assert 0 < len(told) <= lines
    assert all(cell_len(line) <= columns for line in told)
    if columns > 20 and lines > 5:
        assert "1,200 of 4,000 games, 29 games/s, 97 s left" in " ".join(map(str.strip, told))


def test_names_are_shown_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    told = drawn((133, 50), monkeypatch, a_scene())
    assert told[0].startswith("\\x1b[2J [red]cup[/]  ━")
    for name in NAMES:
        assert any(name in line for line in told)
    assert len({cell_len(line) for line in told[4:9]}) == 1
    assert told[-2:] == ["Disqualified: a, \\x1b[2Jb.", "After 1,200 games, 3 s ago."]


def test_low_terminals_show_the_first_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    told = drawn((133, 24), monkeypatch, a_scene([f"bot-{number}" for number in range(100)]))
    assert [line.split()[1] for line in told[4:-3]] == [f"bot-{number}" for number in range(16)]
    assert told[-3] == "and 84 more"
    assert len(told) == 23


def test_narrow_terminals_show_the_first_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    def headings(columns: int) -> list[str]:
        return drawn((columns, 40), monkeypatch, a_scene(["x" * 30]))[-4].split()

    assert headings(80) == ["rank", "bot", "Elo", "score", "%", "games"]
    assert headings(50) == ["rank", "bot", "Elo", "score", "%"]
    assert headings(40) == ["rank", "bot", "Elo"]
    assert "xx…  1500.0 ± 20.0" in drawn((40, 40), monkeypatch, a_scene(["x" * 30]))[-3]


def test_the_end_of_a_command_names_the_folder_and_the_page(arena: Arena) -> None:
    done = arena("match rule28 random --games 2 --page")
    assert done.text.endswith(
        "\n\nWritten to results/rule28-vs-random\nPage: results/rule28-vs-random/report.html\n"
    )


def test_one_blank_line_is_before_the_result(arena: Arena) -> None:
    text = arena("match rule28 random --games 2 --quiet").text
    again = arena("match rule28 random --games 2").text
    assert again.partition("\n\n")[2].startswith(text.rstrip("\n")) and "\n\n\n" not in again


# --- Other work -----------------------------------------------------------------------------------


def test_the_work_of_every_command_is_shown_in_its_unit(
    clock: Hands, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = ProgressScreen("Judging", "deals", clock=clock)
    screen.on_start(0, 400)
    for _ in range(40):
        screen.on_tick()
        clock.seconds += 1
        screen.on_progress(5)
    screen.close()
    told = capsys.readouterr()
    assert told == ("", "Judging: 150 of 400 deals, 5 deals/s, 50 s left\n")


def test_several_tournaments_are_counted_together(
    clock: Hands, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = RunScreen("cup", quiet=False, aside=True, standings=False, clock=clock)

    def play(games: int) -> None:
        for _ in range(games // 5):
            screen.on_tick()
            clock.seconds += 1
            screen.on_progress(5)

    for part, (name, stored) in enumerate([("classic", 60), ("jump", 0)], 1):
        screen.begin_part(f"cup, {name}", f"{part} of 2")
        if part == 1:
            screen.on_whole(340)
        screen.on_start(stored, 200)
        play(100)
        if part == 1:
            screen.on_total(160, 180)  # a bot is disqualified: twenty games less
            play(20)
        screen.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "cup: 150 of 320 games, 5 games/s, 34 s left; cup, jump (2 of 2)",
    ]


def test_standings_are_soon_computed_again_after_a_slow_time(
    clock: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first time takes longest, as much is loaded."""
    monkeypatch.setattr("sys.stderr", Tty())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("cantstop_arena.cli.terminal.progress_screen.is_in_front", lambda _: True)
    monkeypatch.setattr("cantstop_arena.tables.interim.interim", lambda _: a_scene().standings)
    moments: list[float] = []

    def totals() -> TournamentTotals:
        moments.append(clock.seconds)
        clock.seconds += 0.4
        return None  # type: ignore[return-value]

    screen = RunScreen("cup", quiet=False, aside=True, clock=clock)
    screen.on_start(0, 4000)
    for _ in range(600):
        screen.on_tick(totals)
        clock.seconds += 0.05
        screen.on_progress(1)
    screen.close()
    assert [round(after - before) for before, after in pairwise(moments)] == [8, 8, 8]


LONG_WORK = (
    "bench rule28 odds --seconds 1",
    "judge odds --rules 3,1 --players 1 --deals 4000 --tables tables",
    "export results/short --games games.csv --decisions decisions.csv",
    "solve 3,1 --tables new",
    "tune rule28 threshold=27..29 --games 600",
)


@pytest.mark.slow
@pytest.mark.parametrize("command", LONG_WORK)
def test_no_command_is_silent_or_returns_the_carriage_elsewhere(command: str) -> None:
    def arena(line: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*ARENA, *line.split()], capture_output=True, check=True)

    if "results/short" in command:
        arena("run short.yaml --quiet --no-page")
    if "--tables tables" in command:
        arena("solve 3,1 --players 1 --tables tables")
    with Path("out").open("wb") as out, on_a_terminal(*command.split(), stdout=out) as terminal:
        assert terminal.ends() == 0
    seen = without_codes(terminal.seen)  # work that takes less than a second ends without a bar
    assert re.search(r"━.*\d%\n\d[\d,]* of \d[\d,]* \w+|positions|fresh deals", seen)
    for name in ("new", "nets.npz", "games.csv", "decisions.csv"):
        subprocess.run(["rm", "-rf", name], check=True)
    piped = arena(command)
    assert b"\r" not in piped.stdout + piped.stderr and b"\x1b" not in piped.stderr
    assert b"\r" not in Path("out").read_bytes()
