"""The fields of `summary.json`, in their order, and the JSON Schema that follows from them."""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from cantstop_arena.tables import pair_tables, seats
from cantstop_arena.tables.column import Column
from cantstop_arena.tables.differences import pair_columns
from cantstop_arena.tables.formats import row_schema
from cantstop_arena.tables.lineups import MANY_BOTS
from cantstop_arena.tables.pair_tables import residual_columns
from cantstop_arena.tables.standings import BOT, FIELD, NOTES, RANK, rating_columns

Count: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[int, Meta(ge=1)]
Chance: TypeAlias = Annotated[float, Meta(ge=0, le=1)] | None
_TWO = Meta(min_length=2, max_length=2)

Rules: TypeAlias = Annotated[
    dict[str, Any],
    Meta(
        description="All parameters of the rule set, and its name; the parameters are the game's"
        " own.",
        extra_json_schema={"properties": {"name": {"type": "string"}}, "required": ["name"]},
    ),
]

# Rows of tables: their schemas are those of the columns -------------------------------------------

_NUMBER = {"type": ["number", "null"]}
_P = {"type": "number", "minimum": 0, "maximum": 1}
_RANK = {"type": ["integer", "null"], "minimum": 1}
_STANDING = row_schema([FIELD, RANK, BOT, *rating_columns(players=2), *NOTES], rank=_RANK) | {
    "description": "A place in the standings. Bots that play alone have no Elo and no score, but"
    " what they need for a game.",
    "required": ["rank", "bot", "games", "elo", "score", "faults", "note"],
    "patternProperties": {
        "^[a-z_]+_(per_game|low|high)$": _NUMBER,
        "^(above_optimal|fewer_than_next|payoff|ahead_of_next)$": _NUMBER,
    },
}
_SEAT = row_schema(seats.COLUMNS) | {"patternProperties": {"^payoff(_low|_high)?$": _NUMBER}}
_AFTER = row_schema([Column("after", "after")]) | {"additionalProperties": _NUMBER}
_FOLLOWING = row_schema([BOT, Column("after", "after")]) | {"additionalProperties": _NUMBER}

Standing: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=_STANDING)]
SeatRow: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=_SEAT)]
Pair: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema=row_schema(pair_tables.PAIR_COLUMNS))
]
Difference: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema=row_schema(pair_columns(""), p=_P))
]
Residual: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema=row_schema(residual_columns(()), p=_P))
]
Effect: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=_AFTER)]
Following: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=_FOLLOWING)]

# The entries --------------------------------------------------------------------------------------


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """An object in the file; it has no key for a field that is UNSET."""


class Lineup(_Entry):
    """The games of one seating, and what each seat won."""

    seats: list[str]
    games: Count
    wins: list[Annotated[float, Meta(ge=0)]]
    unfinished: Count
    drawn: Count | UnsetType = UNSET


class Metric(_Entry):
    """The mean and the standard deviation over games of something that the game counts."""

    mean: float | None
    sd: float | None


class FirstPlayer(_Entry):
    """The first player's advantage over the mean of the others."""

    elo: float | None
    elo_low: float | None
    elo_high: float | None


class PredecessorEffects(_Entry):
    """What it means to sit right after each bot."""

    counted: str
    effects: list[Effect]
    pairs: list[Following]


class Fit(_Entry):
    """How well one rating for each bot tells the results."""

    deviance: float | None
    degrees_of_freedom: int
    design_effect: float | None
    effective_degrees_of_freedom: float | None
    p: Chance
    cyclic_share: Chance
    cyclic_share_low: Chance
    cyclic_share_high: Chance
    without_one: Annotated[
        dict[str, Annotated[list[Annotated[list[float | str | None], _TWO]], _TWO]],
        Meta(description="How far each bot's Elo moves down and up at most, and without whom."),
    ]
    cycles: list[list[str]]
    pairs: list[Residual] | UnsetType = UNSET


class StoppingRule(_Entry, kw_only=True):
    """The rule that ended the tournament, whether it was met, and the widest interval."""

    elo_error: float | UnsetType = UNSET
    width: float | UnsetType = UNSET
    payoff_width: float | UnsetType = UNSET
    test: Literal["sprt"] | UnsetType = UNSET
    reached: bool | UnsetType = UNSET
    widest: dict[str, Any] | UnsetType = UNSET
    intervals: Literal["confidence sequences"]


class LuckRemoval(_Entry):
    """What removing luck has gained, and the scores with luck left in."""

    worth: Annotated[
        float,
        Meta(description="How many times the games the intervals would take with luck left in."),
    ]
    plain_scores: Annotated[
        dict[str, list[float | None]],
        Meta(description="Each bot's score and its interval with luck left in."),
    ]


class ReportedFault(_Entry):
    """One kind of fault of a bot: its first game, and how often it occurred."""

    bot: str
    kind: Literal["exception", "illegal answer", "too slow", "died"]
    message: str
    seats: list[str]
    deal: Count
    count: Positive
    replay: str


class DisqualifiedBot(_Entry):
    """A bot whose games do not count."""

    bot: str
    faults: Count


class LeftOutBot(_Entry):
    """A bot that a pattern of the file matches, and why it cannot play."""

    bot: str
    reason: str


class Summary(_Entry, kw_only=True):
    """What a tournament has found. Shares are parts of 1; ends of intervals cover 95%."""

    name: str
    game: str
    rules: Rules
    players: Annotated[int, Meta(ge=1, le=8)]
    seed: Annotated[
        int | str | None,
        Meta(description="None where tournaments with several seeds were rated together."),
    ]
    games: Count
    headline: Annotated[
        str | UnsetType,
        Meta(description="The answer to the question; of a match, match.json has it."),
    ] = UNSET
    standings: list[Standing]
    lineups: list[Lineup] | UnsetType = UNSET
    metrics: Annotated[
        dict[str, Metric],
        Meta(
            description="Of what the game counts, the mean and the standard deviation over games."
        ),
    ]
    by_bot: Annotated[
        dict[str, dict[str, float | None]],
        Meta(description="Each bot's rates, which are the game's own."),
    ]
    differences: Annotated[
        list[Difference] | UnsetType,
        Meta(
            description="Of bots that play alone, the better one first: how much less it needs for"
            " a game, over the deals that both played. p is corrected for all pairs."
        ),
    ] = UNSET
    anchor: dict[str, float] | UnsetType = UNSET
    labels: Annotated[
        dict[str, list[str]] | UnsetType,
        Meta(description="What limits the ratings, and the bots it is about."),
    ] = UNSET
    scores_compare: Annotated[
        bool | UnsetType,
        Meta(
            description="Whether all bots met the same rivals equally often, so that scores"
            " compare."
        ),
    ] = UNSET
    incomparable: Annotated[
        list[str] | UnsetType,
        Meta(
            description="The bots whose scores do not compare with those of the largest group of"
            " bots that met the same rivals equally often.",
            extra_json_schema={"minItems": 1},
        ),
    ] = UNSET
    ranks: Annotated[
        dict[str, Annotated[list[Positive], _TWO]] | UnsetType,
        Meta(description="The best and the worst rank that each bot could have."),
    ] = UNSET
    superiority: Annotated[
        dict[str, dict[str, Chance]] | list[list[Chance]] | UnsetType,
        Meta(
            description="The likelihood that a bot is better than another one; null where they"
            f" never met. Of more than {MANY_BOTS} bots rows and columns in the order of the"
            " standings."
        ),
    ] = UNSET
    first_player: FirstPlayer | UnsetType | None = UNSET
    seats: list[SeatRow] | UnsetType = UNSET
    pairs: list[Pair] | UnsetType = UNSET
    predecessors: PredecessorEffects | UnsetType = UNSET
    fit: Fit | UnsetType = UNSET
    until: StoppingRule | UnsetType = UNSET
    unplayed: Positive | UnsetType = UNSET
    left_out: list[LeftOutBot] | UnsetType = UNSET
    gauntlet: str | UnsetType = UNSET
    luck_removed: LuckRemoval | UnsetType = UNSET
    faults: list[ReportedFault] | UnsetType = UNSET
    disqualified: list[DisqualifiedBot] | UnsetType = UNSET
    not_reproducible: list[str] | UnsetType = UNSET
    device: str | UnsetType = UNSET


_OF_RATINGS = ["anchor", "labels", "ranks", "superiority", "first_player", "fit"]


def schema() -> dict[str, Any]:
    """The JSON Schema of `summary.json`."""
    return file_schema("summary.json", Summary) | {"dependentRequired": {"seats": _OF_RATINGS}}


def file_schema(name: str, content: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a file with this content."""
    _, definitions = msgspec.json.schema_components([content], ref_template="#/$defs/{name}")
    fields = definitions.pop(content.__name__)
    start = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {**start, **fields, "title": name, "$defs": definitions}
