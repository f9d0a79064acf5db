"""Statistics of a tournament's results, each computed once, when it is first used."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import permutations
from math import inf
from statistics import median

import msgspec
import numpy as np

from cantstop_arena.deals.control_variate import width_gain
from cantstop_arena.deals.outcomes import FaultReport, TournamentTotals
from cantstop_arena.deals.payoff import PAYOFF
from cantstop_arena.ratings.elo import Points, Ratings, rate
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.mean_error import MeanError
from cantstop_arena.ratings.mean_payoffs import MeanPayoffs, mean_payoffs
from cantstop_arena.ratings.model_fit.deviance import GoodnessOfFit, Moves, goodness, moves
from cantstop_arena.ratings.model_fit.residuals import Residuals, residuals
from cantstop_arena.ratings.scores import (
    PairErrors,
    crosstable,
    decided_pairs,
    groups_with_same_rivals,
    meetings,
    pair_errors,
    per_game,
    scores,
    seat_scores,
)
from cantstop_arena.ratings.significance import letters_in
from cantstop_arena.ratings.solo import SoloDifferences
from cantstop_arena.tables.column import significant

ELO_DECIMALS = 2


class LuckGains(msgspec.Struct, frozen=True):
    """How many times the games intervals as narrow would take with luck left in, for each bot.

    From the widths of its two intervals of the score and of Elo; None where one is not known.
    """

    scores: Sequence[float | None]
    elo: Sequence[float | None]

    @property
    def median(self) -> float:
        """The median of the scores; 1 where none is known."""
        gains = [gain for gain in self.scores if gain is not None]
        return median(gains) if gains else 1.0


class Analysis(msgspec.Struct, frozen=True, dict=True):
    """A tournament's results and the statistics that follow from them; bots by number.

    Fields are bots that games connect, directly or through others. Those of different fields do not
    compare. The analysis of one `field` ranks its bots only.
    """

    results: TournamentTotals
    field: tuple[int, ...] | None = None

    @property
    def is_solo(self) -> bool:
        """Whether each bot played alone."""
        return self.results.players == 1

    @cached_property
    def games(self) -> int:
        """The number of games played."""
        return sum(tally.games for tally in self.results.tallies.values())

    @cached_property
    def unfinished(self) -> int:
        """The number of games that ended without a winner."""
        return sum(tally.unfinished for tally in self.results.tallies.values())

    @cached_property
    def forfeits(self) -> int:
        """The number of games that a fault ended."""
        return sum(tally.forfeits for tally in self.results.tallies.values())

    @cached_property
    def games_of(self) -> Counter[int]:
        """The number of games of each bot."""
        games: Counter[int] = Counter()
        for seating, tally in self.results.tallies.items():
            games.update(dict.fromkeys(seating, tally.games))
        return games

    @cached_property
    def drawn_of(self) -> Counter[int]:
        """The number of games of each bot that all seats won."""
        draws: Counter[int] = Counter()
        for seating, games in self.results.drawn.items():
            draws.update(dict.fromkeys(seating, games))
        return draws

    @cached_property
    def alike_of(self) -> Counter[int]:
        """The games that each bot was to play, where some are others again; else nothing."""
        results, games = self.results, Counter[int]()
        for group, (_, deals) in results.repeated.items():
            games.update(dict.fromkeys(group, deals * len(results.orders)))
        for seating, tally in results.tallies.items():
            if (group := tuple(sorted(seating))) not in results.repeated:
                games.update({bot: tally.games for bot in group if bot in games})
        return games

    @cached_property
    def faults_of(self) -> Counter[str]:
        """The number of faults of each bot, by name."""
        faults: Counter[str] = Counter()
        for charge in self.results.faults:
            faults[charge.bot] += charge.count
        return faults

    @cached_property
    def first_fault_of(self) -> dict[str, FaultReport]:
        """The first fault of each bot that committed one, by name."""
        first: dict[str, FaultReport] = {}
        for charge in sorted(self.results.faults, key=lambda charge: charge.deal):
            first.setdefault(charge.bot, charge)
        return first

    @cached_property
    def plain(self) -> "Analysis":
        """The analysis of the same games with luck left in."""
        return Analysis(self.results.plain)

    @cached_property
    def luck_gains(self) -> "LuckGains | None":
        """By how much removing luck has narrowed intervals; None if luck was not removed."""
        if self.results.with_luck is None:
            return None
        return LuckGains(
            _width_gains(self.plain.scores, self.scores), _width_gains(self.plain.elo, self.elo)
        )

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings; not defined for bots that play alone."""
        return rate(self.results)

    @cached_property
    def fields(self) -> Sequence["Analysis"]:
        """The analysis of each field, the largest first; of one field alone this analysis."""
        if self.field is not None or self.is_solo:
            return [self]
        by_field: dict[int, list[int]] = {}
        for bot, field in enumerate(self.ratings.fields):
            if bot not in self.without_games:
                by_field.setdefault(field, []).append(bot)
        if len(by_field) < 2:
            return [self]
        shared = self.elo, self.scores, self.against, self.payoffs  # each computed once
        assert all(shared)
        fields = [Analysis(self.results, tuple(bots)) for bots in by_field.values()]
        for analysis in fields:
            vars(analysis).update(vars(self))
        fields.sort(key=lambda analysis: -len(analysis.field or ()))
        if self.mean_payoffs is not None:
            groups = self.mean_payoffs.groups([each.order for each in fields])
            for analysis in fields:  # no letter is used in two fields
                vars(analysis)["_groups_by_payoff"] = groups
        return fields

    def field_of(self, bot: int) -> "Analysis":
        """The analysis of the field of a bot."""
        return next((each for each in self.fields if bot in (each.field or ())), self)

    @cached_property
    def elo(self) -> list[Estimate]:
        """Each bot's Elo; unknown for bots without games, and from one deal alone."""
        if self.results.is_one_deal:
            return [Estimate(None) for _ in self.results.bots]
        return self._fitted_elo

    @cached_property
    def _fitted_elo(self) -> list[Estimate]:
        return [
            Estimate(None) if bot in self.without_games else of_points(points)
            for bot, points in enumerate(self.ratings.ratings)
        ]

    def lead_over_others(self, bot: int) -> Estimate:
        """How many Elo points a bot is ahead of the mean of the others."""
        if self.results.is_one_deal:
            return Estimate(None)
        return of_points(self.ratings.lead_over_others(bot))

    @cached_property
    def mean_payoffs(self) -> MeanPayoffs | None:
        """The mean payoffs of bots and seats; None in a game without."""
        return None if self.results.payoff is None else mean_payoffs(self.results)

    @property
    def by_payoff(self) -> bool:
        """Whether the standings are sorted by payoff."""
        return self.mean_payoffs is not None and self.results.sorted_by == PAYOFF

    @cached_property
    def payoffs(self) -> list[Estimate]:
        """Each bot's mean payoff a game; unknown in a game without."""
        if self.mean_payoffs is None:
            return [Estimate(None)] * len(self.results.bots)
        errors = map(self.mean_payoffs.bot, range(len(self.results.bots)))
        return self._where_played(map(_estimate, errors))

    @cached_property
    def seat_payoffs(self) -> list[Estimate]:
        """The mean payoff of each seat; unknown in a game without."""
        seats = range(self.results.players)
        if self.mean_payoffs is None:
            return [Estimate(None) for _ in seats]
        return self._where_played(map(_estimate, map(self.mean_payoffs.seat, seats)))

    def superiority(self, bot: int, rival: int) -> float | None:
        """The likelihood that a bot is better than a rival; None where that is not known."""
        if self.results.is_one_deal:
            return None
        if not self.by_payoff or not (self.is_solo or self.ratings.is_comparable(bot, rival)):
            return self.ratings.superiority(bot, rival)
        assert self.mean_payoffs is not None
        ahead = self.mean_payoffs.ahead(bot, rival)
        return None if ahead is None else ahead.superiority

    @cached_property
    def without_games(self) -> set[int]:
        """The bots that have not played."""
        return set(range(len(self.results.bots))) - set(+self.games_of)

    @cached_property
    def goodness(self) -> GoodnessOfFit:
        """How well one rating for each bot fits the results, luck not removed."""
        return goodness(self.results.plain)

    @cached_property
    def residuals(self) -> Residuals:
        """What one rating for each bot does not explain of the results, luck not removed."""
        return residuals(self.results.plain)

    @cached_property
    def leave_one_out(self) -> Sequence[Moves | None]:
        """How each bot's Elo moves at most, down and up, when another bot is left out."""
        return moves(self.results.plain)

    @cached_property
    def scores(self) -> list[Estimate]:
        """Each bot's share of wins in the games it sat in."""
        return self._where_played(scores(self.results))

    def _where_played(self, estimates: Iterable[Estimate]) -> list[Estimate]:
        """Estimates without ends where all deals are one."""
        if not self.results.is_one_deal:
            return [*estimates]
        return [Estimate(estimate.mean) for estimate in estimates]

    @property
    def scores_compare(self) -> bool:
        """Whether scores compare: all bots that played met the same rivals equally often."""
        return not self.incomparable and len(self.fields) == 1

    @cached_property
    def incomparable(self) -> set[int]:
        """The bots whose scores do not compare with those of the largest group whose scores do.

        All of them, where no two bots met the same rivals equally often.
        """
        if self.is_solo:
            return set()
        if len(self.fields) > 1:
            return {bot for each in self.fields for bot in each.incomparable}
        playing = [bot for bot in self.order if bot not in self.without_games]
        groups = groups_with_same_rivals(
            np.asarray(meetings(self.results)[1])[np.ix_(playing, playing)]
        )
        largest = max(groups, key=len, default=[])
        comparable = {playing[index] for index in largest} if len(largest) > 1 else set()
        return set(playing) - comparable if len(playing) > 1 else set()

    @cached_property
    def means(self) -> list[Estimate]:
        """The mean of the count `Counts.alone` per game of each bot that plays alone."""
        return list(per_game(self.results, self.results.counts.alone))

    @cached_property
    def optimal_mean(self) -> float | None:
        """What perfect play needs for a game alone on average, where that is known."""
        from cantstop_arena.games.registry import game_named

        game, rules = game_named(self.results.game), self.results.rules
        if not self.is_solo or not rules.keys() >= {*game.rules.parameters}:
            return None
        return game.best_alone(game.rules.from_dict(rules))

    @cached_property
    def differences(self) -> SoloDifferences | None:
        """The differences between bots that play alone; None where unknown, or for one bot, and in
        standings by payoff.

        Bots with faults are left out: forfeited games are short.
        """
        if self.by_payoff:
            return None
        ranked = [
            bot
            for bot in self.order
            if bot not in self.without_games and self.results.bots[bot] not in self.faults_of
        ]
        solo_pairs = self.results.solo_pairs
        return SoloDifferences(solo_pairs, ranked) if solo_pairs and len(ranked) > 1 else None

    @property
    def groups(self) -> Sequence[str]:
        """The group letters of each bot: bots that share one are not significantly different."""
        if self.results.is_one_deal:
            return [""] * len(self.results.bots)
        if self.by_payoff:
            return self._groups_by_payoff
        if not self.is_solo:
            return self.ratings.groups
        return self.differences.groups if self.differences else [""] * len(self.results.bots)

    def letters_of(self, bot: int) -> list[str]:
        """The letters of a bot's groups one by one."""
        return letters_in(self.groups[bot])

    @cached_property
    def _groups_by_payoff(self) -> Sequence[str]:
        assert self.mean_payoffs is not None
        if len(self.fields) > 1:
            return self.fields[0]._groups_by_payoff
        return self.mean_payoffs.groups([self._playing])

    @property
    def ranks(self) -> Sequence[tuple[int, int]]:
        """The best and the worst possible rank of each bot; not defined for bots alone."""
        if len(self.fields) > 1:
            by_field = [(each, each.ranks) for each in self.fields]
            return [
                next((own[bot] for each, own in by_field if bot in (each.field or ())), (1, 1))
                for bot in range(len(self.results.bots))
            ]
        if self.by_payoff:
            assert self.mean_payoffs is not None
            ranks = self.mean_payoffs.ranks(self._playing)
        else:
            ranks = self.ratings.ranks
        others = len(self.results.bots) - len(self.field or self.results.bots)
        return [(best, worst - others) for best, worst in ranks]

    @property
    def _playing(self) -> list[int]:
        return [bot for bot in self.order if bot not in self.without_games]

    @cached_property
    def against(self) -> list[list[Estimate | None]]:
        """Each bot's score against each other bot, None against itself."""
        against = list(map(list, crosstable(self._pair_errors)))
        for bot, rival in self._one_deal_pairs:
            if cell := against[bot][rival]:
                against[bot][rival] = Estimate(cell.mean)
        return against

    @property
    def _one_deal_pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs of bots whose deals are all one and the same."""
        if self.results.repeated:
            deals, _ = meetings(self.results)
            for group in self.results.repeated:
                yield from (pair for pair in permutations(group, 2) if deals[pair] == 1)

    @cached_property
    def _pair_errors(self) -> PairErrors:
        return pair_errors(self.results)

    @cached_property
    def decided(self) -> list[list[bool]]:
        """Whether the score of two bots differs from a half significantly, for all pairs (Holm)."""
        decided: list[list[bool]] = decided_pairs(self._pair_errors).tolist()
        return decided

    @cached_property
    def seats(self) -> list[tuple[Estimate, Estimate]]:
        """Each seat's share of the wins, and its effect in Elo."""
        effects = [*map(of_points, self.ratings.seats)]
        if self.results.is_one_deal:
            effects = [Estimate(None)] * self.results.players
        return list(zip(self._where_played(seat_scores(self.results)), effects, strict=True))

    @cached_property
    def ranking(self) -> list[tuple[int | None, int]]:
        """Rank and number of each bot, the best first; equals have equal ranks and go by name.

        Fields follow each other, each with ranks of its own.
        Of bots that play alone the one with the fewest turns (or whatever is counted) is the
        best, and those with faults come last:
        forfeited games are short. Bots without games come after all others, and have no rank.
        """
        if len(self.fields) > 1:
            ranked = [entry for each in self.fields for entry in each.ranking]
            without = sorted(self.without_games, key=self.results.bots.__getitem__)
            return [*ranked, *((None, bot) for bot in without)]
        bots, keys = self.field or range(len(self.results.bots)), self._sort_keys
        names = [self.results.bots[bot] for bot in bots]
        ranked = [(rank, bots[at]) for rank, at in _ranked(names, [keys[bot] for bot in bots])]
        rated = [(rank, bot) for rank, bot in ranked if bot not in self.without_games]
        return [*rated, *((None, bot) for _, bot in ranked if bot in self.without_games)]

    @property
    def _sort_keys(self) -> list[float]:
        """The sort key of each bot: the best has the least, bots without games have infinity."""
        if self.by_payoff:
            assert self.results.payoff is not None
            sign = self.results.payoff.sign
            return [
                inf if mean is None else -significant(sign * mean) for mean, _, _ in self.payoffs
            ]
        if not self.is_solo:
            return [
                inf if bot in self.without_games else -round(elo.mean or 0, ELO_DECIMALS)
                for bot, elo in enumerate(self._fitted_elo)
            ]
        return [
            inf if mean is None or bot in self.faults_of else mean
            for bot, (mean, _, _) in zip(self.results.bots, self.means, strict=True)
        ]

    @cached_property
    def order(self) -> list[int]:
        """The numbers of the bots in the order of the standings."""
        return [bot for _, bot in self.ranking]

    @cached_property
    def names(self) -> list[str]:
        """The names of the bots in the order of the standings."""
        return [self.results.bots[bot] for bot in self.order]


def _width_gains(plain: Sequence[Estimate], luck_removed: Sequence[Estimate]) -> list[float | None]:
    return [
        width_gain(before.width, after.width)
        for before, after in zip(plain, luck_removed, strict=True)
    ]


def _ranked(names: Sequence[str], keys: Sequence[float]) -> list[tuple[int, int]]:
    """Ranks from 1 and indices of the names, by ascending key and then name."""
    order = sorted(range(len(names)), key=lambda number: (keys[number], names[number]))
    ahead = sorted(keys)
    return [(bisect_left(ahead, keys[number]) + 1, number) for number in order]


def _estimate(error: MeanError | None) -> Estimate:
    return Estimate(None) if error is None else error.estimate


def of_points(points: Points) -> Estimate:
    """Elo points as an estimate in a table."""
    return Estimate(points.points, points.low, points.high)
