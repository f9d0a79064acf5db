"""The games that a bot plays to be checked, and how two runs of them differ."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from cantstop_arena.game_api.game import CheckGame, Game


def suite_of(game: Game, own: str = "") -> tuple[CheckGame, ...]:
    """The game's own suite, or all named rule sets with every number of seats; for a bot of its
    own, by name, what it does not refuse."""
    games = tuple(game.check_suite())
    return tuple(
        check_game
        for check_game in games
        if not own or not game.refusal(own, check_game.rules, check_game.players)
    )


class TraceStep(NamedTuple):
    """What a player did, in words, in some turn of a game."""

    turn: int
    seat: int
    action: str


class Trace(NamedTuple):
    """What happened in a game, for as long as it was watched."""

    steps: tuple[TraceStep, ...]
    is_complete: bool

    @classmethod
    def read(cls, data: Any) -> "Trace":
        """A trace that has been to JSON and back."""
        steps, full = data
        return cls(tuple(TraceStep(*step) for step in steps), full)


class TraceDifference(NamedTuple):
    """The first decision in which two runs of the same game differ."""

    game: CheckGame
    turn: int
    seat: int
    before: str
    after: str

    def __str__(self) -> str:
        location = f"{self.game}, turn {self.turn}, seat {self.seat}"
        return f"{location}: {self.before} the first time, {self.after} the second"


STOPS, FAILS = "stops", "fails"


def difference(
    games: Sequence[CheckGame], these: Sequence[Trace], those: Sequence[Trace]
) -> TraceDifference | None:
    """The first decision that differs, as far as both runs have come."""
    for game, this, that in zip(games, these, those, strict=False):
        for before, after in zip_longest(this.steps, that.steps):
            if before == after:
                continue
            if (before is None and not this.is_complete) or (
                after is None and not that.is_complete
            ):
                break
            return _difference_at(game, before, after)
    return None


def _difference_at(
    game: CheckGame, before: TraceStep | None, after: TraceStep | None
) -> TraceDifference:
    where = before or after
    assert where
    deeds = [step.action if step else "nothing" for step in (before, after)]
    # Whoever did not stop where it did the other time went on, whatever came of it.
    arguments = ["goes on" if STOPS in deeds and action != STOPS else action for action in deeds]
    return TraceDifference(game, where.turn, where.seat, *arguments)
