"""The games through which a bot is put to see what it is worth, and how two goes at them differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, PLAYERS, RuleSet, derive


class Leg(NamedTuple):
    """One game of the course."""

    rules: RuleSet
    players: int
    deal: int

    def __str__(self) -> str:
        seats = "seat" if self.players == 1 else "seats"
        return f"{self.rules.name}, {self.players} {seats}, deal {self.deal}"


class Step(NamedTuple):
    """What a player did, in words, in some turn of a game."""

    turn: int
    seat: int
    deed: str


class Trace(NamedTuple):
    """What happened in a game, for as long as it was watched."""

    steps: tuple[Step, ...]
    whole: bool

    @classmethod
    def read(cls, told: Any) -> "Trace":
        """A trace that has been to JSON and back."""
        steps, whole = told
        return cls(tuple(Step(*step) for step in steps), whole)


class Difference(NamedTuple):
    """The first decision in which two goes at the same game differ."""

    leg: Leg
    turn: int
    seat: int
    before: str
    after: str

    def __str__(self) -> str:
        place = f"{self.leg}, turn {self.turn}, seat {self.seat}"
        return f"{place}: {self.before} the first time, {self.after} the second"


_ODD: Iterable[Mapping[str, Any]] = (
    {"sides": 2},
    {"sides": 8},
    {"runners": 1},
    {"runners": 5},
    {"landing": "jump", "stop": "after-all-runners"},
    {"landing": "leave", "stop": "after-all-runners"},
    {"columns_to_win": 1},
)


def course() -> tuple[Leg, ...]:
    """All named rule sets and some odd ones, with every number of seats."""
    named = [rules for rules, _ in NAMED.values()]
    odd = [derive(CLASSIC, {**changes, **_short(changes)}) for changes in _ODD]
    return tuple(Leg(rules, players, 0) for rules in (*named, *odd) for players in PLAYERS)


def _short(changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """A board of three columns has no more than three to win."""
    return {"columns_to_win": 2} if changes.get("sides") == 2 else {}


def steps_in(events: Iterable[Mapping[str, Any]]) -> Iterator[Step]:
    """The steps that a recorded game tells."""
    for event in events:
        if deed := _deed(event):
            yield Step(event["turn"], event["seat"], deed)


def _deed(event: Mapping[str, Any]) -> str:
    if event["event"] == "stop":
        return STOPS
    if event["event"] != "roll":
        return ""
    chosen = event["chosen"]
    return "takes " + " and ".join(map(str, chosen)) if chosen else "busts"


STOPS, FAILS = "stops", "fails"


def difference(
    legs: Sequence[Leg], these: Sequence[Trace], those: Sequence[Trace]
) -> Difference | None:
    """The first decision that differs, as far as both goes have come."""
    for leg, this, that in zip(legs, these, those, strict=False):
        for before, after in zip_longest(this.steps, that.steps):
            if before == after:
                continue
            if (before is None and not this.whole) or (after is None and not that.whole):
                break
            return _told(leg, before, after)
    return None


def _told(leg: Leg, before: Step | None, after: Step | None) -> Difference:
    where = before or after
    assert where
    deeds = [step.deed if step else "nothing" for step in (before, after)]
    # Whoever goes on where the other time it stopped has rolled, whatever came of it.
    told = ["rolls again" if STOPS in deeds and deed != STOPS else deed for deed in deeds]
    return Difference(leg, where.turn, where.seat, *told)
