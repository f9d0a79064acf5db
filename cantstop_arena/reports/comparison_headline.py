"""The headline of a comparison: the most important change, in words."""

from collections.abc import Mapping, Sequence

from cantstop_arena.comparisons.deal_ratios import BETTER_BOT, DealRatios
from cantstop_arena.comparisons.statistics import DIFFERENT
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.pages.number_text import plain, signed
from cantstop_arena.reports.page.comparison_data import (
    Change,
    Content,
    Variant,
    notable_changes,
    variants_of,
)
from cantstop_arena.texts import how_many

MAX_NAMED = 2  # rule sets in the headline
_TENFOLD = 9.5  # percent: from here on changes are written without decimals


def comparison_headline(content: Content) -> str:
    """What the rule sets change most, in a sentence without its full stop.

    That is the length of games; where no length differs, the greatest effect; else nothing.
    """
    measures = DealRatios(game_named(content.get("game", DEFAULT)).counts)
    variants = variants_of(content)
    if not variants:
        return "Nothing was compared"
    if not any(variant.answer["games"] for variant in variants):
        return "Nothing can be compared: no lineup played on under all rule sets"
    lengths = _length_changes(variants, measures.counts.length)
    if lengths:
        named = sorted(lengths, key=lambda name: -_largest(lengths[name]))[:MAX_NAMED]
        texts = [_length_text(name, lengths[name], name == named[0]) for name in named]
        return ", ".join(texts) + (
            _greatest(variants, lengths[named[0]]) if len(named) == 1 else ""
        )
    greatest = max(
        (
            (abs(change.data["effect_size"] or 0), variant, change)
            for variant in variants
            for change in notable_changes(variant, measures)
        ),
        key=lambda item: item[0],
        default=None,
    )
    if greatest is None:
        base = content["baseline"]
        many = how_many(len({variant.rules for variant in variants}), "rule set")
        return f"No change is significant: {many} against {base}"
    return _effect_text(measures, *greatest[1:])


def _length_changes(
    variants: Sequence[Variant], key: str
) -> dict[str, list[tuple[Variant, Change, float]]]:
    """The changes of length that are different, in percent, by the name of the rules."""
    by_rules: dict[str, list[tuple[Variant, Change, float]]] = {}
    for variant in variants:
        change = variant.changes.get(key)
        by = change.by if change and change.verdict == DIFFERENT else None
        if change and by and by.mean is not None:
            by_rules.setdefault(variant.rules, []).append((variant, change, by.mean))
    return by_rules


def _largest(changes: Sequence[tuple[Variant, Change, float]]) -> float:
    return max(abs(by) for _, _, by in changes)


def _length_text(
    name: str, changes: Sequence[tuple[Variant, Change, float]], is_first: bool
) -> str:
    values = sorted((by for _, _, by in changes), key=abs)
    what = "the game" if is_first else "it"
    if values[0] * values[-1] < 0:
        low, high = min(values), max(values)
        return f"{name} changes the length of {what} by {signed(low, 0)} to {signed(high, 0)}%"
    verb = "lengthens" if values[0] > 0 else "shortens"
    decimals = 0 if abs(values[-1]) >= _TENFOLD else 1
    ends = dict.fromkeys(plain(abs(value), decimals) for value in (values[0], values[-1]))
    return f"{name} {verb} {what} by {' to '.join(ends)}%"


def _greatest(variants: Sequence[Variant], changes: Sequence[tuple[Variant, Change, float]]) -> str:
    """With how many players the only change is largest; empty for one number of players."""
    if len({variant.players for variant in variants}) == 1 or len(changes) == 1:
        return ""
    largest = max(changes, key=lambda item: abs(item[2]))
    return f", most with {how_many(largest[0].players, 'player')}"


def _effect_text(measures: DealRatios, variant: Variant, change: Change) -> str:
    """A change of another measure, in the phrase of the game."""
    measure, by = measures.measure(change.measure), change.by
    phrase = measure.more if change.is_more else measure.less
    if by is None or by.mean is None or not phrase:
        return f"{variant.name} changes {measure.label}"
    decimals = 0 if abs(by.mean) >= _TENFOLD else 1
    better = "better" if change.measure == BETTER_BOT and _is_duel(variant.changes) else "best"
    amount = f"{plain(abs(by.mean), decimals)}{change.unit}"
    return f"{variant.name} {phrase.format(by=amount, game='the game', better=better)}"


def _is_duel(changes: Mapping[str, Change]) -> bool:
    return len([key for key in changes if key.startswith("bot ")]) == 2
