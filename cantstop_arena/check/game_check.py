"""The check of a game: does it keep the contract of docs/reference/game-api.md? How quick is it?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.check.findings import NOTE, OK, WRONG, Finding
from cantstop_arena.check.game_tests import (
    asking_changes_nothing,
    copies_are_independent,
    ends,
    moves_can_be_made,
    repeats,
    survives_json,
    trace,
)
from cantstop_arena.check.hidden_information import compared_pairs
from cantstop_arena.check.random_games import SEED, Defect, RandomGame
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import ArenaError, BotError
from cantstop_arena.game_api.game import CheckGame, Game
from cantstop_arena.game_api.state import GameAuthorError
from cantstop_arena.games.registry import all_games
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.child_start import Policy
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall, run_all, starter
from cantstop_arena.table.bot_faults import bot_exception_line, called_function
from cantstop_arena.table.kernel_check import kernel_difference
from cantstop_arena.table.recording import Complaint, record
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.table_spec import bot_start

GAMES = 150
"""The games of each test, shared by the settings: of each 1 to 50."""
_MAX_DEALS = 50  # of a setting
TEST_SECONDS = 3.0
"""Seconds of processor time; then a test plays no more games."""
_SPEED_SECONDS = 0.3
_SEAT_GAMES = 300
_KERNEL_GAMES = 50  # of a setting
_PROCESS_SECONDS = 300.0  # for one game of each setting in another process
_HASH_SEEDS = ("1", "2")
_NOWHERE = Path("no folder of bots")  # a catalogue with the bots of packages only

_TESTS: Sequence[tuple[str, Callable[[RandomGame], int | None]]] = (
    ("ends, and pays what it declares", ends),
    ("asking changes nothing", asking_changes_nothing),
    ("the same answers, the same game", repeats),
    ("every move offered can be made; features", moves_can_be_made),
    ("copies are independent", copies_are_independent),
    ("JSON there and back", survives_json),
    ("hidden stays hidden", compared_pairs),
)
_PROCESSES = "two processes play alike"
_KERNEL = "the kernel plays the same games"
_BOTS = "the bots that come with it"


class GameCheck:
    """The check of one game. A test plays no more games when `seconds` have passed."""

    def __init__(self, game: Game, seconds: float = TEST_SECONDS) -> None:
        self.game = game
        self.settings = tuple(dict.fromkeys(game.check_suite()))
        self._seconds = seconds
        self._bots, self._unusable = _bots_of(game)
        self._advisers = advisers_of(game)

    def summary(self) -> str:
        """What is checked: the game, and its settings."""
        rules = len({setting.rules for setting in self.settings})
        seats = sorted({setting.players for setting in self.settings})
        sets = how_many(rules, "rule set")
        named = f"{seats[0]} to {seats[-1]} seats" if len(seats) > 1 else f"{seats[0]} seats"
        settings = how_many(len(self.settings), "setting")
        return f"{self.game.title} ({self.game.name}): {settings}: {sets}, {named}"

    def findings(self) -> Iterator[Finding]:
        """A finding for each test, one after the other; it is WRONG where the test fails.

        Where a random game does not end as it should, the other tests are left out: they play such
        games, too.
        """
        if not _has_states(self.game):
            text = f"{self.game.title} has positions of its own; only its bots are checked here"
            yield Finding(NOTE, "states", text)
            yield self._bot_finding()
            return
        for label, test in _TESTS:
            finding = self._finding(label, test)
            yield finding
            if finding.mark == WRONG and test is ends:
                return
        yield self._process_finding()
        if self.game.has_kernel:
            yield self._kernel_finding()
        yield self._bot_finding()
        yield from self._statistics()

    # Random games

    def _games(self) -> Iterator[RandomGame]:
        """The random games of a test: a deal of every setting, then the next."""
        for deal in range(max(1, min(_MAX_DEALS, GAMES // len(self.settings)))):
            for rules, players, _ in self.settings:
                yield RandomGame(self.game, CheckGame(rules, players, deal), self._advisers)

    def _finding(self, label: str, test: Callable[[RandomGame], int | None]) -> Finding:
        count, pairs, end = 0, 0, time.process_time() + self._seconds
        for game in self._games():
            shutdown.check()
            problem, compared = _outcome(game.setting, test, game)
            if problem:
                return Finding(WRONG, label, problem)
            count, pairs = count + 1, pairs + (compared or 0)
            if time.process_time() > end:
                break
        text = how_many(count, "game")
        if test is compared_pairs:
            if not pairs:
                return Finding(NOTE, label, self._nothing_hidden())
            text += f" ({pairs:,} pairs of states)"
        return Finding(OK, label, text)

    def _nothing_hidden(self) -> str:
        if self.game.perfect_information:
            return "not checked: the game has perfect information"
        return "not checked: no Chance, and no secret answer, that a seat could not see"

    # Other processes

    def _process_finding(self) -> Finding:
        """Whether processes with other hashes of texts play the same games."""
        where = f"{type(self.game).__module__}:{type(self.game).__qualname__}"
        call = IsolatedCall(
            f"{__name__}:random_traces", {"game": where, "name": self.game.name}, _PROCESS_SECONDS
        )
        traces: list[list[list[int]]] = []
        for seed in _HASH_SEEDS:
            policy = Policy("fresh", variables={"PYTHONHASHSEED": seed})
            (outcome,) = run_all([call], start=starter(policy))
            if isinstance(outcome, CallFailed):
                text = f"another process with PYTHONHASHSEED {seed} {outcome}"
                return Finding(WRONG, _PROCESSES, text)
            traces.append(outcome)
        for setting, first, second in zip(self.settings, *traces, strict=True):
            if first != second:
                step = next(
                    (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
                    min(len(first), len(second)),
                )
                return Finding(
                    WRONG,
                    _PROCESSES,
                    "another process plays other games: the order of a set, hash(), id(), the time"
                    f" or the process decides (first at decision {step}; {setting})",
                )
        return Finding(OK, _PROCESSES, f"PYTHONHASHSEED {' and '.join(_HASH_SEEDS)}")

    def _kernel_finding(self) -> Finding:
        """Whether machine code plays the same games as plain Python."""
        count, end = 0, time.process_time() + self._seconds
        for rules, players, _ in self.settings:
            setting = CheckGame(rules, players)
            shutdown.check()
            problem, _ = _outcome(setting, self._compare_kernel, rules, players)
            if problem:
                return Finding(WRONG, _KERNEL, problem)
            count += _KERNEL_GAMES
            if time.process_time() > end:
                break
        return Finding(OK, _KERNEL, how_many(count, "game"))

    def _compare_kernel(self, rules: Any, players: int) -> None:
        if difference := kernel_difference(self.game, rules, players, _KERNEL_GAMES):
            raise Defect(difference)

    # Bots

    def _bot_finding(self) -> Finding:
        """Whether the game's bots play games of every setting, at the arena's table.

        A bot may fail under variants of the rules that are not for it: that is a note.
        """
        if self._unusable:
            return Finding(WRONG, _BOTS, "; ".join(self._unusable))
        if not self._bots:
            return Finding(NOTE, _BOTS, "none comes with it")
        count, faults = 0, list[tuple[CheckGame, Complaint]]()
        end = time.process_time() + self._seconds
        for setting in self.settings:
            for lineup in self._lineups(setting):
                shutdown.check()
                problem, _ = _outcome(setting, self._play, setting, lineup, faults)
                if problem:
                    return Finding(WRONG, _BOTS, problem)
                count += 1
            if time.process_time() > end:
                break
        default = self.game.rules.default
        for setting, fault in sorted(faults, key=lambda entry: entry[0].rules != default):
            mark = WRONG if setting.rules == default else NOTE
            return Finding(mark, _BOTS, f"{fault} ({setting})")
        names = ", ".join(bot.name for bot in self._bots)
        return Finding(OK, _BOTS, f"{how_many(count, 'game')} of {names}")

    def _lineups(self, setting: CheckGame) -> Iterator[list[SeatedBot]]:
        """Lineups in which every bot sits that plays under these rules."""
        bots = [
            bot
            for bot in self._bots
            if not self.game.refusal(bot.name, setting.rules, setting.players)
        ]
        for first in range(0, len(bots), setting.players):
            yield [bots[(first + seat) % len(bots)] for seat in range(setting.players)]

    def _play(
        self,
        setting: CheckGame,
        lineup: Sequence[SeatedBot],
        faults: list[tuple[CheckGame, Complaint]],
    ) -> None:
        rules, players, deal = setting
        table = self.game.table(rules, lineup, players, SEED)
        table.warm_up()
        seats: Group = tuple(range(players))
        for _ in record(table, seats, deal, lambda fault: faults.append((setting, fault))):
            pass

    # Figures

    def _statistics(self) -> Iterator[Finding]:
        """How quick random games are, and what each seat gets in them."""
        setting = min(self.settings, key=lambda setting: (setting.players < 2, setting.players))
        returns: list[Sequence[float]] = []
        choices: list[int] = []
        lengths: list[int] = []
        unfinished, seconds, timed = 0, 0.0, 0
        end = time.process_time() + self._seconds
        for deal in range(_SEAT_GAMES):
            start = time.process_time()
            game = RandomGame(self.game, setting._replace(deal=deal), self._advisers)
            *_, position = game
            if seconds < _SPEED_SECONDS:
                seconds, timed = seconds + time.process_time() - start, timed + 1
            returns.append(position.returns)
            lengths.append(len(game.choices))
            choices += game.choices
            unfinished += not position.winners
            if time.process_time() > end:
                break
        count = len(returns)
        forced = sum(choice == 1 for choice in choices) / max(1, len(choices))
        yield Finding(
            OK,
            "speed",
            f"{timed / max(seconds, 1e-9):,.0f} random games/s stepped,"
            f" {sum(lengths) / count:.1f} decisions a game (most {max(lengths):,}),"
            f" {forced:.0%} of them forced, {unfinished / count:.0%} of games without a winner",
        )
        sign = 1 if self.game.payoff is None else self.game.payoff.sign  # returns are for learners
        seats = [
            _mean_text([sign * row[seat] for row in returns]) for seat in range(setting.players)
        ]
        yield Finding(
            OK,
            "seats",
            f"{setting.players} random players get {', '.join(seats)} a game"
            f" ({count} games, 95% intervals)",
        )


def random_traces(game: str, name: str) -> list[list[int]]:
    """The trace of a random game of every setting; runs in a process of its own.

    `game` is the location of the game's class, "module:Class"; a registered game of this name and
    class is preferred, as its class may need arguments.
    """
    module, _, qualified = game.partition(":")
    kind: Any = import_module(module)
    for part in qualified.split("."):
        kind = getattr(kind, part)
    registered = [each for each in all_games() if each.name == name and type(each) is kind]
    registered_game: Game = registered[0] if registered else kind()
    advisers, settings = advisers_of(registered_game), dict.fromkeys(registered_game.check_suite())
    return [trace(RandomGame(registered_game, setting, advisers)) for setting in settings]


def _has_states(game: Game) -> bool:
    """Whether the game's states are what the arena steps through."""
    overrides = type(game).begin is not Game.begin
    return (game.state is not None or overrides or game.has_kernel) and type(
        game
    ).position is Game.position


def _outcome(
    setting: CheckGame, test: Callable[..., int | None], *arguments: Any
) -> tuple[str, int]:
    """What is wrong in a setting, empty if nothing is, and what the test returns."""
    try:
        return "", test(*arguments) or 0
    except (Defect, GameAuthorError, ArenaError) as error:
        return f"{error} ({setting})", 0
    except (Exception, SystemExit) as error:
        function, text = called_function(error), bot_exception_line(error)
        return f"{function and f'{function}() fails: '}{text} ({setting})", 0


def _bots_of(game: Game, as_plain: bool = False) -> tuple[list[SeatedBot], list[str]]:
    """The game's own bots, built in or of its package, and the reasons why others cannot be used.

    With `as_plain` all play in Python.
    """
    loader, catalogue = Loader(_NOWHERE), Catalogue(_NOWHERE, game)
    usable, broken = catalogue.everything()
    package = type(game).__module__.partition(".")[0]
    unusable = [
        f"{bot.name}: {bot.reason}"
        for bot in broken
        if bot not in catalogue.broken_packages or package in bot.origin
    ]
    bots = []
    for description in usable:
        try:
            bot = loader.open(description.address)
            bots.append(seat_bot(bot_start(bot.name, bot, bot.defaults), loader, as_plain))
        except BotError as error:
            unusable.append(str(error))
    return bots, unusable


def advisers_of(game: Game) -> Sequence[SeatedBot]:
    """Two of the game's bots, if nothing lists the answers to one of its decisions."""
    rules, players, _ = next(iter(game.check_suite()))
    listed = game.actions(rules, players) or {}
    if all(
        decision.has_moves or name in listed or decision.answer is bool
        for name, decision in game.decisions.items()
    ):
        return ()
    bots, _ = _bots_of(game, as_plain=True)
    return [*bots[:1], *bots[1:][-1:]]


def _mean_text(values: Sequence[float]) -> str:
    """A mean with its interval of 95%."""
    count = len(values)
    mean = sum(values) / count
    variance = sum((value - mean) ** 2 for value in values) / max(1, count - 1)
    return f"{mean:+.2f} ± {1.97 * math.sqrt(variance / count):.2f}"
