"""The games that a bot plays in a check, their traces, and the first difference of two runs."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

from cantstop_arena.game_api.game import CheckGame, Game

_DEALS = 40  # of a bot that is checked for one rule set


class CheckedRules(msgspec.Struct, frozen=True):
    """The one rule set, as a mapping, and the number of players that a bot is checked for.

    A decision may take `max_mean` seconds of processor time on average. That of the clock would
    depend on what else the machine does.
    """

    rules: Mapping[str, Any]
    players: int
    max_mean: float


def suite_of(
    game: Game, built_in_name: str = "", only: CheckedRules | None = None
) -> tuple[CheckGame, ...]:
    """The check games of a game, or those of `only` one rule set.

    For a built-in bot, by name, those that it does not refuse.
    """
    if only:
        rules = game.rules.from_dict(only.rules)
        return tuple(CheckGame(rules, only.players, deal) for deal in range(_DEALS))
    games = tuple(game.check_suite())
    return tuple(
        check_game
        for check_game in games
        if not built_in_name
        or not game.refusal(built_in_name, check_game.rules, check_game.players)
    )


class CheckStep(NamedTuple):
    """A player's action in a turn of a game, as text."""

    turn: int
    seat: int
    action: str


class Trace(NamedTuple):
    """The steps of a game; if not complete, up to the end of the run's time."""

    steps: tuple[CheckStep, ...]
    is_complete: bool


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
    games: Sequence[CheckGame], first_traces: Sequence[Trace], second_traces: Sequence[Trace]
) -> TraceDifference | None:
    """The first decision in which two runs differ, as far as both were played; None if none."""
    for game, first, second in zip(games, first_traces, second_traces, strict=False):
        for before, after in zip_longest(first.steps, second.steps):
            if before == after:
                continue
            if (before is None and not first.is_complete) or (
                after is None and not second.is_complete
            ):
                break
            return _difference_at(game, before, after)
    return None


def _difference_at(
    game: CheckGame, before: CheckStep | None, after: CheckStep | None
) -> TraceDifference:
    step = before or after
    assert step
    actions = [step.action if step else "nothing" for step in (before, after)]
    # In the run that did not stop at this step the player went on, whatever followed.
    action_texts = [
        "goes on" if STOPS in actions and action != STOPS else action for action in actions
    ]
    return TraceDifference(game, step.turn, step.seat, *action_texts)
