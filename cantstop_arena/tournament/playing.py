"""A person at a table with bots."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cantstop_arena.catalogue import Catalogue
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.asking import Insider
from cantstop_arena.games.cantstop.person import Person
from cantstop_arena.games.cantstop.play import Table
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.table import Contestant, uncompiled
from cantstop_arena.options import LONGEST_QUOTE
from cantstop_arena.plugins import Loader
from cantstop_arena.seeds import Seed
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournament.chairs import Apart
from cantstop_arena.tournament.config import FaultPolicy
from cantstop_arena.tournament.entrants import Entrant, find_bot
from cantstop_arena.tournament.recipes import entrant_seat

_LIMITS = FaultPolicy(decision_limit=10.0)  # people are patient


@contextmanager
def table_with(
    person: Person,
    name: str,
    seat: int,
    bots: Sequence[str],
    rules: RuleSet,
    seed: Seed,
    catalogue: Catalogue,
    compiling: Callable[[list[str]], None],
    hidden: tuple[Path, ...] = (),
) -> Iterator[Table]:
    """A table where a person has a seat, from 0, and the bots the others, all in seat order.

    Bots are names, or paths from where one stands. What is not built in plays in a process of its
    own, and its file is run only there: it can neither print into the game nor hold it up, nor
    read in the sandbox what is `hidden`. Raises BotError.
    """
    contestants = [_bot(reference, catalogue, hidden) for reference in bots]
    player = Insider(person.choose_move, person.roll_again)
    contestants.insert(seat, Contestant(name, player, digest=""))
    if missing := uncompiled(contestants):
        compiling(missing)
    table = Table(rules, contestants, len(contestants), seed)
    table.warm_up()
    try:
        yield table
    finally:
        for contestant in contestants:
            if isinstance(contestant.sit, Apart):
                contestant.sit.remote.close()


def _bot(reference: str, catalogue: Catalogue, hidden: tuple[Path, ...]) -> Contestant:
    try:
        spec = find_bot(reference, Path(), catalogue)
    except BotError as error:
        raise BotError(f"{in_a_line(reference, LONGEST_QUOTE)}: {error}") from None
    isolate = spec.origin != "built-in"
    entrant = Entrant(spec.name, spec, spec.defaults, isolate)
    seat = entrant_seat(entrant, catalogue, _LIMITS, hidden=hidden)
    return seat.contestant(Loader(catalogue.folder))
