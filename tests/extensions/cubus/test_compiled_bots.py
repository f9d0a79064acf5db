"""Bots of Cubus marked `@compiled`: the same games and faults as in plain Python, and messages."""

import mmap
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.cubus.games import ruled, seen

from cantstop_arena.check.harness import Harness
from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.cubus.bots import greedy
from cantstop_arena.extensions.cubus.game import GAME
from cantstop_arena.extensions.cubus.kernel_table import KernelTable
from cantstop_arena.extensions.cubus.rules import LEAFLET, NAMED, RuleSet
from cantstop_arena.game_api.game import CheckGame
from cantstop_arena.hookspecs import BotFunctions, compiled
from cantstop_arena.table.seated_bot import SeatedBot

SEED = 11


# Functions of bots: numba takes no annotations.


@compiled
def by_view(view, price=3):
    """Something that depends on all that the view has."""
    mood = view.seat + view.players + view.turn + view.owner + view.deck + view.passes
    mood += view.rules.wrong_knock + view.scores[view.seat] + view.bound()
    for cards in view.hands:
        mood += price * cards.lids + cards.open + cards.left + cards.right
    mood += view.unseen.left + view.hand.right
    if mood % 7 == 0:
        return None
    for option in view.options(rising=mood % 2 == 0):
        size = option.tops + option.left + option.right + option.crates + option.least
        worth = option.points - (size * price + option.number) % 5
        if not view.keep(option, worth) and view.random() < 0.02:
            break
        if view.bound_after(option, 1, 2, 1) == 13:
            break
    return view.choose(most=mood % 3 == 0)


@compiled
def nearby(view):
    return view.choose_nearby()


@compiled
def answers_seven(view):
    return 7


@compiled
def raises_later(view):
    if 12 // (view.turn - 9) == 5:
        return None
    return greedy.build(view)


@compiled
def wrong_option(view):
    for option in view.options():
        view.keep(option, option.points)
    if view.turn > 12:
        return view.scores[9]
    return view.choose()


@compiled
def asks_for_targets(view):
    return view.targets()


@compiled
def answers_a_text(view):
    return "first"


def contestant(number: int, functions: Mapping[str, Any], is_plain: bool) -> SeatedBot:
    own = {name: _plain(function) if is_plain else function for name, function in functions.items()}
    return SeatedBot(f"bot-{number}", BotFunctions(**own), f"{number}-{is_plain}")


def _plain(function: Any) -> Any:
    assert isinstance(function, FunctionType)
    return lambda view: function(view)


def played_both_ways(
    bots: Sequence[Mapping[str, Any]], deals: int, rules: RuleSet = LEAFLET
) -> tuple[BlockResult, BlockResult]:
    """A block of all bots, from deal 5 on: compiled, and in plain Python."""
    results = []
    for is_plain in (False, True):
        seated = [contestant(number, bot, is_plain) for number, bot in enumerate(bots)]
        table = KernelTable(GAME, rules, seated, len(bots), SEED)
        table.keeps_counts = True
        table.warm_up()
        assert table.is_compiled(range(len(bots))) is not is_plain
        results.append(table.play(Block(tuple(range(len(bots))), 5, deals)))
    return results[0], results[1]


VIEWER = {"build": by_view, "knock": by_view}
GREEDY = {"build": greedy.build, "knock": greedy.build}


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules", [LEAFLET, NAMED["exchange"][0], ruled(duty="free", open=8, lids=5)], ids=str
)
def test_a_compiled_bot_plays_the_games_of_plain_python(rules: RuleSet) -> None:
    fast, slow = played_both_ways([VIEWER, {"build": nearby}], 6, rules)
    assert fast == slow


@pytest.mark.slow
def test_at_a_table_of_three_too() -> None:
    fast, slow = played_both_ways([VIEWER, {"build": nearby, "knock": by_view}, GREEDY], 3)
    assert fast == slow


@pytest.mark.slow
@pytest.mark.parametrize("function", [answers_seven, raises_later, wrong_option])
def test_faults_are_those_of_plain_python(function: Any) -> None:
    fast, slow = played_both_ways([{"build": function}, GREEDY], 4)
    assert fast == slow
    assert sum(tally.forfeits for tally in fast.tallies) > 0


def test_a_fault_in_a_knock_is_told_like_one_of_plain_python() -> None:
    fast, slow = played_both_ways([{"build": nearby, "knock": answers_seven}, {"build": nearby}], 4)
    assert fast == slow
    assert "knock must return Build or None" in fast.faults[0].message


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (asks_for_targets, "the view has no 'targets'; it has seat, .*, choose"),
        (answers_a_text, r"it must return None or what view\.choose\(\) or .*, not a text"),
    ],
)
def test_a_bot_that_does_not_compile_is_told_why(function: Any, message: str) -> None:
    bots = [contestant(0, {"build": function}, False), contestant(1, GREEDY, False)]
    with pytest.raises(BotError, match=message):
        KernelTable(GAME, LEAFLET, bots, 2, SEED)


# In plain Python


def test_options_are_what_can_be_built() -> None:
    view = seen("22/21@0,0", "TOLR")
    options = [*view.options()]
    assert [*view.options(rising=True)] == options[::-1]
    assert sorted({option.points for option in options}) == sorted(
        {target.points for target in view.targets()}
    )
    for option in options:
        assert view.keep(option, option.points) is (option.points == options[0].points)
    build = view.choose()
    assert build is not None and view.check(build) == options[0].points


def test_nothing_kept_is_a_pass() -> None:
    assert seen("22/21@0,0", "TOLR").choose() is None
    assert seen("1@0,0", "").choose_nearby() is None


# On the command line


PLAY = """
import sys
from helpers.cubus.games import keys
from helpers.cubus.seats import play_all
from cantstop_arena.extensions.cubus.rules import LEAFLET
print(play_all(LEAFLET, ["greedy", "deny"], keys(2, 2)).seats.sum() > 0, "numba" in sys.modules)
"""


@pytest.mark.slow
def test_games_of_compiled_bots_need_no_numba_once_it_has_compiled_them() -> None:
    tests = Path(__file__).parents[2]
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r}){PLAY}"]
    for _ in range(2):
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert told == ["True", "False"]


VIEW = """
import sys
from cantstop_arena.extensions.cubus.choices.named_positions import view_of
view = view_of("22/21@0,0", "TOLR", [(0, 0)], "leaflet")
for option in view.options():
    view.keep(option, 0)
print(len(view.targets()), len(view.nearby()), view.choose() is not None, "numba" in sys.modules)
"""


@pytest.mark.slow
def test_views_in_plain_python_need_no_numba_once_their_searches_are_compiled() -> None:
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", VIEW], capture_output=True, text=True, check=True
        )
    assert done.stdout.split() == ["162", "3", "True", "False"]


def test_a_check_that_stops_in_rules_without_machine_code_still_knows_a_compiled_bot() -> None:
    """Under load the games of a check stop anywhere, and such bots are checked in another way."""
    bots = [contestant(0, {"build": nearby}, False)] * 2
    harness = Harness(GAME, bots, mmap.mmap(-1, GAME.window.size))
    harness.run([CheckGame(ruled(duty="strict"), 2)], 1.0)
    assert harness.is_compiled


@pytest.mark.slow
def test_the_template_of_a_compiled_bot_is_sound(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert arena("bots new mine --compiled --game cubus").code == 0
    done = arena("bots check mine --game cubus --decision-limit 30")
    assert done.code == 0, done.output
    assert "compiled" in done.output and "plays the same games uncompiled" in done.output


SLOW_AS_PYTHON = """
from cantstop_arena import compiled, hookimpl

game = "cubus"

@hookimpl
@compiled
def build(view):
    total = 0
    if view.turn == 2:
        for index in range(10_000_000):
            total = (total * 5 + index) % 1_000_003
    return view.choose_nearby() if view.bound() else None
"""


@pytest.mark.slow
def test_a_record_in_plain_python_may_take_longer_than_the_game(arena: Arena) -> None:
    yaml = "name: cup\ngame: cubus\ngames: 2\nseed: 1\nbots: [counts, hasty]\ndecision_limit: 0.5\n"
    arena("run cup.yaml --no-page", yaml=yaml, bots={"counts": SLOW_AS_PYTHON})
    assert '"reason": "done"' in arena("replay results/cup hasty counts --json").text
