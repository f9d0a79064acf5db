"""Games of a tournament played again for what its ledger does not keep, some deals at a time.

Bots play where their code may run: in errands, several at work at once. What comes of a game is
believed where it is won by those who won it in the tournament.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import DIED, TOO_SLOW
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import ERROR
from cantstop_arena.export.decision_log import DecisionTaken, Notes
from cantstop_arena.export.ledger_games import LedgerGame, LedgerGames, PlayedBlock
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.isolated_call import IsolatedCall, run_all
from cantstop_arena.table.block_loop import play_deal
from cantstop_arena.table.table import GameTable
from cantstop_arena.tournaments.preparation import pack_spec, unpack_spec
from cantstop_arena.tournaments.table_spec import TableSpec, table_for
from cantstop_arena.tournaments.tournament import Tournament

_DEALS, _WITH_DECISIONS = 128, 32  # deals of an errand, whose report must not be too long
_LIMIT = 3600.0  # seconds that an errand may take
_HOPELESS = (TOO_SLOW, DIED)  # faults that would hold up an errand, or end it


class GameAgain(msgspec.Struct, frozen=True):
    """What is known of a game when it has been played again.

    `won` is a mask of the seats that share it, `counts` what the game counts by seat, with nothing
    where a fault ended the game.
    """

    won: int
    forfeit: bool
    unfinished: bool
    counts: dict[str, list[int]]
    decisions: list[DecisionTaken]


class ReplayedGame(msgspec.Struct, frozen=True):
    """A game of the ledger, and the same again; None where it was not, or came out differently."""

    game: LedgerGame
    again: GameAgain | None


class Replays(msgspec.Struct, frozen=True):
    """How the games of a tournament are played again; copies of its bots lie in `kept`.

    `decisions` asks for every decision, which takes longer.
    """

    tournament: Tournament
    catalogue: Catalogue
    copies: Path
    decisions: bool = False

    def games(self, result: LedgerGames, wrapper: Callable[[int], None]) -> Iterator[ReplayedGame]:
        """All games, group after group; `tell` is told how many more have been played."""
        groups = dict.fromkeys(block.group for block in result.blocks)
        for group in groups:
            blocks = [block for block in result.blocks if block.group == group]
            yield from self._of_group(result, group, blocks, wrapper)

    def _of_group(
        self,
        result: LedgerGames,
        group: Group,
        blocks: Sequence[PlayedBlock],
        wrapper: Callable[[int], None],
    ) -> Iterator[ReplayedGame]:
        names = [result.names[bot] for bot in group]
        spec, seats = table_for(self.tournament, self.catalogue, names, self.copies)
        if not any(seat.is_foreign or seat.launch for seat in spec.seats):
            spec.table().warm_up()  # the errands' processes find it here
        learns = any(seat.learns for seat in spec.seats)
        parts = [*_parts(blocks, learns, _WITH_DECISIONS if self.decisions else _DEALS)]
        hopeless = {
            fault.deal
            for fault in result.faults
            if fault.kind in _HOPELESS and sorted(fault.seating) == sorted(group)
        }
        calls = [self._call(spec, seats, part, hopeless) for part in parts]
        for part, data in zip(parts, run_all(calls), strict=True):
            again = _games_from_data(data)
            for index, game in enumerate(result.games_of(part.block)):
                yield ReplayedGame(game, _same(again.get(index), game))
            wrapper(part.block.winners.size)

    def _call(
        self, spec: TableSpec, seats: Group, part: "_Part", hopeless: Collection[int]
    ) -> IsolatedCall:
        first, deals = part.block.first, len(part.block.winners)
        keywords = {
            "spec": pack_spec(spec),
            "group": [*seats],
            "begin": part.begin,
            "first": first,
            "skipped": [deal for deal in hopeless if deal in range(part.begin, first + deals)],
            "end": first + deals,
            "decisions": self.decisions,
        }
        return IsolatedCall(f"{__name__}:games_again", keywords, _LIMIT)


class _Part(msgspec.Struct, frozen=True):
    """Some deals of a block; for bots that learn it is played from the block's `begin`."""

    block: PlayedBlock
    begin: int


def _parts(blocks: Sequence[PlayedBlock], learns: bool, maximum: int) -> Iterator[_Part]:
    """Blocks cut into parts of so many deals; those of bots that learn are not put together."""
    for block in blocks if learns else _joined(blocks):
        for start in range(0, len(block.winners), maximum):
            first, winners = block.first + start, block.winners[start : start + maximum]
            part = PlayedBlock(block.group, first, winners)
            yield _Part(part, block.first if learns else first)


def _joined(blocks: Sequence[PlayedBlock]) -> Iterator[PlayedBlock]:
    """Blocks of a group in the order of their deals, those that follow on each other as one."""
    waiting: list[PlayedBlock] = []
    for block in blocks:
        if waiting and waiting[-1].end != block.first:
            yield _joined_block(waiting)
            waiting = []
        waiting.append(block)
    if waiting:
        yield _joined_block(waiting)


def _joined_block(blocks: Sequence[PlayedBlock]) -> PlayedBlock:
    winners = np.concatenate([block.winners for block in blocks])
    return PlayedBlock(blocks[0].group, blocks[0].first, winners)


def _games_from_data(data: Any) -> dict[int, GameAgain]:
    """The games that an errand tells of, by their places among those that it was asked for."""
    try:
        return msgspec.convert(data, dict[int, GameAgain], strict=False)
    except msgspec.ValidationError:  # it has failed, or sent an invalid message
        return {}


def _same(again: GameAgain | None, game: LedgerGame) -> GameAgain | None:
    mask = sum(1 << seat for seat in game.winners)
    return again if again is not None and again.won == mask else None


# In the process of an errand --------------------------------------------------------------------


def games_again(
    spec: str,
    group: Sequence[int],
    begin: int,
    first: int,
    end: int,
    skipped: Sequence[int],
    decisions: bool,
) -> Any:
    """The games of some deals, by their places from the `first` one: what an errand does."""
    try:
        again = _Again(unpack_spec(spec), tuple(group), decisions)
        games = {
            str((deal - first) * again.orders + index): msgspec.to_builtins(game, str_keys=True)
            for deal in range(begin, end)
            if deal not in skipped
            for index, game in enumerate(again.games(deal))
            if deal >= first
        }
        return games
    except BaseException as error:
        return {ERROR: exception_report(error)}


class _Again:
    """A table where a group plays deals again."""

    def __init__(self, spec: TableSpec, group: Group, decisions: bool) -> None:
        self._group = group
        self._game: Game = game_named(spec.game)
        self._notes = Notes(self._game)
        self._table: GameTable = self._recording_table(spec) if decisions else spec.table()
        self._table.warm_up()
        self._table.restore_process()
        self.orders = len(self._table.orders)

    def _recording_table(self, spec: TableSpec) -> GameTable:
        loader = Loader(spec.folder)
        seated_bots = [self._notes.recorded_bot(seat, loader) for seat in spec.seats]
        table: GameTable = self._game.table(spec.rules, seated_bots, spec.players, spec.seed)
        return table

    def games(self, deal: int) -> Iterator[GameAgain]:
        """The games of a deal, one for each order."""
        self._notes.begin()
        result = play_deal(self._table, self._group, deal)
        stored = self._notes.by_game(self.orders)
        masks = result.masks()[0].tolist()
        for won, tally, decisions in zip(masks, result.tallies, stored, strict=True):
            counts = {name: [*values] for name, values in tally.counts.items()}
            is_forfeit, is_unfinished = bool(tally.forfeits), bool(tally.unfinished)
            yield GameAgain(won, is_forfeit, is_unfinished, counts, decisions)
