"""The result of a match between two bots: as text and as JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType
from tabulate import tabulate

from cantstop_arena.deals.seeds import Seed, in_json
from cantstop_arena.pages.number_text import plain
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.sequential.confidence import FIRST_LOOK
from cantstop_arena.ratings.sequential.sprt import Sprt, TestState
from cantstop_arena.reports.headline import score_text
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import (
    Column,
    Table,
    Value,
    decimal_text,
    estimate,
    number,
    percent_text,
    rounded,
    signed_text,
    significant,
)
from cantstop_arena.tables.names import MATCH_TABLE
from cantstop_arena.tables.notes import about_disqualified, about_repeated, all_of
from cantstop_arena.texts import how_many, printable
from cantstop_arena.tournaments.ledger.read_ledger import MATCH

_CORRECTED = "Luck removed: the LLR corrects each deal with coefficients from earlier deals."
_PENTANOMIAL = ("0", "1/2", "1", "3/2", "2")


class MatchFinding(msgspec.Struct, frozen=True):
    """The result of a match, from the first bot's side.

    `score` and `elo`, the first bot's lead, are those of the standings, and have None where they
    have no bound; `games` is the number of games behind them. The `counts` are the deals by the
    first bot's score, of two players the pentanomial, and only those that a test needed: with a
    test there can be more games. `state` is that of the test at its last look. Its intervals are
    confidence sequences.

    The second bot fills the other seats of `players`, and the lead is that over the mean of its
    copies; a deal has `games_per_deal`. In a game that pays something, in this `unit`, `payoff` is
    the first bot's mean a game, and `ahead` how much more that is than the second's; `by_payoff`
    says whether the score is by it. `disqualified` has a sentence on each bot that is; no deal
    counts then. `repeated` is a sentence on deals that are others again, if any are: then more
    games were asked for. `expected` is the length of such a test, in games.
    """

    bots: tuple[str, str]
    games: int
    counts: tuple[int, ...]
    test: Sprt | None
    state: TestState | None
    score: Estimate
    elo: Estimate
    players: int
    games_per_deal: int
    disqualified: Mapping[str, str]
    luck_removed: bool = False
    repeated: str = ""
    games_asked_for: int = 0
    unit: str = ""
    payoff: Estimate | None = None
    ahead: Estimate | None = None
    by_payoff: bool = False
    expected: Mapping[str, int] | None = None

    @property
    def deals(self) -> int:
        """The number of deals that are counted."""
        return sum(self.counts)

    @property
    def deals_played(self) -> int:
        """The number of deals behind the score: with a test there can be more than it needed."""
        return self.games // self.games_per_deal

    @property
    def accepted(self) -> int | None:
        """The hypothesis that is accepted, 0 or 1; None where neither is."""
        return self.state.accepted if self.state and self.deals >= FIRST_LOOK else None


def expected_games(
    test: Sprt | None, state: TestState | None, counts: Sequence[int], games_per_deal: int
) -> dict[str, int] | None:
    """The expected number of games of a test if H0, H1 or the estimate is true.

    None where all deals had the same result, as their variance is unknown then.
    """
    if test is None or state is None or sum(map(bool, counts)) < 2:
        return None
    truths = zip(("h0", "h1", "estimate"), (*test.scores, state.mean), strict=True)
    deals = {name: test.expected_deals(truth, state.variance) for name, truth in truths}
    return {name: games_per_deal * round(max(FIRST_LOOK, many)) for name, many in deals.items()}


def finding(
    bots: tuple[str, str],
    analysis: Analysis,
    counts: Sequence[int],
    test: Sprt | None,
    state: TestState | None,
    players: int,
    games_per_deal: int,
    expected: Mapping[str, int] | None = None,
) -> MatchFinding:
    """The finding on a match, from its analysis and its deals, counted by the first bot's score.

    The `expected` length of its test is computed, if it is not known.
    """
    out = analysis.results.disqualified
    disqualified = dict(zip(out, about_disqualified(analysis), strict=True))
    if disqualified:
        counts = [0] * len(counts)
    score, elo = Estimate(None, 0.0, 1.0), Estimate(None)
    paid, payoff, ahead = analysis.results.payoff, None, None
    if analysis.games and analysis.mean_payoffs:
        first, *rivals = (analysis.results.bots.index(bots[0]), *_rivals(analysis, bots[0]))
        payoff, lead = analysis.payoffs[first], analysis.mean_payoffs.ahead_of(first, rivals)
        ahead = lead.estimate if lead else None
    if analysis.games:
        first = analysis.results.bots.index(bots[0])
        score, elo = analysis.scores[first], analysis.lead_over_others(first)
    return MatchFinding(
        bots,
        analysis.games,
        tuple(counts),
        test,
        state,
        score,
        elo,
        players,
        games_per_deal,
        disqualified,
        analysis.results.with_luck is not None,
        about_repeated(analysis.results, " and the test has no verdict" if test else ""),
        max(analysis.alike_of.values(), default=0),
        paid.units if paid else "",
        payoff,
        ahead,
        analysis.by_payoff,
        expected_games(test, state, counts, games_per_deal) if expected is None else expected,
    )


def _rivals(analysis: Analysis, bot: str) -> list[int]:
    """The numbers of the others: of the second bot and its copies."""
    return [number for number, name in enumerate(analysis.results.bots) if name != bot]


class TestContent(msgspec.Struct, kw_only=True):
    """The sequential test in `match.json`; with a unit its hypotheses are payoffs, not Elo."""

    elo0: float
    elo1: float
    unit: str | UnsetType = UNSET
    alpha: float
    beta: float
    llr: float
    lower: float
    upper: float
    accepted: str | None
    repeated: bool | UnsetType = UNSET
    expected_games: dict[str, int] | None


class MatchContent(msgspec.Struct, kw_only=True):
    """The content of `match.json`; with more than two players it has no pentanomial."""

    bots: tuple[str, str]
    rules: str
    seed: int | str
    games: int
    headline: str | UnsetType = UNSET
    pentanomial: tuple[int, ...] | UnsetType = UNSET
    players: int | UnsetType = UNSET
    games_per_deal: int | UnsetType = UNSET
    score: float | None
    score_low: float | None
    score_high: float | None
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    payoff: float | UnsetType | None = UNSET
    payoff_low: float | UnsetType | None = UNSET
    payoff_high: float | UnsetType | None = UNSET
    ahead: float | UnsetType | None = UNSET
    ahead_low: float | UnsetType | None = UNSET
    ahead_high: float | UnsetType | None = UNSET
    sprt: TestContent | None
    disqualified: list[str] | UnsetType = UNSET


def stored_finding(folder: Path, analysis: Analysis) -> MatchFinding | None:
    """The finding on a match, from the `match.json` in its folder and its analysis.

    Of a test's state it has what is stored, the ratio and the verdict, and the score of the deals
    that it needed. None without this file, for a damaged one, and for other bots.
    """
    try:
        match = msgspec.json.decode((folder / MATCH).read_bytes(), type=MatchContent)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    if match.bots[0] not in analysis.results.bots:
        return None
    players, games = analysis.results.players, len(analysis.results.orders)
    counts = match.pentanomial or (match.games // games,)
    stored, test, state, expected = match.sprt, None, None, None
    if stored is not None:
        limits = (stored.elo0, stored.elo1, stored.alpha, stored.beta)
        test = Sprt(*limits, players, games, stored.unit or "")
        accepted = None if stored.accepted is None else int(stored.accepted == "H1")
        state = TestState(stored.llr, 0.0, 0.0, accepted, stored.repeated is True)
        expected = stored.expected_games or {}
    return finding(match.bots, analysis, counts, test, state, players, games, expected)


def match_json(result: MatchFinding, rules: str, seed: Seed) -> str:
    """The result of a match as JSON, the content of match.json."""
    score, score_low, score_high = map(rounded, result.score)
    elo, elo_low, elo_high = map(rounded, result.elo)
    is_pair = result.players == 2
    content = MatchContent(
        bots=result.bots,
        rules=rules,
        seed=in_json(seed),
        games=result.games,
        headline=match_headline(result),
        pentanomial=result.counts if is_pair else UNSET,
        players=UNSET if is_pair else result.players,
        games_per_deal=UNSET if is_pair else result.games_per_deal,
        score=score,
        score_low=score_low,
        score_high=score_high,
        elo=elo,
        elo_low=elo_low,
        elo_high=elo_high,
        **_ends("payoff", result.payoff),
        **_ends("ahead", result.ahead),
        sprt=_test(result),
        disqualified=list(result.disqualified) or UNSET,
    )
    entry = msgspec.to_builtins(content)
    return json.dumps(entry, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _ends(key: str, value: Estimate | None) -> dict[str, float | None]:
    """An estimate under names made of this one; nothing without."""
    if value is None:
        return {}
    names = (key, f"{key}_low", f"{key}_high")
    return dict(zip(names, map(rounded, value), strict=True))


def _test(result: MatchFinding) -> TestContent | None:
    test, accepted = result.test, result.accepted
    if test is None:
        return None
    return TestContent(
        elo0=test.elo0,
        elo1=test.elo1,
        unit=test.unit or UNSET,
        alpha=test.alpha,
        beta=test.beta,
        llr=significant(result.state.ratio if result.state else 0.0),
        lower=significant(test.lower),
        upper=significant(test.upper),
        accepted=None if accepted is None else f"H{accepted}",
        repeated=True if result.state and result.state.repeated else UNSET,
        expected_games=dict(result.expected) if result.expected else None,
    )


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
        (number("deals"), result.deals_played),
        (estimate("score", "score %", 2, percent=True), result.score),
        (estimate("elo", "Elo", 1), result.elo),
        *_paid_cells(result),
        *counts,
        (number("llr", "LLR", 2, optional=True), result.state.ratio if result.state else None),
        (
            Column("accepted", "accepted", optional=True),
            None if accepted is None else f"H{accepted}",
        ),
    ]
    columns, row = zip(*cells, strict=True)
    notes = [_test_text(result), verdict(result)] if test and result.deals else []
    return Table(
        MATCH_TABLE, "Match", columns, [row], [" ".join(text.split("\n")) for text in notes]
    )


def _paid_cells(result: MatchFinding) -> list[tuple[Column, Value]]:
    if result.payoff is None:
        return []
    return [
        (estimate("payoff", f"{result.unit} a game", 3), result.payoff),
        (estimate("ahead", f"{result.unit} ahead", 3), result.ahead),
    ]


def match_headline(result: MatchFinding) -> str:
    """The answer to the question of a match, in a sentence without its full stop.

    With a test it is the test's verdict, without one the score.
    """
    test, accepted = result.test, result.accepted
    first, second = result.bots
    if not result.deals and (out := list(result.disqualified)):
        return f"No result: {all_of(out)} {'was' if len(out) == 1 else 'were'} disqualified"
    if not result.deals:
        return "No deal counts"
    if test is None:
        return _score_headline(result)
    if result.state and result.state.repeated:
        return f"No verdict: all deals are the same {how_many(result.games, 'game')}"
    if accepted is None:
        return f"Undecided after {how_many(result.games, 'game')}"
    if accepted:
        return _claim(result, test.elo0, "more")
    if test.elo1 <= 0:
        return _claim(result, test.elo1, "less")
    if test.unit:
        return f"{first} does not get {test.elo1:g} {test.unit} a game more than {second}"
    return f"{first} is not {test.elo1:g} Elo stronger than {second}"


def _score_headline(result: MatchFinding) -> str:
    """What a match without a test says; in a game that is scored by payoff, how much it pays."""
    first, second = result.bots
    ahead = result.ahead
    if ahead is None or ahead.mean is None or not result.by_payoff:
        return score_text(first, second, result.score, result.players)
    side = "more" if ahead.mean >= 0 else "less"
    text = f"{first} gets {plain(abs(ahead.mean), 3)} {result.unit} a game {side} than {second}"
    if ahead.low is None and ahead.high is None:
        return f"{text}; one deal does not show who is better"
    is_open = (ahead.low is None or ahead.low <= 0) and (ahead.high is None or ahead.high >= 0)
    return f"{text}; it stays open who gets more" if is_open else text


def match_text(result: MatchFinding) -> str:
    """The result of a match as text for the terminal, the answer first."""
    parts = [f"{printable(match_headline(result))}.", _header(result)]
    if result.deals:
        parts += [_counts(result)] if result.players == 2 else []
        parts.append(_estimates(result))
        parts += [result.repeated] * bool(result.repeated and not _says_repeated(result))
    else:
        parts += map(printable, result.disqualified.values())
    if result.test and result.deals:
        parts += [_test_text(result), verdict(result)]
    return "\n\n".join(parts)


def _says_repeated(result: MatchFinding) -> bool:
    """Whether the verdict of the test is that all deals are one."""
    return result.state is not None and result.state.repeated


def _header(result: MatchFinding) -> str:
    first, second = map(printable, result.bots)
    deals = how_many(result.deals_played, "deal")
    if result.players == 2:
        again = f" (of {result.games_asked_for:,} alike)" if result.repeated else ""
        games = f"{result.games:,} games{again}"
        return f"{first} against {second}: {games}, {deals} in both seatings."
    even = percent_text(1 / result.players, 2)
    return (
        f"{first} against {second} in the other {result.players - 1} seats: {result.games:,} games,"
        f" {deals} in {result.games_per_deal} orders. An even score is {even}%."
    )


def _counts(result: MatchFinding) -> str:
    """The deals by points, of those points that occurred."""
    occurred = [pair for pair in zip(_PENTANOMIAL, result.counts, strict=True) if pair[1]]
    headers = [f"points of {printable(result.bots[0])} in a deal", *(name for name, _ in occurred)]
    is_part = result.deals < result.deals_played  # the test was decided before
    deals = f"the first {how_many(result.deals, 'deal')}" if is_part else "deals"
    row = [deals, *(f"{count:,}" for _, count in occurred)]
    return tabulate(
        [row], headers=headers, disable_numparse=True, colalign=["left", *["right"] * len(occurred)]
    )


def _estimates(result: MatchFinding) -> str:
    share = result.score
    assert share.mean is not None, "a deal counts"
    if share.low is None and share.high is None:  # of one deal
        paid = f"\n{result.unit} a game  {_signed(result.payoff.mean, 3)}" if result.payoff else ""
        return f"score %  {percent_text(share.mean, 2)}{paid}"
    kind = "sequence, valid at any stopping time" if result.test else "interval"
    low_share, high_share = share.low or 0, 1 if share.high is None else share.high
    ends = f"{percent_text(low_share, 2)} to {percent_text(high_share, 2)}"
    mean, low, high = result.elo
    return (
        f"Brackets: 95% confidence {kind}.\n"
        f"score %  {percent_text(share.mean, 2)} ({ends})\n"
        f"Elo      {_signed(mean)} ({_signed(low)} to {_signed(high)})"
    ) + "".join(
        f"\n{what}  {_signed(value.mean, 3)} ({_signed(value.low, 3)} to {_signed(value.high, 3)})"
        for what, value in (
            (f"{result.unit} a game", result.payoff),
            (f"{result.unit} a game more than {printable(result.bots[1])}", result.ahead),
        )
        if value is not None
    )


def _signed(number: float | None, decimals: int = 1) -> str:
    return "no bound" if number is None else signed_text(number, decimals)


def test_claims(
    result: MatchFinding, number_text: Callable[[float, int], str] = decimal_text
) -> list[str]:
    """The hypotheses of a test and its log-likelihood ratio, in sentences.

    Pages have a `number_text` of their own, with a true minus sign.
    """
    test, state = result.test, result.state
    assert test is not None and state is not None
    texts = [
        printable(f"H0: {_claim(result, test.elo0)}. H1: {_claim(result, test.elo1)}."),
        f"LLR {number_text(state.ratio, 2)}; H0 is accepted at {number_text(test.lower, 2)} or"
        f" below, H1 at {number_text(test.upper, 2)} or above.",
    ]
    return [*texts, _CORRECTED] if result.luck_removed else texts


def _test_text(result: MatchFinding) -> str:
    games = result.expected
    expectation = (
        f"Expected length: {_under_hypotheses(games)}, {games['estimate']:,} at the observed score."
        if games
        else "All deals had the same result; the length of the test cannot be estimated."
    )
    return "\n".join([*test_claims(result), expectation])


def _under_hypotheses(games: Mapping[str, int]) -> str:
    if games["h0"] == games["h1"]:
        return f"{games['h0']:,} games under H0 or H1"
    return f"{games['h0']:,} games under H0, {games['h1']:,} under H1"


def _claim(result: MatchFinding, elo: float, bound: str = "") -> str:
    """The claim that the first bot is `elo` stronger; with a bound, `more` or `less` so.

    In a test with a unit it is that it gets so much more a game.
    """
    first, second = result.bots
    unit = result.test.unit if result.test else ""
    if elo == 0 and unit:
        than = {"": f"as many {unit} a game as", "more": "more than", "less": "less than"}[bound]
        return f"{first} gets {than} {second}"
    if elo == 0:
        than = {"": "as strong as", "more": "stronger than", "less": "weaker than"}[bound]
        return f"{first} is {than} {second}"
    if elo < 0 and bound:
        bound = "less" if bound == "more" else "more"
    amount = f"{bound} than {abs(elo):g}" if bound else f"{abs(elo):g}"
    if unit:
        return f"{first} is {amount} {unit} a game {'ahead of' if elo > 0 else 'behind'} {second}"
    return f"{first} is {amount} Elo {'stronger' if elo > 0 else 'weaker'} than {second}"


def verdict(result: MatchFinding) -> str:
    """Which hypothesis a test accepts, with the rate of such errors, or why it accepts neither."""
    test, accepted = result.test, result.accepted
    assert test is not None
    if result.state and result.state.repeated:
        return result.repeated
    if accepted is None:
        return "Neither hypothesis is accepted: more games are needed to decide."
    if accepted:
        claim = _claim(result, test.elo0, "more")
        rate = f"False-positive rate: at most {100 * test.alpha:g}%."
    else:
        claim = _claim(result, test.elo1, "less")
        rate = f"False-negative rate: at most {100 * test.beta:g}%."
    return f"H{accepted} is accepted: {printable(claim)}. {rate}"
