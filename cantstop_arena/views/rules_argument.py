"""Rules as arguments of commands: the name of a rule set, or of a pattern, and changes."""

import re
from typing import TYPE_CHECKING, Any

from cantstop_arena.errors import UsageError

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue


def rules_from_argument(name: str, changes: tuple[str, ...], catalogue: "Catalogue") -> Any:
    """The rules for a name, or for a name of the game's pattern (`Game.rules_of_pattern`).

    Each change is a parameter of the rules as KEY=VALUE. Raises UsageError.
    """
    game, parameters = catalogue.game, dict(_change(text) for text in changes)
    rules = game.rules_of_pattern(name, parameters)
    if rules is not None:
        return rules
    rules = catalogue.rules_called(name)
    return game.rules.derive(rules, parameters) if parameters else rules


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
