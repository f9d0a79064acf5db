"""A table with people and bots."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import check_playing
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import BotError, OtherGameError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH
from cantstop_arena.table.conversation import PersonSeat
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.table.table import GameTable
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.bot_adapters import IsolatedSeating, seat_bot
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference, suggesting_game
from cantstop_arena.tournaments.file.entrants import Entrant, foreign_isolated
from cantstop_arena.tournaments.preparation import check_start
from cantstop_arena.tournaments.table_spec import entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy

_LIMITS = FaultPolicy(decision_limit=10.0)  # longer than in tournaments


@contextmanager
def table_with(
    people: Mapping[int, str],
    bots: Sequence[str | Entrant],
    rules: Any,
    seed: Seed,
    catalogue: Catalogue,
    compiling: Callable[[list[str]], None],
    hidden: tuple[Path, ...] = (),
    in_server: bool = False,
) -> Iterator[GameTable]:
    """A table with people, named by their seats from 0, and bots in the other seats, in order.

    Bots are entrants, names, or paths from the working directory. Bots that are not built in play
    in separate processes, so that they can neither print into the game nor stop it; in the sandbox
    if the catalogue says so. They cannot read the `hidden` paths there. With `in_server` nothing of
    this process is restored after a bot. Raises BotError.
    """
    with suggesting_game([bot for bot in bots if isinstance(bot, str)], catalogue):
        entrants = [named_entrant(bot, catalogue) if isinstance(bot, str) else bot for bot in bots]
    for entrant in entrants:
        check_playing(
            entrant.name, entrant.bot.address, catalogue.game, rules, len(people) + len(bots)
        )
    seated_bots = [_seated(entrant, catalogue, hidden) for entrant in entrants]
    for seat, name in sorted(people.items()):
        seated_bots.insert(seat, SeatedBot(name, PersonSeat(seat, catalogue.game), digest=""))
    compiled = {bot.digest: bot.name for bot in seated_bots if bot.digest and not bot.make_player}
    if missing := catalogue.game.missing_code(compiled):
        compiling(missing)
    table: GameTable = catalogue.game.table(rules, seated_bots, len(seated_bots), seed)
    if in_server:
        table.leave_process_alone()
    table.warm_up()
    try:
        yield table
    finally:
        for bot in seated_bots:
            if isinstance(bot.make_player, IsolatedSeating):
                bot.make_player.close()


def _seated(entrant: Entrant, catalogue: Catalogue, hidden: tuple[Path, ...]) -> SeatedBot:
    if not entrant.command:
        entrant = foreign_isolated(entrant, Isolation.PROCESSES)
    start = entrant_start(entrant, catalogue, _LIMITS, hidden=hidden)
    if start.command:
        check_start(start)
    return seat_bot(start, Loader(catalogue.folder))


def named_entrant(reference: str, catalogue: Catalogue) -> Entrant:
    """The bot of a reference. Raises BotError, which names the reference."""
    try:
        return entrant_from_reference(reference, catalogue)
    except OtherGameError:
        raise
    except BotError as error:
        raise BotError(f"{in_a_line(reference, MAX_QUOTE_LENGTH)}: {error}") from None
