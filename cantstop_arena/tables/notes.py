"""Notes below the standings: what limits their meaning, in sentences."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isfinite

from msgspec.structs import replace

from cantstop_arena.deals.control_variate import gain_range
from cantstop_arena.deals.outcomes import (
    ELO_ERROR,
    ENOUGH_REPEATED,
    PAYOFF_WIDTH,
    TEST,
    FaultReport,
    LeftOut,
    TournamentTotals,
    Until,
)
from cantstop_arena.ratings.sequential.stopping_rule import widest
from cantstop_arena.ratings.significance import SIGNIFICANT
from cantstop_arena.table.device import may_differ
from cantstop_arena.tables.analysis import Analysis, LuckGains
from cantstop_arena.tables.column import percent_text
from cantstop_arena.texts import beginning_of, how_many, ordinal

NOT_REPRODUCIBLE = "not reproducible"
DISQUALIFIED = "disqualified"
OTHER_RIVALS = "\u2020"
UPSET = "\u21c5"
NOT_COMPARABLE = (
    f"{OTHER_RIVALS} The scores in these rows do not compare with the others: not all bots met the"
    " same rivals equally often. Elo allows for that."
)
GAUNTLET = "Gauntlet:"
SINGLE_RATING = "single rating per bot"
MAX_NAMES = 6
MAX_MESSAGE_LENGTH = 100
LEGEND = (
    "Bots that share a letter of their group are not significantly different; LOS vs next: the"
    " likelihood of superiority over the bot below, in this field. Intervals cover 95%."
)
EVEN_SCORE = "1500 is the Elo of a player who would score half against this field."
ALONE = (
    "Bots that share a letter of their group are not significantly different; fewer than next: the"
    " mean over the deals that both played. Intervals cover 95%."
)
ALONE_BY_PAYOFF = (
    "Bots that share a letter of their group are not significantly different. Intervals cover 95%."
)
EVEN = 0.5
CERTAIN_SUPERIORITY = 0.95  # likelihood of superiority that counts as certain
MIN_CHANCE = 0.001
MIN_OPEN_RANKS = 3  # ranks between the ends of an interval that leaves the rank open
MAX_CONTRADICTED = 3  # pairs of neighbours that are named


def legend(analysis: Analysis) -> list[str]:
    """Explanations of the columns of the standings."""
    if analysis.is_solo:
        if analysis.by_payoff:
            return [ALONE_BY_PAYOFF]
        return [ALONE] if analysis.differences else []
    return [LEGEND] if analysis.results.anchor else [f"{LEGEND} {EVEN_SCORE}"]


ADD_OPENINGS = "Add openings (openings: {plies: 4}, or a file), or bots that draw at random."


def repeated_text(games: int, requested: int) -> str:
    """The number of different games, and of all that were asked for if some are these again."""
    return f"{games:,} (of {requested:,} alike)" if requested > games else f"{games:,}"


def about_repeated(results: TournamentTotals, verdict: str = "") -> str:
    """Which deals are others again, as nothing is drawn in them; empty if there are none.

    A `verdict` follows where all of them are one deal.
    """
    if not results.repeated:
        return ""
    if results.is_one_deal:
        deal_count = max(deals for _, deals in results.repeated.values())
        deals = how_many(min(ENOUGH_REPEATED, deal_count), "deal")
        games = how_many(sum(tally.games for tally in results.tallies.values()), "game")
        return (
            f"All {deals} are the same {games}: no chance is involved, so they count as one"
            f" deal{verdict}. {ADD_OPENINGS}"
        )
    different = sum(number for number, _ in results.repeated.values())
    deal_count = sum(deals for _, deals in results.repeated.values())
    text = (
        f"No chance is involved in games of {how_many(len(results.repeated), 'group')}: of"
        f" {how_many(deal_count, 'deal')} {different:,} are different, and only these count."
    )
    few = any(number == 1 for number, _ in results.repeated.values())
    return f"{text} {ADD_OPENINGS}" if few else text


def about_standings(analysis: Analysis) -> list[str]:
    """Notes on bots that are out, missing or unfinished games, stopping rule, luck, ratings."""
    texts = list(about_disqualified(analysis))
    texts += about_left_out(analysis.results.left_out)
    if missing := about_missing_games(analysis):
        texts.append(missing)
    if repeated := about_repeated(analysis.results):
        texts.append(repeated)
    if unfinished := analysis.unfinished:
        share = "" if analysis.is_solo else "; their seats share the win"
        texts.append(f"{unfinished} of {analysis.games} games were not finished{share}.")
    texts += _about_payoffs(analysis)
    if rule := analysis.results.until:
        texts.append(until_note(analysis.results, rule))
    if luck := analysis.luck_gains:
        texts.append(about_luck(luck, analysis.results.bots))
    texts += analysis.results.notes
    if irreproducible := analysis.results.irreproducible:
        texts.append(
            f"{list_names(irreproducible)}: {NOT_REPRODUCIBLE}. The answers were others when a"
            " game was played twice, so that results change from run to run."
        )
    if len(devices := analysis.results.devices) > 1 and may_differ(devices):
        texts.append(
            f"Nets were computed on different devices ({'; '.join(devices)}), which may round their"
            " answers differently: on one of them alone some games may be others."
        )
    if analysis.results.challenger in analysis.results.bots:
        texts += _about_gauntlet(analysis, analysis.results.bots.index(analysis.results.challenger))
    if analysis.is_solo:
        return texts
    return [*texts, *_about_scores(analysis), *_about_ratings(analysis)]


def _about_payoffs(analysis: Analysis) -> Iterator[str]:
    """Notes on deals that are void, on means that rest on few deals, and on equal payoffs."""
    means = analysis.mean_payoffs
    if means is None:
        return
    if void := means.missing_deals(analysis.results.deals):
        yield (
            f"The payoffs of {how_many(void, 'deal')} are left out, as a fault ended a game there,"
            " and the game does not say what that costs (Payoff has no low)."
        )
    for bot in analysis.order:
        error, name = means.bot(bot), analysis.results.bots[bot]
        if error and (few := means.deciding_deals(bot)):
            yield (
                f"{name}: some {few} of {error.deals:,} deals decide its mean payoff; its interval"
                " may be too narrow."
            )
        elif error and not error.variance and error.bounds is None and error.deals > 1:
            yield f"{name}: its payoff was the same in all deals; no spread seen, so no interval."


def about_disqualified(analysis: Analysis) -> Iterator[str]:
    """For each disqualified bot a sentence with its first fault, and the command to replay it."""
    for bot in analysis.results.disqualified:
        many = how_many(analysis.faults_of[bot], "fault")
        text = f"{bot} is {DISQUALIFIED} after {many}, and its games are left out."
        if first := analysis.first_fault_of.get(bot):
            text += f" The first, in deal {first.deal}: {fault_text(first)}. Replay: {first.replay}"
        yield text


def about_left_out(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """For each bot that could not play a sentence with the reason; of many the first."""
    for bot in left_out[:MAX_NAMES]:
        yield replace(bot, reason=beginning_of(bot.reason, MAX_MESSAGE_LENGTH)).text
    if more := len(left_out[MAX_NAMES:]):
        yield f"{how_many(more, 'more bot')} {'is' if more == 1 else 'are'} left out."


def fault_text(charge: FaultReport) -> str:
    """The kind of a fault and its message."""
    return f"{charge.kind}: {short_message(charge)}"


def short_message(charge: FaultReport) -> str:
    """The message of a fault; of a long one the beginning."""
    return beginning_of(charge.message, MAX_MESSAGE_LENGTH)


def about_luck(luck: LuckGains, bots: Sequence[str]) -> str:
    """By how much removing luck has narrowed the intervals, as printed, and for whom least."""
    gains = {name: gain for name, gain in zip(bots, luck.scores, strict=True) if gain}
    elo_gains = [gain for gain in luck.elo if gain]
    text = "Luck is removed from scores and Elo. "
    if gains:
        text += f"By their intervals that is worth {gain_range([*gains.values()])} times the games"
        differ = " to " in gain_range([*gains.values()])
        text += " for scores" + (f" (median {luck.median:.1f})" if differ else "")
        text += f" and {gain_range(elo_gains)} for Elo" if elo_gains else ""
        text += f"; least for {min(gains, key=gains.__getitem__)}. " if differ else ". "
    return text + "`arena rate --plain` leaves it in."


def about_missing_games(analysis: Analysis) -> str:
    """A note on a run that was interrupted or goes on; empty if no games are missing."""
    missing = analysis.results.missing_games
    if not missing:
        return ""
    text = f"{missing:,} of {analysis.games + missing:,} games are missing."
    return f"The run is not over or was interrupted: {text}"


def _about_gauntlet(analysis: Analysis, bot: int) -> list[str]:
    """What the scores of the others are; the challenger's rank is the headline."""
    return [f"{GAUNTLET} the other bots' scores are against {analysis.results.bots[bot]} only."]


def rank_text(analysis: Analysis, bot: int) -> str:
    """The rank of a bot with the ranks that its errors allow; empty if it has not played.

    Where these are more than half of all, and three at least, the rank is open.
    """
    analysis = analysis.field_of(bot)
    rank = next(rank for rank, ranked_bot in analysis.ranking if ranked_bot == bot)
    if rank is None:
        return ""
    name, count = analysis.results.bots[bot], len(analysis.order)
    best, worst = analysis.ranks[bot]
    ends = f"{ordinal(best)} to {ordinal(worst)}"
    if worst - best >= max(MIN_OPEN_RANKS, count / 2):
        return f"The rank of {name} stays open: {ends} of {count}"
    return f"{name} ranks {ordinal(rank)} of {count}" + (f" ({ends})" if best < worst else "")


def _about_scores(analysis: Analysis) -> Iterator[str]:
    """Notes on even scores, the fit of the ratings, and direct scores that contradict them."""
    if any(has_other_rivals(analysis, bot) for bot in analysis.order):
        yield NOT_COMPARABLE
    if analysis.results.players > 2:
        yield f"An even score is {100 / analysis.results.players:.1f}%."
    yield from _fits(analysis)
    yield from head_to_head(analysis)


def has_other_rivals(analysis: Analysis, bot: int) -> bool:
    """Whether a bot's score is marked as not comparable; a gauntlet has a note of its own."""
    return bot in analysis.incomparable and not analysis.results.challenger


def _fits(analysis: Analysis) -> Iterator[str]:
    """Whether a single rating per bot fits the results, where that can be tested."""
    p = analysis.goodness.p_value
    if p is None:
        return
    bound = f"p = {p:.3f}" if p >= MIN_CHANCE else f"p < {MIN_CHANCE}"
    test = f"(deviance test, {bound})"
    if p < SIGNIFICANT:
        yield f"A {SINGLE_RATING} does not fit these results {test}."
    else:
        yield f"On the whole a {SINGLE_RATING} fits the results {test}."


def head_to_head(analysis: Analysis) -> list[str]:
    """Neighbours in the standings whose order their games with each other do not confirm."""
    if analysis.by_payoff:
        return []
    texts = (contradiction(analysis, *pair) for pair in pairwise(analysis.order))
    contradictions = list(filter(None, texts))
    lines, remaining = contradictions[:MAX_CONTRADICTED], len(contradictions) - MAX_CONTRADICTED
    if remaining > 0:
        lines.append(f"The same holds for {how_many(remaining, 'more pair')} of neighbours.")
    return lines


def contradiction(analysis: Analysis, upper: int, lower: int) -> str:
    """A sentence if the score of bot `upper` against `lower` does not confirm that it is above.

    That is: `upper` lost significantly, or its likelihood of superiority is above
    CERTAIN_SUPERIORITY while its direct score is not significantly above even. Else empty, as for
    the latter in a gauntlet and between bots that met nobody else: the same games rate both.
    """
    if analysis.by_payoff:
        return ""
    direct = analysis.against[upper][lower]
    if direct is None or direct.mean is None or direct.low is None or direct.high is None:
        return ""
    names = f"{analysis.results.bots[upper]} stands above {analysis.results.bots[lower]}"
    mean, low, high = (percent_text(share, 1) for share in (direct.mean, direct.low, direct.high))
    score = f"{mean}% ({low} to {high})"
    if direct.high < EVEN:
        return f"{names}, but lost to it head to head: {score}."
    others = set(analysis.order) - {upper, lower}
    met = (analysis.against[bot][other] for bot in (upper, lower) for other in others)
    if analysis.results.challenger or not any(met):
        return ""
    above = analysis.ratings.superiority(upper, lower)
    if direct.low > EVEN or above is None or above <= CERTAIN_SUPERIORITY:
        return ""
    text = f"{names} by their games with others; head to head, {score}"
    return f"{text} is not significantly different from even."


def _about_ratings(analysis: Analysis) -> list[str]:
    texts, bot_count = [], len(analysis.results.bots)
    for label, bots in analysis.ratings.labels.items():
        names = list_names([analysis.results.bots[bot] for bot in bots])
        texts.append(label.text if len(bots) == bot_count else f"{names}: {label.text}")
    return texts


def list_names(names: Sequence[str]) -> str:
    """At most MAX_NAMES names in a sentence, and the number of further ones."""
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def all_of(names: Sequence[str]) -> str:
    """Names as the subject of a sentence: "a, b and c"; beyond MAX_NAMES as `list_names`."""
    if len(names) > MAX_NAMES:
        return list_names(names)
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def extent(measure: str, amount: float) -> str:
    """How far an interval reaches."""
    if measure == ELO_ERROR:
        return f"Elo ± {amount:.4g}" if isfinite(amount) else "Elo without bounds"
    what = "payoff" if measure == PAYOFF_WIDTH else "score"
    return f"a {what} interval {amount:.4g} wide"


def extent_for(measure: str, amount: float, bot: str) -> str:
    """The extent of the interval of a bot, with its name."""
    return f"{extent(measure, amount)} for {bot}"


def until_text(rule: Until) -> str:
    """The condition on which the games end."""
    return f"every bot has {extent(rule.measure, rule.limit)} or less"


def until_note(results: TournamentTotals, rule: Until) -> str:
    """How the stopping rule affects the intervals, and whether it was met."""
    if rule.measure == TEST:
        return (
            "Played for a sequential test. The intervals are confidence sequences: right 95 times"
            " in 100 whenever the match ends."
        )
    bot, measured = widest(results, rule)
    if not bot:
        return f"To be played until {until_text(rule)}, but no game counts."
    outcome = (
        ""
        if measured <= rule.limit
        else f", which {bot} with {extent(rule.measure, measured)} has not"
    )
    return (
        f"Played until {until_text(rule)}{outcome}. The intervals are confidence sequences: right"
        " 95 times in 100 although the games ended when they were narrow enough."
    )
