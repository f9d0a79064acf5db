"""A match of two: deals in both seatings, until a sequential test has its answer.

The test looks at the deals in their order, after numbers of them that its hypotheses alone decide.
So it ends at the same deal for any number of workers, and whatever has been played before.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from cantstop_arena.games.cantstop.rules import CLASSIC, RuleSet
from cantstop_arena.outcomes import WHOLE, Results
from cantstop_arena.plugins import Catalogue
from cantstop_arena.sampling import Ints, Span, shares
from cantstop_arena.sequential.confidence import looks
from cantstop_arena.sequential.sprt import GROWTH, SCORES, Sprt, expected_deals
from cantstop_arena.tournament import run
from cantstop_arena.tournament.config import GAME, FaultPolicy, Tournament
from cantstop_arena.tournament.entrants import Entrant, find_bot
from cantstop_arena.tournament.ledger import open_ledger
from cantstop_arena.tournament.workforce import Terms

SEATS = 2
GROUP = (0, 1)
LONGEST = 40  # of a bot's name, in the name of a folder


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a match: the pentanomial counts of its deals, from the first bot's side.

    `results` are those of all that has been played, which can be more deals.
    """

    counts: tuple[int, ...]
    results: Results

    @property
    def deals(self) -> int:
        """The deals that count."""
        return sum(self.counts)


class Onlooker(run.Watch, Protocol):
    """Who is told how a run goes on, and how the test stands at each look."""

    def weighs(self, deals: int, ratio: float) -> None:
        """So large is the log-likelihood ratio after so many deals."""


@dataclass(frozen=True, slots=True)
class Match:
    """What is to be played: `games` at most, fewer where a test has its answer before."""

    tournament: Tournament
    catalogue: Catalogue
    folder: Path
    test: Sprt | None = None

    @property
    def names(self) -> tuple[str, str]:
        """Who plays."""
        first, second = self.tournament.entrants
        return first.name, second.name

    def play(self, terms: Terms, watch: Onlooker, fresh: bool = False) -> Outcome:
        """Play what is missing, and count the points of each deal up to the last look."""
        spans = run.played(self.tournament, self.folder, fresh).get(GROUP, [])
        whole, seen = _unbroken(spans), 0
        counts, results = np.zeros(len(SCORES), np.int64), None
        for deals in self._looks():
            if results is None or deals > whole:
                tournament = replace(self.tournament, games=SEATS * deals)
                results = run.play(tournament, self.catalogue, self.folder, terms, watch)
            counts += self._points(seen, deals - seen)
            seen = deals
            if self._is_over(counts.tolist(), seen, watch):
                break
        assert results is not None
        return Outcome(tuple(counts.tolist()), results)

    def _looks(self) -> Iterator[int]:
        deals = self.tournament.deals
        return looks(expected_deals(self.test), deals, GROWTH) if self.test else iter([deals])

    def _is_over(self, counts: list[int], deals: int, watch: Onlooker) -> bool:
        """Whether the test has its answer, or a bot is out, whose games do not count."""
        if self.test is None or sum(counts) < deals:
            return True
        watch.weighs(deals, self.test.ratio(counts))
        return self.test.accepted(counts) is not None

    def _points(self, start: int, count: int) -> Ints:
        """The pentanomial counts of some deals."""
        counts = np.zeros(len(SCORES), np.int64)
        with open_ledger(self.folder / run.LEDGER, self.tournament.identity()) as ledger:
            for _, first, winners, _ in ledger.deals(start, count):
                mine = winners[max(0, start - first) : start + count - first]
                points = shares(mine, SEATS)[:, 0] * (len(SCORES) - 1) // (SEATS * WHOLE)
                counts += np.bincount(points, minlength=len(SCORES))
        return counts


def _unbroken(spans: Iterable[Span]) -> int:
    """The deals from the first on among which none is missing."""
    reached = 0
    for first, deals in sorted(spans):
        if first > reached:
            break
        reached = max(reached, first + deals)
    return reached


def pairing(
    references: tuple[str, str],
    catalogue: Catalogue,
    rules: RuleSet,
    games: int,
    seed: int,
    results: Path,
) -> Tournament:
    """The tournament that a match is, its folder below `results`.

    Bots are names, or paths from where one stands. Raises BotError.
    """
    bots = [find_bot(reference, Path(), catalogue) for reference in references]
    names = [bot.name for bot in bots]
    if names[0] == names[1]:
        names[1] += " again"
    name = "-vs-".join(re.sub(r"[^\w.-]+", "_", bot)[:LONGEST].lstrip(".") for bot in names)
    if rules != CLASSIC:
        name += f"-{rules.name}"
    return Tournament(
        name=name,
        game=GAME,
        rules=rules,
        players=SEATS,
        games=games,
        seed=seed,
        policy=FaultPolicy(),
        entrants=tuple(
            Entrant(name, bot, bot.defaults) for name, bot in zip(names, bots, strict=True)
        ),
        source=results / name / "tournament.yaml",
    )
