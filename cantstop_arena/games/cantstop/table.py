"""A table with its game record, and the bots that can take a seat at it."""

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cantstop_arena.games.cantstop import kernel
from cantstop_arena.games.cantstop.asking import Asker, misplay_of
from cantstop_arena.games.cantstop.compiler import cache_folder, is_cached
from cantstop_arena.games.cantstop.native import (
    NativePlayer,
    compile_player,
    handle_of,
    is_compiled,
)
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.state import AGAIN, GAME, new_game
from cantstop_arena.hookspecs import Player
from cantstop_arena.outcomes import Group
from cantstop_arena.seeds import Seed, bits_of
from cantstop_arena.surroundings import Surroundings


@dataclass(frozen=True)
class Sitting:
    """What a bot is told when it sits down to a game.

    `key` is that of its random numbers; `anew` says that it is to forget all earlier games. The
    `group` that meets is for whoever seats the bot: another group meets on the same dice.
    """

    seat: int
    players: int
    rules: RuleSet
    key: int
    anew: bool
    group: Group


@dataclass(frozen=True)
class Contestant:
    """A bot that can sit down; `digest` stands for its sources and options in the code cache.

    A bot that is asked from Python sits down to each game by `sit`, which makes it anew: nothing
    that it kept reaches the next game. If it `learns`, that happens once for each block of deals.
    """

    name: str
    player: Player
    digest: str
    sit: Callable[[Sitting], Player] | None = None
    learns: bool = False


def code_digest(*parts: str) -> str:
    """A name for the code of a bot: a hash of where it comes from, its sources and options."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def uncompiled(contestants: Sequence[Contestant]) -> list[str]:
    """What is not in the code cache yet: "the engine", and compiled bots by name."""
    engine = [] if is_cached("engine") else ["the engine"]
    natives = {one.digest: one for one in contestants if is_compiled(one.player)}
    return engine + [one.name for digest, one in natives.items() if not is_cached(digest)]


class Seating:
    """Contestants around one game record, `players` of them at a time.

    Raises BotError where a contestant marked `@compiled` does not compile.
    """

    def __init__(
        self, rules: RuleSet, contestants: Sequence[Contestant], players: int, seed: Seed
    ) -> None:
        self._surroundings = Surroundings()  # as they are before anybody plays
        self.rules = rules
        self.seed = seed
        self.contestants = tuple(contestants)
        native = {contestant.digest: contestant for contestant in contestants}
        compiled = {digest: _compiled(contestant) for digest, contestant in native.items()}
        self.native = tuple(compiled[contestant.digest] for contestant in contestants)
        self.on_speaker: Callable[[int], None] = lambda bot: None  # told who may print now
        self.measured = False  # whether counts are kept deal by deal
        self.seats: Group = tuple(range(players))
        self.group = self.seats
        """The bots that meet, in the order of which the record's `bots` are positions."""
        self.sitting: list[Player] = []
        self._taught: set[int] = set()  # the bots that have sat down in this block
        self._lay(new_game(rules, players, seed))

    def _lay(self, games: Any) -> None:
        self.games = games
        self.handle = handle_of(games)
        self.asker = Asker(self.rules, games, self._surroundings)
        self.asker.on_turn = lambda seat: self.on_speaker(self.seats[seat])

    def settle_in(self, memory: Any) -> None:
        """Keep the game's record in this memory, where another process can see it."""
        self._lay_in(memory, self.games)

    def _lay_in(self, memory: Any, games: Any) -> None:
        there = np.frombuffer(memory, GAME, 1).view(np.recarray)
        there[:] = games
        self._lay(there)

    @property
    def speaker(self) -> int:
        """The bot on turn, by number; also while machine code plays."""
        game = self.games[0]
        return self.group[int(game.bots[int(game.seat)]) % len(self.group)]

    def play_by(self, rules: RuleSet, players: int, memory: Any) -> None:
        """Go on under other rules, or with other seats; the game's record lies in this memory."""
        self.rules = rules
        self._lay_in(memory, new_game(rules, players, self.seed))

    def tidy_up(self) -> None:
        """Undo what plain bots may have done to the process, and forget what they have learnt."""
        self._surroundings.restore()
        self._taught.clear()

    def start(self, seats: Group, deal: int) -> None:
        """Seat bots, by number, and begin a deal.

        Raises Misplay, with the culprit's seat on turn, where a bot fails to be made anew.
        """
        self.seats = seats
        game = self.games[0]
        for seat, bot in enumerate(seats):
            native = self.native[bot]
            game.choose_at[seat], game.again_at[seat] = native.addresses if native else (0, 0)
        kernel.start_game(self.handle, deal)
        self.asker.begin()
        if not all(self.native[bot] for bot in seats):
            self._seed_python(deal)
            self._seat_players(deal)

    def _seat_players(self, deal: int) -> None:
        """Make the plain bots anew, each as if it was deciding, so that a watcher sees whose."""
        game = self.games[0]
        self.sitting = []
        for seat, bot in enumerate(self.seats):
            if self.native[bot]:
                self.sitting.append(self.contestants[bot].player)
                continue
            game.seat, game.turn, game.waiting = seat, 0, AGAIN
            self.on_speaker(bot)
            try:
                self.sitting.append(self._sat(bot, seat))
            except BaseException as error:
                raise misplay_of(error, self.contestants[bot].player) from error
        kernel.start_game(self.handle, deal)

    def _sat(self, bot: int, seat: int) -> Player:
        contestant = self.contestants[bot]
        if contestant.sit is None:
            return contestant.player
        anew = not (contestant.learns and bot in self._taught)
        self._taught.add(bot)
        key, players = int(kernel.bot_key(self.handle, seat)), int(self.games[0].players)
        return contestant.sit(Sitting(seat, players, self.rules, key, anew, self.group))

    def _seed_python(self, deal: int) -> None:
        """Let what plain bots draw from `random` and NumPy depend on the deal alone."""
        told = f"{bits_of(self.seed)}/{deal}".encode()
        digest = hashlib.blake2b(told, digest_size=4).digest()
        random.seed(digest)
        np.random.seed(int.from_bytes(digest))


def _compiled(contestant: Contestant) -> NativePlayer | None:
    if not is_compiled(contestant.player):
        return None
    folder = cache_folder(contestant.digest)
    return compile_player(contestant.player, contestant.name, folder)
