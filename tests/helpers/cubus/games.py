"""Games of Cubus for tests: played, and held against what is true of every game."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cantstop_arena.games.cubus import events
from cantstop_arena.games.cubus.bots.strategies import BOTS, Strategy
from cantstop_arena.games.cubus.builds.build import TableCards
from cantstop_arena.games.cubus.builds.cards import NONE, cards_from_text
from cantstop_arena.games.cubus.builds.piles import parse
from cantstop_arena.games.cubus.chance import CubusKeys, decks_of_deal
from cantstop_arena.games.cubus.choices.bot_view import CubusBotView
from cantstop_arena.games.cubus.events import Event
from cantstop_arena.games.cubus.records import Record
from cantstop_arena.games.cubus.rules import LEAFLET, RuleSet, derive
from cantstop_arena.games.cubus.state import CubusState, play_bots

Played = tuple[CubusState, list[Event]]


def played(rules: RuleSet, names: Sequence[str], deal: int = 0) -> Played:
    """A game of built-in bots that obeys C1."""
    return played_by(rules, [BOTS[name] for name in names], deal)


def played_by(rules: RuleSet, bots: Sequence[Strategy], deal: int = 0) -> Played:
    """A game of any bots that obeys C1."""
    state, happened = play_bots(rules, bots, decks_of_deal(1987, deal, len(bots)))
    assert_worth(rules, len(bots), happened)
    return state, happened


def assert_worth(rules: RuleSet, players: int, happened: Sequence[Event]) -> None:
    """C1: all points but those of R19 add up to F of the pile before the take-down."""
    piles = [e.pile for e in happened if isinstance(e, events.Built | events.Ending)]
    piles += [e.pile for e in happened if isinstance(e, events.Knocked) and e.right]
    wrong = sum(isinstance(e, events.Knocked) and not e.right for e in happened)
    end = happened[-1]
    assert isinstance(end, events.Ended)
    worth = max([parse(pile).shape.value for pile in piles], default=0)
    assert sum(end.points) == worth + wrong * (players - 1) * rules.wrong_knock


def recorded(rules: RuleSet, names: Sequence[str], deal: int = 0) -> Record:
    """The record of a game of built-in bots."""
    _, happened = played(rules, names, deal)
    return Record(rules, tuple(names), 1987, deal, tuple(happened))


def ruled(**changes: Any) -> RuleSet:
    """The leaflet's rules with some changed."""
    return derive(LEAFLET, changes)


def keys(deals: int, players: int, seed: int = 1987) -> list[CubusKeys]:
    """The keys of so many deals."""
    return [decks_of_deal(seed, deal, players).keys for deal in range(deals)]


def answering(answers: Mapping[str, object]) -> Strategy:
    """A bot that always answers the same to each thing asked, and else passes."""

    def given(asked: str) -> Callable[[CubusBotView], Any]:
        return lambda view: answers.get(view.asked)

    return Strategy("answering", given("build"), given("knock"), given("take"))


def seen(
    pile: str, hand: str, opened: Sequence[tuple[int, int]] = (), **changes: Any
) -> CubusBotView:
    """What a bot sees on its own turn with a pile on the table and cards in hand."""
    state = CubusState(ruled(**changes), 2, decks_of_deal(1, 1, 2))
    cards = cards_from_text(hand)
    return state.view(0)._replace(
        table=TableCards(parse(pile), tuple(opened)), hand=cards, hands=(cards, NONE)
    )
