"""Games of Cubus for tests: played, and held against what is true of every game."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from cantstop_arena.extensions.cubus.bots.strategies import BOTS, Strategy, decide
from cantstop_arena.extensions.cubus.builds.build import TableCards
from cantstop_arena.extensions.cubus.builds.cards import NONE, cards_from_text
from cantstop_arena.extensions.cubus.builds.piles import parse
from cantstop_arena.extensions.cubus.chance import CubusKeys, keys_of_deal
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.extensions.cubus.records import Built, Event, Knocked, PoolBuilt
from cantstop_arena.extensions.cubus.rules import LEAFLET, RuleSet, derive
from cantstop_arena.extensions.cubus.state import CubusState
from cantstop_arena.game_api.state import Deal, Result
from cantstop_arena.game_api.streams import DealChance


class Played(NamedTuple):
    """A game at its end: its state, its events, its result, and the fault that ended it."""

    state: CubusState
    events: list[Event]
    result: Result
    fault: str | None


def played(rules: RuleSet, names: Sequence[str], deal: int = 0) -> Played:
    """A game of built-in bots that obeys C1."""
    return played_by(rules, [BOTS[name] for name in names], deal)


def played_by(rules: RuleSet, bots: Sequence[Strategy], deal: int = 0) -> Played:
    """A game of any bots that obeys C1."""
    state = begun(rules, len(bots), deal)
    fault = play_on(state, bots)
    assert_worth(rules, len(bots), state)
    return Played(state, state.events, state.result(), fault)


def begun(rules: RuleSet, players: int, deal: int = 0, seed: int = 1987) -> CubusState:
    """A game before its first decision."""
    return CubusState(Deal(rules, players, DealChance(seed, deal)))


def play_on(state: CubusState, bots: Sequence[Strategy]) -> str | None:
    """Play a game to its end, or to a fault, which is returned."""
    while pending := state.pending:
        answers = {seat: decide(bots[seat], state.view(seat)) for seat in pending.seats}
        for seat, answer in answers.items():
            if fault := state.check(seat, answer):
                return fault
        state.answer(answers)
    return None


def assert_worth(rules: RuleSet, players: int, state: CubusState) -> None:
    """C1: all points but those of R19 add up to F of the pile before the take-down."""
    piles = [e.pile for e in state.events if isinstance(e, Built | PoolBuilt)]
    piles += [e.pile for e in state.events if isinstance(e, Knocked) and e.right]
    wrong = sum(isinstance(e, Knocked) and not e.right for e in state.events)
    worth = max([parse(pile).shape.value for pile in piles], default=0)
    assert sum(state.scores) == worth + wrong * (players - 1) * rules.wrong_knock


def ruled(**changes: Any) -> RuleSet:
    """The leaflet's rules with some changed."""
    return derive(LEAFLET, changes)


def keys(deals: int, players: int, seed: int = 1987) -> list[CubusKeys]:
    """The keys of so many deals."""
    return [keys_of_deal(seed, deal, players) for deal in range(deals)]


def answering(answers: Mapping[str, object]) -> Strategy:
    """A bot that always answers the same to each thing asked, and else passes."""

    def given(asked: str) -> Callable[[CubusBotView], Any]:
        return lambda view: answers.get(view.asked)

    return Strategy("answering", given("build"), given("knock"), given("take"))


def seen(
    pile: str, hand: str, opened: Sequence[tuple[int, int]] = (), **changes: Any
) -> CubusBotView:
    """What a bot sees on its own turn with a pile on the table and cards in hand."""
    state = begun(ruled(**changes), 2)
    cards = cards_from_text(hand)
    return state.view(0)._replace(
        table=TableCards(parse(pile), tuple(opened)), hand=cards, hands=(cards, NONE)
    )
