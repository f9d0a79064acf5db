"""The effects of a rule set in one sentence."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, log10

from cantstop_arena.comparisons.comparison_results import RuleSetResult
from cantstop_arena.comparisons.deal_ratios import BOT, LAST_SEAT, UNFINISHED
from cantstop_arena.comparisons.statistics import (
    CHANGED,
    DIFFERENT,
    NEGLIGIBLE,
    NOTHING,
    SAME,
    UNCHANGED,
    UNDECIDED,
    EffectEstimate,
    RuleEffect,
)
from cantstop_arena.deals.counting import COUNT

THE_ORDER = "the order of the bots"
MAX_DECIMALS = 4
MAX_NAMED = 6  # differences in a sentence with their amounts; further ones are named only


def rule_set_text(answer: RuleSetResult) -> str:
    """A sentence: what the rule set changes, what it does not, and what is inconclusive."""
    if not answer.games:
        return (
            f"{answer.rules} cannot be compared in {_game(answer)}: there is no lineup that played"
            " on under all rule sets."
        )
    if _is_the_same(answer):
        return f"{answer.rules} changes nothing in {_game(answer)}: every deal came out the same."
    text = "; ".join([_opening(answer), *_other_texts(answer)])
    return f"{text}.{_inconclusive(answer)}"


def _is_the_same(answer: RuleSetResult) -> bool:
    differing = [d for d in answer.differences.values() if d.verdict not in (SAME, NOTHING)]
    is_order_unchanged = answer.order is None or answer.order.verdict != CHANGED
    return not differing and is_order_unchanged and bool(_keys_with(answer, SAME))


def _opening(answer: RuleSetResult) -> str:
    """The differences: the length of a game, then the greatest effects, at most MAX_NAMED."""
    keys = [key for key in _keys_with(answer, DIFFERENT) if not _follows(answer, key)]
    length = answer.measures.counts.length
    keys.sort(key=lambda key: (key != length, -abs(answer.differences[key].effect or 0)))
    if keys:
        changes = [_change(answer, key, first=key == keys[0]) for key in keys[:MAX_NAMED]]
        further = _nouns(answer, keys[MAX_NAMED:])
        others = [f"also changes {_listed(further)}"] if further else []
        return f"{answer.rules} {_listed([*changes, *others])}"
    noun = "clear difference" if _keys_with(answer, UNDECIDED) else "difference worth mentioning"
    return f"{answer.rules} makes no {noun} to {_game(answer)}"


def _follows(answer: RuleSetResult, key: str) -> bool:
    """Whether a difference follows from another: a longer game has more decisions, say."""
    cause = answer.differences.get(answer.measures.measure(key).follows)
    if cause is None or cause.verdict != DIFFERENT:
        return False
    return _sign(cause) == _sign(answer.differences[key]) != 0


def _sign(difference: RuleEffect) -> int:
    value = difference.absolute.value if difference.absolute else 0.0
    return (value > 0) - (value < 0)


def _change(answer: RuleSetResult, key: str, first: bool) -> str:
    """A phrase for one difference; that of the first one names the game."""
    difference = answer.differences[key]
    judged = difference.judged
    measure = answer.measures.measure(key)
    game_text = f" in {_game(answer)}" if first and "{game}" not in measure.more else ""
    if judged is None:
        before, after = difference.baseline, difference.variant
        return f"moves {_noun(answer, key)} from {before:.3g} to {after:.3g}{game_text}"
    phrase = measure.less if judged.value < 0 else measure.more
    by, interval = _amount(judged, difference.kind)
    game = _game(answer) if first else "the game"
    filled = phrase.format(by=by, game=game, better=_better(answer)) + game_text
    return f"{filled} ({interval})" if interval else filled


def _amount(change: EffectEstimate, kind: str) -> tuple[str, str]:
    """The change without its sign, and its interval: "9.3%", "9.1 to 9.5"."""
    sign = -1 if change.value < 0 else 1
    value = 100 * abs(change.value)
    if change.low is None or change.high is None:
        return _with_unit(f"{value:.1f}", kind), ""
    ends = sorted(100 * sign * end for end in (change.low, change.high))
    decimals = _decimals((ends[1] - ends[0]) / 2)
    interval = " to ".join(f"{end:.{decimals}f}" for end in ends)
    return _with_unit(f"{value:.{decimals}f}", kind), interval


def _decimals(half_width: float) -> int:
    """The number of decimals for an interval of this half width, in percent or points."""
    if half_width >= 10:
        return 0
    return min(max(1, ceil(-log10(half_width))), MAX_DECIMALS) if half_width > 0 else 1


def _with_unit(number: str, kind: str) -> str:
    if kind == COUNT:
        return f"{number}%"
    return f"{number} point" if number == "1" else f"{number} points"


def _other_texts(answer: RuleSetResult) -> Iterator[str]:
    yield from _negligible(answer)
    if same := _keys_with(answer, SAME):
        yield f"{_subject(answer, same)} the same in every deal"
    if incomparable := _keys_with(answer, NOTHING):
        yield f"there is nothing to compare of {_listed(_nouns(answer, incomparable))}"
    order = answer.order
    if order is not None and order.verdict == UNCHANGED:
        yield "it does not change " + ("who is the better bot" if order.pairs == 1 else THE_ORDER)
    if order is not None and order.verdict == CHANGED:
        reversals = (
            f"{first} is better than {second} under {answer.baseline}"
            f" but worse under {answer.rules}"
            for first, second in order.reversed_pairs
        )
        yield f"it changes {THE_ORDER}: {', '.join(reversals)}"


def _inconclusive(answer: RuleSetResult) -> str:
    """A sentence that lists what this many games leave open; empty if they leave nothing open."""
    nouns = _nouns(answer, _keys_with(answer, UNDECIDED))
    if answer.order is not None and answer.order.verdict == UNDECIDED:
        nouns.append(THE_ORDER)
    names = [noun.removeprefix("the ").removesuffix("'s share") for noun in nouns]
    return f" Inconclusive: {', '.join(names)}." if names else ""


def _negligible(answer: RuleSetResult) -> Iterator[str]:
    """Phrases for the negligible differences, one for each limit."""
    keys = _keys_with(answer, NEGLIGIBLE)
    limits = dict.fromkeys(
        (answer.differences[key].kind, answer.differences[key].ignored) for key in keys
    )
    for kind, ignored in limits:
        same_limit = [key for key in keys if _limit(answer.differences[key]) == (kind, ignored)]
        verb = "differ" if _are_many(answer, same_limit) else "differs"
        limit = _with_unit(f"{100 * ignored:g}", kind)
        yield f"{_listed(_nouns(answer, same_limit))} {verb} by less than {limit}"


def _limit(difference: RuleEffect) -> tuple[str, float]:
    return difference.kind, difference.ignored


def _subject(answer: RuleSetResult, keys: Sequence[str]) -> str:
    verb = "are" if _are_many(answer, keys) else "is"
    return f"{_listed(_nouns(answer, keys))} {verb}"


def _are_many(answer: RuleSetResult, keys: Sequence[str]) -> bool:
    """Whether a verb about these measures is in the plural."""
    return len(keys) > 1 or any(answer.measures.measure(key).plural for key in keys)


def _keys_with(answer: RuleSetResult, verdict: str) -> list[str]:
    """The measures with this verdict, without those that others imply."""
    return [
        key
        for key, rule_effect in answer.differences.items()
        if rule_effect.verdict == verdict and not _is_implied(answer, key, rule_effect)
    ]


def _is_implied(answer: RuleSetResult, key: str, difference: RuleEffect) -> bool:
    """Whether a difference needs no mention.

    Of two players or bots one loses what the other gains, and usually all games finish.
    """
    if key == LAST_SEAT:
        return answer.sides == 2
    if key.startswith(BOT):
        bots = [name for name in answer.differences if name.startswith(BOT)]
        return len(bots) == 2 and key == bots[1]
    return key == UNFINISHED and difference.verdict == SAME and not difference.variant


def _nouns(answer: RuleSetResult, keys: Iterable[str]) -> list[str]:
    return [_noun(answer, key) for key in keys]


def _noun(answer: RuleSetResult, key: str) -> str:
    return answer.measures.measure(key).noun.format(better=_better(answer))


def _better(answer: RuleSetResult) -> str:
    return "better" if answer.distinct_bots == 2 else "best"


def _game(answer: RuleSetResult) -> str:
    return "a game alone" if answer.sides == 1 else f"a {answer.players}-player game"


def _listed(phrases: Sequence[str]) -> str:
    """Phrases joined in a sentence: "a", "a and b", "a, b and c"."""
    if len(phrases) < 2:
        return "".join(phrases)
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}"
