"""The trial of a foreign bot before it shares a process with others: two games against itself."""

import faulthandler
import os
from contextlib import suppress
from time import monotonic, process_time

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.processes import system
from cantstop_arena.processes.foreign_acts import AUDIT_HOOK, DECIDING_THREADS
from cantstop_arena.processes.lasting_state import LastingState
from cantstop_arena.table.table import GameTable
from cantstop_arena.tournaments.pool.disturbance import foreign_acts

_DEALS = 2
_MAX_CPU_SECONDS = 0.03  # then the trial ends with the present decision, as the start must be quick
_MAX_SECONDS = 1.0
_END_SECONDS = 4.0  # even where a decision has less time: starting a process may take a second
_ATTEMPTS = (AUDIT_HOOK, DECIDING_THREADS)  # that workers refuse, whatever comes of them
OUT_OF_TIME = system.ending(1)
"""How the process of a bot ends that is too slow in its trial: with faulthandler's exit code."""


class BotTrial:
    """Observes a bot in this process, which must not have loaded it yet.

    The process ends when the games take longer than the limit of one decision, and than 4 s.
    """

    def __init__(self, decision_limit: float) -> None:
        self._seconds = max(_END_SECONDS, decision_limit)
        self._lines: dict[str, str] = {}  # where it was done first, by what was done
        foreign_acts(self._note, is_strict=False).listen()
        self._state = LastingState()

    def _note(self, what: str, line: str) -> None:
        self._lines.setdefault(what, line)

    def disturbance(self, table: GameTable) -> str:
        """What the table's only bot does to its process for good; empty if nothing."""
        try:
            return self._disturbance(table)
        except BaseException as error:  # not of a decision: faults of bots end a game
            return f"breaks its interpreter ({type(error).__name__})"

    def _disturbance(self, table: GameTable) -> str:
        output = os.open(os.devnull, os.O_WRONLY)
        # It holds in C code, too, and `InterpreterGuard` does not undo it, as it does timers.
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=output)
        _play(table)
        faulthandler.cancel_dump_traceback_later()
        os.close(output)
        with suppress(BaseException):  # a trace function of the bot; then Python has removed it
            table.restore_process()
        table.restore_process()
        attempts = [what for what in _ATTEMPTS if what in self._lines]
        for what in (*attempts, *self._state.changes()):
            line = self._lines.get(what)
            return f"{what} ({line})" if line else what
        return ""


def _play(table: GameTable) -> None:
    """Play two deals in one seating, or as much as time allows; faults of the bot end a game."""
    seats = (0,) * len(table.orders[0])
    if table.is_compiled(seats):
        table.play_compiled(Block(seats, 0, _DEALS), 0, _DEALS, table.new_tally(_DEALS))
        return
    cpu_end, end = process_time() + _MAX_CPU_SECONDS, monotonic() + _MAX_SECONDS
    for deal in range(_DEALS):
        try:
            table.start(seats, deal)
            for _ in table.stops():
                if process_time() > cpu_end or monotonic() > end:
                    return
            table.call_game_over()
        except BaseException:  # a fault, or what the bot has done to other code: compare it
            continue
