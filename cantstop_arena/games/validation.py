"""Validation of a game from a package, before it is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass

from cantstop_arena.deals.counting import GAMES, UNFINISHED
from cantstop_arena.deals.seatings import MAX_SEATS
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.rulebook import RuleBook, is_named_tuple

_REQUIRED = ("name", "title", "rules", "hooks")
_COMMON_TERMS = (GAMES, UNFINISHED, "finished", "played")


def game_faults(game: Game) -> list[str]:
    """The faults of a game, as messages."""
    missing = [name for name in _REQUIRED if not getattr(game, name, None)]
    if missing:
        return [f"{type(game).__name__} lacks {', '.join(missing)}"]
    return [
        *_edition_complaints(game),
        *_seat_complaints(game),
        *_rule_complaints(game),
        *_hook_faults(game),
        *_count_faults(game),
    ]


def _edition_complaints(game: Game) -> Iterator[str]:
    if not isinstance(game.edition, str):
        yield f"edition must be a text, not {game.edition!r:.40}"


def _seat_complaints(game: Game) -> Iterator[str]:
    seats = game.players
    if not isinstance(seats, range) or not seats or seats[0] < 1 or seats[-1] > MAX_SEATS:
        yield f"players must be a range of 1 to {MAX_SEATS} seats, not {seats!r:.40}"


def _rule_complaints(game: Game) -> Iterator[str]:
    if not isinstance(game.rules, RuleBook):
        yield "rules must be a RuleBook"
        return
    for name, (rules, _) in game.rules.named.items():
        parameters = getattr(rules, "__dataclass_params__", None)
        is_frozen = is_dataclass(rules) and getattr(parameters, "frozen", False)
        if not (is_frozen or is_named_tuple(rules)):
            yield f"the rules {name} must be a frozen dataclass"
    if is_named_tuple(game.rules.default):
        unchecked = [name for name in game.rules.parameters if name not in game.rules.checks]
        if unchecked:
            yield f"its RuleBook has no checks for {', '.join(unchecked)}"


def _hook_faults(game: Game) -> Iterator[str]:
    try:
        decisions = game.decisions
    except (AttributeError, IndexError, NameError) as error:
        yield f"hooks must be functions with @decision and a parameter for the view ({error})"
        return
    if game.has_kernel and len(decisions) != 1:
        yield f"a game with a kernel has one decision, not {len(decisions)}"


def _count_faults(game: Game) -> Iterator[str]:
    counts = game.counts
    roles = {"length": counts.length}
    if 1 in game.players:
        roles["alone"] = counts.alone
    if counts.pace:
        roles["pace"] = counts.pace
    unknown = [(role, name) for role, name in roles.items() if name not in counts.names]
    unknown += [
        (f"the rate {key}", name)
        for key, rate in counts.rates.items()
        for name in (rate.numerator, rate.denominator)
        if name not in (*counts.names, *_COMMON_TERMS)
    ]
    for role, name in unknown:
        names = ", ".join(counts.names)
        yield f"{role} of its Counts is {name!r}, which is none of its names ({names})"
