"""Openings of a tournament: actions that are played before the bots are asked.

Bots that never draw so play other games from deal to deal, in games without chance, too. A deal of
a lineup has one opening of a list in every seating, and other lineups have another, as they have
other dice. Random plies depend on the dice, and are the same where these are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import msgspec

from cantstop_arena.deals.dice_keys import DiceBits
from cantstop_arena.errors import ArenaError, UsageError
from cantstop_arena.game_api.action_numbers import ActionNumbers, numbers_of
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import GameAuthorError, Opening
from cantstop_arena.game_api.state_position import StatePosition
from cantstop_arena.game_api.streams import DealChance
from cantstop_arena.table.plain_table import PlainTable
from cantstop_arena.texts import how_many

OPENINGS = "openings.txt"  # the copy in a results folder
OF_GAME = "game"
PLIES = range(1, 1001)
MAX_STARTS = 10_000  # that are enumerated
MAX_BYTES = 1 << 24  # of a file
_TRIES = 100  # to find random actions that do not end the game
_STREAM = ("opening",)
_FORM = f"openings must be {{plies: N}}, {{file: PATH}} or {OF_GAME}"


class Openings(msgspec.Struct, frozen=True):
    """Where openings come from: so many random `plies`, the `lines` of the file at `path`, or,
    with neither, `Game.openings`."""

    plies: int = 0
    path: Path | None = None
    lines: tuple[str, ...] = ()

    @property
    def identity(self) -> Mapping[str, Any] | str:
        """What decides about the openings of each deal, with the game and the seed."""
        if self.path is None:
            return {"plies": self.plies} if self.plies else OF_GAME
        return {"file": hashlib.sha256("\n".join(self.lines).encode()).hexdigest()}

    def as_key(self) -> Mapping[str, Any] | str:
        """The value of the key `openings` in a file."""
        return self.identity if self.path is None else {"file": str(self.path)}

    @property
    def text(self) -> str:
        """The content of a file with these lines."""
        return "".join(f"{line}\n" for line in self.lines)

    def refusal(self, game: Game, rules: Any, players: int) -> str:
        """Why such a table cannot play them; empty if it can."""
        if not issubclass(resolve_name(game.table_class), PlainTable):
            return f"openings need a game in plain Python; {game.title} is played by an engine"
        try:
            numbers_of(game, rules, players)
        except (UsageError, GameAuthorError):
            return f"openings need a game with numbered actions, which {game.title} has not"
        try:
            if self.plies:
                RandomOpenings(game, rules, players, self.plies).of_deal(DiceBits(0, 0), 0)
            else:
                self.listed(game, rules, players)
        except ArenaError as error:
            return str(error)
        return ""

    def listed(self, game: Game, rules: Any, players: int) -> list[Opening]:
        """The openings of the file or the game, each once. Raises UsageError for a wrong one."""
        what, given = f"{self.path}, opening", tuple[Any, ...](self.lines)
        if self.path is None:
            what, given = "opening", tuple(game.openings(rules, players) or ())
        if not given:
            raise UsageError(f"{game.title} has no openings of its own")
        reader = _LineReader(game, rules, players)
        openings = (reader.opening(line, f"{what} {n}") for n, line in enumerate(given, 1))
        return [*dict.fromkeys(openings)]

    def by_deal(self, game: Game, rules: Any, players: int) -> ListedOpenings | RandomOpenings:
        """The openings of all deals. Raises UsageError."""
        if not self.plies:
            return ListedOpenings(self.listed(game, rules, players))
        starts = different_starts(game, rules, players, self.plies)
        if starts is None:
            return RandomOpenings(game, rules, players, self.plies)
        if not starts:
            raise UsageError(_too_many(self.plies, game))
        return ListedOpenings(starts)

    def count(self, game: Game, rules: Any, players: int) -> int:
        """The number of different openings; 0 if they are drawn anew for each deal."""
        if not self.plies:
            return len(self.listed(game, rules, players))
        return len(different_starts(game, rules, players, self.plies) or ())

    def notice(self, game: Game, rules: Any, players: int, deals: int) -> str:
        """What there is to say where a list is shorter than the deals; else empty."""
        if self.plies or (count := len(self.listed(game, rules, players))) >= deals:
            return ""
        often, more = divmod(deals, count)
        text = f"{often:,} or {often + 1:,} times" if more else how_many(often, "time")
        return f"{how_many(count, 'opening')}, {deals:,} deals: each is played {text}."


class ListedOpenings:
    """Openings of a list: each once before any comes again, every time in a new order."""

    def __init__(self, openings: Sequence[Opening]) -> None:
        self.openings = openings
        self._round, self._order = (0, -1), list(openings)

    def of_deal(self, bits: DiceBits, deal: int) -> Opening:
        """The opening of a deal."""
        number, index = divmod(deal, len(self.openings))
        if (bits.lineup, number) != self._round:
            stream = DealChance(bits.lineup, number).stream(*_STREAM)
            self._round, self._order = (bits.lineup, number), stream.shuffled(self.openings)
        return self._order[index]


class RandomOpenings:
    """Random legal actions, `plies` of them, none of which ends the game.

    A question to several seats is not broken off: they all answer it.
    """

    def __init__(self, game: Game, rules: Any, players: int, plies: int) -> None:
        self._setting = game, rules, players
        self._plies = plies
        self._last: tuple[tuple[int, int], Opening] = ((0, -1), ())

    def of_deal(self, bits: DiceBits, deal: int) -> Opening:
        """The opening of a deal. Raises UsageError when the game is over too early."""
        if self._last[0] != (bits.circle, deal):
            self._last = (bits.circle, deal), self._sampled(bits.circle, deal)
        return self._last[1]

    def _sampled(self, bits: int, deal: int) -> Opening:
        game, rules, players = self._setting
        stream = DealChance(bits, deal).stream(*_STREAM)
        for _ in range(_TRIES):
            position = StatePosition(game, rules, players, bits, deal, track=False)
            actions: list[int] = []
            while not position.is_over and _goes_on(position, len(actions), self._plies):
                actions.append(position.legal[stream.below(len(position.legal))])
                position.step(actions[-1])
            if not position.is_over:
                return tuple(actions)
        raise UsageError(_too_many(self._plies, game))


@lru_cache(maxsize=8)
def different_starts(game: Game, rules: Any, players: int, plies: int) -> list[Opening] | None:
    """One opening for each different position after so many plies, without those that are over.

    None where they are too many, or depend on chance. Positions are told apart by what the seats
    see if that is all there is to a game, else by the actions that lead to them.
    """
    try:
        level: list[tuple[Opening, StatePosition]] = [
            ((), StatePosition(game, rules, players, track=False))
        ]
    except UsageError:  # it draws from streams at its start
        return None
    reached: dict[Any, tuple[Opening, StatePosition]]
    while True:
        reached, is_complete = {}, True
        for opening, position in level:
            if position.is_chance:
                return None
            if not _goes_on(position, len(opening), plies):
                reached.setdefault(_key(position, opening), (opening, position))
                continue
            is_complete = False
            for action in position.legal:
                after = position.clone()
                try:
                    after.step(action)
                except UsageError:
                    return None
                if not after.is_over:
                    longer = (*opening, action)
                    reached.setdefault(_key(after, longer), (longer, after))
            if len(reached) > MAX_STARTS:
                return None
        if is_complete:
            return [opening for opening, _ in reached.values()]
        level = [*reached.values()]


def _goes_on(position: StatePosition, played: int, plies: int) -> bool:
    """Whether an opening of so many plies goes on after those played."""
    return played < plies or position.is_partly_answered


def _key(position: StatePosition, opening: Opening) -> Any:
    if not position.game.perfect_information or position.is_partly_answered:
        return opening
    views = [repr(position.view(seat)) for seat in range(position.players)]
    return len(opening), position.seat, position.decision, *views


def _too_many(plies: int, game: Game) -> str:
    return (
        f"openings of {plies} plies: {game.title} is over before, in {_TRIES} tries out of"
        f" {_TRIES}; ask for fewer"
    )


class _LineReader:
    """Reads openings as they are written: names or numbers of actions, or a position as JSON."""

    def __init__(self, game: Game, rules: Any, players: int) -> None:
        self.game, self.rules, self.players = game, rules, players
        self.numbers = numbers_of(game, rules, players)

    @cached_property
    def _names(self) -> Mapping[str, int]:
        return _named(self.game, self.numbers)

    def opening(self, line: Iterable[str | int] | str, what: str) -> Opening:
        """The actions of an opening. Raises UsageError for `what` is none."""
        try:
            if isinstance(line, str) and line.startswith("{"):
                return self._of_position(line)
            move_texts = _numbers_of(line) if isinstance(line, str) else line
            opening = tuple(map(self._number, move_texts))
            self._check(opening)
        except UsageError as error:
            raise UsageError(f"{what}: {error}") from None
        return opening

    def _number(self, word: str | int) -> int:
        text = str(word).strip()
        number = int(text) if text.isdecimal() else self._names.get(text, -1)
        if not 0 <= number < len(self.numbers):
            raise UsageError(f"there is no action {text!r:.60}")
        return number

    def _of_position(self, text: str) -> Opening:
        position = StatePosition.loads(self.game, text)
        if (position.rules, position.players) != (self.rules, self.players):
            raise UsageError("the position is one of other rules, or of other seats")
        actions = position.actions
        if len(actions) != len(json.loads(text)["history"]):
            raise UsageError("chance was drawn in this position; list its actions instead")
        if position.is_over or position.is_partly_answered:
            raise UsageError(_AT_A_DECISION)
        return actions

    def _check(self, opening: Opening) -> None:
        """Play an opening as far as it does not depend on chance. Raises UsageError."""
        try:
            position = StatePosition(self.game, self.rules, self.players, track=False)
            for action in opening:
                if position.is_chance:
                    return
                position.step(action)
        except UsageError as error:
            if "deal.stream" in str(error):  # then the table says what is illegal in which deal
                return
            raise
        if position.is_over or position.is_partly_answered:
            raise UsageError(_AT_A_DECISION)


_AT_A_DECISION = "an opening must end before the game does, with all seats of a question answered"


def _numbers_of(line: str) -> list[str]:
    """The names or numbers in a line, between commas; between semicolons if names have commas."""
    for separator in (";", ","):
        if separator in line:
            return line.split(separator)
    move_texts = line.split()
    return move_texts if all(word.isdecimal() for word in move_texts) else [line]


def _named(game: Game, numbers: ActionNumbers) -> Mapping[str, int]:
    """The numbers of actions by name, and by value where no other action has it."""
    named: dict[str, int] = {}
    values: dict[str, list[int]] = {}
    for number, (decision, value) in enumerate(numbers.actions):
        values.setdefault(str(value), []).append(number)
        named.setdefault(game.action_name(decision, value), number)
    single = {text: reached[0] for text, reached in values.items() if len(reached) == 1}
    return {**single, **named}


def openings_in(value: Any, folder: Path) -> Openings:
    """The openings of the value of a key; a file is named from `folder`. Raises UsageError."""
    if value == OF_GAME:
        return Openings()
    if not isinstance(value, Mapping) or len(value) != 1:
        raise UsageError(f"{_FORM}, not {value!r:.60}")
    ((kind, of),) = value.items()
    if kind == "plies" and type(of) is int and of in PLIES:
        return Openings(plies=of)
    if kind == "file" and isinstance(of, str | Path):
        path = folder / of
        return Openings(path=path, lines=_lines(path))
    raise UsageError(f"{_FORM}, not {dict(value)!r:.60}")


def _lines(path: Path) -> tuple[str, ...]:
    """The lines of a file of openings, without those that are empty or comments."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise UsageError(f"{path} is larger than {MAX_BYTES >> 20} MB")
        stripped = map(str.strip, content.decode("utf-8").splitlines())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(f"openings of {path} cannot be read: {reason}") from None
    lines = tuple(line for line in stripped if line and not line.startswith("#"))
    if not lines:
        raise UsageError(f"{path} has no openings")
    return lines
