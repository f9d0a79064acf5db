"""A game as the arena knows it, and what a game in plain Python has to be.

docs/games.md tells how to write one. A game is an object of a subclass of `Game`; whatever it
leaves out has a default.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from cantstop_arena.deals.counting import Counts
from cantstop_arena.deals.seatings import Orders, standard_orders
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.decisions import Decision, decisions_of, game_over
from cantstop_arena.game_api.streams import DealChance, Stream

if TYPE_CHECKING:
    from cantstop_arena.deals.outcomes import SharedWindow
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.game_api.codec import Codec
    from cantstop_arena.game_api.position import Position
    from cantstop_arena.game_api.rulebook import RuleBook

Event = Mapping[str, Any]
"""One line of a recorded game: its `event` says what kind it is."""

_HEADER_KEYS = ("event", "turn", "seat")
_NO_NUMBERS = "its decisions have no fixed numbers (docs/environments.md says why)"
DONE, FAULT, LEFT = "done", "fault", "left"  # why a game ended: see `Result.reason`


@dataclass(frozen=True)
class View:
    """What a bot is shown: subclass it with fields of the game's own.

    Those may be numbers, texts, true and false, None, tuples, mappings with texts as keys, and
    frozen dataclasses of these. `random()` is the next number, in [0, 1), of the bot's own stream.
    """

    seat: int
    players: int
    rules: Any
    random: Callable[[], float] = field(repr=False, compare=False)


AnyView = TypeVar("AnyView", bound=View)


class Deal:
    """One deal of a game as a state gets it: the rules, the number of seats, and chance."""

    def __init__(self, rules: Any, players: int, chance: DealChance) -> None:
        self.rules = rules
        self.players = players
        self._chance = chance
        self._streams = tuple(Stream(chance.key_of_bot(seat)) for seat in range(players))

    @property
    def seats(self) -> range:
        """The seats, from 0."""
        return range(self.players)

    def stream(self, *name: str | int) -> Stream:
        """Random numbers that are the same in every seating of the deal, by name."""
        return self._chance.stream(*name)

    def view(self, kind: type[AnyView], seat: int, **visible: Any) -> AnyView:
        """What the bot in a seat is shown."""
        return kind(seat, self.players, self.rules, self._streams[seat], **visible)


class CheckGame(NamedTuple):
    """A game that a bot plays against itself to be checked."""

    rules: Any
    players: int
    deal: int = 0

    def __str__(self) -> str:
        seats = "seat" if self.players == 1 else "seats"
        return f"{self.rules.name}, {self.players} {seats}, deal {self.deal}"


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A decision that is asked of one seat, or of several at once.

    `views` says by seat what each is shown; nobody sees what the others answer. Where the decision
    is a choice, `moves` has by seat what there is to choose from.
    """

    decision: str
    views: Mapping[int, Any]
    moves: Mapping[int, Sequence[Any]] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a game.

    `winners` are seats, none where nobody won. `points` and `ranks` (1 is the best) are by seat,
    if the game has any; ranks follow from points where they are left out. `counts` has, by the
    names of the game's `Counts`, a whole number for each seat; `highlights` by kind how remarkable
    the game is, in whole numbers above 0.
    """

    winners: Sequence[int]
    points: Sequence[int] = ()
    ranks: Sequence[int] = ()
    counts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    highlights: Mapping[str, int] = field(default_factory=dict)
    reason: str = DONE


class State(ABC):
    """One game being played, in plain Python. `turn` is the turn, in a game that has turns."""

    turn: int = 0

    @abstractmethod
    def question(self) -> Question | None:
        """What is asked next, and of whom. None: the game is over."""

    @abstractmethod
    def answer(self, answers: Mapping[int, Any]) -> Iterable[Event]:
        """Take the answers to the question, by seat. Return the events that follow, for the record.

        An answer is an index into `moves` where the question had some, else of the type that the
        decision's hook returns; a bot without an optional hook answers None.
        """

    @abstractmethod
    def result(self) -> Result:
        """What came of the game; before its end, as far as it has been played."""

    def check(self, seat: int, answer: Any) -> str | None:
        """What makes an answer of the right type illegal, in words; None where it is legal."""
        return None

    def ending(self, result: Result) -> Event:
        """The last line of the record, without `event`, `winners` and `reason`."""
        return {"points": [*result.points]} if result.points else {}


class Game:
    """A game. Subclass it, and return an object of it from the hook `register_games`.

    `name` is what files call it, `title` what people do; `players` are the numbers of seats.
    `hooks` are the functions that declare the decisions, see `games.decisions`. `bots` are the
    modules of bots that come with it, by name; `counts` says what is counted, in which words.
    """

    name: str
    title: str
    players: range = range(2, 5)
    rules: RuleBook[Any]
    hooks: Sequence[Callable[..., Any]]
    listener: Callable[..., Any] = staticmethod(game_over)
    """The hook by which bots may hear how a game ended; its first parameter is that of `hooks`."""
    counts = Counts(names=("decisions",), length="decisions", unit="decision", alone="decisions")
    bots: Mapping[str, str] = {}
    commands: Mapping[str, str] = {}
    """Commands of its own, by name: where the click command is, as "module:object"."""
    usual_bots: Sequence[str] = ()
    """Those that are taken where nobody names any."""
    view = "cantstop_arena.views.default_view:GameView"
    """Where the class is that shows games: "module:Class". It is imported when it is needed."""
    luck = ""
    """By what its table scores the luck of chance, in words; empty where it does not."""
    table_class = "cantstop_arena.table.plain_table:PlainTable"
    """Where the class is that plays games, a `table.table.Table`."""

    @cached_property
    def codec(self) -> Codec:
        """How views, moves and answers travel to bots in other processes."""
        from cantstop_arena.game_api.codec import Codec

        return Codec()

    @cached_property
    def decisions(self) -> Mapping[str, Decision]:
        """The decisions that are asked of bots, by name."""
        return decisions_of(self.hooks)

    @cached_property
    def functions(self) -> Mapping[str, Decision]:
        """All functions that a bot can have, by name: for decisions, and to hear of the end."""
        return {**self.decisions, **decisions_of([self.listener])}

    def orders(self, players: int) -> Orders:
        """The orders in which bots take their seats in each deal: see `seatings`."""
        return standard_orders(players)

    def missing_code(self, bots: Mapping[str, str]) -> list[str]:
        """What has to be compiled before these compiled bots can play: names by code digest."""
        return []

    def prepare(self, rules: Any, players: int) -> None:
        """Do what takes long once in a process, before any bot's time counts."""

    def check_suite(self) -> Iterable[CheckGame]:
        """The games in which a bot is checked: all named rule sets, every number of seats."""
        for rules, _ in self.rules.named.values():
            yield from (CheckGame(rules, players) for players in self.players)

    def refusal(self, bot: str, rules: Any, players: int) -> str | None:
        """Why a bot that comes with the game cannot play under these rules; None where it can."""
        return None

    def bot_note(self, bot: str, options: Mapping[str, Any], rules: Any, players: int) -> str:
        """What is to be known of a bot that comes with the game under these rules, behind its name
        and without a full stop; empty where there is nothing."""
        return ""

    def best_alone(self, rules: Any) -> float | None:
        """What perfect play needs for a game alone, on average, where somebody has found out."""
        return None

    def action_text(self, event: Event) -> str:
        """What a player did in an event of a record, in words; empty where nobody did anything."""
        if "seat" not in event:
            return ""
        texts = (f"{key} {value}" for key, value in event.items() if key not in _HEADER_KEYS)
        return " ".join([event["event"], *texts])

    def bot_template(self, compiled: bool) -> str | None:
        """A file to start a bot from, NAME in place of its name; None where there is none."""
        return None

    def begin(self, deal: Deal) -> State:
        """A new game, in plain Python. A game with a table of its own need not have it."""
        raise NotImplementedError(f"{type(self).__name__} has neither begin nor a table of its own")

    def position(
        self,
        rules: Any,
        players: int,
        seed: Seed | None = None,
        deal: int = 0,
        bots: Mapping[int, Any] = MappingProxyType({}),
    ) -> Position:
        """The beginning of a deal, to be stepped through; without a seed, chance is given.

        `bots` are `table.contestants.Contestant`s by seat that answer for themselves. Raises
        UsageError where the decisions of the game cannot be numbered.
        """
        raise UsageError(f"{self.title} cannot be stepped through: {_NO_NUMBERS}")

    def position_of(self, view: Any, moves: Sequence[Any] | None = None) -> Position:
        """The position of a bot that is asked, by what it is shown. Raises UsageError likewise."""
        raise UsageError(f"{self.title} cannot be stepped through: {_NO_NUMBERS}")

    def table(self, rules: Any, seated_bots: Sequence[Any], players: int, seed: Any) -> Any:
        """A `table.table.Table` for these contestants, `players` of them at a time."""
        return resolve_name(self.table_class)(self, rules, seated_bots, players, seed)

    @property
    def window(self) -> SharedWindow:
        """How a game at such a table is watched from outside."""
        from cantstop_arena.game_api.watched import shared_window

        return shared_window(tuple(self.functions))
