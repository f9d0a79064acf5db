"""The fields of `comparison.json`, in their order, and the JSON Schema that follows from them."""

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from cantstop_arena.reports.summary_fields import Count, Rules, file_schema
from cantstop_arena.tables.column import Column, estimate, number
from cantstop_arena.tables.formats import row_schema

QUESTION_COLUMNS = (
    Column("measure", "measure"),
    Column("kind", "kind"),
    number("baseline_value", decimals=2),
    number("value", decimals=2),
    estimate("difference", "difference", 2),
    estimate("relative", "relative", 2),
    Column("effect", "effect"),
    number("effect_size", decimals=3),
    number("p", decimals=4),
    number("p_corrected", decimals=4),
    number("ignore_below", decimals=2),
    Column("verdict", "verdict"),
    number("games_to_decide"),
)

_P = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_EFFECT = {"description": "d: Cohen's d in games; h: Cohen's h.", "enum": ["d", "h", None]}
_QUESTION = row_schema(
    QUESTION_COLUMNS,
    kind={"enum": ["count", "share", "order"]},
    effect=_EFFECT,
    p=_P,
    p_corrected=_P,
    games_to_decide={"type": ["integer", "null"], "minimum": 1},
)
Question: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=_QUESTION)]


class LuckGain(msgspec.Struct, forbid_unknown_fields=True):
    """Where luck was scored: the gain in intervals of what is won."""

    worth: Annotated[
        float,
        Meta(
            description="How many times the games the intervals would take with luck left in; 1"
            " and less, where it is left in."
        ),
    ]


class RuleSetAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """What one rule set changes with one number of players."""

    rules: str
    players: int
    deals: Count
    games: Count
    sentence: str
    questions: list[Question]
    turned: Annotated[
        list[Annotated[list[str], Meta(min_length=2, max_length=2)]],
        Meta(description="Pairs of bots whose order is another one."),
    ]
    luck_removed: LuckGain | UnsetType = UNSET


class ComparisonSummary(msgspec.Struct, forbid_unknown_fields=True):
    """What rule sets do to a game. Shares are parts of 1; ends of intervals cover 95%."""

    name: str
    game: str
    headline: Annotated[str, Meta(description="The most important change, in a sentence.")]
    seed: Annotated[
        int | str,
        Meta(description="A whole number below 2^63, or a text; larger numbers are texts."),
    ]
    bots: list[str]
    rules: dict[str, Rules]
    baseline: str
    ignore_below: dict[str, Annotated[float, Meta(ge=0)]]
    answers: list[RuleSetAnswer]
    notes: list[str]


def schema() -> dict[str, Any]:
    """The JSON Schema of `comparison.json`."""
    return file_schema("comparison.json", ComparisonSummary)
