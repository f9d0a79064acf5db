"""The referee: reads a recorded game of Cubus and says what in it is not according to the rules."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from helpers.cubus.naive.builds import Build, Position, after, check, in_order
from helpers.cubus.naive.game import Game
from helpers.cubus.naive.piles import Cell, Pile, Refusal, cards, crates, surplus, write
from helpers.cubus.naive.records import (
    Breach,
    Event,
    as_build,
    check_header,
    deck_of,
    insist,
    is_flag,
    is_whole,
    parse,
    same,
)
from helpers.cubus.naive.takes import check_take
from helpers.cubus.naive.targets import can_build


@dataclass
class Replay(Game):
    """A game followed line by line, with what is wrong in it."""

    line: int = 0
    complaints: list[str] = field(default_factory=list)

    def complain(self, message: str) -> None:
        """Note what is wrong in the line at hand."""
        self.complaints.append(f"line {self.line}: {message}")

    def expect(self, found: Any, expected: Any, what: str) -> None:
        """Complain of a field that does not hold what the rules say; theirs counts from here."""
        if not same(found, expected):
            self.complain(f"{what}: {found!r} instead of {expected!r}")

    def follow(self, event: Event) -> None:
        """Follow one event, if it may come here at all."""
        kind = event["event"]
        insist(kind in self.next_kinds(), f"{kind} is out of place")
        handlers = {
            "game": self.read_game,
            "pass": self.read_pass,
            "build": self.read_build,
            "knock": self.read_knock,
            "ending": self.read_ending,
            "take": self.read_take,
            "end": self.read_end,
        }
        handlers[kind](event)

    # --- Turns --------------------------------------------------------------------------------

    def read_game(self, event: Event) -> None:
        """R1 and R2: the deck, empty hands and no points."""
        check_header(event)
        players = len(event["seats"])
        self.rules, self.deck = event["rules"], Counter(deck_of(event["rules"]))
        self.hands, self.points, self.won = [""] * players, [0] * players, [0] * players

    def begin_turn(self, event: Event) -> int:
        """R9: turns count from 1 over all players; the seat whose turn it is."""
        seat = self.mover
        self.turn, self.knockers = self.turn + 1, None
        self.expect(event["turn"], self.turn, "turn")
        self.expect(event["seat"], seat, "seat")
        return seat

    def draw(self, seat: int, card: Any) -> None:
        """R9: one card of those that the deck still has, none once it is empty."""
        if not self.deck.total():
            self.expect(card, None, "card")
            return
        insist(isinstance(card, str) and self.deck[card] > 0, f"card: {card!r} is not in the deck")
        self.deck[card] -= 1
        self.hands[seat] = in_order(Counter(self.hands[seat] + card))

    def lay(self, event: Event, hand: str, seat: int) -> str:
        """R10 to R16: a legal build, its points for a seat; the hand left."""
        position, build = self.position(hand), as_build(event)
        with legal():
            points, laid = check(position, build), after(position, build)
        self.expect(event["pile"], write(laid.pile), "pile")
        self.expect(event["open"], listed(laid.open), "open")
        self.expect(event["points"], points, "points")
        self.expect(event["hand"], laid.hand, "hand")
        self.pile = self.built = laid.pile
        self.open = laid.open
        self.points[seat] += points
        return laid.hand

    def read_build(self, event: Event) -> None:
        """R9 and R10."""
        seat = self.begin_turn(event)
        self.draw(seat, event["card"])
        self.hands[seat] = self.lay(event, self.hands[seat], seat)
        self.passes = 0

    def read_pass(self, event: Event) -> None:
        """R17: under `strict` nothing can be built within the box; under `knock` all are asked."""
        seat = self.begin_turn(event)
        self.draw(seat, event["card"])
        self.passes += 1
        duty, box = self.rules["duty"], tuple(self.rules["box"])
        self.knockers = set() if duty == "knock" else None
        if duty == "strict" and can_build(self.position(self.hands[seat]), box):
            self.complain("pass: a legal build exists")

    def read_knock(self, event: Event) -> None:
        """R18 and R19: each of the others once, until one is right."""
        passer, seat = (self.turn - 1) % self.players, event["seat"]
        self.expect(event["turn"], self.turn, "turn")
        insist(is_whole(seat, 0, self.players - 1) and seat != passer, f"seat: {seat!r}")
        insist(is_flag(event["right"]), "right: true or false is needed")
        knockers = self.knockers or set()
        insist(seat not in knockers, f"seat {seat} has knocked already")
        self.knockers = None if event["right"] else knockers | {seat}
        settle = self.settle_right if event["right"] else self.settle_wrong
        settle(event, passer, seat)

    def settle_right(self, event: Event, passer: int, seat: int) -> None:
        """R18: the passer's cards, the knocker's points; the pass is taken."""
        self.hands[passer] = self.lay(event, self.hands[passer], seat)
        self.passes = 0

    def settle_wrong(self, event: Event, passer: int, seat: int) -> None:
        """R19: what was named is illegal; all but the knocker get their points."""
        position, build = self.position(self.hands[passer]), as_build(event)
        if is_legal(position, build):
            self.complain("right: the build named is legal")
        self.expect(event["points"], 0, "points")
        self.expect(event["hand"], self.hands[passer], "hand")
        for other in set(range(self.players)) - {seat}:
            self.points[other] += self.rules["wrong_knock"]
            self.fines += self.rules["wrong_knock"]

    # --- The end ----------------------------------------------------------------------------------

    def read_ending(self, event: Event) -> None:
        """R22: a build with all cards left in hands."""
        if self.pool is None:
            self.pool, self.builder = in_order(Counter("".join(self.hands))), self.poorest()
        seat = event["seat"]
        insist(is_whole(seat, 0, self.players - 1), f"seat: {seat!r}")
        if self.rules["ending"] == "last":
            self.expect(seat, self.builder, "seat")
        self.knockers, self.pool = None, self.lay(event, self.pool, seat)

    def read_take(self, event: Event) -> None:
        """R23 and R24: one crate less; what is not laid again is won."""
        seat, before = self.begin_turn(event), cards(self.pile, self.open)
        self.taken = True
        self.pile, self.open = self.after_take(as_build(event))
        self.expect(event["pile"], write(self.pile) if self.pile else "", "pile")
        self.expect(event["open"], listed(self.open), "open")
        freed = before - cards(self.pile, self.open)
        self.expect(event["cards"], in_order(freed), "cards")
        self.won[seat] += freed.total()

    def after_take(self, build: Build) -> tuple[Pile, frozenset[Cell]]:
        """What lies on the table after a crate has been taken, nothing after the last."""
        if crates(self.pile) == 1:
            insist(build == Build("", []), "pile: nothing is left after the last crate")
            return {}, frozenset()
        position = self.position("")
        with legal():
            check_take(position, build)
        laid = after(position, build)
        return laid.pile, laid.open

    def read_end(self, event: Event) -> None:
        """R20, R21, R25 and C1."""
        self.expect(event["turns"], self.turn, "turns")
        self.expect(event["points"], self.points, "points")
        if self.taken or event["cards"] is not None:  # null as well before any take
            self.expect(event["cards"], self.won if self.rules["take_down"] else None, "cards")
        self.check_sum(event["points"])
        self.check_winners(event["reason"], event["winners"])
        self.ended = True

    def check_sum(self, points: Any) -> None:
        """C1: all points but those of R19 add up to F of the pile that was built."""
        whole = isinstance(points, list) and all(type(number) is int for number in points)
        insist(whole, "points: a list of integers is needed")
        self.expect(sum(points) - self.fines, surplus(self.built), "C1: points without R19's")

    def check_winners(self, reason: Any, winners: Any) -> None:
        """R21 and R25 where the game was played out; a fault lets all others win."""
        if reason == "done":
            self.check_done(winners)
        elif reason == "left":
            insist(bool(self.may_be_asked()), "reason: the game is over, nobody can leave")
            self.expect(winners, [], "winners")
        else:
            self.expect(reason, "fault", "reason")
            allowed = [others(seat, self.players) for seat in self.may_be_asked()]
            insist(any(same(winners, w) for w in allowed), f"winners: {winners!r} after a fault")

    def check_done(self, winners: Any) -> None:
        """R20 and R23: nobody is on turn any more; most points or cards win, equals share."""
        insist(self.is_over and not self.may_take, "reason: the game is not over")
        counts = self.won if self.rules["take_down"] else self.points
        best = [seat for seat, count in enumerate(counts) if count == max(counts)]
        self.expect(winners, best, "winners")


def others(seat: int, players: int) -> list[int]:
    """All seats but one."""
    return [other for other in range(players) if other != seat]


def listed(cells: Iterable[Cell]) -> list[list[int]]:
    """Cells as JSON has them, ascending."""
    return [list(cell) for cell in sorted(cells)]


@contextmanager
def legal() -> Iterator[None]:
    """What is refused in here is a breach."""
    try:
        yield
    except Refusal as refusal:
        raise Breach(f"the build {refusal}") from None


def is_legal(position: Position, build: Build) -> bool:
    """Whether a build is legal."""
    try:
        check(position, build)
    except Refusal:
        return False
    return True


def referee(lines: Iterable[str]) -> list[str]:
    """All complaints about a recorded game, none if it is right.

    A complaint begins with `line n: `; where the record cannot be followed further it is the last.
    """
    replay = Replay()
    try:
        for line in lines:
            replay.line += 1
            replay.follow(parse(line))
        replay.line += 1
        insist(replay.ended, "the end event is missing")
    except Breach as breach:
        replay.complain(str(breach))
    return replay.complaints
