"""A table at which bots play whole blocks of deals."""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop import kernel
from cantstop_arena.games.cantstop.asking import Asker, Misplay, described
from cantstop_arena.games.cantstop.compiler import cache_folder, is_cached
from cantstop_arena.games.cantstop.counts import COUNTS
from cantstop_arena.games.cantstop.native import (
    NativePlayer,
    compile_player,
    handle_of,
    is_compiled,
)
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.state import FAULT, OVER, TALLY, new_game
from cantstop_arena.hookspecs import Player
from cantstop_arena.outcomes import Block, BlockResult, Fault, Group, Tally, seatings


@dataclass(frozen=True)
class Contestant:
    """A bot as it sits down; `digest` stands for its sources and options in the code cache."""

    name: str
    player: Player
    digest: str


def code_digest(*parts: str) -> str:
    """A name for the code of a bot: a hash of where it comes from, its sources and options."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def uncompiled(contestants: Sequence[Contestant]) -> list[str]:
    """What is not in the code cache yet: "the engine", and compiled bots by name."""
    engine = [] if is_cached("engine") else ["the engine"]
    natives = {one.digest: one for one in contestants if is_compiled(one.player)}
    return engine + [one.name for digest, one in natives.items() if not is_cached(digest)]


class Table:
    """Where contestants play Can't Stop under one rule set, `players` of them at a time.

    Raises BotError where a contestant marked `@compiled` does not compile.
    """

    def __init__(
        self, rules: RuleSet, contestants: Sequence[Contestant], players: int, seed: int
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.contestants = tuple(contestants)
        native = {contestant.digest: contestant for contestant in contestants}
        compiled = {digest: _compiled(contestant) for digest, contestant in native.items()}
        self.native = tuple(compiled[contestant.digest] for contestant in contestants)
        self.games = new_game(rules, players, seed)
        self.handle = handle_of(self.games)
        self.asker = Asker(rules, self.games)

    def play(self, block: Block) -> BlockResult:
        """Play a block: its deals, each in every seating of its group."""
        return _Playing(self, block).result()

    def warm_up(self) -> None:
        """Have the engine compiled, or loaded, without asking any bot."""
        game, group = self.games[0], tuple(range(int(self.games[0].players)))
        nothing = _Playing(self, Block(group, 0, 0))
        if any(self.native):
            kernel.play_native(self.handle, *nothing.native_arguments(0))
        if not all(self.native):
            kernel.start_game(self.handle, 0)
            game.watched = 1
            kernel.advance(self.handle, -1)
            game.watched = 0
            kernel.bot_key(self.handle, 0)
            kernel.forfeit(self.handle)
            scratch = _Playing(self, Block(group, 0, 1))
            kernel.settle(self.handle, scratch.tallies, scratch.shares, 0, 0)

    def start(self, seats: Group, deal: int) -> None:
        """Seat bots, by number, and begin a deal."""
        game = self.games[0]
        for seat, bot in enumerate(seats):
            native = self.native[bot]
            game.choose_at[seat], game.again_at[seat] = native.addresses if native else (0, 0)
        if not all(self.native[bot] for bot in seats):
            self._seed_python(deal)
        kernel.start_game(self.handle, deal)
        self.asker.begin()

    def _seed_python(self, deal: int) -> None:
        """Let what plain bots draw from `random` and NumPy depend on the deal alone."""
        digest = hashlib.blake2b(f"{self.seed}/{deal}".encode(), digest_size=4).digest()
        random.seed(digest)
        np.random.seed(int.from_bytes(digest))


def _compiled(contestant: Contestant) -> NativePlayer | None:
    folder = cache_folder(contestant.digest)
    return compile_player(contestant.player, contestant.name, folder)


class _Playing:
    """One block while it is played."""

    def __init__(self, table: Table, block: Block) -> None:
        self.table = table
        self.block = block
        self.orders = tuple(seatings(block.group))
        self.tallies = np.zeros(len(self.orders), TALLY).view(np.recarray)
        self.shares: NDArray[np.uint16] = np.zeros((block.deals, len(block.group)), np.uint16)
        self.faults: dict[tuple[int, str], Fault] = {}

    def result(self) -> BlockResult:
        """Play, and add up."""
        if all(self.table.native[bot] for bot in self.block.group):
            self._play_native()
        else:
            self._play_asking()
        return BlockResult(
            self.block,
            tuple(map(_tally, self.tallies, (len(order) for order in self.orders))),
            self.shares.astype("<u2").tobytes(),
            tuple(self.faults[key] for key in sorted(self.faults)),
        )

    # Compiled bots only

    def _play_native(self) -> None:
        handle, total = self.table.handle, self.block.deals * len(self.orders)
        cursor = 0
        while cursor < total:
            try:
                cursor = kernel.play_native(handle, *self.native_arguments(cursor))
            except Exception as error:
                cursor = int(self.table.games[0].cursor)
                kernel.forfeit(handle)
                self._charge(cursor, Misplay("exception", described(error)))
            else:
                if cursor < total:
                    self._charge(cursor, Misplay("illegal answer", "an index that is no move"))
            if cursor < total:
                self._settle(cursor)
                cursor += 1

    def native_arguments(self, cursor: int) -> tuple[Any, ...]:
        """What the engine needs to play the block's games from number `cursor` on."""
        natives = [self.table.native[bot] for bot in self.block.group]
        addresses = np.array([native.addresses for native in natives if native], np.int64)
        addresses = addresses.reshape(-1, 2)
        return addresses, self._places(), self.block.first, cursor, self.tallies, self.shares

    def _places(self) -> NDArray[np.int64]:
        """The seatings, with bots as positions in the group."""
        group = self.block.group
        return np.array([[group.index(bot) for bot in order] for order in self.orders], np.int64)

    # At least one plain bot

    def _play_asking(self) -> None:
        places = self._places()
        for cursor in range(self.block.deals * len(self.orders)):
            deal, order = divmod(cursor, len(self.orders))
            self.table.start(self.orders[order], self.block.first + deal)
            self.table.games[0].bots[: places.shape[1]] = places[order]
            self._play_game(cursor, self.orders[order])
            self._settle(cursor)

    def _play_game(self, cursor: int, seats: Group) -> None:
        handle, ask, answer = self.table.handle, self.table.asker.ask, -1
        players = [self.table.contestants[bot].player for bot in seats]
        try:
            while (wanted := kernel.advance(handle, answer)) != OVER:
                answer = ask(players, wanted)
        except Misplay as misplay:
            self._forfeit(cursor, misplay)
        except Exception as error:
            self._forfeit(cursor, Misplay("exception", described(error)))
        else:
            if self.table.games[0].ending == FAULT:
                self._charge(cursor, Misplay("illegal answer", "an index that is no move"))

    def _forfeit(self, cursor: int, misplay: Misplay) -> None:
        self._charge(cursor, misplay)
        kernel.forfeit(self.table.handle)

    # Both

    def _settle(self, cursor: int) -> None:
        deal, order = divmod(cursor, len(self.orders))
        kernel.settle(self.table.handle, self.tallies, self.shares, order, deal)

    def _charge(self, cursor: int, misplay: Misplay) -> None:
        deal, order = divmod(cursor, len(self.orders))
        bot = self.orders[order][self.table.asker.seat]
        first = self.faults.get((bot, misplay.kind)) or Fault(
            bot, misplay.kind, str(misplay), self.orders[order], self.block.first + deal, 0
        )
        self.faults[bot, misplay.kind] = replace(first, count=first.count + 1)


def _tally(record: Any, players: int) -> Tally:
    counts = {name: tuple(record[name][:players].tolist()) for name in COUNTS}
    return Tally(
        games=int(record["games"]),
        wins=tuple(record["wins"][:players].tolist()),
        unfinished=int(record["unfinished"]),
        counts=counts,
        squares=dict(zip(COUNTS, record["squares"].tolist(), strict=True)),
    )
