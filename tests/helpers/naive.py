"""A second, naive reading of the rules of Can't Stop, kept apart from the engine on purpose.

Everything here is written to be read next to the rules: no tables, no speed, no import from the
project.  "Rule n" in a docstring is statement n of the section "A turn"; the other sections are
cited by their names.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Rules = dict[str, Any]
Move = list[int]
Spaces = dict[int, int]
Outcome = tuple[list[int], str]


@dataclass
class Position:
    """What lies on the board during a turn; `markers` holds one dict (column: space) a seat."""

    rules: Rules
    seat: int
    markers: list[Spaces]
    claimed: set[int] = field(default_factory=set)
    runners: Spaces = field(default_factory=dict)


# --- The board ------------------------------------------------------------------------------------


def columns(rules: Rules) -> list[int]:
    """Named rule sets: n sides give the columns 2 to 2n."""
    return list(range(2, 2 * int(rules["sides"]) + 1))


def top(rules: Rules, column: int) -> int:
    """Terms: the top is the last space of a column, so its number is the column's length."""
    return int(rules["column_lengths"][column - 2])


def rival_spaces(position: Position, column: int) -> set[int]:
    """The spaces of a column on which a rival of the player on turn has a marker."""
    rivals = [own for seat, own in enumerate(position.markers) if seat != position.seat]
    return {own[column] for own in rivals if column in own}


def claimed_by(position: Position, seat: int) -> int:
    """Terms: how many columns a seat has finished, that is: has a marker on the top of."""
    own = position.markers[seat]
    return sum(1 for column, space in own.items() if space == top(position.rules, column))


# --- Advancing ------------------------------------------------------------------------------------


def next_space(position: Position, column: int, space: int) -> int:
    """Landing: one space on, under `jump` to the next without a rival; the top is always free."""
    space += 1
    if position.rules["landing"] == "jump":
        rivals = rival_spaces(position, column)
        while space < top(position.rules, column) and space in rivals:
            space += 1
    return space


def starting_space(position: Position, column: int) -> int:
    """Rule 5: an advance starts at the runner, else at the player's own marker, else at 0."""
    if column in position.runners:
        return position.runners[column]
    return position.markers[position.seat].get(column, 0)


def advance(position: Position, column: int) -> Spaces:
    """The runners after a single advance in one column."""
    space = next_space(position, column, starting_space(position, column))
    return {**position.runners, column: space}


def after(position: Position, move: Move) -> Spaces:
    """Rules 4 and 5: the runners after a move, made one advance after the other."""
    now = with_runners(position, dict(position.runners))
    for column in move:
        now = with_runners(now, advance(now, column))
    return now.runners


def with_runners(position: Position, runners: Spaces) -> Position:
    """The same board with other runners on it."""
    return Position(position.rules, position.seat, position.markers, position.claimed, runners)


# --- Moves ----------------------------------------------------------------------------------------


def pairings(dice: Sequence[int]) -> set[tuple[int, int]]:
    """Rule 1: the one to three different ways to split four dice into two sums, lower sum first."""
    a, b, c, d = dice
    splits = [(a + b, c + d), (a + c, b + d), (a + d, b + c)]
    return {(min(split), max(split)) for split in splits}


def free_runners(position: Position) -> int:
    """Rules 2 and 10: runners not yet placed; one on a top still counts as placed."""
    return int(position.rules["runners"]) - len(position.runners)


def usable(position: Position, column: int) -> bool:
    """Rule 2: unclaimed, no runner on its top, and a runner stands there or is still free."""
    if column in position.claimed:
        return False
    if column in position.runners:
        return position.runners[column] < top(position.rules, column)
    return free_runners(position) > 0


def double_moves(position: Position, column: int) -> list[Move]:
    """Rule 4: a double advances twice, or once when the first advance already reaches the top."""
    if not usable(position, column):
        return []
    on_top = advance(position, column)[column] == top(position.rules, column)
    return [[column]] if on_top else [[column, column]]


def moves_of_pairing(position: Position, low: int, high: int) -> list[Move]:
    """Rule 3: both sums where both can be used; the player's choice over the last free runner."""
    if low == high:
        return double_moves(position, low)
    sums = [column for column in (low, high) if usable(position, column)]
    entering = [column for column in sums if column not in position.runners]
    if len(entering) > free_runners(position):
        return [[low], [high]]
    return [sums] if sums else []


def legal_moves(position: Position, dice: Sequence[int]) -> list[Move]:
    """Rule 6 and "Move order": the moves of all pairings, sorted as lists, without repeats."""
    moves: list[Move] = []
    for low, high in pairings(dice):
        for move in moves_of_pairing(position, low, high):
            if move not in moves:
                moves.append(move)
    return sorted(moves)


def success_count(rules: Rules, runners: Spaces, claimed: set[int]) -> int:
    """Rule 9: how many of all rolls, each die told from the others, are no bust."""
    position = Position(rules, 0, [{}], set(claimed), dict(runners))
    rolls = product(range(1, int(rules["sides"]) + 1), repeat=4)
    return sum(1 for dice in rolls if legal_moves(position, dice))


# --- Stopping -------------------------------------------------------------------------------------


def another_can_be_placed(position: Position) -> bool:
    """Rule 7: a runner is free, and there is an open column without a runner for it."""
    taken = position.claimed | set(position.runners)
    empty = [column for column in columns(position.rules) if column not in taken]
    return free_runners(position) > 0 and bool(empty)


def stands_on_a_rival(position: Position) -> bool:
    """Landing: whether any runner of the player stands on a rival's marker."""
    runners = position.runners.items()
    return any(space in rival_spaces(position, column) for column, space in runners)


def may_stop(position: Position) -> bool:
    """Rule 7 and Landing: whether the player may stop here; never before the first move."""
    if not position.runners:
        return False
    if position.rules["landing"] == "leave" and stands_on_a_rival(position):
        return False
    return position.rules["stop"] == "any-time" or not another_can_be_placed(position)


def after_stop(position: Position) -> Position:
    """Rule 8: runners become markers; a column whose top is reached loses all other markers."""
    rules, runners = position.rules, position.runners
    topped = {column for column, space in runners.items() if space == top(rules, column)}
    markers = [without(own, topped) for own in position.markers]
    markers[position.seat] = {**position.markers[position.seat], **runners}
    return Position(rules, position.seat, markers, position.claimed | topped, {})


def without(own: Spaces, gone: set[int]) -> Spaces:
    """A player's markers except those in the columns `gone`."""
    return {column: space for column, space in own.items() if column not in gone}


def outcome(position: Position) -> Outcome | None:
    """End: winners and reason if the game is over now that the player on turn has stopped."""
    counts = [claimed_by(position, seat) for seat in range(len(position.markers))]
    if counts[position.seat] >= position.rules["columns_to_win"]:
        return [position.seat], "columns"
    if position.claimed == set(columns(position.rules)):
        return [seat for seat, count in enumerate(counts) if count == max(counts)], "all-claimed"
    return None


def wins_by_stopping(position: Position) -> bool:
    """Rule 11: whether a stop here would win, alone or shared (allowed or not)."""
    result = outcome(after_stop(position))
    return result is not None and position.seat in result[0]


# --- The referee ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """What a correct recorded game amounts to; busts are counted among the rolls."""

    rules: Rules
    seats: list[str]
    turns: int
    rolls: int
    busts: int
    winners: list[int]
    reason: str


class Foul(Exception):
    """A line of a recorded game that is not according to the rules; lines count from 1."""

    def __init__(self, line_number: int, message: str) -> None:
        super().__init__(f"line {line_number}: {message}")
        self.line_number = line_number
        self.message = message


class Breach(Exception):
    """Something wrong in the line at hand, its number not yet known."""


KEYS = {
    "game": {"event", "game", "rules", "seats", "seed", "deal"},
    "roll": {"event", "turn", "seat", "dice", "moves", "chosen", "runners"},
    "stop": {"event", "turn", "seat", "markers"},
    "bust": {"event", "turn", "seat"},
    "end": {"event", "turns", "winners", "reason"},
}
RULE_KEYS = {
    "name",
    "sides",
    "column_lengths",
    "runners",
    "columns_to_win",
    "landing",
    "stop",
    "turn_limit",
}
# What may come next, and why: for each state of the replay.
NEXT = {
    "record begins": ({"game"}, "a record begins with its game event"),
    "turn begins": ({"roll", "end"}, "a turn begins with a roll"),
    "player chooses": ({"roll", "stop", "end"}, "after a move the player rolls again or stops"),
    "must stop": ({"stop"}, "a winning stop is made at once"),
    "must bust": ({"bust"}, "a roll without a legal move is a bust"),
    "game over": ({"end"}, "the game is over"),
    "record ended": (set[str](), "nothing follows the end event"),
}


def require(right: bool, message: str) -> None:
    """Let what is right pass and raise a breach for the rest."""
    if not right:
        raise Breach(message)


def is_whole(value: Any, low: int, high: int | None = None) -> bool:
    """Whether a JSON value is an integer (no bool, no float) from `low` to `high`."""
    return type(value) is int and value >= low and (high is None or value <= high)


def same(found: Any, expected: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true differ, the order of an object's keys does not count."""
    return json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


def named(spaces: Spaces) -> dict[str, int]:
    """Columns as JSON has them: as strings."""
    return {str(column): spaces[column] for column in sorted(spaces)}


def require_same(found: Any, expected: Any, what: str) -> None:
    """The field `what` must hold exactly what the replay expects."""
    require(same(found, expected), f"{what}: {found!r} instead of {expected!r}")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused when it gives a key twice."""
    found = dict(pairs)
    require(len(found) == len(pairs), "a key is given twice")
    return found


def parse(line: str) -> dict[str, Any]:
    """A recorded game: one JSON object a line, of a known kind, with exactly its keys."""
    try:
        event = json.loads(line, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise Breach("not JSON") from None
    require(isinstance(event, dict), "not a JSON object")
    kind = event.get("event")
    require(isinstance(kind, str) and kind in KEYS, f"unknown event {kind!r}")
    require_keys(event, KEYS[kind], kind)
    return dict(event)


def require_keys(found: dict[str, Any], expected: set[str], what: str) -> None:
    """No field missing, none too many."""
    missing, extra = sorted(expected - set(found)), sorted(set(found) - expected)
    require(not missing, f"{what} lacks {missing}")
    require(not extra, f"{what} has unknown {extra}")


def check_header(event: dict[str, Any]) -> None:
    """A recorded game: the first line names game, rules, seats (1 to 4), seed and deal."""
    require_same(event["game"], "cantstop", "game")
    check_rules(event["rules"])
    seats = event["seats"]
    require(isinstance(seats, list) and 1 <= len(seats) <= 4, "seats: 1 to 4 are needed")
    require(all(isinstance(name, str) and name for name in seats), "seats: names are strings")
    require(type(event["seed"]) in (int, str), "seed: an integer or a text is needed")
    require(type(event["deal"]) is int, "deal: an integer is needed")


def check_rules(rules: Any) -> None:
    """Named rule sets: every parameter is there, and none is nonsense."""
    require(isinstance(rules, dict), "rules: an object is needed")
    require_keys(rules, RULE_KEYS, "rules")
    require(isinstance(rules["name"], str) and bool(rules["name"]), "name: a string is needed")
    require(rules["landing"] in ["share", "jump", "leave"], "landing: unknown value")
    require(rules["stop"] in ["any-time", "after-all-runners"], "stop: unknown value")
    require(is_whole(rules["turn_limit"], 1), "turn_limit: at least 1 is needed")
    check_board(rules)


def check_board(rules: Rules) -> None:
    """Named rule sets: the numbers of a rule set must fit its board."""
    require(is_whole(rules["sides"], 1), "sides: at least 1 is needed")
    lengths, number = rules["column_lengths"], 2 * rules["sides"] - 1
    require(isinstance(lengths, list) and len(lengths) == number, "column_lengths: wrong number")
    require(all(is_whole(length, 1) for length in lengths), "column_lengths: at least 1 each")
    require(is_whole(rules["runners"], 1, number), "runners: do not fit the columns")
    require(
        is_whole(rules["columns_to_win"], 1, number), "columns_to_win: does not fit the columns"
    )


@dataclass
class Replay:
    """A recorded game as far as it has been read."""

    position: Position = field(default_factory=lambda: Position({}, 0, []))
    seats: list[str] = field(default_factory=list)
    line: int = 0
    turn: int = 1
    rolls: int = 0
    busts: int = 0
    state: str = "record begins"
    result: Outcome | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Replay one event, if it may come here at all."""
        kind = event["event"]
        allowed, why = NEXT[self.state]
        require(kind in allowed, f"{kind} is out of place: {why}")
        handlers = {"roll": self.roll, "stop": self.stop, "bust": self.bust, "end": self.end}
        handlers.get(kind, self.game)(event)

    def game(self, event: dict[str, Any]) -> None:
        """A correct header: the board is empty and seat 0 is on turn."""
        check_header(event)
        self.seats = event["seats"]
        self.position = Position(event["rules"], 0, [{} for _ in self.seats])
        self.state = "turn begins"

    def check_turn(self, event: dict[str, Any]) -> None:
        """A recorded game: turns count over all players from 1, the seats take turns in order."""
        require_same(event["turn"], self.turn, "turn")
        require_same(event["seat"], self.position.seat, "seat")

    def roll(self, event: dict[str, Any]) -> None:
        """Rules 1 to 6 and 9: four dice, all their moves, the chosen one and what it does."""
        self.check_turn(event)
        check_dice(event["dice"], self.position.rules["sides"])
        moves = legal_moves(self.position, event["dice"])
        require_same(event["moves"], moves, "moves")
        check_chosen(event["chosen"], moves)
        self.position.runners = after(self.position, event["chosen"] or [])
        require_same(event["runners"], named(self.position.runners), "runners")
        self.rolls += 1
        self.state = self.state_after_move() if moves else "must bust"

    def state_after_move(self) -> str:
        """Rule 11: a stop that is allowed and wins is made at once; else the player chooses."""
        wins = may_stop(self.position) and wins_by_stopping(self.position)
        return "must stop" if wins else "player chooses"

    def stop(self, event: dict[str, Any]) -> None:
        """Rules 7 and 8: a stop where it is allowed, and the player's own markers after it."""
        self.check_turn(event)
        require(may_stop(self.position), "stop: the player may not stop here")
        self.position = after_stop(self.position)
        own = self.position.markers[self.position.seat]
        require_same(event["markers"], named(own), "markers")
        self.result = outcome(self.position)
        self.finish_turn()

    def bust(self, event: dict[str, Any]) -> None:
        """Rule 9: all runners are removed, markers stay where they were, the turn ends."""
        self.check_turn(event)
        self.busts += 1
        self.position.runners = {}
        self.finish_turn()

    def finish_turn(self) -> None:
        """End: the game is over by its outcome or the turn limit, or the next seat is on turn."""
        if self.result is None and self.turn == self.position.rules["turn_limit"]:
            self.result = [], "turn-limit"
        if self.result is not None:
            self.state = "game over"
            return
        self.turn += 1
        self.position.seat = (self.turn - 1) % len(self.seats)
        self.state = "turn begins"

    def end(self, event: dict[str, Any]) -> None:
        """End: reason, winners and turns; a fault, or a person who leaves, ends a game early."""
        if event["reason"] == "left":
            self.result = self.result or ([], "left")
        others = [seat for seat in range(len(self.seats)) if seat != self.position.seat]
        self.result = self.result or (others, "fault")
        require_same(event["reason"], self.result[1], "reason")
        require_same(event["winners"], self.result[0], "winners")
        require_same(event["turns"], self.turn, "turns")
        self.state = "record ended"

    def verdict(self) -> Verdict:
        """The game in figures, once its record has ended."""
        require(self.state == "record ended", "the end event is missing")
        winners, reason = self.result or ([], "")
        rules, seats = self.position.rules, self.seats
        return Verdict(rules, seats, self.turn, self.rolls, self.busts, winners, reason)


def check_dice(dice: Any, sides: int) -> None:
    """Rule 1: four dice."""
    require(isinstance(dice, list) and len(dice) == 4, "dice: four are needed")
    require(all(is_whole(die, 1, sides) for die in dice), f"dice: 1 to {sides} each")


def check_chosen(chosen: Any, moves: list[Move]) -> None:
    """A recorded game: one of the legal moves is chosen, null where there is none."""
    choices: list[Move | None] = [*moves] or [None]
    require(any(same(chosen, choice) for choice in choices), f"chosen: {chosen!r} is not legal")


def referee(lines: Iterable[str]) -> Verdict:
    """Replay a recorded game from its first event to its end; raise `Foul` for the first wrong."""
    replay = Replay()
    try:
        for line in lines:
            replay.line += 1
            replay.take(parse(line))
        replay.line += 1
        return replay.verdict()
    except Breach as breach:
        raise Foul(replay.line, str(breach)) from None
