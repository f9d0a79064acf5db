"""Games of bots in plain Python, played to their end."""

from collections.abc import Sequence

from cantstop_arena.games.cubus.bots.strategies import Bot, decide
from cantstop_arena.games.cubus.chance import Chance
from cantstop_arena.games.cubus.events import Event
from cantstop_arena.games.cubus.play.state import State
from cantstop_arena.games.cubus.rules import RuleSet


def play(rules: RuleSet, bots: Sequence[Bot], chance: Chance) -> tuple[State, list[Event]]:
    """A game of bots in seat order: its state at the end, and what happened."""
    state = State(rules, len(bots), chance)
    happened: list[Event] = []
    while question := state.question():
        views = {seat: state.view(seat) for seat in question.seats}
        happened += state.answer({seat: decide(bots[seat], views[seat]) for seat in views})
    return state, happened
