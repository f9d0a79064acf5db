"""The scenes of a recorded game: the board after each event."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from cantstop_arena.games.cantstop.dice_odds import success_count
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.rules import RULES, RuleSet
from cantstop_arena.texts import in_a_line

SEATS = "ABCD"
MAX_NAME_LENGTH = 100  # characters of a name that are shown
MAX_RULES_LENGTH = 200  # of a rule set's name, which may list every parameter

Spaces = Mapping[int, int]


class ColumnState(NamedTuple):
    """Who stands where in a column: the space of each seat's marker, and of the runner; 0: none.

    `seat` is whose runner it is.
    """

    markers: tuple[int, ...]
    runner: int
    seat: int


class BoardScene(msgspec.Struct, frozen=True, dict=True):
    """The board after one event of a game, which may be the `opening`.

    `markers` has the spaces of every seat's markers by column, `runners` those of the runners, and
    `before` those of the runners before the last roll. `claims` are the columns claimed by the
    event, if it is a stop.
    """

    opening: Event
    event: Event
    markers: tuple[Spaces, ...]
    runners: Spaces
    before: Spaces
    turn: int = 0
    seat: int = 0
    rolls: int = 0
    claims: tuple[int, ...] = ()

    @property
    def step(self) -> int:
        """The number of the roll in its turn; 0 when the event is not a roll."""
        return self.rolls if self.event["event"] == "roll" else 0

    @property
    def is_end(self) -> bool:
        """Whether the game is over."""
        return bool(self.event["event"] == "end")

    @property
    def verdict(self) -> str:
        """The judge's verdict on the event; empty when there is none."""
        return str(self.event["verdict"]["said"]) if "verdict" in self.event else ""

    @cached_property
    def lengths(self) -> Mapping[int, int]:
        """The length of every column."""
        return dict(enumerate(self.opening["rules"]["column_lengths"], start=2))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players, each after the letter of the seat."""
        return tuple(
            f"{letter} {in_a_line(name, MAX_NAME_LENGTH)}"
            for letter, name in zip(SEATS, self.opening["seats"], strict=False)
        )

    @cached_property
    def claimed(self) -> Mapping[int, int]:
        """The claimed columns, ascending, with the seats that have claimed them."""
        owners = (
            (column, seat)
            for seat, own in enumerate(self.markers)
            for column, space in own.items()
            if space == self.lengths[column]
        )
        return dict(sorted(owners))

    def column_state(self, column: int) -> ColumnState:
        """Who stands where in a column."""
        markers = tuple([own.get(column, 0) for own in self.markers])
        return ColumnState(markers, self.runners.get(column, 0), self.seat)

    @cached_property
    def bust_count(self) -> int:
        """The number of rolls, of all possible ones, that would be a bust in place of the last."""
        rules, before = _rules_of(msgspec.json.encode(self.opening["rules"])), self.before
        topped = [column for column, space in before.items() if space == self.lengths[column]]
        return rules.sides**4 - success_count(rules, [*before], [*self.claimed], topped)

    @property
    def heading(self) -> str:
        """The heading of the game: its rules, seed and deal."""
        rules = in_a_line(self.opening["rules"]["name"], MAX_RULES_LENGTH)
        return f"Can't Stop ({rules}), seed {self.opening['seed']}, deal {self.opening['deal']}"


@lru_cache(maxsize=16)
def _rules_of(parameters: bytes) -> RuleSet:
    """The rule set of an opening, whose parameters are JSON."""
    return RULES.from_dict(msgspec.json.decode(parameters))


def scenes(events: Iterable[Event]) -> Iterator[BoardScene]:
    """The scenes of a game, one for each event; the first event must be its opening."""
    scene: BoardScene | None = None
    for event in events:
        scene = after(scene, event)
        yield scene


def after(scene: BoardScene | None, event: Event) -> BoardScene:
    """The scene after an event; the first scene when `scene` is None."""
    if scene is None:
        return BoardScene(event, event, tuple({} for _ in event["seats"]), {}, {})
    return _AFTER[event["event"]](replace(scene, claims=()), event)


def _after_roll(scene: BoardScene, event: Event) -> BoardScene:
    goes_on = event["turn"] == scene.turn
    return replace(
        scene,
        event=event,
        before=scene.runners if goes_on else {},
        runners=_by_column(event["runners"]),
        turn=event["turn"],
        seat=event["seat"],
        rolls=scene.rolls + 1 if goes_on else 1,
    )


def _after_stop(scene: BoardScene, event: Event) -> BoardScene:
    own = _by_column(event["markers"])
    lengths = scene.lengths
    tops = {column for column, space in own.items() if space == lengths[column]}
    markers = tuple(
        own if seat == event["seat"] else {c: s for c, s in spaces.items() if c not in tops}
        for seat, spaces in enumerate(scene.markers)
    )
    return replace(
        scene,
        event=event,
        markers=markers,
        runners={},
        turn=event["turn"],
        seat=event["seat"],
        claims=tuple(sorted(tops - {*scene.claimed})),
    )


def _after_bust(scene: BoardScene, event: Event) -> BoardScene:
    return replace(scene, event=event, runners={})


_AFTER = {"roll": _after_roll, "stop": _after_stop, "bust": _after_bust, "end": _after_bust}


def _by_column(spaces: Mapping[str, int]) -> dict[int, int]:
    """Spaces by column; a record has the columns as strings, as JSON requires for keys."""
    return {int(column): space for column, space in spaces.items()}
