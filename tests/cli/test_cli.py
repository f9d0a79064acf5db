"""The command line: every command, what it refuses, and what it leaves in the results folder."""

import contextlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.ledgers import blocks_in
from helpers.naive import Verdict, referee
from helpers.parameters import slow_but
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.bots.versions import HISTORY
from cantstop_arena.cli import main
from cantstop_arena.games.cantstop.rules import NAMED, RULES
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.views.command_options import MAX_WIDTH

ARENA = (sys.executable, "-c", "from cantstop_arena.cli import main; main()")
PLAIN = '''"""Stops after three rolls."""
def choose_move(turn, moves, last=False):
    return len(moves) - 1 if last else 0
def roll_again(turn):
    return turn.rolls < 3
'''
FAULTY = PLAIN.replace("turn.rolls < 3", "turn.rolls < 2 or 1 / 0 > 1")
CUP = """
name: cup
games: 24
seed: 7
bots: [random, rule28, ../bots/plain.py, {bot: plain, as: last, last: true}]
"""
REPORTS = (
    *("standings.csv", "standings.md", "crosstable.csv", "crosstable.md", "pairs.csv"),
    *("fit.csv", "fit.md", "seats.csv", "seats.md", "styles.csv", "styles.md"),
    *("lengths.csv", "lengths.md", "summary.json"),
)
FEW = "games: 12\nmax_faults: 8\nseed: 1\n"
WRITTEN = "\n\nWritten to results/cup\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tournament and a bot, where we stand."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cantstop_arena.processes.system._DISPLAY", (f"{tmp_path}{os.sep}", ""))
    write("cups/cup.yaml", CUP)
    write("bots/plain.py", PLAIN)
    return tmp_path


@pytest.fixture
def cup(here: Path, finished: Finished) -> str:
    """The tournament, played before, with its results; what was printed."""
    files = {"cups/cup.yaml": CUP, "bots/plain.py": PLAIN}
    return finished.bring(files, "run", "cups/cup.yaml")


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text)


def bytes_of(folder: str, names: Sequence[str] = ()) -> dict[str, bytes]:
    paths = [Path(folder, name) for name in names] or sorted(Path(folder).rglob("*"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.is_file()}


def summary(folder: str = "results/cup") -> Any:
    return json.loads(Path(folder, "summary.json").read_text())


# --- Help -----------------------------------------------------------------------------------------


def imported(heavy: set[str], words: list[str], folder: Path) -> tuple[str, list[str]]:
    """What a command prints in a process of its own, and which of these modules it imports."""
    code = (
        "import sys, contextlib\nfrom cantstop_arena.cli import main\n"
        f"with contextlib.suppress(SystemExit):\n    main({words})\n"
        f"print(*sorted({heavy} & set(sys.modules)))"
    )
    output = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=folder)
    *printed, found = output.splitlines()
    return "\n".join(printed), found.split()


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    heavy = {"numba", "numpy", "msgspec", "sqlite3", "yaml", "tabulate", "starlette", "uvicorn"}
    output, found = imported(heavy, ["--help"], tmp_path)
    assert output.startswith("Usage: ")
    assert not found


@pytest.mark.parametrize(
    ("name", "hint"),
    [("matchh", " (did you mean 'match'?)"), ("repaly", " (did you mean 'replay'?)"), ("x", "")],
)
def test_an_unknown_command_has_one_like_it(arena: Arena, name: str, hint: str) -> None:
    assert f"No such command '{name}'{hint}." in arena(name, code=2).error


@pytest.mark.slow
def test_a_run_with_its_page_does_without_numba_where_all_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text("games: 20\nseed: 1\nbots: [rule28, cautious]\n")
    words = ["run", "cup.yaml", "--fresh", "--workers", "1", "--page"]
    imported(set(), words, tmp_path)
    _, found = imported({"numba"}, words, tmp_path)
    assert (tmp_path / "results" / "cup" / "report.html").exists()
    assert not found


@pytest.mark.parametrize(
    "command",
    ["run", "match", "rate", "plan", "bots", "rules", "odds", "play", "replay", "draw", "bench"],
)
def test_every_command_has_help_and_stands_in_that_of_arena(arena: Arena, command: str) -> None:
    assert f"\n  {command} " in arena("--help").text
    assert arena(command, "-h").text.startswith(f"Usage: arena {command}")


# --- bots, rules, odds, bench ---------------------------------------------------------------------


def test_bots_are_listed_with_those_that_cannot_be_used(arena: Arena) -> None:
    write("bots/bad.py", "import nothing_there")
    output = arena("bots").text
    assert re.search(r"^rule28 +cantstop +built-in +compiled +Rule of 28", output, re.MULTILINE)
    # Another test may have measured it.
    backend = r"python( \(about [\d,.]+ times as fast compiled\))?"
    listed = rf"^plain +cantstop +bots/plain.py +{backend} +Stops after three"
    assert re.search(listed, output, re.MULTILINE)
    assert "bad (bots/bad.py): does not import: ModuleNotFoundError: " in output


def test_bots_are_listed_as_json(arena: Arena) -> None:
    write("others/bad.py", "import nothing_there")
    write("others/mine.py", PLAIN)
    told = json.loads(arena("bots", "--json", "--bots", "others").text)
    assert next(bot for bot in told["bots"] if bot["name"] == "mine") == {
        "name": "mine",
        "game": "cantstop",
        "origin": "others/mine.py",
        "lane": "plain",
        "summary": "Stops after three rolls.",
        "options": {"last": False},
    }
    (bad,) = told["broken"]
    assert bad["name"] == "bad"


def test_rules_are_listed_shown_and_given_as_json(arena: Arena) -> None:
    listed = arena("rules").text
    assert all(re.search(f"^{name} ", listed, re.MULTILINE) for name in NAMED)
    assert re.search(r"^stop +after-all-runners$", arena("rules", "korean").text, re.MULTILINE)
    assert json.loads(arena("rules", "jump", "--json").text) == RULES.as_dict(NAMED["jump"][0])
    assert "did you mean 'korean'?" in arena("rules", "korea", code=2).error


def test_odds_are_exact(arena: Arena) -> None:
    assert "succeeds in 1,192 of 1,296 cases (91.98%)" in arena("odds", "--runners", "6,7,8").text
    told = json.loads(arena("odds", "--runners", "2 3 12", "--json").text)
    assert (told["rolls"], told["success"], told["columns"]["7"]) == (1296, 568, 834)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--runners", "6,7,8,9"], "4 runners are too many"),
        (["--runners", "13"], "there is no column 13; columns are 2 to 12"),
        (["--runners", "6", "--claimed", "6"], "column 6 cannot be both claimed and in --runners"),
        (["--claimed", "six"], "invalid columns 'six'"),
        (["--rules", "jmp"], "did you mean 'jump'?"),
    ],
)
def test_odds_of_what_cannot_be_are_refused(arena: Arena, words: list[str], message: str) -> None:
    assert message in arena("odds", *words, code=2).error


@pytest.mark.slow
def test_bench_tells_lane_and_games_a_second(arena: Arena) -> None:
    output = arena("bench", "rule28", "plain", "--seconds", "0.1").text
    assert re.search(r"^rule28 +compiled +[\d,]+ +[\d,]+$", output, re.MULTILINE)
    assert re.search(r"^plain +python +[\d,]+ +[\d,]+$", output, re.MULTILINE)
    assert "unknown bot 'rule29'" in arena("bench", "rule29", code=2).error


# --- run ------------------------------------------------------------------------------------------


COMPLETE = "cup: all 6 pairings are in the ledger; nothing to play."


@pytest.mark.slow
def test_a_run_prints_and_writes_its_tables(cup: str) -> None:
    assert "cup: playing 6 pairings (144 games)." in cup
    assert re.search(r"^ +1 +\S+ +\d+\.\d ± +\d+\.\d +72 +\d+\.\d\d (± |\()", cup, re.MULTILINE)
    assert "Score of the row's bot against the column's" in cup
    assert WRITTEN in cup
    assert {*REPORTS, "tournament.yaml", "ledger.sqlite"} <= set(bytes_of("results/cup"))
    assert (summary()["games"], summary()["seed"], len(summary()["lineups"])) == (144, 7, 12)


@pytest.mark.slow
def test_garbage_of_bots_is_looked_for_as_ever() -> None:
    usual = subprocess.run(
        [sys.executable, "-c", "import gc; print(gc.get_threshold())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    seen = PLAIN.replace("turn.rolls < 3", f"1 // (gc.get_threshold() == {usual.strip()}) < 0")
    write("bots/tidy.py", "import gc\n" + seen)
    write("cups/tidy.yaml", "games: 2\nseed: 1\non_fault: abort\nbots: [tidy, random]\n")
    told = subprocess.run(
        [*ARENA, "run", "cups/tidy.yaml", "--quiet", "--no-page", "--start-method", "fork"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr


@pytest.mark.slow
def test_the_command_line_overrides_the_file(arena: Arena) -> None:
    write("others/plain.py", PLAIN.replace("three", "two").replace("< 3", "< 2"))
    words = ["--games", "3", "--seed", "9", "--results", "out/deep", "--bots", "others"]
    arena("run", "cups/cup.yaml", *words, "--quiet")
    told = summary("out/deep/cup")
    assert (told["games"], told["seed"]) == (24, 9)
    assert [told["by_bot"][bot]["rolls_per_turn"] < 2.5 for bot in ("plain", "last")] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    "players", [2, *(pytest.param(other, marks=pytest.mark.slow) for other in (1, 4))]
)
def test_any_number_of_workers_writes_the_same_bytes(arena: Arena, players: int) -> None:
    write("bots/faulty.py", FAULTY)
    bots = "[random, rule28, plain, faulty]"
    write("cup.yaml", f"name: cup\nplayers: {players}\n{FEW}bots: {bots}\n")
    for workers in ("1", "3"):
        arena("run", "cup.yaml", "--workers", workers, "--results", workers, code=None)
    # What a bot that is out played meanwhile stays in the ledger, and history has times.
    names = sorted(bytes_of("1/cup").keys() - {"history.jsonl", "ledger.sqlite"})
    assert bytes_of("1/cup", names) == bytes_of("3/cup", names)
    for key in ("faults", "disqualified"):
        assert {row["bot"] for row in summary("1/cup")[key]} == {"faulty"}
    assert ("crosstable.csv" in bytes_of("1/cup")) == (players > 1)


@pytest.mark.slow
def test_solitaire_reports_turns_per_game(arena: Arena, cup: str) -> None:
    output = arena("run", "cups/cup.yaml", "--quiet", "--table", "standings").text
    assert "turns per game" not in output
    write("solo.yaml", "players: 1\ngames: 20\nseed: 1\nbots: [rule28]\n")
    assert re.search(r"^ +1 +rule28 +20 +\d+\.\d+ ± ", arena("run", "solo.yaml").text, re.MULTILINE)
    assert summary("results/solo")["standings"][0]["turns_per_game"] > 5


HEADLINE = "rule28 is first, 185.1 Elo ahead, but not beyond doubt"


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("text", f"{HEADLINE}.\n\nStandings\n\n  rank  bot "),
        ("markdown", f"# {HEADLINE}\n\n## Standings\n\n|   rank | bot "),
        (
            "latex",
            "% In the preamble: \\usepackage{booktabs}\n\n% Standings\n\n\\begin{tabular}{rlr",
        ),
    ],
)
def test_tables_are_printed_in_the_format_asked_for(
    arena: Arena, cup: str, form: str, begins: str
) -> None:
    result = arena("run", "cups/cup.yaml", "--format", form)
    stdout = result.text.removeprefix(f"{COMPLETE}\n\n")
    assert stdout.startswith(begins)
    assert (COMPLETE in result.error) == (form != "text")
    assert ("Written to" in result.error) == (form != "text")


def test_json_has_every_table_and_csv_one_alone_without_a_title(arena: Arena, cup: str) -> None:
    result = arena("run", "cups/cup.yaml", "--format", "json")
    told = json.loads(result.text)
    names = ["standings", "crosstable", "seats", "styles", "fit", "faults"]
    assert list(told) == ["headline", *names]
    assert len(told["crosstable"]["rows"]) == 12
    words = ("run", "cups/cup.yaml", "--format", "csv", "--quiet")
    alone = arena(*words, "--table", "standings").text
    assert alone.encode() == Path("results/cup/standings.csv").read_bytes()
    titles = [part.partition("\n")[0] for part in arena(*words).text.split("\n\n")]
    assert titles == names


def on_a_terminal(**environment: str) -> str:
    """The tables as printed on a terminal 120 signs wide."""
    pty = pytest.importorskip("pty")
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TERM")}
    process = subprocess.Popen(
        [*ARENA, "rate", "results/cup", "--table", "crosstable"],
        stdout=theirs,
        env={**clean, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    printed = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while part := os.read(ours, 4096):
            printed += part
    os.close(ours)
    assert process.wait() == 0
    return printed.decode()


@pytest.mark.slow
def test_the_crosstable_is_coloured_on_a_terminal_unless_that_is_not_wanted(
    arena: Arena, cup: str
) -> None:
    coloured = on_a_terminal()
    assert re.search(r"\x1b\[(1;)?3[12]m", coloured)
    plain = on_a_terminal(NO_COLOR="1")
    assert "\x1b" not in plain
    assert plain == re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert "\x1b" not in arena("rate", "results/cup").text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "is_coloured"), [({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)]
)
def test_what_says_nothing_of_colours(cup: str, said: dict[str, str], is_coloured: bool) -> None:
    assert ("\x1b" in on_a_terminal(**said)) == is_coloured


def test_a_complete_run_says_so_and_prints_its_tables(arena: Arena, cup: str) -> None:
    tables = cup.partition("\n")[2]
    before = bytes_of("results/cup")
    again = arena("run", "cups/cup.yaml").text
    assert again == f"{COMPLETE}\n{tables}"
    assert bytes_of("results/cup") == before


@pytest.mark.slow
def test_more_games_continue_to_the_bytes_of_one_go(arena: Arena, cup: str) -> None:
    arena("run", "cups/cup.yaml", "--results", "steps", "--games", "5")
    output = arena("run", "cups/cup.yaml", "--results", "steps").text
    assert "cup: 0 of 6 pairings are in the ledger, 6 in part; playing 108 games." in output
    names = [*REPORTS, "tournament.yaml"]
    assert bytes_of("steps/cup", names) == bytes_of("results/cup", names)


@pytest.mark.slow
def test_fewer_games_lose_none(arena: Arena, cup: str) -> None:
    before = bytes_of("results/cup")
    arena("run", "cups/cup.yaml", "--games", "2")
    assert COMPLETE in arena("run", "cups/cup.yaml").text
    assert bytes_of("results/cup", REPORTS) == {name: before[name] for name in REPORTS}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    slow_but(
        [],
        [
            ("seed: 7", "seed: 8", "cup: playing 6 pairings (144 games)."),
            (
                "last: true",
                "last: false",
                "Since the last run: last has other options.\n"
                "cup: 5 of 6 pairings are in the ledger; playing 1 (24 games).",
            ),
            ("games:", "rules: jump\ngames:", "cup: playing 6 pairings (144 games)."),
            (
                "random, ",
                "",
                "Since the last run: random was removed.\n"
                "cup: all 3 pairings are in the ledger; nothing to play.",
            ),
        ],
    ),
)
def test_another_file_has_the_results_of_a_fresh_run_and_loses_no_games(
    arena: Arena, cup: str, old: str, new: str, told: str
) -> None:
    before = bytes_of("results/cup")
    write("cups/cup.yaml", CUP.replace(old, new))
    assert told in arena("run", "cups/cup.yaml").output
    arena("run", "cups/cup.yaml", "--results", "fresh")
    names = [*REPORTS, "tournament.yaml"]
    assert bytes_of("results/cup", names) == bytes_of("fresh/cup", names)
    write("cups/cup.yaml", CUP)
    assert COMPLETE in arena("run", "cups/cup.yaml").text
    assert bytes_of("results/cup", REPORTS) == {name: before[name] for name in REPORTS}


@pytest.mark.slow
def test_a_fresh_start_sets_the_ledger_aside(arena: Arena, cup: str) -> None:
    before = bytes_of("results/cup")
    arena("run", "cups/cup.yaml", "--fresh")
    after = bytes_of("results/cup")
    assert after["ledger.old.sqlite"] == before["ledger.sqlite"]
    assert bytes_of("results/cup", REPORTS) == {name: before[name] for name in REPORTS}


@pytest.mark.slow
def test_of_an_edited_bot_only_its_games_are_played(arena: Arena, cup: str) -> None:
    write("bots/plain.py", PLAIN.replace("< 3", "< 4"))
    told = arena("run", "cups/cup.yaml").output.splitlines()
    assert re.fullmatch(
        r"Since the last run: plain has changed \(1 line; before: plain@\w{7}\);"
        r" last has changed \(1 line; before: last@\w{7}\)\.",
        told[0],
    )
    assert told[1] == (
        "Is plain better? arena match plain plain@previous --sprt 0 5;"
        " all its versions: arena history plain --in results/cup"
    )
    assert "cup: 1 of 6 pairings are in the ledger; playing 5 (120 games)." in told


@pytest.mark.slow
def test_it_does_not_matter_where_one_stands(
    arena: Arena, cup: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here / "cups")
    arena("run", "cup.yaml", "--bots", "../bots")
    assert bytes_of("results/cup", REPORTS) == bytes_of("../results/cup", REPORTS)


@pytest.mark.slow
def test_one_may_stand_in_a_folder_whose_name_is_no_text(
    arena: Arena, cup: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange = os.fsdecode(b"caf\xe9")
    try:
        shutil.copytree("cups", f"{strange}/cups")
    except OSError:
        pytest.skip("no such names on this system")
    shutil.copytree("bots", f"{strange}/bots")
    monkeypatch.chdir(strange)
    arena("run", "cups/cup.yaml")
    own = {HISTORY, LEDGER}  # which tell when and where it was played
    here, there = bytes_of("results/cup"), bytes_of("../results/cup")
    assert here.keys() == there.keys()
    assert all(here[name] == there[name] for name in here.keys() - own)


# --- Bad input ------------------------------------------------------------------------------------


PLACES = ("1:1", "2:10", "3:8", "4:1", "5:8", "6:8", "6:16", "6:21", "6:48")


def test_all_problems_of_a_file_are_told_at_their_places(arena: Arena) -> None:
    write("bots/bad.py", "import nothing_there")
    write(
        "bad.yaml",
        "nmae: x\nplayers: 5\ngames: -1\ngames: 2\nrules: clasic\n"
        "bots: [rule29, bad, bots/none.py, {bot: plain, lst: true}]\n",
    )
    told = arena("run", "bad.yaml", code=2).error.splitlines()
    assert [line.split(": ")[0] for line in told] == [f"bad.yaml:{place}" for place in PLACES]
    hints = [re.findall(r"did you mean '(\S+)'", line) for line in told]
    assert [*map("".join, hints)] == ["name", "", "", "", "classic", "rule28", "", "", "last"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "nowhere.yaml"], "nowhere.yaml:1:1: this file cannot be read"),
        (["run", "cups/cup.yaml", "--games", "0"], "'--games': 0 is not in the range"),
        (["run", "cups/cup.yaml", "--seed", "-1"], "--seed must be a whole number from 0"),
        (["run", "cups/cup.yaml", "--workers", "0"], "'--workers'"),
        (["replay", "cups/cup.yaml", "--deal", "1"], "Missing argument"),
        (["replay", "cups/cup.yaml", "random", "--deal", "-1"], "'--deal'"),
        (["replay", "cups/cup.yaml", "random", "--deal", "9" * 20], "'--deal'"),
        (["run", "cups/cup.yaml", "--results", "\udcff"], r"'\udcff' is not text in UTF-8"),
        (["bench", "random", "--seconds", "nan"], "nan is not a number of seconds"),
        (["replay", "cups/cup.yaml", *"abcde", "--deal", "1"], "5 bots cannot play"),
        (["replay", "cups/cup.yaml", "plian", "--deal", "1"], "did you mean 'plain'?"),
    ],
)
def test_what_cannot_be_understood_is_refused(arena: Arena, words: list[str], message: str) -> None:
    assert message in arena(*words, code=2).error


def test_a_file_where_the_results_should_go_is_no_traceback(arena: Arena) -> None:
    write("results/cup", "I am a file")
    assert "results/cup" in arena("run", "cups/cup.yaml", code=2).error


# --- replay ---------------------------------------------------------------------------------------


def replayed(arena: Arena, deal: int, *bots: str) -> tuple[list[str], Verdict]:
    words = ["cups/cup.yaml", *bots, "--deal", str(deal), "--json"]
    lines = arena("replay", *words).text.splitlines()
    return lines, referee(lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        "{base: leave, sides: 4, stop: after-all-runners}",
        pytest.param("classic", marks=pytest.mark.slow),
    ],
)
def test_the_referee_accepts_replays(arena: Arena, rules: str) -> None:
    write("cups/cup.yaml", f"{CUP}rules: {rules}\n")
    for bots in (["last"], ["random", "plain"], ["rule28", "random", "odds"], ["rule28"] * 4):
        lines, verdict = replayed(arena, 3, *bots)
        assert verdict.seats == bots
        assert verdict.turns == json.loads(lines[-1])["turns"]


@pytest.mark.slow
def test_a_replayed_deal_is_the_game_of_the_tournament(arena: Arena) -> None:
    others = "rule28, ../bots/plain.py, {bot: plain, as: last, last: true}"
    write("cups/cup.yaml", CUP.replace(others, "plain"))
    arena("run", "cups/cup.yaml", "--games", "2")
    games = [(lineup, replayed(arena, 0, *lineup["seats"])[1]) for lineup in summary()["lineups"]]
    for lineup, verdict in games:
        assert lineup["wins"] == [float(seat in verdict.winners) for seat in (0, 1)]
    metrics = summary()["metrics"]
    for name in ("turns", "rolls", "busts"):
        mean = sum(getattr(verdict, name) for _, verdict in games) / len(games)
        assert metrics[name]["mean"] == pytest.approx(mean)


@pytest.mark.slow
def test_a_replay_is_the_same_every_time_and_other_deals_are_others(arena: Arena) -> None:
    game = replayed(arena, 5, "random", "plain")
    assert game == replayed(arena, 5, "random", "plain")
    assert game != replayed(arena, 6, "random", "plain")


@pytest.mark.slow
def test_a_replay_for_people_draws_the_board_and_names_the_winner(arena: Arena) -> None:
    output = arena("replay", "cups/cup.yaml", "random", "plain", "--deal", "2").text
    assert output.startswith("Can't Stop (classic), seed 7, deal 2\nSeats: A random, B plain\n")
    winner = replayed(arena, 2, "random", "plain")[1].winners[0]
    assert ("random", "plain")[winner] in output.splitlines()[-1]


# --- Processes ------------------------------------------------------------------------------------


def test_a_reader_that_leaves_early_causes_no_complaint() -> None:
    words = [*ARENA, "replay", "cups/cup.yaml", "random", "plain", "--deal", "0", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_an_interrupted_run_says_how_to_go_on_and_does(arena: Arena) -> None:
    write("long cup.yaml", "name: long\ngames: 300000\nseed: 1\nbots: [random, rule28]\n")
    process = subprocess.Popen([*INTERRUPTIBLE, "run", "long cup.yaml"], stderr=subprocess.PIPE)
    await_blocks(Path("results/long", LEDGER))
    process.send_signal(signal.SIGINT)
    messages = process.communicate(timeout=TIME_LIMIT)[1].decode()
    assert process.returncode == 130
    assert "Nothing finished is lost; go on with:" in messages and "Traceback" not in messages
    goes_on = "long: the pairing is in the ledger in part; playing "
    assert goes_on in arena("run", "long cup.yaml").text
    arena("run", "long cup.yaml", "--results", "whole")
    assert bytes_of("results/long", REPORTS) == bytes_of("whole/long", REPORTS)


# A shell's background jobs, and what they start, ignore interrupts; this one must not.
INTERRUPTIBLE = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from cantstop_arena.cli import main; main()",
]


def await_blocks(ledger: Path) -> None:
    """Wait until a run has written some blocks down."""
    deadline = time.monotonic() + TIME_LIMIT
    while not blocks_in(ledger):
        assert time.monotonic() < deadline, f"{ledger} does not grow"
        time.sleep(0.002)


@pytest.mark.slow
def test_a_match_of_a_bot_with_itself_is_said_to_be_one(arena: Arena) -> None:
    same = arena("match rule28 rule28 --games 4 --seed 1 --quiet --no-page")
    assert "rule28 and rule28 again are the same bot with the same options" in same.error
    assert not arena("match rule28 rule28:threshold=27 --games 4 --seed 1 --quiet --no-page").error


def test_what_a_beginner_types_for_a_file_is_answered_with_the_right_name(arena: Arena) -> None:
    yaml = "seed: null\nbots: [random, rule28]"
    played = arena("run t.yaml --games 1e2 --workers 1 --no-page", yaml=yaml)
    assert played.json["games"] == 100
    done = arena("run t.yml", code=2)
    assert "there is no tournament file t.yml; did you mean t.yaml?" in done.error
    done = arena(f"run {played.folder}", code=2)
    assert f"write: arena run {played.folder}/tournament.yaml" in done.error


def test_what_has_formats_has_json_everywhere() -> None:
    options = {
        name: {flag for option in command.params for flag in option.opts}
        for name, command in all_commands(main, click.Context(main))
    }
    with_format = {name for name in options if "--format" in options[name]}
    with_json = {name for name in options if "--json" in options[name]}
    assert {"games", "run", "compare", "bots"} <= with_format <= with_json
    assert "bots check" in with_json


def all_commands(
    command: click.Command, context: click.Context, *words: str
) -> Iterator[tuple[str, click.Command]]:
    """All commands by their words, those of groups among them."""
    yield " ".join(words), command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if each := command.get_command(context, name):
                yield from all_commands(each, context, *words, name)


@pytest.mark.parametrize("words", ["rules", "games", "bots --game cantstop", "odds", "bots rule28"])
def test_json_is_format_json(arena: Arena, words: str) -> None:
    data = arena(*words.split(), "--json").output
    assert data == arena(*words.split(), "--format", "json").output
    assert json.loads(data)
    assert data == arena(*words.split(), "--json", "--format", "json").output
    error = arena(*words.split(), "--json", "--format", "csv", code=2).error
    assert "--json cannot be combined with --format csv" in error


def test_json_of_a_bot_is_asked_for_before_or_after_its_name(arena: Arena) -> None:
    outputs = {arena(f"bots {words}").output for words in ("--json rule28", "rule28 --json")}
    assert json.loads(outputs.pop())["name"] == "rule28"
    assert not outputs


@pytest.mark.parametrize(("words", "is_wide"), [((), False), (("--wide",), True)])
def test_many_bots_are_no_endless_lines_in_a_file(
    arena: Arena,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    is_wide: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = ", ".join(f"{{bot: rule28, as: bot {n}, threshold: {n}}}" for n in range(10, 40))
    text = f"bots: [{bots}]\ngames: 2\nseed: 1\n"
    words = ("run", "many.yaml", "--no-page", "--table", "crosstable", *words)
    lines = arena(*words, yaml=text).output.splitlines()
    tables = [line for line in lines if "  " in line]
    assert (max(map(len, tables)) > MAX_WIDTH) is is_wide
    assert any("--wide prints" in line for line in lines) is not is_wide
