"""The profile of a game as some bots play it: what a designer asks.

Some rows come from games that are played to the end, others from games that are analysed by
playouts (`playouts`). Means have Student's interval, with games or deals as the units; quotients
have that of a bootstrap of these units (`ratings.bootstrap`), where there are enough.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import log10
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.loader import Loader
from cantstop_arena.comparisons.deal_ratios import FIRST_SEAT
from cantstop_arena.comparisons.samples import RatioSample
from cantstop_arena.comparisons.statistics import Ratio
from cantstop_arena.deals.counting import UNFINISHED
from cantstop_arena.deals.payoff import WINS_ONLY
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.errors import FaultError, GameError
from cantstop_arena.extensions.design.playouts import (
    AnalysedGame,
    Floats,
    NoPlayouts,
    PlayoutAnalysis,
    max_playouts,
)
from cantstop_arena.extensions.design.quantities import (
    DRAWS,
    LENGTH,
    LUCK,
    Quantity,
    mean_of,
    quantity_of,
    ratio_of,
    scores_of_pairs,
)
from cantstop_arena.extensions.design.sample_games import SampleGames, SamplePlayer
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.isolated_call import IsolatedCall, Raised, result_of, run_all
from cantstop_arena.ratings.bootstrap import quotient_interval
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.mean_error import TAIL
from cantstop_arena.texts import in_a_line, listed
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.group_pool import GroupPool
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import pack_spec, unpack_spec
from cantstop_arena.tournaments.run_observer import RunObserver

GAMES = 60
DEALS_PER_GAME = 10  # deals played to the end for each game that is analysed
MAX_DEALS = 10_000
LEADS = 1.6424  # the square of the deviate that a normal number exceeds with 10%: leads with 90%
STEP = 400 * log10(3)  # Elo for a score of 75%
GAMES_TO_TELL = "games_to_tell"
_DECISIONS = "decisions"
_CALLS = 40  # the games are analysed in at most so many calls
_LIMIT = 24 * 3600.0  # seconds for each


class ProfileRow(msgspec.Struct, frozen=True):
    """A row of a profile: its key, what it says, and the value with its interval.

    Shares are from 0 to 1, and shown in `percent`.
    """

    key: str
    label: str
    value: Estimate
    decimals: int = 3
    percent: bool = False


class GameProfile(msgspec.Struct, frozen=True):
    """The profile of a game under some rules, as the `bots` play it; `notes` are sentences."""

    game: str
    title: str
    rules: str
    players: int
    seed: str
    bots: tuple[str, ...]
    games: int
    analysed: int
    playouts: int
    rows: tuple[ProfileRow, ...]
    notes: tuple[str, ...]


class GamesAnalysed(msgspec.Struct, tag=True, frozen=True):
    """Games of a call; `missing` says why there were no playouts."""

    games: list[AnalysedGame]
    missing: str = ""


class AnalysisFault(msgspec.Struct, tag=True, frozen=True):
    """A bot has failed in the games of a call."""

    text: str


def game_profile(
    catalogue: Catalogue,
    entrants: tuple[Entrant, ...],
    rules: Any,
    players: int,
    games: int,
    per_half: int,
    seed: Seed,
    options: PoolOptions,
    observer: RunObserver,
) -> GameProfile:
    """Play and analyse games of these bots.

    Raises ArenaError, and Interrupted on Ctrl-C.
    """
    deals = min(DEALS_PER_GAME * games, MAX_DEALS)
    with GroupPool(options, observer) as pool:
        player = SamplePlayer(catalogue, entrants, players, seed, pool)
        complete = player.games_of(deals)
        observer.on_start(0, complete + games * max_playouts(per_half))
        played = player.play(rules, 0, deals)
    progress = _PlayoutProgress(observer, complete, games)
    analysed, missing = _analysed(player, rules, games, per_half, bits_of(seed), options, progress)
    rows = [*_played_rows(played), *_choice_rows(analysed, player.game.counts.length)]
    rows += [] if missing else [*_playout_rows(analysed)]
    verb = "plays" if len(player.bots) == 1 else "play"
    notes = [f"All rows describe the game as {listed(player.bots)} {verb} it."]
    if played.are_equal:
        notes.append(
            f"All {played.deal_count:,} deals are the same games, as no chance is involved: rows of"
            " played games have no intervals."
        )
    notes += [missing] if missing else []
    if player.game.payoff:
        notes.append(WINS_ONLY.format("Luck, skill and drama are measured", "these have one scale"))
    return GameProfile(
        game=player.game.name,
        title=player.game.title,
        rules=rules.name,
        players=players,
        seed=str(seed),
        bots=player.bots,
        games=played.games,
        analysed=0 if missing else len(analysed),
        playouts=sum(game.playouts for game in analysed),
        rows=tuple(rows),
        notes=tuple(notes),
    )


# Analysis in processes of their own -----------------------------------------------------------


def _analysed(
    player: SamplePlayer,
    rules: Any,
    games: int,
    per_half: int,
    seed: int,
    options: PoolOptions,
    progress: "_PlayoutProgress",
) -> tuple[list[AnalysedGame], str]:
    """The analysed games, and why there are no playouts, if there are none."""
    player.game.position(rules, player.players, seed)  # loads machine code once for all calls
    spec = pack_spec(player.spec(rules))
    lineups = [*_lineups(player, games)]
    size = -(-games // _CALLS)
    starts = range(0, games, size)
    calls = [
        IsolatedCall(
            f"{__name__}:analyse_games",
            {
                "spec": spec,
                "lineups": lineups[start : start + size],
                "first": start,
                "per_half": per_half,
                "seed": f"{seed:x}",
            },
            _LIMIT,
        )
        for start in starts
    ]
    analysed: list[AnalysedGame] = []
    missing = ""
    for outcome in run_all(calls, progress.observer.on_tick, at_once=max(1, options.workers)):
        result = result_of(outcome)
        if isinstance(result, AnalysisFault):
            raise FaultError(in_a_line(result.text))
        if isinstance(result, Raised):
            raise GameError(f"{player.game.title} fails in a playout: {result.reason}")
        analysed += result.games
        missing = missing or in_a_line(result.missing)
        progress.note(analysed)
    return analysed, missing


class _PlayoutProgress:
    """Counts playouts as games; how many there will be is estimated from the games so far."""

    def __init__(self, observer: RunObserver, complete: int, games: int) -> None:
        self.observer = observer
        self._complete = complete  # games that were played before
        self._games = games  # to be analysed
        self._playouts = 0

    def note(self, analysed: Sequence[AnalysedGame]) -> None:
        """These games have been analysed so far."""
        before, self._playouts = self._playouts, sum(game.playouts for game in analysed)
        total = -(-self._playouts * self._games // max(1, len(analysed)))
        self.observer.on_total(self._complete + before, self._complete + total)
        self.observer.on_progress(self._playouts - before)


def _lineups(player: SamplePlayer, games: int) -> Iterator[Group]:
    """The bots by seat of each game: the groups in turn, each in all orders."""
    sides = player.game.side_by_seat(player.players)
    for number in range(games):
        turn, which = divmod(number, len(player.groups))
        order = player.orders[turn % len(player.orders)]
        yield tuple(player.groups[which][order[side]] for side in sides)


def analyse_games(
    spec: bytes, lineups: list[tuple[int, ...]], first: int, per_half: int, seed: str
) -> GamesAnalysed | AnalysisFault | Raised:
    """Analyse games, the `first` by number and the next; runs as an isolated call."""
    try:
        table_spec = unpack_spec(spec)
        loader = Loader(table_spec.folder)
        bots = [seat_bot(seat, loader, as_plain=True) for seat in table_spec.seats]
        game = game_named(table_spec.game)
        analysis = PlayoutAnalysis(game, table_spec.rules, bots, per_half, int(seed, 16))
        numbered = [*enumerate(lineups, first)]
        try:
            return GamesAnalysed([analysis.game_of(*each) for each in numbered])
        except NoPlayouts as error:
            counted = [analysis.choices_of(*each) for each in numbered]
            return GamesAnalysed(counted, f"Rows from playouts are left out: {error}.")
    except FaultError as error:
        return AnalysisFault(str(error))
    except BaseException as error:
        return Raised(exception_report(error))


# Rows -----------------------------------------------------------------------------------------


def _played_rows(games: SampleGames) -> Iterator[ProfileRow]:
    """The rows of games that were played to the end."""
    sample, counts = games.sample(), games.game.counts
    rivals = len(games.orders[0]) > 1
    if rivals:
        yield from _luck_rows(games, sample)
        yield from _ladder_rows(games)
        yield from () if games.are_equal else _duplicate_rows(games)
    shares = [(DRAWS, "games drawn"), (UNFINISHED, "games unfinished")]
    if rivals:
        shares.insert(0, (FIRST_SEAT, "won by the first seat"))
    for key, label in shares:
        if quantity := quantity_of(key, games, sample):
            yield ProfileRow(key, label, quantity.estimate(), 1, percent=True)
    if length := quantity_of(LENGTH, games, sample):
        yield ProfileRow(LENGTH, f"{counts.unit}s a game", length.estimate(), 1)


def _luck_rows(games: SampleGames, sample: RatioSample) -> Iterator[ProfileRow]:
    luck = quantity_of(LUCK, games, sample)
    if luck is None:
        return
    estimate = luck.estimate()
    yield ProfileRow(LUCK, "luck in a single game", estimate, 1, percent=True)
    games_to_tell = games_until_clear(estimate)
    if games_to_tell != Estimate(None):
        label = "games until the better bot leads with 90%"
        yield ProfileRow(GAMES_TO_TELL, label, games_to_tell, 0)


def games_until_clear(luck: Estimate) -> Estimate:
    """The games after which the better of two bots leads with 90%.

    Where it is open who is better they have no upper end, and without a better one no value.
    """
    shares = (1.0 if each is None else each for each in luck)
    return Estimate(*(max(1.0, LEADS * each / (1 - each)) if each < 1 else None for each in shares))


def _ladder_rows(games: SampleGames) -> Iterator[ProfileRow]:
    """The Elo between the bots whose scores are farthest from a half."""
    scores = scores_of_pairs(games)
    elo = ladder(scores) if scores and not games.are_equal else Estimate(None)
    if elo.mean is not None:
        yield ProfileRow("ladder", "Elo from the weakest bot to the best", elo, 0)
        steps = Estimate(*(None if each is None else each / STEP for each in elo))
        yield ProfileRow("steps", "steps of 75% between them", steps, 1)


def ladder(scores: Sequence[Quantity]) -> Estimate:
    """The difference in Elo of the pair whose score is farthest from a half.

    It is chosen by its score, so the intervals of all scores hold together (Dunn 1961).
    """
    ends = np.array([score.interval(TAIL / len(scores)) for score in scores]) - 0.5
    nearest = max(0.0, np.maximum(ends[:, 0], -ends[:, 1]).max())
    middle = max(abs(score.value - 0.5) for score in scores)
    return Estimate(*(_elo(0.5 + float(each)) for each in (middle, nearest, np.abs(ends).max())))


def _elo(score: float) -> float | None:
    """The difference in Elo for a score of a half or more; None for 1."""
    return 400 * log10(score / (1 - score)) if score < 1 else None


def _duplicate_rows(games: SampleGames) -> Iterator[ProfileRow]:
    """What playing each deal in several orders does."""
    orders, seats = len(games.orders), len(games.orders[0])
    covered, own, of_means, of_games = (np.zeros(games.deal_count) for _ in range(4))
    for number, _ in enumerate(games.groups):
        won = _shares(games, number)  # deals, orders, seats
        away = won - won.mean(axis=0)
        covered += ((away.sum(axis=1) ** 2) - (away**2).sum(axis=1)).sum(axis=1) / (orders - 1)
        own += (away**2).sum(axis=(1, 2))
        seat_of = np.argsort(np.array(games.orders), axis=1)  # each bot of the group
        by_bot = np.take_along_axis(won, seat_of[None], axis=2)
        away = by_bot - by_bot.mean(axis=(0, 1))
        of_means += (away.mean(axis=1) ** 2).sum(axis=1)
        of_games += (away**2).mean(axis=1).sum(axis=1) / orders
    if seats < 2 or not own.sum() or not of_games.sum():
        return
    correlation, left = quotient(covered, own), quotient(of_means, of_games)
    yield ProfileRow("same_deal", "correlation of a seat's results in a deal", correlation, 2)
    label = "variance that a deal's seatings leave"
    yield ProfileRow("duplicates", label, left, 0, percent=True)


def _shares(games: SampleGames, group: int) -> Floats:
    """The share of each game that each seat has won: deals by orders by seats."""
    seats = len(games.orders[0])
    won = games.masks(group)[:, :, None] >> np.arange(seats) & 1
    shares: Floats = won / np.maximum(won.sum(axis=2, keepdims=True), 1)
    return shares


def _choice_rows(games: Sequence[AnalysedGame], length: str) -> Iterator[ProfileRow]:
    """The rows about the number of legal moves."""
    counted = [np.array(game.choices) for game in games]
    if not any(len(each) for each in counted):
        return
    totals = np.array([len(each) for each in counted], np.float64)
    free = np.array([(each > 1).sum() for each in counted], np.float64)
    moves = np.array([each[each > 1].sum() for each in counted], np.float64)
    if length != _DECISIONS:  # else there is such a row, of more games
        yield ProfileRow(_DECISIONS, "decisions a game", mean_of(totals).estimate(), 1)
    if free.sum():
        yield ProfileRow("moves", "legal moves, where there is a choice", quotient(moves, free), 1)
    forced = quotient(totals - free, totals)
    yield ProfileRow("forced", "decisions without a choice", forced, 1, percent=True)


def _playout_rows(games: Sequence[AnalysedGame]) -> Iterator[ProfileRow]:
    """The rows from playouts."""
    luck = _finite(game.luck for game in games)
    skill = _finite(game.skill for game in games)
    if len(luck) == len(games) and len(games[0].result) > 1:
        yield ProfileRow("luck_leverage", "luck leverage", mean_of(luck).estimate())
        if (variance := _variance_of(games)) is not None:
            label = "variance of a game's result"
            yield ProfileRow("result_variance", label, variance.estimate())
        if len(skill) == len(games):
            yield ProfileRow("skill_leverage", "skill leverage", mean_of(skill).estimate())
            part = quotient(luck, luck + skill)
            yield ProfileRow("luck_part", "luck's part of the leverage", part, 0, percent=True)
    yield from _mean_row("lowest", "lowest chance of the later winner", (g.lowest for g in games))
    label = "decided after this share of the game"
    yield from _mean_row("decided", label, (game.decided for game in games))
    weights = np.array([sum(game.weights) for game in games])
    counts = np.array([len(game.weights) for game in games], np.float64)
    if counts.sum():
        value = quotient(weights, counts)
        label = "best move above the second, in chances to win"
        yield ProfileRow("weight", label, value, 1, percent=True)
    for index, name in enumerate(("a third", "half", "two thirds")):
        last = [game.came_back[index] if game.came_back else None for game in games]
        label = f"won by who is last at {name} of the game"
        yield from _mean_row(f"last_at_{index + 1}", label, last)


def _finite(values: Iterable[float | None]) -> Floats:
    return np.array([value for value in values if value is not None], np.float64)


def _mean_row(key: str, label: str, values: Iterable[float | None]) -> Iterator[ProfileRow]:
    finite = _finite(values)
    if len(finite):
        yield ProfileRow(key, label, mean_of(finite, is_share=True).estimate(), 0, percent=True)


def _variance_of(games: Sequence[AnalysedGame]) -> Quantity | None:
    """The variance of the results of games between the same bots in the same seats, the mean of
    all sides."""
    by_seats: dict[Group, list[tuple[float, ...]]] = {}
    for game in games:
        by_seats.setdefault(game.seats, []).append(game.result)
    results = [np.array(each) for each in by_seats.values() if len(each) > 1]
    if not results:
        return None
    squares = [
        ((each - each.mean(axis=0)) ** 2).mean(axis=1) * len(each) / (len(each) - 1)
        for each in results
    ]
    return mean_of(np.concatenate(squares))


def quotient(numerator: Floats, denominator: Floats) -> Estimate:
    """A quotient of sums over games or deals."""
    quantity = ratio_of(Ratio(numerator, denominator))
    if quantity is None:
        return Estimate(None)
    ends = quotient_interval(numerator, denominator)
    return Estimate(quantity.value, *ends) if ends else quantity.estimate()
