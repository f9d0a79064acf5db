"""Rules as arguments of commands: the name of a rule set or a small board, and changes."""

import re
from typing import TYPE_CHECKING, Any

from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.bot_options import did_you_mean
from cantstop_arena.games.cantstop.rules import CLASSIC, SIDES, RuleSet, derive

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue


def rules_from_argument(name: str, changes: tuple[str, ...], catalogue: "Catalogue") -> RuleSet:
    """The rules for a name, or for N,K: dice with N sides, and shortest columns of K spaces.

    Each change is a parameter of the rules as KEY=VALUE. Raises UsageError.
    """
    parameters = dict(_change(text) for text in changes)
    if board := re.fullmatch(r"\(?(\d{1,9}),\s*(\d{1,9})\)?", name):
        return derive(CLASSIC, {**_mountain(int(board[1]), int(board[2])), **parameters})
    if name not in catalogue.rules:
        raise UsageError(
            f"unknown rules {name!r:.60}{did_you_mean(name, catalogue.rules)};"
            " write a small board as N,K: dice with N sides, shortest columns of K spaces"
        )
    rules: RuleSet = catalogue.rules[name]
    return derive(rules, parameters) if parameters else rules


def _mountain(sides: int, shortest: int) -> dict[str, Any]:
    """Columns of K, K + 2, … spaces up to the middle one, and down again."""
    if sides not in SIDES:
        return {"sides": sides}  # so that the error is about the sides
    steps = [*range(sides), *reversed(range(sides - 1))]
    return {"sides": sides, "column_lengths": [shortest + 2 * step for step in steps]}


def _change(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign:
        raise UsageError(
            f"invalid change of the rules {text!r:.60}: use KEY=VALUE, as in columns_to_win=2"
        )
    return key, _value(value)


def _value(text: str) -> Any:
    """A list of values, an integer, or a string."""
    if "," in text:
        return [_value(part) for part in text.strip("[]").split(",")]
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else text
