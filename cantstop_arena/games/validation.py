"""What is wrong with a game that a package offers, found before anybody plays it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass

from cantstop_arena.deals.counting import GAMES, UNFINISHED
from cantstop_arena.deals.seatings import MAX_SEATS
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.rulebook import RuleBook

_NEEDED = ("name", "title", "rules", "hooks")
_QUOTIENTS = (GAMES, UNFINISHED, "finished", "played")


def complaints(game: Game) -> list[str]:
    """Everything that can be seen to be wrong with a game."""
    missing = [name for name in _NEEDED if not getattr(game, name, None)]
    if missing:
        return [f"{type(game).__name__} lacks {', '.join(missing)}"]
    return [*_of_seats(game), *_of_rules(game), *_of_hooks(game), *_of_counts(game)]


def _of_seats(game: Game) -> Iterator[str]:
    seats = game.players
    if not isinstance(seats, range) or not seats or seats[0] < 1 or seats[-1] > MAX_SEATS:
        yield f"players must be a range of 1 to {MAX_SEATS} seats, not {seats!r:.40}"


def _of_rules(game: Game) -> Iterator[str]:
    if not isinstance(game.rules, RuleBook):
        yield "rules must be a RuleBook"
        return
    for name, (rules, _) in game.rules.named.items():
        parameters = getattr(rules, "__dataclass_params__", None)
        if not (is_dataclass(rules) and getattr(parameters, "frozen", False)):
            yield f"the rules {name} must be a frozen dataclass"


def _of_hooks(game: Game) -> Iterator[str]:
    try:
        game.decisions  # noqa: B018
    except (AttributeError, IndexError, NameError) as error:
        yield f"hooks must be functions with @decision and a parameter for the view ({error})"


def _of_counts(game: Game) -> Iterator[str]:
    counts = game.counts
    own = {"length": counts.length}
    if 1 in game.players:
        own["alone"] = counts.alone
    if counts.pace:
        own["pace"] = counts.pace
    named = [(what, name) for what, name in own.items() if name not in counts.names]
    named += [
        (f"the rate {key}", name)
        for key, rate in counts.rates.items()
        for name in (rate.above, rate.below)
        if name not in (*counts.names, *_QUOTIENTS)
    ]
    for what, name in named:
        existing = ", ".join(counts.names)
        yield f"{what} of its Counts is {name!r}, which is none of its names ({existing})"
