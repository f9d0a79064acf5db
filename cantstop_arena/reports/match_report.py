"""What came of a match of two: printed, and as a file."""

import json
from collections.abc import Sequence

import msgspec
from tabulate import tabulate

from cantstop_arena.deals.seeds import Seed, in_json
from cantstop_arena.deals.winners import WIN_UNITS
from cantstop_arena.ratings.scores import DealRun, Estimate, score
from cantstop_arena.ratings.sequential.confidence import FIRST_LOOK
from cantstop_arena.ratings.sequential.sprt import Sprt, elo_of, expected_deals, mean_and_variance
from cantstop_arena.reports.summary import Entry
from cantstop_arena.tables.column import rounded
from cantstop_arena.tables.escaping import printable
from cantstop_arena.texts import how_many

POINTS = ("0", "1/2", "1", "3/2", "2")
_SEATINGS = 2
_STEP = WIN_UNITS // 2  # parts of a won game that make half a point


class MatchFinding(msgspec.Struct, frozen=True):
    """The pentanomial counts of a match, from the first bot's side, and what they say.

    With a test, the interval of the score is a confidence sequence.
    """

    bots: tuple[str, str]
    counts: tuple[int, ...]
    test: Sprt | None
    score: Estimate

    @property
    def deals(self) -> int:
        """The deals that count."""
        return sum(self.counts)

    @property
    def elo(self) -> tuple[float | None, float | None, float | None]:
        """The difference in Elo, and its interval; None where it has no bound."""
        return _elo(self.score.mean), _elo(self.score.low), _elo(self.score.high)

    @property
    def accepted(self) -> int | None:
        """Which hypothesis is accepted."""
        return self.test.accepted(self.counts) if self.test and self.deals >= FIRST_LOOK else None

    def expected_games(self) -> dict[str, int] | None:
        """How many games the test takes on average if a hypothesis is true, or the estimate.

        None where all deals are alike, so that nothing tells how much they vary.
        """
        assert self.test is not None
        if sum(map(bool, self.counts)) < 2:
            return None
        mean, variance = mean_and_variance(self.counts)
        truths = zip(("h0", "h1", "estimate"), (*self.test.scores, mean), strict=True)
        deals = {name: self.test.expected_deals(truth, variance) for name, truth in truths}
        return {name: _SEATINGS * round(max(FIRST_LOOK, many)) for name, many in deals.items()}


def finding(bots: tuple[str, str], counts: Sequence[int], test: Sprt | None) -> MatchFinding:
    """What the counts of a match say."""
    parts = [_STEP * points for points in range(len(POINTS))]
    played = DealRun(
        deals=sum(counts),
        games=_SEATINGS,
        total=sum(count * part for count, part in zip(counts, parts, strict=True)),
        squares=sum(count * part**2 for count, part in zip(counts, parts, strict=True)),
    )
    return MatchFinding(
        bots, tuple(counts), test, score([played], expected_deals(test) if test else None)
    )


def _elo(share: float | None) -> float | None:
    return elo_of(share) if share is not None and 0 < share < 1 else None


def match_json(found: MatchFinding, rules: str, seed: Seed) -> str:
    """All of it, as JSON."""
    entry: Entry = {
        "bots": list(found.bots),
        "rules": rules,
        "seed": in_json(seed),
        "games": _SEATINGS * found.deals,
        "pentanomial": list(found.counts),
        **_named("score", (found.score.mean, found.score.low, found.score.high)),
        **_named("elo", found.elo),
        "sprt": _test(found),
    }
    return json.dumps(entry, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _named(name: str, numbers: Sequence[float | None]) -> Entry:
    names = (name, f"{name}_low", f"{name}_high")
    return dict(zip(names, map(rounded, numbers), strict=True))


def _test(found: MatchFinding) -> Entry | None:
    test, accepted = found.test, found.accepted
    if test is None:
        return None
    return {
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
        "llr": rounded(test.ratio(found.counts)),
        "lower": rounded(test.lower),
        "upper": rounded(test.upper),
        "accepted": None if accepted is None else f"H{accepted}",
        "expected_games": found.expected_games(),
    }


def match_text(found: MatchFinding) -> str:
    """All of it, for the terminal."""
    parts = [_header(found), _counts(found), _estimates(found)]
    if found.test and found.deals:
        parts += [_test_text(found), _verdict(found)]
    return "\n\n".join(parts)


def _header(found: MatchFinding) -> str:
    first, second = map(printable, found.bots)
    games = _SEATINGS * found.deals
    deals = how_many(found.deals, "deal")
    return f"{first} against {second}: {games:,} games, {deals} in both seatings."


def _counts(found: MatchFinding) -> str:
    cells = [f"points of {printable(found.bots[0])} in a deal", *POINTS]
    row = ["deals", *(f"{count:,}" for count in found.counts)]
    return tabulate(
        [row], headers=cells, disable_numparse=True, colalign=["left", *["right"] * len(POINTS)]
    )


def _estimates(found: MatchFinding) -> str:
    share = found.score
    if share.mean is None:
        return "No deal counts, so nothing is known."
    kind = "95% confidence sequence: valid whenever one looks" if found.test else "95%"
    ends = f"{100 * (share.low or 0):.2f} to {100 * (1 if share.high is None else share.high):.2f}"
    mean, low, high = found.elo
    return (
        f"score %  {100 * share.mean:.2f} ({ends})\n"
        f"Elo      {_signed(mean)} ({_signed(low)} to {_signed(high)})\n"
        f"In brackets {kind}."
    )


def _signed(elo: float | None) -> str:
    return "no bound" if elo is None else f"{_plain(elo, 1):+.1f}"


def _plain(number: float, decimals: int) -> float:
    """Rounded, and never a negative zero."""
    return round(number, decimals) + 0.0


def _test_text(found: MatchFinding) -> str:
    test = found.test
    assert test is not None
    told = found.expected_games()
    expectation = (
        f"Such a test takes {told['h0']:,} games on average if H0 is true, {told['h1']:,} if H1"
        f" is true, and {told['estimate']:,} if the score above is."
        if told
        else "All deals are alike, so nothing tells how many games such a test takes."
    )
    return (
        f"H0: {_claim(found.bots, test.elo0)}. H1: {_claim(found.bots, test.elo1)}.\n"
        f"LLR {_plain(test.ratio(found.counts), 2):.2f}; H0 is accepted at {test.lower:.2f} or"
        f" below, H1 at {test.upper:.2f} or above.\n{expectation}"
    )


def _claim(bots: tuple[str, str], elo: float, bound: str = "") -> str:
    """That one is so much stronger; with a bound, that it is `more` or `less`."""
    first, second = map(printable, bots)
    if elo == 0:
        than = {"": "as strong as", "more": "stronger than", "less": "weaker than"}[bound]
        return f"{first} is {than} {second}"
    if elo < 0 and bound:
        bound = "less" if bound == "more" else "more"
    amount = f"{bound} than {abs(elo):g}" if bound else f"{abs(elo):g}"
    return f"{first} is {amount} Elo {'stronger' if elo > 0 else 'weaker'} than {second}"


def _verdict(found: MatchFinding) -> str:
    test, accepted = found.test, found.accepted
    assert test is not None
    if accepted is None:
        return "Neither hypothesis is accepted: more games are needed to decide."
    if accepted:
        told, error = _claim(found.bots, test.elo0, "more"), test.alpha
    else:
        told, error = _claim(found.bots, test.elo1, "less"), test.beta
    return (
        f"H{accepted} is accepted: {told}. Where H{1 - accepted} is true, such a test says so in"
        f" {100 * error:g}% of cases at most."
    )
