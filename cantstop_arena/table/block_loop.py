"""Plays a block of deals game by game, with forfeits, retries and faults."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Block, BlockResult, Fault, packed
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.table.batch_loop import TRIES, LostGame, are_ready, play_in_step
from cantstop_arena.table.bot_faults import BotFault
from cantstop_arena.table.determinism import DeterminismCheck
from cantstop_arena.table.device import device_name

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable


def play_block(
    table: "GameTable", block: Block, forfeits: Sequence[Fault] = (), alone: bool = False
) -> BlockResult:
    """Play a block's deals, each in every seating; games in `forfeits` are lost unplayed.

    With `alone` no games are played in step, so that a bot that hangs does so in one game.
    """
    table.restore_process()
    table.group = block.group
    sample = DeterminismCheck(table, block, forfeits)
    in_step = table.plays_in_step(block.group) and not (alone or forfeits)
    in_step = in_step and are_ready(table, block.group)
    play = _Play(table, block, forfeits)
    result = play.result_in_step() if in_step else play.result()
    winners = int(result.masks()[sample.deal - block.first, sample.order]) if in_step else None
    differing = {*result.irreproducible, *sample.differing(winners)}
    batched = [table.seated_bots[bot].player for bot in table.batched_among(block.group)]
    libraries = (library for player in batched for library in player.libraries)
    device = device_name(libraries) if batched else ""
    result = replace(result, irreproducible=tuple(sorted(differing)), device=device)
    table.after_block()
    return result


def play_deal(
    table: "GameTable", group: Group, deal: int
) -> tuple[BlockResult, Sequence[Sequence[int] | None]]:
    """Play one deal on its own; bots that learn keep what they have learnt.

    The bots of the table are in the order in which a ledger writes their group. The second value
    has what each seating's game has paid by side, in parts of the unit; None if nothing.
    """
    table.group = tuple(sorted(group))
    play = _Play(table, Block(group, deal, 1), ())
    return play.result(), play.tally.last_payoffs


class _Play:
    """One block while it is played. Its games are numbered by deal, then by seating."""

    def __init__(self, table: "GameTable", block: Block, forfeits: Sequence[Fault]) -> None:
        self.table = table
        self.block = block
        self.lineups = tuple(lineups(block.group, table.orders))
        self.positions = [
            tuple(map(block.group.index, table.by_seat(lineup))) for lineup in self.lineups
        ]
        """Those of the bots in the group, by seat, for each lineup."""
        self.tally = table.new_tally(block.deals)
        self.faults: dict[tuple[int, int, str], Fault] = {}
        self.irreproducible: tuple[int, ...] = ()
        self.forfeits = {self._number_of(fault): fault for fault in forfeits}

    def _number_of(self, fault: Fault) -> int:
        order = self.lineups.index(fault.seating)
        return (fault.deal - self.block.first) * len(self.lineups) + order

    def result(self) -> BlockResult:
        """Play all games, and return the result."""
        total, start = self.block.deals * len(self.lineups), 0
        play = (
            self._play_compiled
            if self.table.is_compiled(self.block.group)
            else self._play_uncompiled
        )
        for stop in [*sorted(self.forfeits), total]:
            play(start, stop)
            if stop < total:
                self._forfeit_unplayed(stop)
            start = stop + 1
        return self._result()

    def result_in_step(self) -> BlockResult:
        """Play all games in step, and return the result."""
        self.irreproducible = play_in_step(self.table, self.block, self.tally, self._lose)
        return self._result()

    def _result(self) -> BlockResult:
        return BlockResult(
            self.block,
            self.tally.tallies(),
            packed(self.tally.winners.tobytes()),
            self.tally.measures.tobytes(),
            tuple(self.faults[key] for key in sorted(self.faults)),
            self.irreproducible,
            payoffs=self.tally.payoffs.tobytes(),
            fingerprints=self.tally.fingerprints.tobytes(),
        )

    def _play_compiled(self, start: int, stop: int) -> None:
        """Play compiled games. Machine code returns early at a game that ends in a fault."""
        cursor = start
        while cursor < stop:
            cursor, fault = self.table.play_compiled(self.block, cursor, stop, self.tally)
            if fault:
                self._forfeit(cursor, self.table.seat, fault)
                self._enter(cursor)
                cursor += 1

    def _play_uncompiled(self, start: int, stop: int) -> None:
        for cursor in range(start, stop):
            self._show(cursor)
            self._play_game(cursor)
            self._enter(cursor)

    def _play_game(self, cursor: int) -> None:
        deal, order = divmod(cursor, len(self.lineups))
        for tries in range(1, TRIES + 1):
            try:
                self.table.start(self.lineups[order], self.block.first + deal)
                self.table.play_out()
                self.table.call_game_over()
            except BotFault as fault:
                if fault.doubtful and tries < TRIES:
                    continue
                self._forfeit(cursor, self.table.seat, fault)
            return

    def _forfeit_unplayed(self, cursor: int) -> None:
        fault = self.forfeits[cursor]
        self._show(cursor)
        self.table.seats = self.table.by_seat(fault.seating)
        self.table.begin(fault.deal)
        seat = self.table.side_by_seat.index(fault.seating.index(fault.bot))
        self._forfeit(cursor, seat, BotFault(fault.kind, fault.message))
        self._enter(cursor)

    def _show(self, cursor: int) -> None:
        self.table.mark_game(cursor, self.positions[cursor % len(self.lineups)])

    def _enter(self, cursor: int) -> None:
        self.tally.enter(*divmod(cursor, len(self.lineups)))

    def _forfeit(self, cursor: int, seat: int, fault: BotFault) -> None:
        self._note(cursor, seat, fault)
        self.table.forfeit(seat)

    def _lose(self, lost: LostGame) -> None:
        """Note a game that was lost in step, and has been counted."""
        self._note(lost.number - self.block.first * len(self.lineups), lost.seat, lost.fault)

    def _note(self, cursor: int, seat: int, fault: BotFault) -> None:
        index, order = divmod(cursor, len(self.lineups))
        lineup, deal = self.lineups[order], self.block.first + index
        bot = lineup[self.table.side_by_seat[seat]]
        key = (deal, bot, fault.kind)
        this = Fault(bot, fault.kind, str(fault), lineup, deal, 1)
        that = self.faults.get(key)
        if that is None:
            self.faults[key] = this
        else:  # games in step end in any order
            first = min(this, that, key=lambda fault: self.lineups.index(fault.seating))
            self.faults[key] = replace(first, count=that.count + 1)
