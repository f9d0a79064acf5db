"""`arena bots check` and `arena bots new`: what authors are told, and bots that would not have it.

The hostile bots are all looked at beforehand, some at a time, since each look takes seconds.
"""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import yaml
from helpers.arena import Arena
from helpers.parameters import slow_but
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.check.check_run import BotCheck
from cantstop_arena.check.findings import NOTE, OK, WRONG, Finding
from cantstop_arena.check.suite import CheckedRules, CheckStep, Trace, difference, suite_of
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.engine.entry_points import native_player
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import NAMED

ARENA = (sys.executable, "-c", "from cantstop_arena.cli import main; main()")
LIMIT = 0.4
CHOOSE = "def choose_move(turn, moves):\n    return 0\n"
STOPS = "def roll_again(turn):\n    return turn.rolls < 3\n"


def rolling(*lines: str, head: str = "") -> str:
    """A bot that does this when it is asked whether to roll again, in line 4 and those below."""
    return f"{head}\n{CHOOSE}def roll_again(turn):\n" + "".join(f"    {line}\n" for line in lines)


Expected = tuple[str, str, str]  # a mark, a subject, a pattern of the text
HOSTILE: Mapping[str, tuple[str, Sequence[Expected]]] = {
    "slow": (
        rolling("time.sleep(0.06)", "return False", head="import time"),
        [
            (NOTE, "legal", r"stopped after \d+ of 52 games \(time limit\)"),
            (NOTE, "time", r"roll_again took up to \d+.*; 0.4 s are allowed"),
        ],
    ),
    "hangs_at_import": (
        f"while True:\n    pass\n{CHOOSE}{STOPS}",
        [(WRONG, "file", r"not done within 4 s \(.*hangs_at_import.py:[12]\), while it is read")],
    ),
    "exits_at_import": (
        f"import os\nos._exit(3)\n{CHOOSE}{STOPS}",
        [(WRONG, "file", "ended its process with exit code 3, while it is read")],
    ),
    "syntax": ("def choose_move(turn, moves)\n", [(WRONG, "file", r"SyntaxError: .*line 1")]),
    "no_hook": (CHOOSE, [(WRONG, "file", "lacks roll_again")]),
    "misspelt": (
        f"def chose_move(turn, moves):\n    return 0\n{STOPS}",
        [(WRONG, "file", r"lacks choose_move \(is it 'chose_move'\?\)")],
    ),
    "segfaults": (
        rolling(
            "if turn.number > 5:", "    ctypes.string_at(0)", "return False", head="import ctypes"
        ),
        [(WRONG, "legal", r"SIGSEGV \(in roll_again \(.*:6\); classic, 1 seat, deal 0, turn 6")],
    ),
    "exits": (
        rolling("os._exit(7)", head="import os"),
        [
            (
                WRONG,
                "legal",
                r"exit code 7 \(in roll_again \(.*:4\); classic, 1 seat, deal 0, turn 1",
            )
        ],
    ),
    "loops": (
        rolling("while turn.number > 3:", "    pass", "return False"),
        [(WRONG, "legal", r"no answer within 0.4 s.* \(in roll_again \(.*:[56]\);.* turn 4,")],
    ),
    "loops_compiled": (
        "from cantstop_arena import compiled\n@compiled\n"
        f"{CHOOSE}@compiled\ndef roll_again(turn):\n    n = 1\n"
        "    while turn.number > 3 and n > 0:\n        n = n * 7 % 1000003\n    return n == 5\n",
        [
            (OK, "lane", "compiled"),
            (WRONG, "legal", r"no answer within 0.4 s.* \(in roll_again \(.*:5\);.* turn 4,"),
        ],
    ),
    "prints": (
        rolling("print('x' * 1000)", "return turn.rolls < 3"),
        [(OK, "legal", "52 games"), (NOTE, "output", r"prints [\d,]{9,} bytes.*'x{50,}")],
    ),
    "raises": (
        rolling("if turn.number == 4:", "    raise ValueError('oh')", "return len(turn.placed)"),
        [
            (
                WRONG,
                "legal",
                r"exception: ValueError: oh \(.*:6\) \(first in classic, 1 seat, deal 0,",
            )
        ],
    ),
    "illegal": (
        CHOOSE.replace("0", "len(moves)") + STOPS,
        [(WRONG, "legal", r"illegal answer: choose_move returned \d; moves are 0 to")],
    ),
    "tells_time": (
        rolling("return time.perf_counter_ns() // 1000 % 3 > 0", head="import time"),
        [(WRONG, "reproducible", r"classic, 1 seat, .*: (stops|goes on) the first time")],
    ),
    "hashes": (
        CHOOSE.replace("0", "hash(f'text {turn.number}') % len(moves)") + STOPS,
        [(WRONG, "reproducible", "another process, with other hashes of texts, plays otherwise")],
    ),
    "remembers": (
        rolling("global n", "n += 1", "return n % 3 > 0 and n < 400", head="n = 0"),
        [(NOTE, "state", "remembers earlier games"), (OK, "reproducible", "in another process")],
    ),
    "slow_to_make": (
        f"import time\ntime.sleep(0.003)\n{CHOOSE}{STOPS}",
        [(NOTE, "making", r"a fresh instance, as for every game, in \d")],
    ),
    "overflows": (
        "from cantstop_arena import compiled\n@compiled\n"
        f"{CHOOSE}@compiled\ndef roll_again(turn):\n    n = 3037000500\n"
        "    return n * n * turn.rolls > 0 and turn.rolls < 5\n",
        [(NOTE, "plain version", "differ"), (OK, "reproducible", "in another process")],
    ),
}
REFUSED = {  # what does not compile, as a line of roll_again, and what is said of it
    "return len(vars(turn)) < 3": "vars cannot be compiled; write a loop",
    "return sum((n := 1) for column in turn.placed) < 3": "a generator expression with := cannot",
    "return BY_COLUMN[7] < turn.rolls": "BY_COLUMN is a set or dict of the module",
    "return LIST[1] < turn.rolls": "LIST is a list of the module; use a NumPy array or a tuple",
    "return Kind().size < turn.rolls": "the class Kind cannot be used in a compiled bot",
    "return itself(turn.rolls) < 5": "a function that calls itself cannot be compiled",
    "return len(f'{turn.rolls:03d}') < 3": "a number cannot be formatted in a text",
    "return 'yes' if turn.rolls < 3 else 0": "a text on one way, a whole number on another",
    "return 'yes'": "roll_again must return True or False, not a text",
    "return nothing_there < turn.rolls": "nothing_there is not defined (in roll_again)",
    "return turn.roll < 3": "turn has no 'roll' (did you mean 'rolls'?)",
    "return [7].sort(key=lambda column: turn.runners[column])": "a lambda or inner function cannot",
    "return len([rival[7] for rival in turn.rivals]) < 3": "the rivals can be looked up, not iter",
    "return len(turn.runners) < 3": "len() does not take what is kept by column",
    "return len(turn.placed[1:]) < 3": "what the table shows has no slices",
    "return turn.bust_chance < 0.3": "the method bust_chance without () < a number with a point",
    "return turn.rules.landing + turn.rolls": "unsupported operation: a text + a whole number",
}
COMPILED_HEAD = f"""from cantstop_arena import compiled
BY_COLUMN, LIST = {{7: 1}}, [1, 2]
class Kind:
    size = 1
def itself(number):
    return 1 if number < 2 else number * itself(number - 1)
@compiled
{CHOOSE}@compiled
def roll_again(turn):
"""
METHODS = """from cantstop_arena import Bot, compiled
class Bold:
    @compiled
    def choose_move(self, turn, moves):
        return 0
    @compiled
    def roll_again(self, turn):
        return turn.rolls < 3
def register_bots():
    return [Bot("bold", Bold)]
"""
FAMILY = """from cantstop_arena import Bot
import os
class Steady:
    def __init__(self, rolls: int = 3):
        self.rolls = rolls
    def choose_move(self, turn, moves):
        return 0
    def roll_again(self, turn):
        return turn.rolls < self.rolls
class Rude(Steady):
    def roll_again(self, turn):
        os._exit(4)
def register_bots():
    return [Bot("rude", Rude), Bot("steady", Steady)]
"""


def look(path: Path) -> list[Finding]:
    return list(BotCheck(path, Catalogue(path.parent), LIMIT).findings())


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, where we stand."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- Hostile files --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Finding]]:
    """What is found of every hostile bot."""
    folder = tmp_path_factory.mktemp("hostile")
    paths = [folder / f"{name}.py" for name in HOSTILE]
    for path in paths:
        path.write_text(HOSTILE[path.stem][0])
    with ProcessPoolExecutor(3) as pool:  # some of them sleep; each ends what is left of its own
        return dict(zip(HOSTILE, pool.map(look, paths), strict=True))


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.slow
def test_a_hostile_file_is_found_out(name: str, reports: Mapping[str, list[Finding]]) -> None:
    findings = reports[name]
    assert {finding.bot for finding in findings} == {name}
    for mark, subject, pattern in HOSTILE[name][1]:
        told = [one.text for one in findings if (one.mark, one.subject) == (mark, subject)]
        assert any(re.search(pattern, text) for text in told), findings
    wrong = {finding.subject for finding in findings if finding.mark == WRONG}
    assert wrong == {subject for mark, subject, _ in HOSTILE[name][1] if mark == WRONG}


def children_of(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_nobody_is_left_when_the_check_is_over(here: Path) -> None:
    path = here / "leaves.py"
    path.write_text("import os, subprocess\nsubprocess.Popen(['sleep', '98765'])\nos._exit(0)\n")
    assert [one.mark for one in look(path)] == [WRONG]
    deadline = time.monotonic() + TIME_LIMIT
    while b"sleep\x0098765\x00" in command_lines():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def command_lines() -> Iterator[bytes]:
    """Those of all processes."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_ctrl_c_ends_the_check_and_what_it_started(here: Path) -> None:
    Path("endless.py").write_text("while True:\n    pass\n")
    words = ["bots", "check", "endless.py", "--decision-limit", "60"]
    with subprocess.Popen([*ARENA, *words], stderr=subprocess.PIPE, text=True) as process:
        while not (started := children_of(process.pid)):
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=TIME_LIMIT)
    assert (process.returncode, messages) == (130, "Stopped.\n")
    assert not any(Path(f"/proc/{pid}").exists() for pid in started)


# --- What authors are told ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_family_is_looked_at_bot_by_bot(arena: Arena, here: Path) -> None:
    Path("rude.py").write_text(FAMILY)
    output = arena("bots", "check", "rude.py", code=1).text
    rude, steady = output.split("\n\n")
    assert re.match(r"rude:\n  ok     hooks +choose_move \(rude.py:6\) and roll_again", rude)
    assert "  WRONG  legal          ended its process with exit code 4 (in roll_again" in rude
    assert steady.startswith("steady:\n")
    assert "register_bots" in steady
    assert re.search(r"^  ok     options +rolls=3$", steady, re.MULTILINE)
    assert WRONG not in steady


@pytest.mark.slow
def test_a_bot_is_checked_by_name_and_told_as_json(arena: Arena) -> None:
    arena("bots", "new", "mine")
    told = json.loads(arena("bots", "check", "mine", "--json").text)
    assert [set(one) for one in told] == [{"mark", "subject", "text", "bot"}] * len(told)
    assert [one["subject"] for one in told] == [
        *("hooks", "options", "lane", "legal", "state", "making", "time", "reproducible"),
        *([] if "NUMBA_DISABLE_JIT" in os.environ else ["compiled"]),
    ]
    assert {one["mark"] for one in told if one["subject"] != "compiled"} == {OK}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.py"], "there is no file nothing.py"),
        (["some/where"], "there is no file some/where"),
        (["rule82"], "unknown bot 'rule82' (did you mean 'rule28'?)"),
        (["rule28", "--decision-limit", "nan"], "nan is not a number of seconds"),
    ],
)
def test_what_is_not_there_is_a_usage_error(arena: Arena, words: list[str], message: str) -> None:
    assert message in arena("bots", "check", *words, code=2).error


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
@pytest.mark.parametrize("line", slow_but((0, 9), REFUSED))
def test_what_does_not_compile_is_told_in_plain_words(line: str, here: Path) -> None:
    path = here / "bad.py"
    path.write_text(f"{COMPILED_HEAD}    {line}\n")
    (spec,) = Loader(here).bots_of(BotSource(path))
    with pytest.raises(BotError) as caught:
        native_player(spec.build({}), spec.name, None)
    told = str(caught.value)
    assert REFUSED[line] in told
    assert "\n" not in told
    if "itself" in line:
        assert told.endswith("bad.py:6)")
    elif not re.search("must return|not defined|:=", told):
        assert told.endswith("bad.py:12)")


@pytest.mark.slow
@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_a_compiled_method_is_told_to_be_none(here: Path) -> None:
    path = here / "bold.py"
    path.write_text(METHODS)
    (finding,) = [one for one in look(path) if one.mark == WRONG]
    assert (finding.bot, finding.subject) == ("bold", "lane")
    assert "choose_move is a method, and only functions can be @compiled" in finding.text


# --- New bots -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_new_compiled_bot_passes_the_check(arena: Arena) -> None:
    told = arena("bots", "new", "quick", "--compiled", "--bots", "others").text
    assert told.startswith("Created the bot others/quick.py.")
    assert "arena bench quick --bots others" in told
    output = arena("bots", "check", "others/quick.py").text
    assert output.count("\n  ok ") == output.count("\n") - 1 == 7


@pytest.mark.slow
def test_new_bots_of_both_lanes_are_told_apart_by_nothing_but_speed(arena: Arena) -> None:
    for words in (["plain"], ["quick", "--compiled"]):
        arena("bots", "new", *words)
    rows = arena(
        "run", "t.yaml", "--quiet", yaml="games: 400\nbots: [plain, quick, random]\n"
    ).json["standings"]
    scores = {row["bot"]: row["score"] for row in rows}
    assert scores["plain"] == pytest.approx(scores["quick"], abs=0.08)
    assert scores["random"] < 0.3


NEVER_WINS = """def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return True
"""
UNFIT = """from cantstop_arena import compiled
MOOD = {3: 1}
@compiled
def choose_move(turn, moves):
    return 0
@compiled
def roll_again(turn):
    return turn.rolls < MOOD[3]
"""


@pytest.mark.slow
def test_what_the_check_prints_is_in_plain_words(arena: Arena) -> None:
    text = arena("bots check rolls", bots={"rolls": NEVER_WINS}, code=None).text
    assert re.search(r"^  ok     backend +python$", text, re.M)
    assert re.search(r"^  ok     build +a fresh instance, as for every game, in ", text, re.M)
    assert re.search(r"^  note   legal +\d+ of \d+ games were won by nobody before", text, re.M)
    assert "too slow" not in text
    told = arena("bots check unfit", bots={"unfit": UNFIT}, code=1).text
    assert "  WRONG  backend        unfit does not compile: " in told


def test_a_name_that_a_file_may_have_may_be_chosen(arena: Arena) -> None:
    for name in ("my bot", "ä" * 5, 'say "hi"'):
        told = arena("bots", "new", name).text
        assert f"arena bots check {shlex.quote(f'bots/{name}.py')}\n" in told
        rivals = re.search(r"bots: (\[.*\])", told)
        assert rivals
        assert yaml.safe_load(rivals[1])[0] == name
    names = {row["name"] for row in json.loads(arena("bots --json").text)["bots"]}
    assert names >= {"my bot", 'say "hi"', "ä" * 5}


def test_nothing_is_overwritten(arena: Arena) -> None:
    arena("bots", "new", "mine")
    assert (
        "bots/mine.py exists already"
        in arena("bots", "new", "mine", code=2, bots={"mine": "precious"}).error
    )
    assert Path("bots/mine.py").read_text() == "precious"


@pytest.mark.parametrize("name", ["", ".hidden", "_mine", " a", "../up", "a/b", "a\n", "x" * 61])
def test_names_that_make_no_file_are_refused(arena: Arena, name: str) -> None:
    assert "invalid bot name" in arena("bots", "new", name, code=2).error
    assert not Path("bots").exists()


@pytest.mark.parametrize("name", ["rule28", "glenn-aloi", "glenn_aloi"])
def test_names_of_built_in_bots_are_refused(arena: Arena, name: str) -> None:
    assert "is taken by a built-in bot" in arena("bots", "new", name, code=2).error


# --- Two runs of the same games -------------------------------------------------------------------


def trace(*deeds: str, whole: bool = True) -> Trace:
    return Trace(tuple(CheckStep(turn, 0, deed) for turn, deed in enumerate(deeds, start=1)), whole)


def test_the_suite_has_every_named_rule_set_and_number_of_seats() -> None:
    games = suite_of(GAME)
    assert {(name, players) for name in NAMED for players in (1, 2, 3, 4)} <= {
        (game.rules.name, game.players) for game in games
    }
    assert {game.rules.sides for game in games} == {2, 6, 8}
    assert {game.rules.runners for game in games} == {1, 3, 5}


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (trace("busts"), trace("busts"), None),
        (trace("takes 5", "takes 6"), trace("takes 5", whole=False), None),
        (trace("takes 5"), trace("takes 6"), "turn 1, seat 0: takes 5 the first time, takes 6"),
        (trace("takes 5", "stops"), trace("takes 5", "busts"), "stops the first time, goes on"),
        (trace("takes 5", "busts"), trace("takes 5"), "turn 2, seat 0: busts the first time, noth"),
    ],
)
def test_the_first_difference_is_found(one: Trace, other: Trace, told: str | None) -> None:
    found = difference(suite_of(GAME), [one], [other])
    assert (found is None) == (told is None)
    assert (told or "") in str(found)


@pytest.mark.slow
def test_a_bot_can_be_checked_for_one_rule_set(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(
        "def choose_move(turn, moves):\n"
        "    assert turn.rules.sides == 6\n"
        "    return 0\n\n\n"
        "def roll_again(turn):\n"
        "    return turn.rolls < 3 + sum(range(20_000)) % 1\n"
    )
    classic = GAME.rules.as_dict(GAME.rules.default)

    def wrong(rules: CheckedRules | None) -> set[str]:
        found = BotCheck(bot, Catalogue(tmp_path), 10.0, rules).findings()
        return {finding.subject for finding in found if finding.mark == WRONG}

    assert "legal" in wrong(None)
    assert wrong(CheckedRules(classic, 2, 1.0)) == set()
    assert wrong(CheckedRules(classic, 2, 1e-5)) == {"time"}
