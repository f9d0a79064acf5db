"""Replays of a tournament's games, for counts and decisions that its ledger does not hold.

The replays run in isolated calls, several at the same time, each for some deals. A replay counts
only if it has the same winners as the game in the tournament.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import DIED, TOO_SLOW
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.export.decision_log import DecisionRecorder, DecisionTaken
from cantstop_arena.export.ledger_games import LedgerGame, LedgerGames, PlayedBlock
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import FAULT
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.isolated_call import (
    MAX_PARALLEL_CALLS,
    IsolatedCall,
    Raised,
    run_all,
)
from cantstop_arena.table.block_loop import play_deal
from cantstop_arena.table.bot_faults import BotFault
from cantstop_arena.table.recording import record
from cantstop_arena.table.table import GameTable
from cantstop_arena.tournaments.preparation import pack_spec, unpack_spec
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import TableSpec, table_for
from cantstop_arena.tournaments.tournament import Tournament

_MAX_SECONDS = 3600.0  # of a call
_STALLING_FAULTS = (TOO_SLOW, DIED)  # faults that would delay a call, or end it


class Detail(StrEnum):
    """What replays record of a game beyond its counts; it takes longer than these."""

    NOTHING = "nothing"
    DECISIONS = "decisions"
    ROLLS = "rolls"


_MAX_DEALS = {Detail.NOTHING: 128, Detail.DECISIONS: 32, Detail.ROLLS: 32}
"""Deals of a call, whose report has a maximal length."""


class Roll(msgspec.Struct, frozen=True):
    """A roll of a game: the number of legal moves, and the one that was chosen, if any."""

    turn: int
    seat: int
    dice: list[int]
    moves: int
    chosen: list[int] | None


class ReplayResult(msgspec.Struct, frozen=True):
    """The result of a replayed game.

    `won` is a mask of the seats that share the win; `counts` has the game's counts by name, a list
    by seat for each, and is empty where `rolls` are recorded. `payoffs` are by seat, in parts of
    the unit.
    """

    won: int
    forfeit: bool
    unfinished: bool
    counts: dict[str, list[int]]
    decisions: list[DecisionTaken]
    rolls: list[Roll] = []
    payoffs: Sequence[int] | None = None


class GamesReplayed(msgspec.Struct, tag=True, frozen=True):
    """The games that a call has replayed, by index among the games that it should replay."""

    games: dict[int, ReplayResult]


class ReplayedGame(msgspec.Struct, frozen=True):
    """A game of the ledger and its replay; None when it failed or had other winners."""

    game: LedgerGame
    replay: ReplayResult | None


class Replays(msgspec.Struct, frozen=True):
    """Replays the games of a tournament; the folder `copies` holds copies of its bots.

    `workers` processes play at the same time; the games are the same for any number of them.
    """

    tournament: Tournament
    catalogue: Catalogue
    copies: Path
    detail: Detail = Detail.NOTHING
    workers: int = MAX_PARALLEL_CALLS

    def games(self, ledger_games: LedgerGames, observer: RunObserver) -> Iterator[ReplayedGame]:
        """All games, group after group; `observer` gets the progress."""
        groups = dict.fromkeys(block.group for block in ledger_games.blocks)
        for group in groups:
            blocks = [block for block in ledger_games.blocks if block.group == group]
            yield from self._games_of_group(ledger_games, group, blocks, observer)

    def _games_of_group(
        self,
        ledger_games: LedgerGames,
        group: Group,
        blocks: Sequence[PlayedBlock],
        observer: RunObserver,
    ) -> Iterator[ReplayedGame]:
        names = [ledger_games.names[bot] for bot in group]
        spec, seats = table_for(self.tournament, self.catalogue, names, self.copies)
        if not any(seat.is_foreign or seat.isolation for seat in spec.seats):
            spec.table().warm_up()  # the calls' processes find the compiled code
        learns = any(seat.learns for seat in spec.seats)
        parts = [*_parts(blocks, learns, _MAX_DEALS[self.detail])]
        skipped_deals = {
            fault.deal
            for fault in ledger_games.faults
            if fault.kind in _STALLING_FAULTS and sorted(fault.seating) == sorted(group)
        }
        calls = [self._call(spec, seats, part, skipped_deals) for part in parts]
        outcomes = run_all(calls, observer.on_tick, self.workers)
        for part, outcome in zip(parts, outcomes, strict=True):
            replays = outcome.games if isinstance(outcome, GamesReplayed) else {}
            for index, game in enumerate(ledger_games.games_of(part.block)):
                yield ReplayedGame(game, self._confirmed(replays.get(index), game))
            observer.on_progress(part.block.winners.size)

    def _call(
        self, spec: TableSpec, seats: Group, part: "_Part", skipped_deals: Collection[int]
    ) -> IsolatedCall:
        first, deals = part.block.first, len(part.block.winners)
        keywords = {
            "spec": pack_spec(spec),
            "group": [*seats],
            "begin": part.begin,
            "first": first,
            "skipped": [deal for deal in skipped_deals if deal in range(part.begin, first + deals)],
            "end": first + deals,
            "detail": self.detail,
        }
        return IsolatedCall(f"{__name__}:replay_games", keywords, _MAX_SECONDS)

    def _confirmed(self, replay: ReplayResult | None, game: LedgerGame) -> ReplayResult | None:
        """The replay if it is one of this game, else None."""
        if replay is None or replay.won != sum(1 << seat for seat in game.sharing):
            return None
        if replay.payoffs is not None and len(replay.payoffs) != len(game.bots):
            return None
        has_counts = self.detail is not Detail.ROLLS and not replay.forfeit
        is_complete = not has_counts or self._is_counted(replay.counts, len(game.bots))
        seats = {
            *(roll.seat for roll in replay.rolls),
            *(decision.seat for decision in replay.decisions),
        }
        if not (is_complete and seats <= {*range(self.tournament.players)}):
            return None
        return _with_plain_decisions(replay, self.tournament.game)

    def _is_counted(self, counts: Mapping[str, Sequence[int]], seats: int) -> bool:
        """Whether there is a number for each count and seat."""
        names = self.tournament.game.counts
        return all(len(counts.get(name, ())) == seats for name in {*names.names, names.length})


class _Part(msgspec.Struct, frozen=True):
    """Some deals of a block; bots that learn play from the deal `begin`, the first of the block."""

    block: PlayedBlock
    begin: int


def _parts(blocks: Sequence[PlayedBlock], learns: bool, max_deals: int) -> Iterator[_Part]:
    """Blocks cut into parts of at most `max_deals` deals; adjacent blocks are joined before.

    Those of bots that learn are not joined.
    """
    for block in blocks if learns else _joined_blocks(blocks):
        for start in range(0, len(block.winners), max_deals):
            first, winners = block.first + start, block.winners[start : start + max_deals]
            part = PlayedBlock(block.group, first, winners)
            yield _Part(part, block.first if learns else first)


def _joined_blocks(blocks: Sequence[PlayedBlock]) -> Iterator[PlayedBlock]:
    """Blocks of a group in the order of their deals, with adjacent blocks joined."""
    adjacent: list[PlayedBlock] = []
    for block in blocks:
        if adjacent and adjacent[-1].end != block.first:
            yield _joined_block(adjacent)
            adjacent = []
        adjacent.append(block)
    if adjacent:
        yield _joined_block(adjacent)


def _joined_block(blocks: Sequence[PlayedBlock]) -> PlayedBlock:
    winners = np.concatenate([block.winners for block in blocks])
    return PlayedBlock(blocks[0].group, blocks[0].first, winners)


def _with_plain_decisions(replay: ReplayResult, game: Game) -> ReplayResult | None:
    """A replay whose decisions hold only values of JSON; None if others cannot be made such."""
    try:
        decisions = [_plain_decision(decision) for decision in replay.decisions]
    except (TypeError, RecursionError):
        return None
    are_valid = all(decision.decision in game.decisions for decision in decisions)
    return replace(replay, decisions=decisions) if are_valid else None


def _plain_decision(decision: DecisionTaken) -> DecisionTaken:
    plain: DecisionTaken = msgspec.convert(
        msgspec.to_builtins(decision, str_keys=True), DecisionTaken
    )
    return plain


# In the process of a call ------------------------------------------------------------------------


def replay_games(
    spec: bytes,
    group: Sequence[int],
    begin: int,
    first: int,
    end: int,
    skipped: Sequence[int],
    detail: str,
) -> GamesReplayed | Raised:
    """The function of the calls: the games of some deals, by index from the deal `first` on."""
    try:
        table = _ReplayTable(unpack_spec(spec), tuple(group), Detail(detail))
        games = {
            (deal - first) * table.orders + index: game
            for deal in range(begin, end)
            if deal not in skipped
            for index, game in enumerate(table.games(deal))
            if deal >= first
        }
        return GamesReplayed(games)
    except BaseException as error:
        return Raised(exception_report(error))


class _ReplayTable:
    """A table at which a group replays deals."""

    def __init__(self, spec: TableSpec, group: Group, detail: Detail) -> None:
        self._group = group
        self._detail = detail
        self._game: Game = game_named(spec.game)
        self._recorder = DecisionRecorder(self._game)
        self._table: GameTable = (
            self._recording_table(spec) if detail is Detail.DECISIONS else spec.table()
        )
        self._table.warm_up()
        self._table.restore_process()
        self.orders = len(self._table.orders)

    def _recording_table(self, spec: TableSpec) -> GameTable:
        loader = Loader(spec.folder)
        seated_bots = [self._recorder.recorded_bot(seat, loader) for seat in spec.seats]
        table: GameTable = self._game.table(spec.rules, seated_bots, spec.players, spec.seed)
        spec.set_openings(table)
        return table

    def games(self, deal: int) -> Iterator[ReplayResult]:
        """The games of a deal, one for each seating."""
        if self._detail is Detail.ROLLS:
            seatings = lineups(self._group, self._table.orders)
            return (self._game_with_rolls(seats, deal) for seats in seatings)
        return self._counted_games(deal)

    def _game_with_rolls(self, seats: Group, deal: int) -> ReplayResult:
        """A game, event by event."""
        table = self._table
        table.group = tuple(sorted(self._group))
        table.mark_game(0, tuple(map(self._group.index, seats)))
        *events, end = record(table, seats, deal)
        with suppress(BotFault):
            table.call_game_over()
        rolls = [_roll(event) for event in events if event["event"] == "roll"]
        won = sum(1 << seat for seat in end["winners"] or range(len(seats)))
        return ReplayResult(won, end["reason"] == FAULT, not end["winners"], {}, [], rolls)

    def _counted_games(self, deal: int) -> Iterator[ReplayResult]:
        """The games of a deal with their counts, and the decisions if they are recorded."""
        self._recorder.begin()
        result, payoffs_by_game = play_deal(self._table, self._group, deal)
        decisions_by_game = self._recorder.by_game(self.orders)
        masks = result.masks()[0].tolist()
        for won, tally, decisions, payoffs in zip(
            masks, result.tallies, decisions_by_game, payoffs_by_game, strict=True
        ):
            counts = {name: [*values] for name, values in tally.counts.items()}
            is_forfeit, is_unfinished = bool(tally.forfeits), bool(tally.unfinished)
            yield ReplayResult(won, is_forfeit, is_unfinished, counts, decisions, payoffs=payoffs)


def _roll(event: Mapping[str, Any]) -> Roll:
    """A roll from its event in a record."""
    turn, seat, dice, chosen = (event[key] for key in ("turn", "seat", "dice", "chosen"))
    return Roll(turn, seat, [*dice], len(event["moves"]), chosen and [*chosen])
