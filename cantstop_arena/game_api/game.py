"""The base class of games.

docs/reference/game-api.md lists what one can have. A game is an instance of a subclass of `Game`;
attributes and methods that it does not define have defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from cantstop_arena.deals.counting import Counts
from cantstop_arena.deals.payoff import PAYOFF, WINS, Payoff
from cantstop_arena.deals.seatings import Orders, standard_orders
from cantstop_arena.errors import GameError, UsageError
from cantstop_arena.game_api.decisions import Decision, decisions_of, game_over
from cantstop_arena.game_api.state import Deal, Event, State

if TYPE_CHECKING:
    from cantstop_arena.deals.outcomes import SharedWindow
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.game_api.batches import Encoding
    from cantstop_arena.game_api.codec import Codec
    from cantstop_arena.game_api.kernel_spec import Kernel
    from cantstop_arena.game_api.position import Position
    from cantstop_arena.game_api.rulebook import RuleBook

_COMPILED_TABLE = "cantstop_arena.table.compiled_table:CompiledTable"
_PLAY_ON = "cantstop_arena.table.position_with_bots:play_on"
_POSITION_KEYS = ("event", "turn", "seat")


class CheckGame(NamedTuple):
    """A game that a bot plays against itself in `arena check`."""

    rules: Any
    players: int
    deal: int = 0

    def __str__(self) -> str:
        seats = "seat" if self.players == 1 else "seats"
        return f"{self.rules.name}, {self.players} {seats}, deal {self.deal}"


def score_of(game: Game) -> str:
    """What standings of a game are sorted by, unless its tournament says otherwise."""
    return game.score or (PAYOFF if game.payoff else WINS)


class Game:
    """A game. Subclass it, and return an instance from the hook `register_games`.

    `name` is used in files, `title` in texts; `players` are the possible numbers of seats. `hooks`
    are the functions that declare the decisions, see `games.decisions`. `bots` are the modules of
    its built-in bots, by name; `counts` declares its counts and their labels.
    """

    name: str
    title: str
    players: range = range(2, 5)
    rules: RuleBook[Any]
    hooks: Sequence[Callable[..., Any]]
    state: type[State] | None = None
    """The class of its states; a game may define `begin` instead."""
    listener: Callable[..., Any] = staticmethod(game_over)
    """The hook that bots may implement to get the result of a game; it has the view of `hooks`."""
    counts = Counts(names=("decisions",), length="decisions", unit="decision", alone="decisions")
    bots: Mapping[str, str] = {}
    edition = "1"
    """Raised when the same deal of the same bots is another game, or counts otherwise.

    That of a game from a package is by default the name and the version of its distribution.
    """
    editions: Mapping[str, int] = {}
    """The editions of built-in bots, 1 unless named: raised when the bot plays other games."""
    commands: Mapping[str, str] = {}
    """Additional commands, by name: the location of the click command, as "module:object"."""
    compiled_bots: Collection[str] = ()
    """The built-in bots that the game's own table plays compiled, with its default rules."""

    payoff: Payoff | None = None
    """What a game pays to each seat; None: it is won or lost."""
    score = ""
    """What standings are sorted by, "wins" or "payoff"; empty: by payoff if there is any."""

    perfect_information = False
    """Whether all seats see the whole state, and draws are made in public."""
    max_decisions = 10_000
    """The most decisions that a game may take; beyond, it is taken for one without an end."""

    usual_bots: Sequence[str] = ()
    """The bots that are used by default."""
    view = "cantstop_arena.views.default_view:GameView"
    """The location of the class that displays games, "module:Class"; imported when needed."""
    has_rolls = False
    """Whether its records have events `roll` with the `dice` and the legal `moves`."""
    luck = ""
    """The quantity by which its table scores luck, as text; empty if it does not."""
    estimates_chances = False
    """Whether its table can score luck by an estimate of winning chances, too."""
    rules_pattern = ""
    """How names of `rules_of_pattern` are written, as text; empty if there are none."""
    training = ""
    """The location of the function that begins a training of nets, "module:function"; empty if no
    bot has nets. It gets rules, players, seed, rounds (or None) and the number of workers, returns
    a `game_api.training.Training`, and raises UsageError if nothing can be trained for the rules.
    """
    encoding_version = 1
    """Raised when any number of an observation, their order or their scale changes."""
    table_class = "cantstop_arena.table.plain_table:PlainTable"
    """The location of the class that plays games, a `table.table.GameTable`."""

    @cached_property
    def codec(self) -> Codec:
        """The conversion of views, moves and answers for isolated bots."""
        from cantstop_arena.game_api.codec import Codec

        return Codec()

    @cached_property
    def decisions(self) -> Mapping[str, Decision]:
        """The decisions of bots, by name."""
        return decisions_of(self.hooks)

    @cached_property
    def functions(self) -> Mapping[str, Decision]:
        """All functions that a bot can have, by name: for decisions, and for the end of a game."""
        return {**self.decisions, **decisions_of([self.listener])}

    def sides(self, players: int) -> Sequence[Sequence[int]]:
        """The seats of each side, which one bot of a lineup fills: each its own, unless partners
        or all seats win together."""
        return [(seat,) for seat in range(players)]

    def side_by_seat(self, players: int) -> tuple[int, ...]:
        """The side of each seat. Raises GameError unless each seat belongs to one."""
        side_of = {seat: number for number, side in enumerate(self.sides(players)) for seat in side}
        seats = [seat for side in self.sides(players) for seat in side]
        if sorted(seats) != [*range(players)] or not all(map(len, self.sides(players))):
            raise GameError(
                f"{self.title}: sides({players}) must name each seat from 0 to {players - 1} once,"
                f" not {[*map(tuple, self.sides(players))]}"
            )
        return tuple(side_of[seat] for seat in range(players))

    def lineup_size(self, players: int) -> int:
        """The number of bots that meet at a table: one for each side."""
        return len(self.sides(players))

    def orders(self, players: int) -> Orders:
        """The orders in which bots take their sides in each deal: see `seatings`."""
        return standard_orders(self.lineup_size(players))

    def missing_code(self, bots: Mapping[str, str], in_step: bool = False) -> list[str]:
        """The names of what must be compiled before these bots (names by code digest) can play.

        With `in_step` also what plays the games of batched bots.
        """
        if not (bots and self._plays_compiled):
            return []
        from cantstop_arena.native.kernel_code import KERNEL_CACHE

        loop = [] if KERNEL_CACHE.has_code(self.name) else [f"the kernel of {self.title}"]
        return loop + [name for digest, name in bots.items() if not KERNEL_CACHE.has_bot(digest)]

    def prepare(self, rules: Any, players: int) -> None:
        """Do what takes long, once in each process, before any bot's time counts."""

    def check_suite(self) -> Iterable[CheckGame]:
        """The games of `arena check`: all named rule sets, every number of seats."""
        for rules, _ in self.rules.named.values():
            yield from (CheckGame(rules, players) for players in self.players)

    def refusal(self, bot: str, rules: Any, players: int) -> str | None:
        """Why a built-in bot cannot play under these rules, as text; None if it can."""
        return None

    def bot_note(self, bot: str, options: Mapping[str, Any], rules: Any, players: int) -> str:
        """A note on a built-in bot under these rules, to follow its name, without a full stop;
        empty if there is none."""
        return ""

    def best_alone(self, rules: Any) -> float | None:
        """The mean length of a solo game with perfect play; None when it is unknown."""
        return None

    def rules_of_pattern(self, name: str, changes: Mapping[str, Any]) -> Any:
        """The rules with a name that follows a pattern, with changed parameters; None otherwise."""
        return None

    def actions(self, rules: Any, players: int) -> Mapping[str, Sequence[Any]] | None:
        """All values that each decision can take, in a fixed order: they number the actions.

        Of a decision with moves they are the moves, else the answers; decisions by bool need no
        entry. None: the actions have no numbers.
        """
        return None

    def openings(self, rules: Any, players: int) -> Sequence[str | Sequence[str | int]] | None:
        """What `openings: game` draws from: each the names or numbers of actions, as in a file."""
        return None

    def action_name(self, decision: str, value: Any) -> str:
        """An action as text."""
        if isinstance(value, bool):
            return decision if value else f"no {decision}"
        return f"no {decision}" if value is None else f"{decision} {value}"

    def action_text(self, event: Event) -> str:
        """The action of a player in an event of a record, as text; empty if there is none."""
        if "seat" not in event:
            return ""
        details = (f"{key} {value}" for key, value in event.items() if key not in _POSITION_KEYS)
        return " ".join([event["event"], *details])

    def bot_template(self, compiled: bool) -> str | None:
        """The template of a bot's file, with NAME in place of its name; None if there is none."""
        return None

    def kernel(self, rules: Any, players: int) -> Kernel | None:
        """The rules as a kernel, the same object for the same arguments; None if there is none.

        With one the game needs no `state`, and compiled bots play in machine code.
        """
        return None

    @property
    def has_kernel(self) -> bool:
        """Whether the game has a kernel, for some rules at least."""
        return type(self).kernel is not Game.kernel

    def begin(self, deal: Deal) -> State:
        """The state of a new game, in plain Python; not needed with another `table_class`."""
        if self.state is None and (kernel := self.kernel(deal.rules, deal.players)):
            from cantstop_arena.game_api.kernel_spec import plain_state

            (decision,) = self.decisions.values()
            return plain_state(kernel, decision, self.payoff)(deal)
        if self.state is None:
            raise NotImplementedError(f"{type(self).__name__} has no state and no table of its own")
        return self.state(deal)

    def position(
        self,
        rules: Any,
        players: int,
        seed: Seed | None = None,
        deal: int = 0,
        bots: Mapping[int, Any] = MappingProxyType({}),
        track: bool = True,
    ) -> Position:
        """The position at the start of a deal; without a seed, outcomes of chance are given.

        `bots` are `table.seated_bot.SeatedBot`s by seat, which decide themselves. Without `track`
        a position keeps neither events nor a history.
        """
        if bots:
            with_bots = resolve_name("cantstop_arena.table.position_with_bots:PositionWithBots")
            position: Position = with_bots(self, rules, players, seed, deal, bots)
            return position
        from cantstop_arena.game_api.state_position import StatePosition

        return StatePosition(self, rules, players, seed, deal, track)

    def play_on(self, position: Position, seed: Seed, bots: Sequence[Any]) -> Position:
        """The end of a game from a position, with the chance of a seed and a bot in each seat.

        `bots` are `table.seated_bot.SeatedBot`s; they begin anew here. Raises FaultError, and
        UsageError for a game that draws from streams.
        """
        ended: Position = resolve_name(_PLAY_ON)(self, position, seed, bots)
        return ended

    def position_of(self, view: Any, moves: Sequence[Any] | None = None) -> Position:
        """The position at a decision, from the bot's view. Raises UsageError if the game cannot."""
        raise UsageError(
            f"{self.title} has no position_of: a view does not say where the game stands"
        )

    @property
    def has_positions(self) -> bool:
        """Whether `position_of` finds the position of a bot's view."""
        return type(self).position_of is not Game.position_of

    def encoding(self, rules: Any, players: int) -> Encoding | None:
        """How the observations and actions of bots with `decide(batch)` are numbered.

        By default those of its positions; None where these have no numbers.
        """
        from cantstop_arena.game_api.batches import encoding_of

        return encoding_of(self, rules, players)

    def value(self, position: Position) -> Sequence[float] | None:
        """The chance of each side to win from a position, exact or learnt; None if unknown."""
        return None

    def table(self, rules: Any, seated_bots: Sequence[Any], players: int, seed: Any) -> Any:
        """A `table.table.GameTable` for these `SeatedBot`s, `players` of them at a time."""
        location = _COMPILED_TABLE if self._plays_compiled else self.table_class
        return resolve_name(location)(self, rules, seated_bots, players, seed)

    @property
    def _plays_compiled(self) -> bool:
        has_sides = type(self).sides is not Game.sides  # the loop in machine code knows seats only
        return self.has_kernel and not has_sides and self.table_class == Game.table_class

    @property
    def window(self) -> SharedWindow:
        """The shared memory in which other processes observe a game at such a table."""
        from cantstop_arena.game_api.watched import shared_window

        return shared_window(self.title, tuple(self.functions))
