"""Games with a kernel: machine code and plain Python play the same games, with the same faults."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.breakthrough_kernel import BothBreakthrough, KernelBreakthrough, kernel_of
from helpers.game_packages import examples
from helpers.parameters import slow_but

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.game_api.decisions import game_over
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.streams import DealChance
from cantstop_arena.games.registry import game_named
from cantstop_arena.games.validation import game_faults
from cantstop_arena.hookspecs import BotFunctions, compiled
from cantstop_arena.native.compile_errors import BotWording, plain_message
from cantstop_arena.table.compiled_table import CompiledTable
from cantstop_arena.table.kernel_check import kernel_difference
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot

SEED = 7


installed = examples("orchard")


@pytest.fixture
def orchard() -> Game:
    return game_named("orchard")


@pytest.fixture
def orchard_bots(orchard: Game) -> list[Any]:
    from orchard.bots import register_bots  # type: ignore[import-not-found]

    return [bot.build().pick for bot in register_bots()]


# Functions of bots: numba takes no annotations.


@compiled
def first(view, moves):
    return 0


@compiled
def by_view(view, moves, step=1):
    """Something that depends on all that the view has."""
    mine = 0
    for cell in view.cells:
        mine += cell == 1
    total = mine * step + view.seat + view.players + view.rules.size + len(view.cells)
    return (total + int(view.random() * 5)) % len(moves)


@compiled
def too_high(view, moves):
    return len(moves) if len(moves) == 5 else 0


@compiled
def forgetful(view, moves):
    if view.rules.fruits < 0:
        return None


@compiled
def divides(view, moves):
    return 1 // (len(moves) - 5)


@compiled
def looks_too_far(view, moves):
    return view.fruits[20]


@compiled
def asks_for_more(view, moves):
    return view.colour


@compiled
def answers_a_text(view, moves):
    return "first"


def table_of(
    game: Game, functions: Sequence[Any], players: int = 2, rules: Any = None, plain: bool = False
) -> CompiledTable:
    """A table of bots with these functions; if `plain`, none of them is compiled."""
    (decision,) = game.decisions
    bots = [
        SeatedBot(f"bot-{number}", BotFunctions(**{decision: _as_plain(function, plain)}), name)
        for number, function in enumerate(functions)
        for name in [f"{number}-{plain}"]
    ]
    table = game.table(rules or game.rules.default, bots, players, SEED)
    assert isinstance(table, CompiledTable)
    table.keeps_counts = True
    table.warm_up()
    assert table.is_compiled(range(len(bots))) is not plain
    return table


def _as_plain(function: Any, plain: bool) -> Any:
    return (lambda view, moves: function(view, moves)) if plain else function


def played_both_ways(
    game: Game, functions: Sequence[Any], deals: int, players: int = 2, rules: Any = None
) -> tuple[BlockResult, BlockResult]:
    """A block of all bots, from deal 5 on: compiled, and in plain Python."""
    block = Block(tuple(range(len(functions))), 5, deals)
    fast, slow = (table_of(game, functions, players, rules, plain) for plain in (False, True))
    return fast.play(block), slow.play(block)


@pytest.mark.parametrize("players", [2, 3])
def test_orchard_is_the_same_game_compiled_and_plain(
    orchard: Game, orchard_bots: list[Any], players: int
) -> None:
    fast, slow = played_both_ways(orchard, orchard_bots[:players], 600 // players**2, players)
    assert fast == slow
    assert sum(tally.games for tally in fast.tallies) >= 300


def test_other_rules_are_played_by_the_same_table(orchard: Game, orchard_bots: list[Any]) -> None:
    rules = replace(orchard.rules.default, name="small", trees=3, fruits=4, bonus=False)
    block = Block((0, 1, 2), 0, 20)
    expected = table_of(orchard, orchard_bots, 3, rules, plain=True).play(block)
    table = table_of(orchard, orchard_bots, 2)
    memory = bytearray(orchard.window.size)
    table.change_rules(rules, 3, memory)
    table.keeps_counts = True
    assert table.play(block) == expected


@pytest.mark.slow
def test_payoffs_options_and_views_are_the_same() -> None:
    functions = [partial(by_view, step=step) for step in (5, 3)]  # of one machine code
    fast, slow = played_both_ways(KernelBreakthrough(), functions, 300)
    assert fast == slow
    assert fast.payoffs


def test_openings_are_played_compiled() -> None:
    results = []
    for plain in (False, True):
        table = table_of(KernelBreakthrough(), [by_view, first], plain=plain)
        table.opening_of = lambda bits, deal: (16, 47) if deal % 2 else (19,)
        results.append(table.play(Block((0, 1), 0, 20)))
    assert results[0] == results[1]
    table = table_of(KernelBreakthrough(), [by_view, first])
    table.opening_of = lambda bits, deal: (0,)
    with pytest.raises(GameError, match="the opening cannot be played"):
        table.play(Block((0, 1), 0, 2))


def test_a_state_of_its_own_plays_the_kernels_games() -> None:
    assert kernel_difference(BothBreakthrough(), BothBreakthrough.rules.default, 2, 20) is None
    assert kernel_difference(KernelBreakthrough(), BothBreakthrough.rules.default, 2, 20) is None


def test_a_kernel_that_differs_is_found() -> None:
    class Other(BothBreakthrough):
        def kernel(self, rules: Any, players: int) -> Any:
            return replace(kernel_of(rules.size), legal=legal_without_captures)

    difference = kernel_difference(Other(), Other.rules.default, 2)
    assert difference
    assert "legal() has [" in difference


def legal_without_captures(s, out):
    count = 0
    for number in range(75):
        ahead = number // 3 + (5 if s[64] % 2 == 0 else -5)
        if number % 3 == 1 and s[number // 3] == s[64] % 2 + 1 and s[ahead] == 0:
            out[count] = number
            count += 1
    return count


def test_the_record_of_a_compiled_game_ends_as_the_game_does(
    orchard: Game, orchard_bots: list[Any]
) -> None:
    table = table_of(orchard, orchard_bots[:2])
    for deal in range(5):
        *_, end = record(table, (1, 0), deal)
        payoffs, decisions = table.played_alone((1, 0), deal)
        assert (end["points"], end["decisions"]) == (payoffs, sum(decisions))


def test_draws_are_keyed_by_the_deal_and_mixed_with_their_numbers() -> None:
    chance = DealChance(SEED, 3)
    streams = [chance.mixed_stream("chance", number) for number in (0, 1, 2)]
    assert len({stream.below(1 << 60) for stream in streams}) == 3
    assert chance.mixed_stream("chance", 1)() == chance.mixed_stream("chance", 1)()


# Faults


@pytest.mark.parametrize("function", [too_high, forgetful, divides, looks_too_far])
def test_faults_are_those_of_plain_python(orchard: Game, function: Any) -> None:
    fast, slow = played_both_ways(orchard, [function, first], 30)
    assert (fast.tallies, fast.winners) == (slow.tallies, slow.winners)
    assert sum(tally.forfeits for tally in fast.tallies) > 0
    found, expected = (
        [(fault.bot, fault.kind, fault.deal, fault.seating, fault.count) for fault in faults]
        for faults in (fast.faults, slow.faults)
    )
    assert found == expected
    if function in (too_high, forgetful):
        assert fast.faults == slow.faults, "the same messages, too"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (asks_for_more, "the view has no 'colour'; it has seat, players, rules, random, die"),
        (answers_a_text, "it must return the index of a move, not a text"),
    ],
)
def test_a_bot_that_does_not_compile_is_told_why(
    orchard: Game, function: Any, message: str
) -> None:
    with pytest.raises(BotError, match=message):
        table_of(orchard, [function, first])


def test_colours_of_the_compiler_are_left_out() -> None:
    wording = BotWording(types=(), decisions=(), hint=lambda type_name, attribute: "")
    error = TypeError(
        "\x1b[1mit must return an index, not a value of type unicode_type\x1b[0m\x1b[0m"
    )
    assert plain_message(error, wording) == "it must return an index, not a text"


def nobody(s):
    return 5


def never(s):
    return 0


def no_legal(s, out):
    return 0


def act_outside(s, number):
    s[1000] = 1


def pays_nothing(s, out):
    out[0] = 2


def draws_nothing(s):
    return -1


def of_unknown(s):
    return unknown(s)  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("changes", "message"),
    slow_but(
        range(6),
        [
            ({"who": nobody}, "neither a seat"),
            ({"who": never, "act": lambda s, number: None}, "has taken 10,000 decisions"),
            ({"legal": no_legal}, "writes no action"),
            ({"act": act_outside}, "IndexError"),
            ({"payoffs": pays_nothing}, "add up to 2, not to 0"),
            ({"who": draws_nothing}, "a draw has no outcome"),
            ({"who": of_unknown}, "the kernel of broken does not compile: unknown is not defined"),
        ],
    ),
)
def test_what_a_kernel_does_wrong_is_the_games_fault(changes: Any, message: str) -> None:
    class Broken(KernelBreakthrough):
        name = "broken"

        def kernel(self, rules: Any, players: int) -> Any:
            return replaced

    replaced = replace(kernel_of(5), **changes)
    with pytest.raises(GameError, match=message):
        table_of(Broken(), [first, by_view]).play(Block((0, 1), 0, 10))


def test_a_game_with_a_kernel_has_one_decision() -> None:
    class Two(KernelBreakthrough):
        hooks = (*KernelBreakthrough.hooks, game_over)  # type: ignore[assignment]

    assert game_faults(Two()) == ["a game with a kernel has one decision, not 2"]


def test_an_exception_in_kernel_is_the_games_fault() -> None:
    class Raises(KernelBreakthrough):
        def kernel(self, rules: Any, players: int) -> Any:
            raise KeyError(players)

    with pytest.raises(GameError, match=r"Breakthrough fails in kernel.*KeyError: 2"):
        table_of(Raises(), [first, first])


# At the command line


@pytest.mark.slow
def test_kernels_at_the_command_line(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = 'game = "orchard"\ndef pick(view, moves):\n    return len(moves) - 1\n'
    done = arena("match exact anything --game orchard --games 200")
    assert "200 games" in done.output
    done = arena("match exact last --game orchard --games 20", bots={"last": plain})
    assert "20 games" in done.output
    assert "compiled" in arena("bots --game orchard").output
    checked = arena("bots check careful --game orchard").output
    assert "plays the same games uncompiled" in checked
