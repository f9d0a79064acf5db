"""A person at the table: `arena play` over a pipe and on a terminal, and `arena replay --step`."""

import json
import os
import re
import resource
import signal
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena, Done
from helpers.naive import Verdict, referee
from helpers.parameters import slow_but
from helpers.terminals import ARENA, on_a_terminal
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.rules import NAMED, RULES, RuleSet
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.views.cantstop.person import bust_chance_after

STOPS_SOON = "1\ns\n" * 4000  # the first move, and a stop; what is no answer is asked for again
PRINTS = """
import os, time
def choose_move(turn, moves):
    print("I am a bot")
    return 0
def roll_again(turn):
    if turn.number > 3:
        os._exit(3)
    return False
"""
LEAVES = "After {} turns nobody wins (left)."


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, where we stand."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def play(arena: Arena, *words: str, typed: str = "", code: int = 0) -> Done:
    result = arena("play", *words, input=typed, code=None)
    assert result.code == code, (result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def recorded(file: str = "game-1.jsonl") -> tuple[list[dict[str, Any]], Verdict]:
    """The events of a record, accepted by the referee."""
    lines = Path(file).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines], referee(lines)


# --- Over a pipe ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", NAMED)
@pytest.mark.parametrize("bots", [(), ("rule28",), ("random", "odds"), ("random",) * 3])
def test_a_whole_game_is_played_by_the_rules(
    arena: Arena, rules: str, bots: tuple[str, ...]
) -> None:
    words = [*bots, "--rules", rules, "--seed", "3", "--seat", str(len(bots) + 1)]
    told = play(arena, *words, typed=STOPS_SOON).text
    events, verdict = recorded()
    assert verdict.seats == [*bots, "you"]
    assert events[0]["rules"] == RULES.as_dict(NAMED[rules][0])
    assert verdict.reason != "left" and f"({verdict.reason})" in told
    assert "The game is in game-1.jsonl" in told


def test_the_record_is_told_and_drawn_like_any_other(arena: Arena) -> None:
    play(arena, "rule28", "--seed", "3", typed=STOPS_SOON)
    events, _ = recorded()
    again = arena("replay", "game-1.jsonl", "--json", code=None).text
    assert [json.loads(line) for line in again.splitlines()] == events
    assert "Seats: A you" in arena("draw", "game-1.jsonl", code=None).text


def test_a_person_and_a_bot_meet_the_dice_of_their_circle(arena: Arena) -> None:
    """Whoever of them begins; another person, or another deal, brings others."""
    first_dice: list[tuple[int, ...]] = []
    for words in ("--seat 2", "--seat 1", "--seat 2 --name Ada", "--seat 2 --deal 5"):
        play(arena, "rule28", *f"--deal 4 --seed 9 {words}".split(), typed=STOPS_SOON)
        events, _ = recorded(f"game-{len(first_dice) + 1}.jsonl")
        first_dice.append(next(tuple(e["dice"]) for e in events if e["event"] == "roll"))
    assert first_dice[0] == first_dice[1]
    assert len({*first_dice}) == 3


def test_leaving_keeps_the_record_and_the_end_of_input_is_told_apart(arena: Arena) -> None:
    left = play(arena, "rule28", "--seed", "3", typed="1\nr\nQ\n").text
    assert LEAVES.format("1")[:7] in left and "(left)" in left
    ended = play(arena, "rule28", "--seed", "3", typed="1\nr\n", code=1).text
    assert "game-2.jsonl" in ended
    for file in ("game-1.jsonl", "game-2.jsonl"):
        events, verdict = recorded(file)
        assert (verdict.reason, verdict.winners) == ("left", [])
        assert [event["event"] for event in events] == ["game", "roll", "end"]


def test_odds_are_told_as_often_as_one_likes(arena: Arena) -> None:
    told = play(arena, "--seed", "3", typed="?\n?\n1\n?\nq\n").text
    assert told.count("column  chance") == 3
    assert re.search(r"^ +7  64\.35%", told, re.M)
    assert re.search(r"^ +1  \S+ +bust risk after this move: \d+\.\d\d%$", told, re.M)
    assert re.search(r"^  Bust risk of the next roll: \d+\.\d\d%\.$", told, re.M)


@pytest.mark.parametrize("typed", ["0", "7", "-1", "", "x" * 9999, "\x1b[2J", "s", "¹"])
def test_what_is_no_answer_is_asked_again(arena: Arena, typed: str) -> None:
    told = play(arena, "--seed", "3", typed=f"{typed}\nq\n").text
    assert re.search(r"Please enter (1-\d|r, s|s, r|1), \? or q\.", told)
    assert "\x1b" not in told


def test_input_that_is_no_text_is_no_answer(arena: Arena) -> None:
    result = arena("play", "--seed", "3", input=b"\xff\xfe\0\nq\n", code=None)
    assert result.code == 0 and "Please enter " in result.text


def test_names_are_harmless_and_kept(arena: Arena) -> None:
    name = "\x1b[2J<script>alert(1)</script> 🎲"
    told = play(arena, "--name", name, typed="q\n").text
    assert "A \\x1b[2J<script>alert(1)</script> 🎲" in told and "\x1b" not in told
    assert recorded()[0][0]["seats"] == ["\\x1b[2J<script>alert(1)</script> 🎲"]


def test_a_file_of_its_own_is_chosen_or_given(arena: Arena) -> None:
    Path("game-1.jsonl").write_text("mine")
    play(arena, "--save", "deep.jsonl", typed="q\n")
    play(arena, typed="q\n")
    assert Path("game-1.jsonl").read_text() == "mine"
    assert recorded("game-2.jsonl") and recorded("deep.jsonl")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rule28"] * 4, "4 bots are too many; Can't Stop has 4 seats"),
        (["rule28", "--seat", "3"], "--seat must be 1 to 2, not 3"),
        (["rule28", "--seat", "0"], "'--seat'"),
        (["rule29"], "did you mean 'rule28'?"),
        (["nowhere/bot.py"], "nowhere/bot.py"),
        (["--rules", "jmp"], "did you mean 'jump'?"),
        (["--name", " "], "--name must not be empty"),
        (["--save", "taken"], "taken exists"),
        (["--save", ""], "--save needs a file name"),
        (["--save", "-"], "--save needs a file name"),
    ],
)
def test_what_cannot_be_played_is_refused(arena: Arena, words: list[str], message: str) -> None:
    Path("taken").write_text("mine")
    assert message in play(arena, *words, typed=STOPS_SOON, code=2).error
    assert {path.name for path in Path().iterdir()} == {"taken"}
    assert Path("taken").read_text() == "mine"


def test_a_bot_that_prints_and_dies_spoils_nothing(arena: Arena) -> None:
    Path("bots").mkdir()
    Path("bots/prints.py").write_text(PRINTS)
    result = play(arena, "prints", "--seed", "3", typed=STOPS_SOON)
    assert "I am a bot" not in result.output
    assert "Fault of B prints in turn 4" in result.error
    events, _ = recorded()
    assert events[-1] == {"event": "end", "turns": 4, "winners": [0], "reason": "fault"}


def test_what_does_not_import_is_told_and_never_runs_here(arena: Arena) -> None:
    Path("bots").mkdir()
    Path("bots/ends.py").write_text("import os\nos._exit(0)\n")
    Path("bots/types.py").write_text("input()\n")
    assert "ends: does not import: " in play(arena, "ends", code=2).error
    assert "bots/types.py: does not import: EOFError" in play(arena, "bots/types.py", code=2).error


def test_somebody_who_plays_for_the_first_time_is_told_what_matters(arena: Arena) -> None:
    told = play(arena, "rule28", "--seed", "3", "--rules", "jump", typed="1\nr\n2\nq\n").text
    begun, _, later = told.partition("Which move, 1 to 2? ")
    wanted = "You are A. Whoever claims 3 columns wins.", "Runners jump over rivals' markers."
    assert all(line in begun.splitlines() for line in wanted)
    assert "? shows the odds, h gives a hint, q leaves the game." in begun
    assert "  1-1-5-3  (3 of 3 runners free)\n    1  2+8     2 to space 1 of 3 (new" in begun
    assert "    3  7+7     7 to space 2 of 13 (new runner)\n" in later


@pytest.mark.parametrize("rules", NAMED)
def test_what_a_move_and_a_stop_are_said_to_do_is_what_they_do(arena: Arena, rules: str) -> None:
    told = play(arena, "rule28", "--seed", "3", "--rules", rules, typed=STOPS_SOON).text
    events, _ = recorded()
    lengths = dict(enumerate(events[0]["rules"]["column_lengths"], start=2))
    places = re.findall(r"^    1  [\d+]+ +(.*)$", told, re.M)
    asked = [e for e in events if e["event"] == "roll" and e["seat"] == 0 and len(e["moves"]) > 1]
    assert len(places) == len(asked) > 5
    for said, event in zip(places, asked, strict=True):
        for column in event["chosen"]:
            space, length = event["runners"][str(column)], lengths[column]
            place = "the top" if space == length else f"space {space} of {length}"
            assert f"{column} to {place}" in said
    claims = re.findall(r"^  Stopping claims (.*)\.$", told, re.M)
    assert set(claims) <= set(re.findall(r"^  stops and claims (.*)$", told, re.M))
    assert "1 of" in told


# --- Where the input or the output fails ----------------------------------------------------------


def program(*words: str, **how: Any) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*ARENA, "play", *words], stderr=subprocess.PIPE, timeout=TIME_LIMIT, **how
    )


def closed_pipe() -> int:
    """Where nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(closed_pipe, marks=pytest.mark.slow),
        lambda: os.open("/dev/full", os.O_WRONLY),
    ],
)
def test_an_output_that_fails_is_nobodys_fault(output: Callable[[], int]) -> None:
    with os.fdopen(output(), "w") as out:
        done = program("rule28", "--seed", "3", input=b"1\nr\n", stdout=out)
    assert done.returncode == 1
    assert done.stderr in (b"", b"arena: No space left on device\n")
    events, verdict = recorded()
    assert verdict.reason == "left" and len(events) == 2


@pytest.mark.slow
def test_no_input_at_all_is_the_end_of_it() -> None:
    done = program("rule28", "--seed", "3", stdout=subprocess.PIPE, preexec_fn=lambda: os.close(0))
    assert done.returncode == 2 and b"the standard input has ended" in done.stderr
    assert not Path("game-1.jsonl").exists()  # no game begins


@pytest.mark.slow
@pytest.mark.parametrize(
    "closed", [*(pytest.param(one, marks=pytest.mark.slow) for one in ((1,), (2,))), (0, 1, 2)]
)
def test_nothing_is_mixed_up_where_standard_files_are_closed(closed: tuple[int, ...]) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    done = program("rule28", "--seed", "3", input=b"1\nr\n", preexec_fn=close)
    if 0 in closed:  # nobody can answer
        assert done.returncode == 2 and not Path("game-1.jsonl").exists()
    else:
        assert done.returncode == 1 and recorded()[1].reason == "left"


@pytest.mark.slow
def test_a_record_that_cannot_be_written_is_told_by_name() -> None:
    small = (300, 300)
    done = program(
        "--seed",
        "3",
        input=STOPS_SOON.encode(),
        stdout=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, small),
    )
    assert (done.returncode, done.stderr) == (1, b"game-1.jsonl: File too large\n")


def test_a_line_without_an_end_is_not_kept(arena: Arena) -> None:
    told = play(arena, "--seed", "3", typed=f"{'x' * 3_000_000}\n1\nq\n").text
    assert "Please enter " in told and "Roll or stop" in told
    assert len(told) < 9000


def test_a_file_name_is_told_as_one_types_it(arena: Arena) -> None:
    assert "see arena replay 'my game'" in play(arena, "--save", "my game", typed="q\n").text


@pytest.mark.parametrize("rules", [rules for rules, _ in NAMED.values()], ids=lambda r: r.name)
def test_the_odds_of_moves_are_those_of_the_engine(rules: RuleSet) -> None:
    told: dict[tuple[int, int], float] = {}
    checked = []

    def choose_move(turn: Turn, moves: Any) -> int:
        index = turn.number % len(moves)
        told[turn.number, turn.rolls] = bust_chance_after(turn, moves[index])
        return index

    def roll_again(turn: Turn) -> bool:
        if chance := told.pop((turn.number, turn.rolls), None):
            checked.append(chance == turn.bust_chance())
        return turn.rolls < 3

    table = GAME.table(rules, [SeatedBot("a", Player(choose_move, roll_again), "")] * 2, 2, seed=1)
    for deal in range(3):
        told.clear()
        assert [*record(table, (0, 1), deal)][-1]["reason"] == "columns"
    assert len(checked) > 50 and all(checked)


# --- On a terminal --------------------------------------------------------------------------------

MOVE, AGAIN, OVER = "Which move, ", "Roll or stop, r or s? ", "The game is in game-1.jsonl"


def test_a_game_on_a_terminal_from_the_first_roll_to_the_last() -> None:
    with on_a_terminal("play", "rule28", "--seed", "3", "--name", "Ada") as terminal:
        asked = terminal.awaits(MOVE, AGAIN)
        terminal.type("?\n")
        terminal.awaits("column  chance")
        for _ in range(500):
            asked = terminal.awaits(MOVE, AGAIN, OVER)
            if asked == OVER:
                break
            terminal.type("1\n" if asked == MOVE else "s\n")
        assert terminal.ends() == 0
    assert re.search(r"\x1b\[1;34mA Ada\x1b\[0m", terminal.seen)
    assert recorded()[1].seats == ["Ada", "rule28"]


@pytest.mark.parametrize(("keys", "code"), slow_but((2,), [("q\n", 0), ("\x04", 1), ("\x03", 130)]))
def test_one_may_leave_a_terminal(arena: Arena, keys: str, code: int) -> None:
    with on_a_terminal("play", "rule28", "--seed", "3", NO_COLOR="1") as terminal:
        terminal.awaits(MOVE)
        terminal.type(keys)
        terminal.awaits(OVER)
        assert terminal.ends() == code
    assert "\x1b" not in terminal.seen and "Traceback" not in terminal.seen
    replayed = arena("replay", "game-1.jsonl", code=None)
    assert replayed.code == 0 and "Seats: A you, B rule28" in replayed.text


# --- Step by step ---------------------------------------------------------------------------------

CLEAR = "\x1b[2J\x1b[H"
RIGHT, LEFT, UP, DOWN, HOME, END = "\x1bOC", "\x1b[D", "\x1b[A", "\x1b[B", "\x1b[H", "\x1b[F"
CUP = "seed: 7\nbots: [random, rule28]\n"
STEP = ("replay", "cup.yaml", "random", "rule28", "--deal", "2", "--step")


@pytest.mark.slow
def test_steps_lead_forth_and_back_to_the_same_board() -> None:
    Path("cup.yaml").write_text(CUP)
    with on_a_terminal(*STEP, NO_COLOR="1") as terminal:
        for keys in ("", " ", RIGHT, DOWN, UP, LEFT, LEFT, END, HOME, "x", "q"):
            terminal.type(keys)
            if keys not in ("x", "q"):
                terminal.awaits("q quit")
        assert terminal.ends() == 0
    _, start, one, two, later, before, back, still, end, home = terminal.seen.split(CLEAR)
    assert "step 0 of " in start and "Before the first turn" in start
    assert re.search(r"roll 1, a bust with a chance of 0\.00%\n  \d-\d-\d-\d  .*\[\d", one)
    assert "step 2 of " in two and "Turn 2:" in later
    assert (before, back, still) == (one, start, start)
    assert "(columns)" in end
    assert home.rstrip() == start.rstrip()


def test_steps_are_coloured_and_a_record_can_be_stepped_through(arena: Arena) -> None:
    play(arena, "rule28", "--seed", "3", typed=STOPS_SOON)
    with on_a_terminal("replay", "game-1.jsonl", "--step") as terminal:
        terminal.awaits("q quit")
        terminal.type(" ")
        terminal.awaits("step 1 of")
        terminal.awaits("q quit")
        terminal.type("\x03")
        assert terminal.ends() == 130
    assert "\x1b[1;7;34m*" in terminal.seen and "Traceback" not in terminal.seen


def test_steps_need_a_terminal(arena: Arena) -> None:
    Path("cup.yaml").write_text(CUP)
    result = arena(*STEP, code=None)
    assert result.code == 2 and "--step needs a terminal" in result.error


def cooks(terminal: int) -> bool:
    """Whether a terminal shows what is typed, line by line, as a shell expects it."""
    modes = termios.tcgetattr(terminal)[3]
    return bool(modes & termios.ICANON and modes & termios.ECHO)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        signal.SIGHUP,
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)
        ),
    ],
)
def test_steps_leave_the_terminal_as_it_was_whoever_ends_them(sent: signal.Signals) -> None:
    Path("cup.yaml").write_text(CUP)
    with on_a_terminal(*STEP) as terminal:
        terminal.awaits("q quit")
        assert not cooks(terminal.ours)
        terminal.process.send_signal(sent)
        terminal.ends()
        assert cooks(terminal.ours)
    assert "Traceback" not in terminal.seen


@pytest.mark.slow
def test_steps_go_on_after_others_have_used_the_terminal() -> None:
    Path("cup.yaml").write_text(CUP)
    with on_a_terminal(*STEP) as terminal:
        terminal.awaits("q quit")
        terminal.process.send_signal(signal.SIGSTOP)
        cooked = termios.tcgetattr(terminal.ours)
        cooked[3] |= termios.ICANON | termios.ECHO
        termios.tcsetattr(terminal.ours, termios.TCSANOW, cooked)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.awaits("step 0 of")
        terminal.awaits("q quit")
        assert not cooks(terminal.ours)
        terminal.type("\x1a")  # which does not stop it here, as no shell is there to go on
        terminal.awaits("step 0 of")
        terminal.type(" ")
        terminal.awaits("step 1 of")
        terminal.type("q")
        assert terminal.ends() == 0


@pytest.mark.slow
def test_a_question_is_asked_again_when_the_game_goes_on() -> None:
    with on_a_terminal("play", "rule28", "--seed", "3") as terminal:
        terminal.awaits(MOVE)
        terminal.process.send_signal(signal.SIGSTOP)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.awaits(MOVE)
        terminal.type("q\n")
        assert terminal.ends() == 0


@pytest.mark.slow
def test_without_a_terminal_and_without_answers_no_game_begins(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = arena("play", "rule28", input=b"", process=True, code=2)
    assert done.text == "" and done.error.startswith("there is no terminal, and the standard input")
    assert not Path("game-1.jsonl").exists()
    assert "You are A." in arena("play", "rule28", input=b"q\n", process=True).text
