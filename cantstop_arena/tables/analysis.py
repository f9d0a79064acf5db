"""What can be said about a tournament's results, each thing computed once, when it is asked for."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from math import inf

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.elo import Points, Ratings, rate
from cantstop_arena.ratings.model_fit.deviance import GoodnessOfFit, goodness
from cantstop_arena.ratings.model_fit.field_sensitivity import Moves, moves
from cantstop_arena.ratings.model_fit.residuals import Residuals, residuals
from cantstop_arena.ratings.scores import Estimate as Found
from cantstop_arena.ratings.scores import (
    crosstable,
    groups_with_same_rivals,
    per_game,
    scores,
    seat_scores,
    together,
)
from cantstop_arena.ratings.solo import SoloDifferences
from cantstop_arena.tables.column import Estimate

ELO_DECIMALS = 2


class Analysis(msgspec.Struct, frozen=True, dict=True):
    """A tournament's results and what follows from them; bots by number."""

    results: TournamentTotals

    @property
    def is_solo(self) -> bool:
        """Whether each bot played for itself."""
        return self.results.players == 1

    @cached_property
    def games(self) -> int:
        """All games played."""
        return sum(tally.games for tally in self.results.tallies.values())

    @cached_property
    def unfinished(self) -> int:
        """The games that ended without a winner."""
        return sum(tally.unfinished for tally in self.results.tallies.values())

    @cached_property
    def forfeits(self) -> int:
        """The games that a fault ended."""
        return sum(tally.forfeits for tally in self.results.tallies.values())

    @cached_property
    def games_of(self) -> Counter[int]:
        """The games that each bot sat in."""
        games: Counter[int] = Counter()
        for seating, tally in self.results.tallies.items():
            games.update(dict.fromkeys(seating, tally.games))
        return games

    @cached_property
    def faults_of(self) -> Counter[str]:
        """How often each bot misbehaved."""
        faults: Counter[str] = Counter()
        for charge in self.results.faults:
            faults[charge.bot] += charge.count
        return faults

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings; not for one seat."""
        return rate(self.results)

    @cached_property
    def elo(self) -> list[Estimate]:
        """Each bot's Elo; of one without games none is known."""
        return [
            Estimate(None) if bot in self.without_games else of_points(points)
            for bot, points in enumerate(self.ratings.ratings)
        ]

    @cached_property
    def without_games(self) -> set[int]:
        """The bots that have not played."""
        return set(range(len(self.results.bots))) - set(+self.games_of)

    @cached_property
    def goodness(self) -> GoodnessOfFit:
        """How well one number for each bot tells the results as they were played."""
        return goodness(self.results.plain)

    @cached_property
    def residuals(self) -> Residuals:
        """What one number for each bot does not tell of the results as they were played."""
        return residuals(self.results.plain)

    @cached_property
    def leave_one_out(self) -> Sequence[Moves | None]:
        """How each bot's Elo moves at most, down and up, when another bot is left out."""
        return moves(self.results.plain)

    @cached_property
    def scores(self) -> list[Estimate]:
        """Each bot's share of wins in the games it sat in."""
        return [_estimate(score) for score in scores(self.results)]

    @property
    def scores_compare(self) -> bool:
        """Whether all bots that played met each other equally often: else scores tell of rivals."""
        return not self.incomparable

    @cached_property
    def incomparable(self) -> set[int]:
        """The bots whose scores do not compare with those of the largest group whose scores do.

        All of them, where no two bots met the same rivals equally often.
        """
        if self.is_solo:
            return set()
        playing = [bot for bot in self.order if bot not in self.without_games]
        groups = groups_with_same_rivals(
            np.asarray(together(self.results)[1])[np.ix_(playing, playing)]
        )
        largest = max(groups, key=len, default=[])
        met = {playing[index] for index in largest} if len(largest) > 1 else set()
        return set(playing) - met if len(playing) > 1 else set()

    @cached_property
    def means(self) -> list[Estimate]:
        """What each bot needs for a game alone, of what the game counts then."""
        return [_estimate(mean) for mean in per_game(self.results, self.results.counts.alone)]

    @cached_property
    def best_alone(self) -> float | None:
        """What perfect play needs for a game alone, where that is known."""
        from cantstop_arena.games.registry import game_named

        game, rules = game_named(self.results.game), self.results.rules
        if not self.is_solo or not rules.keys() >= {*game.rules.parameters}:
            return None
        return game.best_alone(game.rules.from_dict(rules))

    @cached_property
    def differences(self) -> SoloDifferences | None:
        """How far bots that play alone are apart; None where that is not known, or of one bot.

        Those that misbehaved are left out: forfeited games are short.
        """
        ranked = [
            bot
            for bot in self.order
            if bot not in self.without_games and self.results.bots[bot] not in self.faults_of
        ]
        solo_pairs = self.results.alongside
        return SoloDifferences(solo_pairs, ranked) if solo_pairs and len(ranked) > 1 else None

    @property
    def groups(self) -> Sequence[str]:
        """The groups of bots that are not significantly different: each bot's letters."""
        if not self.is_solo:
            return self.ratings.groups
        return self.differences.groups if self.differences else [""] * len(self.results.bots)

    @cached_property
    def against(self) -> list[list[Estimate | None]]:
        """Each bot's score against each other bot, None against itself."""
        return [
            [_estimate(cell) if cell else None for cell in row] for row in crosstable(self.results)
        ]

    @cached_property
    def seats(self) -> list[tuple[Estimate, Estimate]]:
        """Each seat's share of the wins, and its effect in Elo."""
        shares = map(_estimate, seat_scores(self.results))
        return list(zip(shares, map(of_points, self.ratings.seats), strict=True))

    @cached_property
    def ranking(self) -> list[tuple[int | None, int]]:
        """Ranks and the bots that hold them, the best first, equals by name with equal ranks.

        Alone the fewest turns (or whatever is counted) win; those that misbehaved come last:
        forfeited games are short. Bots without games come after all others, and have no rank.
        """
        matches = _ranked(self.results.bots, self._keys)
        rated = [(rank, bot) for rank, bot in matches if bot not in self.without_games]
        return [*rated, *((None, bot) for _, bot in matches if bot in self.without_games)]

    @property
    def _keys(self) -> list[float]:
        """What bots are ranked by, the best having the least; those without games the most."""
        if not self.is_solo:
            return [
                inf if bot in self.without_games else -round(elo.mean or 0, ELO_DECIMALS)
                for bot, elo in enumerate(self.elo)
            ]
        return [
            inf if mean is None or bot in self.faults_of else mean
            for bot, (mean, _, _) in zip(self.results.bots, self.means, strict=True)
        ]

    @cached_property
    def order(self) -> list[int]:
        """The bots as they stand in the standings."""
        return [bot for _, bot in self.ranking]

    @cached_property
    def names(self) -> list[str]:
        """The names of the bots as they stand in the standings."""
        return [self.results.bots[bot] for bot in self.order]


def _ranked(names: Sequence[str], keys: Sequence[float]) -> list[tuple[int, int]]:
    """Ranks from 1 and the numbers of those who hold them, by ascending key and then name."""
    order = sorted(range(len(names)), key=lambda number: (keys[number], names[number]))
    ahead = sorted(keys)
    return [(bisect_left(ahead, keys[number]) + 1, number) for number in order]


def of_points(points: Points) -> Estimate:
    """Elo points as tables tell them."""
    return Estimate(points.points, points.low, points.high)


def _estimate(result: Found) -> Estimate:
    return Estimate(result.mean, result.low, result.high)
