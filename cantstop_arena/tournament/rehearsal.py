"""Before anything is played: every bot is built and compiled, foreign ones in other processes.

What the arena's own process has compiled, forked workers find; what others have compiled, all
processes find on disk.
"""

import base64
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cantstop_arena import botfiles
from cantstop_arena.botspecs import DECISIONS, place_of
from cantstop_arena.errors import BotError
from cantstop_arena.hookspecs import Player
from cantstop_arena.isolation.errands import Errand, Failed, done
from cantstop_arena.isolation.serve import complaint_of
from cantstop_arena.isolation.wire import ERROR, LONGEST_REPORT
from cantstop_arena.plugins import Loader
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournament.recipes import Recipe, Seat

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.play import Table
    from cantstop_arena.games.cantstop.table import Contestant

_COMPILING = 300.0  # seconds that a compiled bot may take to be made, once


@dataclass(frozen=True)
class Part:
    """What there is to know of a bot that takes part: its lane, and where its functions begin."""

    native: bool
    learns: bool
    places: Mapping[str, str]
    foreign: bool = False
    """Whether somebody else's code says so, in the processes of workers, too."""


def rehearse(recipe: Recipe, compiling: Callable[[list[str]], None]) -> tuple[Part, ...]:
    """Build every bot, and have everything compiled once, before workers start.

    `compiling` is told what has to be compiled for the first time, if anything. Raises BotError.
    """
    from cantstop_arena.games.cantstop.compiler import is_cached

    engine = [] if is_cached("engine") else ["the engine"]
    marked = {seat.digest: seat.name for seat in recipe.seats if not seat.launch and seat.native}
    if missing := engine + [name for digest, name in marked.items() if not is_cached(digest)]:
        compiling(missing)
    foreign = [seat for seat in recipe.seats if seat.is_foreign]
    if not foreign:
        table = recipe()
        table.warm_up()
        return tuple(map(_part, table.contestants, map(bool, table.native)))
    ours = _warmed(recipe)
    told = dict(zip(foreign, done([_errand(recipe, seat) for seat in foreign]), strict=True))
    return tuple(ours.get(seat) or _believed(seat, told[seat]) for seat in recipe.seats)


def _warmed(recipe: Recipe) -> dict[Seat, Part]:
    """The arena's own part, compiled and loaded here: the engine, and its bots."""
    from cantstop_arena.games.cantstop.play import Table
    from cantstop_arena.games.cantstop.table import Contestant

    loader = Loader(recipe.folder)
    seats = [seat for seat in recipe.seats if not seat.is_foreign]
    contestants = [seat.contestant(loader) for seat in seats]
    nobody = Contestant("nobody", Player(_nothing, _nothing), "")
    table = Table(recipe.rules, [*contestants, *[nobody] * recipe.players], recipe.players, 0)
    table.warm_up()
    return dict(zip(seats, map(_part, contestants, map(bool, table.native)), strict=False))


def _nothing(*asked: object) -> Any:
    raise AssertionError("nobody plays")


def _part(contestant: "Contestant", native: bool) -> Part:
    player = contestant.player
    places = {hook: place_of(getattr(player, hook)) for hook in DECISIONS}
    return Part(native, contestant.learns, places)


def _errand(recipe: Recipe, seat: Seat) -> Errand:
    alone = replace(recipe, seats=(seat,), players=1)
    limit = _COMPILING if seat.native else botfiles.LONGEST_IMPORT + _SPARE
    return Errand(f"{__name__}:built_alone", {"recipe": packed(alone)}, limit)


_SPARE = 2.0


def packed(recipe: Recipe) -> str:
    """A recipe as a text, for a process of the arena's."""
    return base64.b64encode(pickle.dumps(recipe)).decode()


def unpacked(recipe: str) -> Recipe:
    """The recipe that the arena has packed."""
    found: Recipe = pickle.loads(base64.b64decode(recipe))
    return found


def built_alone(recipe: str) -> Mapping[str, Any]:
    """Build the one bot of a recipe, and tell of it: what an errand does."""
    try:
        table: Table = unpacked(recipe)()
        table.warm_up()
        part = _part(table.contestants[0], bool(table.native[0]))
        return {"native": part.native, "learns": part.learns, "places": part.places}
    except BaseException as error:
        return {ERROR: complaint_of(error)}


def _believed(seat: Seat, told: Any) -> Part:
    if isinstance(told, Failed):
        raise BotError(f"bot {seat.name} cannot be built: it {told}")
    if not isinstance(told, dict) or not isinstance(places := told.get("places", {}), dict):
        raise BotError(f"bot {seat.name} cannot be built: what it says of itself is nonsense")
    if isinstance(complaint := told.get(ERROR), str):
        raise BotError(in_a_line(complaint, _LONGEST_COMPLAINT))
    texts = {hook: in_a_line(str(places.get(hook, "")), LONGEST_REPORT) for hook in DECISIONS}
    is_native = seat.native and told.get("native") is True
    return Part(is_native, told.get("learns") is True, texts, foreign=True)


_LONGEST_COMPLAINT = 2000


def native(parts: Sequence[Part], group: Sequence[int]) -> bool:
    """Whether all bots of a group are compiled."""
    return all(parts[bot].native for bot in group)
