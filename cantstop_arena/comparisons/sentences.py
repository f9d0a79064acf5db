"""What a rule set changes, in one plain sentence."""

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
MAX_NAMED = 6  # differences in a sentence


def rule_set_text(answer: RuleSetResult) -> str:
    """What the rule set changes, what it does not, and what these games cannot tell."""
    if not answer.games:
        return (
            f"{answer.rules} cannot be compared in {_game(answer)}: there is no lineup that played"
            " on under all rule sets."
        )
    if _is_the_same(answer):
        return f"{answer.rules} changes nothing in {_game(answer)}: every deal came out the same."
    return "; ".join([_opening(answer), *_order_texts(answer)]) + "."


def _is_the_same(answer: RuleSetResult) -> bool:
    unlike = [d for d in answer.differences.values() if d.verdict not in (SAME, NOTHING)]
    order_stays = answer.order is None or answer.order.verdict != CHANGED
    return not unlike and order_stays and bool(_with(answer, SAME))


def _opening(answer: RuleSetResult) -> str:
    """The differences: the length of a game, then the greatest effects, as many as one reads."""
    texts = [key for key in _with(answer, DIFFERENT) if not _follows(answer, key)]
    length = answer.questions.counts.length
    texts.sort(key=lambda key: (key != length, -abs(answer.differences[key].effect or 0)))
    if texts:
        changes = [_change(answer, key, first=key == texts[0]) for key in texts[:MAX_NAMED]]
        more = _further(len(texts) - MAX_NAMED)
        return f"{answer.rules} {_listed([*changes, *more])}"
    what = "clear difference" if _with(answer, UNDECIDED) else "difference worth mentioning"
    return f"{answer.rules} makes no {what} to {_game(answer)}"


def _further(count: int) -> list[str]:
    """What is said of so many differences that have no words of their own."""
    if count <= 0:
        return []
    return [f"has {count} further difference{'s' * (count > 1)} (see the table)"]


def _follows(answer: RuleSetResult, key: str) -> bool:
    """A longer game has more rolls and decisions, say; that needs no words of its own."""
    cause = answer.differences.get(answer.questions.measure(key).follows)
    if cause is None or cause.verdict != DIFFERENT:
        return False
    return _sign(cause) == _sign(answer.differences[key]) != 0


def _sign(difference: RuleEffect) -> int:
    value = difference.absolute.value if difference.absolute else 0.0
    return (value > 0) - (value < 0)


def _change(answer: RuleSetResult, key: str, first: bool) -> str:
    """One difference; the first one tells in which game."""
    difference = answer.differences[key]
    judged = difference.judged
    measure = answer.questions.measure(key)
    where = f" in {_game(answer)}" if first and "{game}" not in measure.more else ""
    if judged is None:
        before, after = difference.baseline, difference.variant
        return f"moves {_noun(answer, key)} from {before:.3g} to {after:.3g}{where}"
    phrase = measure.less if judged.value < 0 else measure.more
    by, interval = _amount(judged, difference.kind)
    game = _game(answer) if first else "the game"
    filled = phrase.format(by=by, game=game, better=_better(answer)) + where
    return f"{filled} ({interval})" if interval else filled


def _amount(change: EffectEstimate, kind: str) -> tuple[str, str]:
    """How much, without its sign, and from what to what: "9.3%", "9.1 to 9.5"."""
    sign = -1 if change.value < 0 else 1
    value = 100 * abs(change.value)
    if change.low is None or change.high is None:
        return _with_unit(f"{value:.1f}", kind), ""
    ends = sorted(100 * sign * end for end in (change.low, change.high))
    decimals = _decimals((ends[1] - ends[0]) / 2)
    interval = " to ".join(f"{end:.{decimals}f}" for end in ends)
    return _with_unit(f"{value:.{decimals}f}", kind), interval


def _decimals(reach: float) -> int:
    """As many as the interval deserves."""
    if reach >= 10:
        return 0
    return min(max(1, ceil(-log10(reach))), MAX_DECIMALS) if reach > 0 else 1


def _with_unit(number: str, kind: str) -> str:
    if kind == COUNT:
        return f"{number}%"
    return f"{number} point" if number == "1" else f"{number} points"


def _order_texts(answer: RuleSetResult) -> Iterator[str]:
    yield from _negligible(answer)
    if same := _with(answer, SAME):
        yield f"{_subject(answer, same)} the same in every deal"
    if missing := _with(answer, NOTHING):
        yield f"there is nothing to compare of {_listed(_nouns(answer, missing))}"
    order = answer.order
    undecided = _with(answer, UNDECIDED)
    unknown = _nouns(answer, undecided)
    if order is not None and order.verdict == UNDECIDED:
        unknown.append(THE_ORDER)
    if unknown:
        verb = "differ" if len(unknown) > 1 or _are_many(answer, undecided) else "differs"
        yield f"whether {_listed(unknown)} {verb} is inconclusive with this many games"
    if order is not None and order.verdict == UNCHANGED:
        yield "it does not change " + ("who is the better bot" if order.pairs == 1 else THE_ORDER)
    if order is not None and order.verdict == CHANGED:
        turned = (
            f"{first} is better than {second} under {answer.baseline}"
            f" but worse under {answer.rules}"
            for first, second in order.turned
        )
        yield f"it changes {THE_ORDER}: {', '.join(turned)}"


def _negligible(answer: RuleSetResult) -> Iterator[str]:
    """What changes by less than is to be ignored, those with the same limit together."""
    keys = _with(answer, NEGLIGIBLE)
    limits = dict.fromkeys(
        (answer.differences[key].kind, answer.differences[key].ignored) for key in keys
    )
    for kind, ignored in limits:
        equal = [key for key in keys if _limit(answer.differences[key]) == (kind, ignored)]
        verb = "differ" if _are_many(answer, equal) else "differs"
        limit = _with_unit(f"{100 * ignored:g}", kind)
        yield f"{_listed(_nouns(answer, equal))} {verb} by less than {limit}"


def _limit(difference: RuleEffect) -> tuple[str, float]:
    return difference.kind, difference.ignored


def _subject(answer: RuleSetResult, keys: Sequence[str]) -> str:
    verb = "are" if _are_many(answer, keys) else "is"
    return f"{_listed(_nouns(answer, keys))} {verb}"


def _are_many(answer: RuleSetResult, keys: Sequence[str]) -> bool:
    """Whether a verb about these measures is in the plural."""
    return len(keys) > 1 or any(answer.questions.measure(key).plural for key in keys)


def _with(answer: RuleSetResult, verdict: str) -> list[str]:
    """The measures with this verdict, without what goes without saying."""
    return [
        key
        for key, rule_effect in answer.differences.items()
        if rule_effect.verdict == verdict and not _is_plain(answer, key, rule_effect)
    ]


def _is_plain(answer: RuleSetResult, key: str, difference: RuleEffect) -> bool:
    """What one of two players or bots gets, the other one loses; games end as a rule."""
    if key == LAST_SEAT:
        return answer.players == 2
    if key.startswith(BOT):
        bots = [name for name in answer.differences if name.startswith(BOT)]
        return len(bots) == 2 and key == bots[1]
    return key == UNFINISHED and difference.verdict == SAME and not difference.variant


def _nouns(answer: RuleSetResult, keys: Iterable[str]) -> list[str]:
    return [_noun(answer, key) for key in keys]


def _noun(answer: RuleSetResult, key: str) -> str:
    return answer.questions.measure(key).noun.format(better=_better(answer))


def _better(answer: RuleSetResult) -> str:
    return "better" if answer.unlike == 2 else "best"


def _game(answer: RuleSetResult) -> str:
    return "a game alone" if answer.players == 1 else f"a {answer.players}-player game"


def _listed(arguments: Sequence[str]) -> str:
    """Words in a sentence: "a", "a and b", "a, b and c"."""
    if len(arguments) < 2:
        return "".join(arguments)
    return f"{', '.join(arguments[:-1])} and {arguments[-1]}"
