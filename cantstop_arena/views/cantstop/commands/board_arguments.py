"""Rules as they are given to commands about boards: a name, or a small board, and changes."""

import re
from typing import TYPE_CHECKING, Any

from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.bot_options import did_you_mean
from cantstop_arena.games.cantstop.rules import CLASSIC, SIDES, RuleSet, derive

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue


def rules_from_argument(name: str, changes: tuple[str, ...], catalogue: "Catalogue") -> RuleSet:
    """Rules by name, or N,K for dice with N sides and shortest columns of K spaces; with changes.

    Changes are parameters of the rules, as KEY=VALUE. Raises UsageError.
    """
    data = dict(_change(text) for text in changes)
    if board := re.fullmatch(r"\(?(\d{1,9}),\s*(\d{1,9})\)?", name):
        return derive(CLASSIC, {**_mountain(int(board[1]), int(board[2])), **data})
    if name not in catalogue.rules:
        raise UsageError(
            f"unknown rules {name!r:.60}{did_you_mean(name, catalogue.rules)};"
            " a small board is written as N,K: dice with N sides, shortest columns of K spaces"
        )
    rules: RuleSet = catalogue.rules[name]
    return derive(rules, data) if data else rules


def _mountain(sides: int, shortest: int) -> dict[str, Any]:
    """Columns of K, K + 2, … spaces up to the middle one, and down again."""
    if sides not in SIDES:
        return {"sides": sides}  # what is wrong is said of the sides
    steps = [*range(sides), *reversed(range(sides - 1))]
    return {"sides": sides, "column_lengths": [shortest + 2 * step for step in steps]}


def _change(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"{text!r:.60} is no change of the rules like columns_to_win=2")
    return key, _value(value)


def _value(text: str) -> Any:
    """A list of whole numbers, a whole number, or a word."""
    if "," in text:
        return [_value(part) for part in text.strip("[]").split(",")]
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else text
