"""The content of `comparison.json` as objects for its page: variants, changes, verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from cantstop_arena.comparisons.deal_ratios import BOT, LAST_SEAT, ORDER, UNFINISHED, DealRatios
from cantstop_arena.comparisons.statistics import (
    CHANGED,
    DIFFERENT,
    NEGLIGIBLE,
    SAME,
    UNCHANGED,
    UNDECIDED,
)
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.games.registry import game_named
from cantstop_arena.pages.number_text import percent, plain
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.texts import how_many

Content = Mapping[str, Any]

_KINDS = {NEGLIGIBLE: "negligible", UNDECIDED: "undecided", CHANGED: "up"}
_SIGNS = {NEGLIGIBLE: "≈", UNDECIDED: "?", SAME: "=", UNCHANGED: "=", CHANGED: "≠"}
LEVELS = ("baseline_value", "value")  # of a measure, under the baseline and the variant


class Change(msgspec.Struct, frozen=True):
    """One measure under one rule set, compared with the baseline."""

    data: Content

    @property
    def measure(self) -> str:
        """The measure's key."""
        return str(self.data["measure"])

    @property
    def verdict(self) -> str:
        """The verdict, as `comparison.json` has it."""
        return str(self.data["verdict"])

    @property
    def word(self) -> str:
        """The verdict as the page prints it."""
        return "inconclusive" if self.verdict == UNDECIDED else self.verdict

    @property
    def by(self) -> Estimate | None:
        """The change and its interval: percent of a count, percentage points of a share."""
        stem = "relative" if self.data["kind"] == COUNT else "difference"
        ends = [self.data[key] for key in (stem, f"{stem}_low", f"{stem}_high")]
        if ends[0] is None:
            return None
        return Estimate(*ends).scaled(100)

    @property
    def unit(self) -> str:
        """The unit of the change, as a suffix."""
        return "%" if self.data["kind"] == COUNT else " points"

    @property
    def is_more(self) -> bool:
        """Whether the measure is greater than under the baseline."""
        return (self.data["difference"] or 0) > 0

    @property
    def is_different(self) -> bool:
        """Whether the verdict is a difference."""
        return self.verdict in (DIFFERENT, CHANGED)

    @property
    def kind(self) -> str:
        """The CSS class of its cell."""
        if self.verdict == DIFFERENT:
            return "up" if self.is_more else "down"
        return _KINDS.get(self.verdict, "same")

    @property
    def sign(self) -> str:
        """The verdict as a symbol."""
        if self.verdict == DIFFERENT:
            return "▲" if self.is_more else "▼"
        return _SIGNS.get(self.verdict, "")

    def level(self, key: str, decimals: int) -> str:
        """The value of the measure as text; `key` is one of LEVELS."""
        value = self.data[key]
        if value is None:
            return ""
        return percent(value) if self.data["kind"] == SHARE else plain(value, decimals)


class Variant(msgspec.Struct, frozen=True):
    """A rule set with one number of players, compared with the baseline."""

    name: str
    rules: str
    players: int
    sides: int
    answer: Content
    changes: Mapping[str, Change]


class SimilarMeasures(msgspec.Struct, frozen=True):
    """Measures with the same unit, displayed as a group."""

    key: str
    title: str
    unit: str
    measures: Sequence[str]


def variants_of(content: Content) -> list[Variant]:
    """All rule sets but the baseline, with each number of players."""
    sizes = {answer["players"] for answer in content["answers"]}
    game = content["game"]
    return [_variant(answer, game, len(sizes) > 1) for answer in content["answers"]]


def _variant(answer: Content, game: str, sized: bool) -> Variant:
    name = answer["rules"]
    if sized:
        name = f"{name}, {how_many(answer['players'], 'player')}"
    changes = {question["measure"]: Change(question) for question in answer["questions"]}
    players = answer["players"]
    sides = game_named(game).lineup_size(players)
    return Variant(name, answer["rules"], players, sides, answer, changes)


def similar_measures(variants: Sequence[Variant]) -> list[SimilarMeasures]:
    """The measures of some variants in groups: counts, shares, and each bot's score."""
    keys = dict.fromkeys(
        key for variant in variants for key in variant.changes if _has_own_result(variants, key)
    )
    kinds = {key: _first_change(variants, key).data["kind"] for key in keys}
    counts = [key for key in keys if kinds[key] == COUNT]
    bots = [key for key in keys if key.startswith(BOT)]
    shares = [key for key in keys if kinds[key] == SHARE and key not in bots]
    groups = (
        SimilarMeasures("counts", "Course of the game", "%", counts),
        SimilarMeasures("shares", "Chance and fairness", "percentage points", shares),
        SimilarMeasures("bots", "Who gains", "percentage points", bots),
    )
    return [group for group in groups if group.measures]


def _first_change(variants: Sequence[Variant], key: str) -> Change:
    return next(variant.changes[key] for variant in variants if key in variant.changes)


def _has_own_result(variants: Sequence[Variant], key: str) -> bool:
    """Whether a measure adds to the others: not the order, a mirrored seat, or equal endings."""
    having = [variant for variant in variants if key in variant.changes]
    if key == ORDER:
        return False
    if key == LAST_SEAT and all(variant.sides == 2 for variant in having):
        return False
    return key != UNFINISHED or any(variant.changes[key].verdict != SAME for variant in having)


def label(measures: DealRatios, key: str) -> str:
    """The label of a measure, capitalized."""
    text = measures.label_of(key)
    return text[0].upper() + text[1:]


def changes_text(content: Content, rules: str) -> str:
    """The differences of a rule set from the baseline: "landing: jump instead of share"."""
    base, own = (content["rules"][name] for name in (content["baseline"], rules))
    texts = (
        f"{key.replace('_', ' ')}: {value_text(value)} instead of {value_text(base.get(key))}"
        for key, value in own.items()
        if key != "name" and value != base.get(key)
    )
    return "; ".join(texts)


def value_text(value: object) -> str:
    """The value of a parameter as text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)


def notable_changes(variant: Variant, measures: DealRatios) -> Iterator[Change]:
    """The differences of a variant, greatest effects first, without those implied by another."""
    changes = [
        change
        for key, change in variant.changes.items()
        if change.verdict == DIFFERENT and not _follows(variant, measures, change)
        if not (key == LAST_SEAT and variant.sides == 2)
    ]
    yield from sorted(changes, key=lambda change: -abs(change.data["effect_size"] or 0))


def _follows(variant: Variant, measures: DealRatios, change: Change) -> bool:
    cause = variant.changes.get(measures.measure(change.measure).follows)
    return bool(cause and cause.verdict == DIFFERENT and cause.is_more == change.is_more)
