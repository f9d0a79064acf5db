"""The result of a match between two bots: as text and as JSON."""

import json
from collections.abc import Mapping, Sequence

import msgspec
from tabulate import tabulate

from cantstop_arena.deals.seeds import Seed, in_json
from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.scores import DealRun, Estimate, score
from cantstop_arena.ratings.sequential.confidence import FIRST_LOOK
from cantstop_arena.ratings.sequential.sprt import Sprt, elo_of, expected_deals, mean_and_variance
from cantstop_arena.reports.summary import Entry
from cantstop_arena.tables.column import Column, Table, Value, estimate, number, rounded
from cantstop_arena.tables.column import Estimate as TableEstimate
from cantstop_arena.tables.escaping import printable
from cantstop_arena.tables.names import MATCH_TABLE
from cantstop_arena.tables.rounding import EVEN_PERCENT, half_away
from cantstop_arena.texts import how_many

_PENTANOMIAL = ("0", "1/2", "1", "3/2", "2")


class MatchFinding(msgspec.Struct, frozen=True):
    """The deals of a match, counted by the first bot's score, and the mean score.

    Of two players the counts are the pentanomial. With a test, the interval of the mean is a
    confidence sequence. The second bot fills the other seats of `players`; a deal has
    `games_per_deal`. `disqualified` has a sentence on each
    bot that is; no deal counts then.
    """

    bots: tuple[str, str]
    counts: tuple[int, ...]
    test: Sprt | None
    score: Estimate
    players: int = 2
    games_per_deal: int = 2
    disqualified: Mapping[str, str] = {}

    @property
    def games(self) -> int:
        """The number of games."""
        return self.games_per_deal * self.deals

    @property
    def deals(self) -> int:
        """The number of deals."""
        return sum(self.counts)

    @property
    def elo(self) -> tuple[float | None, float | None, float | None]:
        """The difference in Elo, and its interval; None where it has no bound."""
        mean, low, high = (
            elo_of(share, self.players) if share is not None and 0 < share < 1 else None
            for share in (self.score.mean, self.score.low, self.score.high)
        )
        return mean, low, high

    @property
    def accepted(self) -> int | None:
        """The hypothesis that is accepted, 0 or 1; None where neither is."""
        return self.test.accepted(self.counts) if self.test and self.deals >= FIRST_LOOK else None

    def expected_games(self) -> dict[str, int] | None:
        """The expected number of games of the test if H0, H1 or the estimate is true.

        None where all deals had the same result, as their variance is unknown then.
        """
        assert self.test is not None
        if sum(map(bool, self.counts)) < 2:
            return None
        mean, variance = mean_and_variance(self.counts)
        truths = zip(("h0", "h1", "estimate"), (*self.test.scores, mean), strict=True)
        deals = {name: self.test.expected_deals(truth, variance) for name, truth in truths}
        return {
            name: self.games_per_deal * round(max(FIRST_LOOK, many)) for name, many in deals.items()
        }


def finding(
    bots: tuple[str, str],
    counts: Sequence[int],
    test: Sprt | None,
    players: int = 2,
    games_per_deal: int = 2,
    disqualified: Mapping[str, str] = {},
) -> MatchFinding:
    """The finding from the deals of a match, counted by the first bot's score."""
    units = win_units(players) * games_per_deal
    parts = [units * index // (len(counts) - 1) for index in range(len(counts))]
    played = DealRun(
        deals=sum(counts),
        games=games_per_deal,
        total=sum(count * part for count, part in zip(counts, parts, strict=True)),
        squares=sum(count * part**2 for count, part in zip(counts, parts, strict=True)),
        win_units=win_units(players),
    )
    return MatchFinding(
        bots,
        tuple(counts),
        test,
        score([played], expected_deals(test) if test else None),
        players,
        games_per_deal,
        disqualified,
    )


def match_json(result: MatchFinding, rules: str, seed: Seed) -> str:
    """The result of a match as JSON, the content of match.json."""
    entry: Entry = {
        "bots": list(result.bots),
        "rules": rules,
        "seed": in_json(seed),
        "games": result.games,
        **_seat_entries(result),
        **_named("score", (result.score.mean, result.score.low, result.score.high)),
        **_named("elo", result.elo),
        "sprt": _test(result),
    }
    if result.disqualified:
        entry["disqualified"] = list(result.disqualified)
    return json.dumps(entry, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _seat_entries(result: MatchFinding) -> Entry:
    """The pentanomial of two players; of more, how the deals were played."""
    if result.players == 2:
        return {"pentanomial": list(result.counts)}
    return {"players": result.players, "games_per_deal": result.games_per_deal}


def _named(name: str, numbers: Sequence[float | None]) -> Entry:
    names = (name, f"{name}_low", f"{name}_high")
    return dict(zip(names, map(rounded, numbers), strict=True))


def _test(result: MatchFinding) -> Entry | None:
    test, accepted = result.test, result.accepted
    if test is None:
        return None
    return {
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
        "llr": rounded(test.ratio(result.counts)),
        "lower": rounded(test.lower),
        "upper": rounded(test.upper),
        "accepted": None if accepted is None else f"H{accepted}",
        "expected_games": result.expected_games(),
    }


def match_table(result: MatchFinding) -> Table:
    """The result of a match as a table of one row."""
    pentanomial = zip(_PENTANOMIAL, result.counts, strict=True) if result.players == 2 else ()
    counts = [(number(f"deals_{points}", points, optional=True), n) for points, n in pentanomial]
    test, accepted = result.test, result.accepted
    cells: list[tuple[Column, Value]] = [
        (Column("bot", "bot"), result.bots[0]),
        (Column("against", "against"), result.bots[1]),
        (number("players"), result.players),
        (number("games"), result.games),
        (number("deals"), result.deals),
        (estimate("score", "score %", 2, percent=True), _table_estimate(result.score)),
        (estimate("elo", "Elo", 1), TableEstimate(*result.elo)),
        *counts,
        (number("llr", "LLR", 2, optional=True), test.ratio(result.counts) if test else None),
        (
            Column("accepted", "accepted", optional=True),
            None if accepted is None else f"H{accepted}",
        ),
    ]
    columns, row = zip(*cells, strict=True)
    notes = [_test_text(result), _verdict(result)] if test and result.deals else []
    return Table(
        MATCH_TABLE, "Match", columns, [row], [" ".join(text.split("\n")) for text in notes]
    )


def _table_estimate(share: Estimate) -> TableEstimate:
    return TableEstimate(share.mean, share.low, share.high)


def match_text(result: MatchFinding) -> str:
    """The result of a match as text for the terminal."""
    parts = [_header(result)]
    if result.deals:
        parts += [_counts(result)] if result.players == 2 else []
        parts.append(_estimates(result))
    else:
        parts += map(printable, result.disqualified.values())
    if result.test and result.deals:
        parts += [_test_text(result), _verdict(result)]
    return "\n\n".join(parts)


def _header(result: MatchFinding) -> str:
    first, second = map(printable, result.bots)
    deals = how_many(result.deals, "deal")
    if result.players == 2:
        return f"{first} against {second}: {result.games:,} games, {deals} in both seatings."
    return (
        f"{first} against {second} in the other {result.players - 1} seats: {result.games:,} games,"
        f" {deals} in {result.games_per_deal} orders. An even score is {100 / result.players:.2f}%."
    )


def _counts(result: MatchFinding) -> str:
    """The deals by points, of those points that occurred."""
    occurred = [pair for pair in zip(_PENTANOMIAL, result.counts, strict=True) if pair[1]]
    headers = [f"points of {printable(result.bots[0])} in a deal", *(name for name, _ in occurred)]
    row = ["deals", *(f"{count:,}" for _, count in occurred)]
    return tabulate(
        [row], headers=headers, disable_numparse=True, colalign=["left", *["right"] * len(occurred)]
    )


def _estimates(result: MatchFinding) -> str:
    share = result.score
    assert share.mean is not None, "a deal counts"
    kind = "95% confidence sequence: valid whenever one looks" if result.test else "95%"
    ends = f"{_percent(share.low or 0)} to {_percent(1 if share.high is None else share.high)}"
    mean, low, high = result.elo
    return (
        f"score %  {_percent(share.mean)} ({ends})\n"
        f"Elo      {_signed(mean)} ({_signed(low)} to {_signed(high)})\n"
        f"In brackets {kind}."
    )


def _signed(elo: float | None) -> str:
    return "no bound" if elo is None else f"{half_away(elo, 1):+.1f}"


def _percent(share: float) -> str:
    return f"{half_away(100 * share, 2, EVEN_PERCENT):.2f}"


def _test_text(result: MatchFinding) -> str:
    test = result.test
    assert test is not None
    games = result.expected_games()
    expectation = (
        f"Expected length: {games['h0']:,} games under H0, {games['h1']:,} under H1,"
        f" {games['estimate']:,} at the observed score."
        if games
        else "All deals are alike, so nothing tells how many games such a test takes."
    )
    return (
        f"H0: {_claim(result.bots, test.elo0)}. H1: {_claim(result.bots, test.elo1)}.\n"
        f"LLR {half_away(test.ratio(result.counts), 2):.2f}; H0 is accepted at {test.lower:.2f} or"
        f" below, H1 at {test.upper:.2f} or above.\n{expectation}"
    )


def _claim(bots: tuple[str, str], elo: float, bound: str = "") -> str:
    """The claim that the first bot is `elo` stronger; with a bound, `more` or `less` so."""
    first, second = map(printable, bots)
    if elo == 0:
        than = {"": "as strong as", "more": "stronger than", "less": "weaker than"}[bound]
        return f"{first} is {than} {second}"
    if elo < 0 and bound:
        bound = "less" if bound == "more" else "more"
    amount = f"{bound} than {abs(elo):g}" if bound else f"{abs(elo):g}"
    return f"{first} is {amount} Elo {'stronger' if elo > 0 else 'weaker'} than {second}"


def _verdict(result: MatchFinding) -> str:
    test, accepted = result.test, result.accepted
    assert test is not None
    if accepted is None:
        return "Neither hypothesis is accepted: more games are needed to decide."
    if accepted:
        claim, error = _claim(result.bots, test.elo0, "more"), test.alpha
    else:
        claim, error = _claim(result.bots, test.elo1, "less"), test.beta
    return (
        f"H{accepted} is accepted: {claim}. Where H{1 - accepted} is true, such a test says so in"
        f" {100 * error:g}% of cases at most."
    )
