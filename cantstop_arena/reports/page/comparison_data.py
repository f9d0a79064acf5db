"""What `comparison.json` says of a rule set, read for its page: changes, verdicts, levels."""

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
from cantstop_arena.pages.number_text import percent, plain
from cantstop_arena.tables.column import Estimate
from cantstop_arena.texts import how_many

Content = Mapping[str, Any]

_KINDS = {NEGLIGIBLE: "negligible", UNDECIDED: "undecided", CHANGED: "up"}
_SIGNS = {NEGLIGIBLE: "≈", UNDECIDED: "?", SAME: "=", UNCHANGED: "=", CHANGED: "≠"}
_MANY = 30  # of a count, beyond which a decimal is enough


class Change(msgspec.Struct, frozen=True):
    """One measure under one rule set, compared with the baseline."""

    data: Content

    @property
    def measure(self) -> str:
        """The measure's key."""
        return str(self.data["measure"])

    @property
    def verdict(self) -> str:
        """The verdict, in words."""
        return str(self.data["verdict"])

    @property
    def word(self) -> str:
        """The verdict as readers know it."""
        return "inconclusive" if self.verdict == UNDECIDED else self.verdict

    @property
    def by(self) -> Estimate | None:
        """The change and its interval: percent of a count, percentage points of a share."""
        stem = "relative" if self.data["kind"] == COUNT else "difference"
        found = [self.data[key] for key in (stem, f"{stem}_low", f"{stem}_high")]
        if found[0] is None:
            return None
        return Estimate(*(None if end is None else 100 * end for end in found))

    @property
    def unit(self) -> str:
        """What the change is told in."""
        return "%" if self.data["kind"] == COUNT else " points"

    @property
    def is_more(self) -> bool:
        """Whether there is more of it than under the baseline."""
        return (self.data["difference"] or 0) > 0

    @property
    def is_different(self) -> bool:
        """Whether the games have shown a difference."""
        return self.verdict in (DIFFERENT, CHANGED)

    @property
    def kind(self) -> str:
        """The class of its cell."""
        if self.verdict == DIFFERENT:
            return "up" if self.is_more else "down"
        return _KINDS.get(self.verdict, "same")

    @property
    def sign(self) -> str:
        """Its verdict as a sign."""
        if self.verdict == DIFFERENT:
            return "▲" if self.is_more else "▼"
        return _SIGNS.get(self.verdict, "")

    def level(self, key: str) -> str:
        """The measure's own value, of the `baseline_value` or the `value`."""
        value = self.data[key]
        if value is None:
            return ""
        if self.data["kind"] == SHARE:
            return percent(value)
        return plain(value, 1 if abs(value) > _MANY else 2)


class Variant(msgspec.Struct, frozen=True):
    """A rule set at tables of one size, against the baseline there."""

    name: str
    rules: str
    players: int
    answer: Content
    changes: Mapping[str, Change]


class SimilarMeasures(msgspec.Struct, frozen=True):
    """Measures that are told in the same unit, and stand together."""

    key: str
    title: str
    unit: str
    measures: Sequence[str]


def variants(content: Content) -> list[Variant]:
    """All rule sets but the baseline, at tables of all sizes."""
    sizes = {answer["players"] for answer in content["answers"]}
    return [_variant(answer, len(sizes) > 1) for answer in content["answers"]]


def _variant(answer: Content, sized: bool) -> Variant:
    name = answer["rules"]
    if sized:
        name = f"{name}, {how_many(answer['players'], 'player')}"
    changes = {question["measure"]: Change(question) for question in answer["questions"]}
    return Variant(name, answer["rules"], answer["players"], answer, changes)


def similar_measures(found: Sequence[Variant]) -> list[SimilarMeasures]:
    """The measures of some variants: counts, shares, and what each bot won."""
    told = dict.fromkeys(key for one in found for key in one.changes if _is_told(found, key))
    kinds = {key: _of(found, key).data["kind"] for key in told}
    counts = [key for key in told if kinds[key] == COUNT]
    bots = [key for key in told if key.startswith(BOT)]
    shares = [key for key in told if kinds[key] == SHARE and key not in bots]
    groups = (
        SimilarMeasures("counts", "Course of the game", "%", counts),
        SimilarMeasures("shares", "Chance and fairness", "percentage points", shares),
        SimilarMeasures("bots", "Who gains", "percentage points", bots),
    )
    return [group for group in groups if group.measures]


def _of(found: Sequence[Variant], key: str) -> Change:
    return next(one.changes[key] for one in found if key in one.changes)


def _is_told(found: Sequence[Variant], key: str) -> bool:
    """Whether a measure says something of its own."""
    having = [one for one in found if key in one.changes]
    if key == ORDER:
        return False
    if key == LAST_SEAT and all(one.players == 2 for one in having):
        return False
    return key != UNFINISHED or any(one.changes[key].verdict != SAME for one in having)


def label(questions: DealRatios, key: str) -> str:
    """A measure's name, as it begins a line."""
    text = questions.label_of(key)
    return text[0].upper() + text[1:]


def changes_text(content: Content, rules: str) -> str:
    """What a rule set alters of the baseline: "landing: jump instead of share"."""
    base, own = (content["rules"][name] for name in (content["baseline"], rules))
    told = (
        f"{key.replace('_', ' ')}: {described_changes(value)} instead of {described_changes(base.get(key))}"
        for key, value in own.items()
        if key != "name" and value != base.get(key)
    )
    return "; ".join(told)


def described_changes(value: object) -> str:
    """A parameter's value as people write it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {one}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)


def standing_out(variant: Variant, questions: DealRatios) -> Iterator[Change]:
    """The differences of a variant, the greatest effects first; none that follows from another."""
    found = [
        change
        for key, change in variant.changes.items()
        if change.verdict == DIFFERENT and not _follows(variant, questions, change)
        if not (key == LAST_SEAT and variant.players == 2)
    ]
    yield from sorted(found, key=lambda change: -abs(change.data["effect_size"] or 0))


def _follows(variant: Variant, questions: DealRatios, change: Change) -> bool:
    cause = variant.changes.get(questions.measure(change.measure).follows)
    return bool(cause and cause.verdict == DIFFERENT and cause.is_more == change.is_more)
