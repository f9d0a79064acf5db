"""Bots as plug-ins: what makes one, its options, and what is said of those that are none."""

import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial, wraps
from importlib.metadata import EntryPoint
from pathlib import Path
from types import MethodType

import pytest
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.bots.bot_files import exception_line, foreign_code
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.describe import describe_command
from cantstop_arena.bots.known_bot import BotDescription, LoadedBot, source_line_of
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block, Tally
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.engine_table import SIZE
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import GameTable
from cantstop_arena.texts import in_a_line_with_code

CHOOSE = "def choose_move(turn, moves):\n    return 0\n"
AGAIN = "def roll_again(turn):\n    return turn.rolls < 3\n"
HOOKIMPL = "from cantstop_arena import hookimpl\n"
COMPILED = "from cantstop_arena import compiled\n"
BOTH_COMPILED = f"{COMPILED}@compiled\n{CHOOSE}@compiled\n"
STEPS = """
def choose_move(turn, moves, last=False):
    return len(moves) - 1 if last else 0
def roll_again(turn, rolls=3, keen=0.5):
    return turn.rolls < rolls + keen
"""
FAMILY = '''
from typing import Literal
from cantstop_arena import Bot, Player
class Climber:
    """Climbs.

    And on."""
    def __init__(self, rolls: int = 3, side: Literal["left", "right"] = "left") -> None:
        self.rolls, self.side = rolls, side
    def choose_move(self, turn, moves):
        return 0 if self.side == "left" else len(moves) - 1
    def roll_again(self, turn):
        return turn.rolls < self.rolls
def coward(rolls=1):
    """Stops."""
    return Player(lambda turn, moves: 0, lambda turn: turn.rolls < rolls)
def register_bots():
    return [Bot("climber", Climber), Bot("coward", coward)]
'''


@pytest.fixture
def drop(tmp_path: Path) -> Callable[[str, str], Catalogue]:
    """Drops a file into a folder of bots, and opens the folder anew."""

    def dropped(name: str, text: str) -> Catalogue:
        (tmp_path / f"{name}.py").write_text(text)
        return Catalogue(tmp_path)

    return dropped


Drop = Callable[[str, str], Catalogue]


def loaded(bot: BotDescription) -> LoadedBot:
    """The bot itself."""
    return Loader(Path()).open(bot.address)


def played(bot: BotDescription, **options: object) -> Tally:
    """What a bot's solitaire games add up to."""
    spec = loaded(bot)
    digest = f"{spec.digest}{sorted(options.items())}"
    contestant = SeatedBot(spec.name, spec.build(options), digest.replace("/", ""))
    table: GameTable = GAME.table(CLASSIC, [contestant], 1, 7)
    return table.play(Block((0,), 0, 10)).tallies[0]


def names(specs: Sequence[BotDescription]) -> list[str]:
    return [spec.name for spec in specs]


# --- What is a bot --------------------------------------------------------------------------------


def test_built_in_bots_are_always_there(tmp_path: Path) -> None:
    known, broken = Catalogue(tmp_path / "nowhere").everything()
    assert names(known) == [*GAME.bots]
    assert {spec.origin for spec in known} == {"built-in"}
    assert not broken


@pytest.mark.parametrize("mark", ["", "@hookimpl\n"])
def test_a_file_with_the_two_functions_is_a_bot_named_after_it(drop: Drop, mark: str) -> None:
    spec = drop("zoë-2", f'"""Waits."""\n{HOOKIMPL}{mark}{CHOOSE}{mark}{AGAIN}').find("zoë-2")
    assert (spec.name, spec.origin, spec.backend, spec.summary) == (
        "zoë-2",
        "file",
        "plain",
        "Waits.",
    )
    assert played(spec).counts["turns"] > (0,)


def test_files_that_begin_with_an_underscore_or_a_dot_are_no_bots(drop: Drop) -> None:
    drop("_draft", "nonsense")
    known, broken = drop(".hidden", "nonsense").everything()
    assert names(known) == [*GAME.bots]
    assert not broken


def test_what_a_file_prints_while_it_is_imported_is_no_output(
    drop: Drop, capsys: pytest.CaptureFixture[str]
) -> None:
    drop("loud", f"print('noise')\n{CHOOSE}{AGAIN}").find("loud")
    assert capsys.readouterr().out == ""


def test_a_linked_file_is_a_bot_named_after_the_link(drop: Drop, tmp_path: Path) -> None:
    catalogue = drop("target", CHOOSE + AGAIN)
    (tmp_path / "link.py").symlink_to("target.py")
    assert names([catalogue.find("link"), catalogue.find("target")]) == ["link", "target"]


def test_a_file_edited_within_the_second_to_the_same_size_is_new(
    drop: Drop, tmp_path: Path
) -> None:
    before = drop("bot", CHOOSE + AGAIN).find("bot")
    stamp = (tmp_path / "bot.py").stat()
    catalogue = drop("bot", CHOOSE + AGAIN.replace("3", "5"))
    os.utime(tmp_path / "bot.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    after = catalogue.find("bot")
    assert before.digest != after.digest
    assert played(before).counts != played(after).counts


# --- Options --------------------------------------------------------------------------------------


def test_options_are_keyword_parameters_in_both_lanes(drop: Drop) -> None:
    marked = STEPS.replace("def ", "@compiled\ndef ")
    drop("plain", STEPS)
    catalogue = drop("native", COMPILED + marked)
    plain, native = catalogue.find("plain"), catalogue.find("native")
    assert (plain.backend, native.backend) == ("plain", "compiled")
    assert plain.defaults == native.defaults == {"last": False, "rolls": 3, "keen": 0.5}
    assert played(plain) == played(native)
    assert played(plain, rolls=5, last=True) == played(native, rolls=5, last=True) != played(plain)


def test_one_option_of_both_functions_reaches_both(drop: Drop) -> None:
    text = CHOOSE.replace("moves)", "moves, n=0)").replace("0\n", "n\n", 1)
    spec = drop("both", text + AGAIN.replace("turn)", "turn, n=0)").replace("3", "n")).find("both")
    player = loaded(spec).build({"n": 4})
    assert player.choose_move.keywords == player.roll_again.keywords == {"n": 4}


def test_options_may_be_called_plugin_or_game(drop: Drop) -> None:
    file = drop("file", STEPS.replace("rolls=3", "plugin=3").replace("< rolls", "< plugin"))
    family = FAMILY.replace("coward(rolls", "coward(game").replace("< rolls)", "< game)")
    bot, coward = file.find("file"), drop("family", family).find("coward")
    assert bot.defaults["plugin"] == 3 and coward.defaults == {"game": 1}
    assert played(bot, plugin=5) != played(bot)
    assert played(coward, game=5) != played(coward)


def test_wrong_options_are_refused_by_name(drop: Drop) -> None:
    spec = drop("steps", STEPS).find("steps")
    faults = dict(spec.check_options({"rols": 3, "rolls": "x", "last": 1, "keen": "no"}))
    assert list(faults) == ["rols", "rolls", "last", "keen"]
    assert "did you mean 'rolls'?" in faults["rols"] and "options: last, rolls" in faults["rols"]
    assert faults["rolls"] == "option rolls must be a whole number, not 'x'"
    assert faults["last"] == "option last must be true or false, not 1"
    assert faults["keen"] == "option keen must be a number, not 'no'"


def test_right_options_are_taken(drop: Drop) -> None:
    assert not drop("steps", STEPS).find("steps").check_options({"rolls": 9, "keen": 1})


# --- Families -------------------------------------------------------------------------------------


def test_a_family_holds_bots_of_classes_and_functions(drop: Drop) -> None:
    catalogue = drop("family", FAMILY)
    climber, coward = catalogue.find("climber"), catalogue.find("coward")
    assert (climber.summary, coward.summary) == ("Climbs.", "Stops.")
    assert climber.defaults == {"rolls": 3, "side": "left"}
    assert played(climber, rolls=1) == played(coward) != played(climber, rolls=1, side="right")


def test_an_option_with_choices_takes_no_other(drop: Drop) -> None:
    climber = drop("family", FAMILY).find("climber")
    assert not climber.check_options({"side": "right"})
    assert climber.check_options({"side": "rihgt"}) == [
        ("side", "option side must be left or right, not 'rihgt' (did you mean 'right'?)")
    ]


def test_a_file_with_several_bots_is_used_by_their_names(drop: Drop, tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"holds several bots \(climber, coward\)"):
        drop("family", FAMILY).load_file(tmp_path / "family.py")


RULES_ONLY = "def register_rules():\n    return []\n"
NO_BOTS = "def register_bots():\n    return []\n"


@pytest.mark.parametrize("text", [RULES_ONLY, NO_BOTS])
def test_a_file_without_bots_is_told_to_hold_none(drop: Drop, tmp_path: Path, text: str) -> None:
    with pytest.raises(BotError, match=r"rules\.py holds no bot"):
        drop("rules", text).load_file(tmp_path / "rules.py")


class Odd:
    """Has whatever one asks it for."""

    def __getattr__(self, name: str) -> "Odd":
        return self


def test_the_place_of_a_function_is_that_of_what_somebody_wrote() -> None:
    def written(self: object) -> None: ...

    decorated = wraps(written)(lambda self: None)
    place = f"{__file__}:{written.__code__.co_firstlineno}"
    for function in (written, partial(written, 1), MethodType(written, 1), decorated):
        assert source_line_of(function) == place
    assert {source_line_of(nothing) for nothing in (None, len, Odd())} == {""}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("x = (0", ["x = (0", "    ^"]),
        ("if 1:\n\tx = 1 +\n", ["x = 1 +", "       ^"]),
        ("if 1:\n        é = 'b", ["é = 'b", "    ^"]),
        ("x = " + 60 * "0 + " + "+", ["x = " + 24 * "0 + "]),
        ("\0", []),
    ],
)
def test_code_that_is_no_python_is_shown_with_a_caret(code: str, lines: list[str]) -> None:
    with pytest.raises(SyntaxError) as caught:
        compile(code, "mine.py", "exec")
    _, *shown = in_a_line_with_code(exception_line(caught.value), 1000).split("\n")
    assert shown == [f"    {line}" for line in lines]


def test_only_code_at_the_end_of_a_message_stays_lines() -> None:
    text = "a\n    b\nc\n    d\x1b\n    ^\n    e"
    assert in_a_line_with_code(text, 10) == "a b c\n    d\\x1b\n    ^"


# --- Broken files ---------------------------------------------------------------------------------

BROKEN = {
    "does not import": ("import nothing_there", "does not import: ModuleNotFoundError"),
    "is no Python": ("def choose_move(:", "\n    def choose_move(:\n                    ^"),
    "is no text": ("\0", "does not import: SyntaxError"),
    "leaves": ("import sys\nsys.exit(3)", "does not import: SystemExit: 3"),
    "raises what a terminal obeys": ("raise ValueError('\\x1b[2J')", r"ValueError: \x1b[2J"),
    "raises what does not tell": (
        "class E(Exception):\n    def __str__(self): raise self\nraise E",
        "does not import: E: no message (",
    ),
    "is empty": ("", "lacks choose_move and roll_again"),
    "names no game": (
        "def build(view):\n    return None\n",
        "lacks choose_move and roll_again; a bot of another game than cantstop names it: game =",
    ),
    "lacks a hook": (CHOOSE, "lacks roll_again"),
    "misspells": (CHOOSE + AGAIN.replace("roll_", "rol_"), "lacks roll_again (is it 'rol_again'?)"),
    "misspells a marked hook": (
        f"{HOOKIMPL}@hookimpl\n{CHOOSE}@hookimpl\n{AGAIN.replace('roll_', 'rol_')}",
        "there is no hook 'rol_again' (did you mean 'roll_again'?) (",
    ),
    "orders arguments wrongly": (
        AGAIN + CHOOSE.replace("turn, moves", "moves, turn"),
        "choose_move must take (turn, moves), then options; it takes (moves, turn)",
    ),
    "names arguments wrongly": (CHOOSE.replace("moves", "mvs") + AGAIN, "must take (turn, moves)"),
    "names marked arguments wrongly": (
        f"{HOOKIMPL}@hookimpl\n{CHOOSE.replace('moves', 'mvs')}@hookimpl\n{AGAIN}",
        "choose_move must take (turn, moves)",
    ),
    "takes too many": (CHOOSE + AGAIN.replace("turn)", "turn, x)"), "it takes (turn, x)"),
    "takes too few": (CHOOSE.replace(", moves", "") + AGAIN, "it takes (turn)"),
    "is half compiled": (
        f"{COMPILED}@compiled\n{CHOOSE}{AGAIN}",
        "only choose_move is @compiled; mark both functions, or neither",
    ),
    "has no functions": ("choose_move = roll_again = 3", "choose_move is no function"),
    "registers badly": (
        "def register_bots():\n    raise ValueError('no')",
        "register_bots of bad fails: ValueError: no",
    ),
    "registers nothing": ("def register_bots(): pass", "register_bots of bad fails: TypeError"),
    "registers rubbish": (
        "def register_bots(): return ['a']",
        "register_bots of bad must return Bot(name, build), not 'a'",
    ),
}


@pytest.mark.slow
def test_broken_files_are_named_with_their_reasons_and_harm_no_other(
    drop: Drop, tmp_path: Path
) -> None:
    """All of them in one folder: each is told apart, and asked for by its name, again."""
    drop("good", CHOOSE + AGAIN)
    reasons = {f"bad_{number}": reason for number, (_, reason) in enumerate(BROKEN.values())}
    for name, (text, _) in zip(reasons, BROKEN.values(), strict=True):
        catalogue = drop(name, text)
    assert catalogue.find("good").name == "good"
    known, found = catalogue.everything()
    assert set(names(known)) == {*GAME.bots, "good"}
    assert {bad.name: bad.origin for bad in found} == {
        name: str(tmp_path / f"{name}.py") for name in reasons
    }
    for bad in found:
        reason = reasons[bad.name].replace("of bad ", f"of {bad.name} ")
        assert reason in bad.reason
        with pytest.raises(BotError) as caught:
            catalogue.find(bad.name)
        assert reason in str(caught.value)


def test_a_bot_that_cannot_be_built_is_blamed_when_it_is_asked_for(drop: Drop) -> None:
    text = (
        "from cantstop_arena import Bot\ndef register_bots():\n    return [Bot('odd', lambda: 3)]"
    )
    with pytest.raises(BotError, match="bot odd has no choose_move and no roll_again"):
        loaded(drop("odd_family", text).find("odd")).build({})


@pytest.mark.parametrize("text", [CHOOSE + AGAIN, FAMILY.replace('"coward"', '"random"')])
def test_a_name_taken_by_a_built_in_bot_is_refused(drop: Drop, text: str) -> None:
    catalogue = drop("random", text)
    known, (bad,) = catalogue.everything()
    assert re.search(r"'random' is the name of a built-in bot and of \S+random.py; ", bad.reason)
    assert "random" not in names(known)
    with pytest.raises(BotError, match=re.escape(bad.reason)):
        catalogue.find("random")
    assert catalogue.find("cautious").origin == "built-in"


@pytest.mark.slow
def test_a_bot_that_does_not_compile_is_refused_by_the_table(drop: Drop) -> None:
    spec = drop("bad", f"{BOTH_COMPILED}{AGAIN.replace('rolls', 'roles')}").find("bad")
    with pytest.raises(BotError, match=r"bad does not compile: .*roles"):
        played(spec)


def test_damage_done_before_a_table_is_laid_anew_is_undone(drop: Drop) -> None:
    spec, digits = drop("lone", CHOOSE + AGAIN).find("lone"), sys.get_int_max_str_digits()
    table = GAME.table(CLASSIC, [SeatedBot("lone", loaded(spec).build({}), "lone")] * 2, 2, 1)
    sys.set_int_max_str_digits(5000)
    table.attach_memory(bytearray(SIZE))
    table.restore_process()
    assert sys.get_int_max_str_digits() == digits


def test_an_unknown_bot_brings_its_likeness_to_mind(drop: Drop) -> None:
    with pytest.raises(BotError, match=r"unknown bot 'climbr' \(did you mean 'climber'\?\)"):
        drop("family", FAMILY).find("climbr")


def test_the_folder_is_searched_once_for_any_number_of_unknown_bots(
    drop: Drop, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[Path] = []

    def files(folder: Path) -> list[Path]:
        searched.append(folder)
        return []

    monkeypatch.setattr("cantstop_arena.bots.catalogue.bot_files", files)
    catalogue = drop("family", FAMILY)
    for name in "abc":
        with pytest.raises(BotError, match="unknown bot"):
            catalogue.find(name)
    assert len(searched) == 1


def test_an_unreadable_file_is_a_broken_one(drop: Drop, tmp_path: Path) -> None:
    (tmp_path / "bad.py").symlink_to("nowhere.py")
    _, (bad,) = drop("good", CHOOSE + AGAIN).everything()
    assert "cannot be read: No such file" in bad.reason


# --- Packages -------------------------------------------------------------------------------------


def install(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    """Pretend that packages offer these entry points."""
    points = [EntryPoint(name, values[name], "cantstop_arena") for name in sorted(values)]
    for module in ("describe", "loader"):
        reader = f"cantstop_arena.bots.{module}.entry_points_of"
        monkeypatch.setattr(reader, lambda group: (points, []))
    monkeypatch.setattr("cantstop_arena.bots.catalogue.is_declared", lambda group: True)


def test_entry_points_are_found_and_broken_ones_named(
    drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_offered_family.py").write_text(FAMILY)
    (tmp_path / "_offered_bot.py").write_text(CHOOSE + AGAIN)
    (tmp_path / "_offered_ruin.py").write_text("import sys\nsys.exit(1)")
    monkeypatch.syspath_prepend(tmp_path)
    install(
        monkeypatch,
        family="_offered_family",
        lone="_offered_bot",
        missing="nowhere_at_all",
        ruin="_offered_ruin",
        random="_offered_bot:nothing",
    )
    known, bad = drop("lone", CHOOSE + AGAIN).everything()
    assert {"climber", "coward"} <= set(names(known)) and "lone" not in names(known)
    assert Catalogue(tmp_path).find("climber").origin == "package"
    assert [(one.name, one.origin) for one in bad[:3]] == [
        ("missing", "package nowhere_at_all"),
        ("random", "package _offered_bot:nothing"),
        ("ruin", "package _offered_ruin"),
    ]
    assert [one.reason.partition(":")[0] for one in bad[:3]] == [
        "ModuleNotFoundError",
        "AttributeError",
        "SystemExit",
    ]
    assert bad[3].reason.startswith("'lone' is the name of a bot of the package lone and of ")


def test_a_package_can_offer_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_offered_rules.py").write_text(
        "from cantstop_arena import hookimpl\n"
        "from cantstop_arena.games.cantstop.rules import CLASSIC, derive\n"
        "@hookimpl\ndef register_rules():\n"
        "    return [derive(CLASSIC, {'runners': 2}, 'two'), derive(CLASSIC, {}, 'jump')]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    install(monkeypatch, rules="_offered_rules")
    rules = Catalogue(tmp_path).rules
    assert rules["two"].runners == 2
    assert {"two", "classic"} < {*rules} and "jump" not in {*rules}
    with pytest.raises(UsageError, match="'jump' is the name of several rule sets; uninstall"):
        rules["jump"]


@pytest.mark.slow
@pytest.mark.parametrize("body", ["time.sleep(60)", "while True:\n    pass"])
def test_a_file_that_hangs_when_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr("cantstop_arena.bots.bot_files.MAX_IMPORT_SECONDS", 0.3)
    (tmp_path / "hangs.py").write_text(f"import time\n{body}\n")
    with pytest.raises(BotError, match=r"not done within 0.3 s \(.*hangs.py:[23]\)"):
        Catalogue(tmp_path).find("hangs")


@pytest.mark.slow
def test_threads_load_code_one_after_the_other() -> None:
    streams = sys.stdout, sys.stderr
    first_is_inside, second_is_inside, first_has_left = (threading.Event() for _ in range(3))

    def load_first() -> None:
        with foreign_code():
            first_is_inside.set()
            second_is_inside.wait(1)  # in vain, as the other thread waits for this one
        first_has_left.set()

    def load_second() -> None:
        first_is_inside.wait()
        with foreign_code():
            second_is_inside.set()
            first_has_left.wait(TIME_LIMIT)

    threads = [threading.Thread(target=load) for load in (load_first, load_second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sys.stdout, sys.stderr) == streams


# --- What a file holds ----------------------------------------------------------------------------

DESCRIBED = '''"""Plays.

And more."""
from typing import Literal
def choose_move(turn, moves, side: Literal["low", "high", None] = "low", weights=(1, (2.5, None))):
    return 0
def roll_again(turn, steps=6, lengths=[1, "é"], on=True, risk=0.5):
    return False
'''


def test_a_file_is_described_as_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(DESCRIBED)
    spec = Loader(tmp_path).load_file(tmp_path / "mine.py")
    described = Catalogue(tmp_path).load_file(tmp_path / "mine.py")
    assert described == spec.description()
    assert described.summary == "Plays."


def test_a_command_is_known_by_its_words_and_the_contents_of_files(tmp_path: Path) -> None:
    bot, data = tmp_path / "bot", tmp_path / "data"
    bot.write_text("one")
    data.write_text("")
    digest = describe_command([str(bot), "--fast"])
    assert digest == describe_command((str(bot), "--fast"))
    assert digest != describe_command([str(bot), "--slow"])
    (tmp_path / "moved").write_text("one")
    assert digest == describe_command([str(tmp_path / "moved"), "--fast"])
    assert describe_command([str(tmp_path), "x" * 5000, "nul\0"])
    bot.write_text("two")
    assert digest != describe_command([str(bot), "--fast"])
    fed = describe_command([str(bot), str(data)])
    data.write_text("three")
    assert fed != describe_command([str(bot), str(data)])
