"""Reading the tournament file, with all problems reported at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cantstop_arena.bots.known_bot import refusal_of
from cantstop_arena.deals.outcomes import LeftOut, Until
from cantstop_arena.deals.seatings import Orders
from cantstop_arena.deals.seeds import random_seed
from cantstop_arena.errors import LedgerError, UsageError
from cantstop_arena.game_api.game import Game, score_of
from cantstop_arena.tournaments.file.entrant_reader import EntrantReader, read_isolation
from cantstop_arena.tournaments.file.entrants import Entrant, needs
from cantstop_arena.tournaments.file.key_readers import (
    names_of,
    read_anchor,
    read_challenger,
    read_game,
    read_games,
    read_left_out,
    read_luck_removed,
    read_name,
    read_openings,
    read_policy,
    read_rules,
    read_score,
    read_seed,
    read_until,
    usual_players,
)
from cantstop_arena.tournaments.file.keys import keys_of_file
from cantstop_arena.tournaments.file.yaml_reader import (
    Entry,
    Reader,
    dump,
    is_mapping,
)
from cantstop_arena.tournaments.tournament import NO_OVERRIDES, Overrides, Tournament

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Arrivals, Catalogue

KEYS = [key.name for key in keys_of_file("tournament")]
DEFAULT_GAMES = 10_000
MAX_GAMES = 10_000_000  # the default of `games` in a tournament with `until`


def read(path: Path, catalogue: Catalogue, overrides: Overrides = NO_OVERRIDES) -> Tournament:
    """The tournament that a file describes.

    Raises ConfigError with every problem of the file.
    """
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a tournament", KEYS)
    if not is_mapping(reader.root):
        reader.finish()
    game = read_game(reader, entries.get("game"))
    catalogue = catalogue.playing(game)
    name = read_name(reader, entries.get("name"), path.stem)
    catalogue = catalogue.with_arrivals(arrivals_in(catalogue.results / name))
    players = _players(reader, entries, game)
    isolate = read_isolation(reader, entries.get("isolate"))
    rules = read_rules(reader, entries.get("rules"), catalogue)
    bots = EntrantReader(
        reader,
        catalogue,
        path.parent,
        isolate,
        overrides.isolate,
        refusal=lambda bot: refusal_of(bot, game, rules, players),
    )
    field = bots.read(entries.get("bots"), game.lineup_size(players), entries.get("exclude"))
    tournament = _tournament(reader, entries, catalogue, path, field.entrants, name)
    tournament = tournament.with_field(field)
    reader.finish()
    return overrides.applied(tournament)


def tournament_from_keys(
    keys: Mapping[str, Any], entrants: Sequence[Entrant], catalogue: Catalogue, source: Path
) -> Tournament:
    """The tournament of these entrants with the keys of a file other than `bots`.

    `source` is the path at which its file will be. Raises ConfigError with all problems, located by
    lines and columns as if the keys were in a file.
    """
    reader = Reader(source, dump(keys))
    entries = reader.mapping(reader.root, "a tournament", KEYS)
    name = read_name(reader, entries.get("name"), source.stem)
    tournament = _tournament(reader, entries, catalogue, source, tuple(entrants), name)
    if len(entrants) < tournament.lineup_size:
        reader.complain(reader.root, f"{needs(tournament.lineup_size)}, not {len(entrants)}")
    reader.finish()
    return tournament


def arrivals_in(folder: Path) -> Arrivals:
    """The versions that a folder of results has of a bot; they are read when they are needed."""

    def arrivals(name: str) -> Sequence[str]:
        from cantstop_arena.tournaments.ledger.read_ledger import look_into

        with suppress(LedgerError, UsageError):  # there is no such folder yet
            versions = look_into(folder, lambda ledger: ledger.versions_named(name))
            return [version.digest for version in versions]
        return ()

    return arrivals


def _players(reader: Reader, entries: Mapping[str, Entry], game: Game) -> int:
    return reader.integer(entries.get("players"), "players", game.players, usual_players(game))


def _tournament(
    reader: Reader,
    entries: Mapping[str, Entry],
    catalogue: Catalogue,
    source: Path,
    entrants: tuple[Entrant, ...],
    name: str,
) -> Tournament:
    game = catalogue.game
    players = _players(reader, entries, game)
    games = MAX_GAMES if "until" in entries else DEFAULT_GAMES
    seed = read_seed(reader, entries.get("seed"))
    rules = read_rules(reader, entries.get("rules"), catalogue)
    score = read_score(reader, entries, game)
    tournament = Tournament(
        name=name,
        game=game,
        rules=rules,
        players=players,
        games=read_games(reader, entries, games),
        seed=random_seed() if seed is None else seed,
        has_random_seed=seed is None,
        policy=read_policy(reader, entries),
        entrants=entrants,
        source=source,
        anchor=read_anchor(reader, entries.get("anchor"), names_of(entrants)),
        until=read_until(
            reader,
            entries.get("until"),
            len(entrants),
            game.orders(players),
            score or score_of(game),
        ),
        score=score,
        luck_removed=read_luck_removed(reader, entries, game, [players]),
        openings=read_openings(reader, entries, source.parent, game, [(rules, players)]),
        left_out=read_left_out(reader, entries.get("left_out")),
    )
    challenger = read_challenger(
        reader, entries.get("gauntlet"), entrants, game.lineup_size(players)
    )
    return tournament.as_gauntlet(challenger) if challenger in names_of(entrants) else tournament


class Aims(NamedTuple):
    """What results need of a tournament file: the anchor, the `until` rule, and the like."""

    anchor: dict[str, float]
    until: Until | None
    left_out: tuple[LeftOut, ...]
    score: str | None


def read_aims(path: Path, bots: Sequence[str], orders: Orders) -> Aims:
    """The aims in a tournament file, without loading its bots.

    Raises ConfigError when they are invalid.
    """
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a tournament", KEYS)
    anchor = read_anchor(reader, entries.get("anchor"), bots)
    game = read_game(reader, entries.get("game"))
    score = read_score(reader, entries, game)
    sorted_by = score or score_of(game)
    until = read_until(reader, entries.get("until"), len(bots), orders, sorted_by)
    left_out = read_left_out(reader, entries.get("left_out"))
    reader.finish()
    return Aims(anchor, until, left_out, score)


def games_of_file(path: Path) -> int:
    """Only the number of games of each group in a tournament file. Raises ConfigError."""
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a tournament", KEYS)
    games = read_games(reader, entries, DEFAULT_GAMES)
    reader.finish()
    return games
