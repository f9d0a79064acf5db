"""Foreign plain bots in one interpreter: who does what to it, in the trial and in workers."""

from collections.abc import Callable, Collection
from types import FrameType

from cantstop_arena.bots.bot_files import BotFile
from cantstop_arena.bots.known_bot import LoadedBot
from cantstop_arena.deals.outcomes import Block, BlockResult, Fault
from cantstop_arena.deals.seatings import Group
from cantstop_arena.packages import load_entry_point
from cantstop_arena.processes.foreign_acts import ForeignActs
from cantstop_arena.processes.lasting_state import LastingState
from cantstop_arena.table.bot_faults import running_line
from cantstop_arena.table.table import GameTable

_BUILDING = {
    function.__code__
    for function in (BotFile.run, LoadedBot.build, LoadedBot.fresh_instance, load_entry_point)
}


class DisturbanceError(Exception):
    """In a worker: its interpreter has changed for good, so that a block does not count.

    `bot` has done it, if that is known; faults of the `accused` may be due to it.
    """

    def __init__(self, what: str, bot: int | None = None, accused: Group = ()) -> None:
        super().__init__(what)
        self.what = what
        self.bot = bot
        self.accused = accused


def foreign_acts(on_act: Callable[[str, str], None], is_strict: bool) -> ForeignActs:
    """The observer of what bots attempt in this process."""
    return ForeignActs(running_line, _is_building, on_act, is_strict)


def _is_building(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code not in _BUILDING:
        frame = frame.f_back
    return frame is not None


class SharedTable:
    """A table in a worker, whose interpreter is compared after each block of foreign plain bots.

    `sharing` are the foreign bots in this process, `remote` those that play elsewhere. Faults of
    the `charged` count whatever has changed, as they fail alone, too.
    """

    def __init__(self, sharing: Group, remote: Collection[int], charged: Group) -> None:
        self._sharing = set(sharing)
        self._remote = set(remote)
        self._charged = set(charged)
        self._acts: dict[str, dict[int, str]] = {}  # by what was done, the line of each bot
        self._table: GameTable | None = None
        self._state: LastingState | None = None

    def listen(self) -> None:
        """Hear what bots attempt, from before any of them is loaded."""
        foreign_acts(self._note, is_strict=True).listen()

    def take(self, table: GameTable) -> "SharedTable":
        """The same with the table, whose bots have been built."""
        self._table = table
        return self

    def play(
        self, block: Block, forfeits: tuple[Fault, ...] = (), alone: bool = False
    ) -> BlockResult:
        """Play a block. Raises DisturbanceError when the result does not count."""
        assert self._table
        if self._state is None:
            self._state = LastingState(code=self._has_rivals(), children=not self._remote)
        self._acts.clear()
        result = self._table.play(block, forfeits, alone)
        if not self._sharing.isdisjoint(block.group):
            self._table.restore_process()
            self._check(self._state, result)
        return result

    def _has_rivals(self) -> bool:
        """Whether several bots in this process play in Python, so that one can harm another."""
        assert self._table
        near = (bot for bot in range(len(self._table.seated_bots)) if bot not in self._remote)
        return sum(not self._table.is_compiled((bot,)) for bot in near) > 1

    def _check(self, state: LastingState, result: BlockResult) -> None:
        for what in state.changes(code=False):
            lines = self._acts.get(what, {})
            if len(lines) == 1:
                ((bot, line),) = lines.items()
                raise DisturbanceError(f"{what} ({line})", bot)
            raise DisturbanceError(what)
        accused = {fault.bot for fault in result.faults} - self._remote
        if len(self._sharing | accused) == 1 or accused <= self._charged:
            return
        for what in state.changes():
            raise DisturbanceError(what, accused=tuple(sorted(accused - self._charged)))

    def _note(self, what: str, line: str) -> None:
        if self._table is not None:
            self._acts.setdefault(what, {})[self._table.speaker] = line
