"""Reading the tournament file and the values of its keys, with all problems reported at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cantstop_arena.bots.known_bot import refusal_of
from cantstop_arena.deals.outcomes import (
    BY_VALUE,
    ELO_ERROR,
    PAYOFF_WIDTH,
    WIDTH,
    LeftOut,
    LuckRemoved,
    Until,
)
from cantstop_arena.deals.payoff import PAYOFF, WINS
from cantstop_arena.deals.seatings import Orders
from cantstop_arena.deals.seeds import SEED_FORM, Seed, random_seed, seed_of
from cantstop_arena.errors import LedgerError, RulesError, UsageError
from cantstop_arena.game_api.game import Game, score_of
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.ratings.labels import MAX_ANCHOR
from cantstop_arena.ratings.sequential.stopping_rule import rule_for
from cantstop_arena.texts import in_a_line, listed
from cantstop_arena.tournaments.file.entrant_reader import EntrantReader, read_isolation
from cantstop_arena.tournaments.file.entrants import Entrant, needs
from cantstop_arena.tournaments.file.keys import BY_NAME, Key, Seconds, keys_of_file
from cantstop_arena.tournaments.file.yaml_reader import (
    Entry,
    Node,
    Reader,
    converted_losslessly,
    dump,
    is_mapping,
    node_text,
    quoted,
    range_text,
    unknown_word,
)
from cantstop_arena.tournaments.tournament import (
    NO_OVERRIDES,
    FaultPolicy,
    Overrides,
    Tournament,
    luck_refusal,
    score_refusal,
)

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Arrivals, Catalogue
    from cantstop_arena.tournaments.openings import Openings


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
    return partial(_arrivals, folder)


def _arrivals(folder: Path, name: str) -> Sequence[str]:
    from cantstop_arena.tournaments.ledger.read_ledger import look_into

    with suppress(LedgerError, UsageError):  # there is no such folder yet
        versions = look_into(folder, lambda ledger: ledger.versions_named(name))
        return [version.digest for version in versions]
    return ()


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


# The values of keys, and messages for invalid ones

UNTIL = {ELO_ERROR: (0.01, 1000.0), WIDTH: (1e-6, 1.0)}  # minimum and maximum
PAYOFF_WIDTHS = 1e-9, 1e12
PEOPLE = "people"  # a reserved name of results: what is there are no results of runs
MAX_NAME_LENGTH = 100
MAX_FOLDER_LENGTH = 255  # bytes, on every common file system
A_NAME = (
    f"must be 1 to {MAX_NAME_LENGTH} letters, digits, spaces, hyphens, underscores and dots"
    f" ({MAX_FOLDER_LENGTH} bytes), with no dot in front and no space at either end"
)


def seats_that_meet(players: int | None, game: Game) -> int:
    """So many seats, or the usual number. Raises UsageError if bots cannot meet at them."""
    players = usual_players(game) if players is None else players
    seats = [number for number in game.players if game.lineup_size(number) > 1]
    if not seats:
        why = (
            "is played alone"
            if game.players[-1] == 1
            else "has no rivals, all seats are on one side"
        )
        raise UsageError(f"{game.title} {why}: its bots do not meet; arena run compares them")
    if players not in seats:
        raise UsageError(
            f"players must be {range_text(range(seats[0], seats[-1] + 1))}, not {players}"
        )
    return players


def names_of(entrants: Sequence[Entrant]) -> list[str]:
    return [entrant.name for entrant in entrants]


def read_score(reader: Reader, entries: Mapping[str, Entry], game: Game) -> str | None:
    """What standings are sorted by; None: what the game says."""
    score: str | None = read_plain(reader, entries, BY_NAME["score"])
    if why := score_refusal(game, score):
        reader.complain(entries["score"].value, why)
    return score


def read_luck_removed(
    reader: Reader, entries: Mapping[str, Entry], game: Game, players: Collection[int]
) -> LuckRemoved:
    """Whether luck is removed, and whether by winning chances."""
    if (entry := entries.get("luck_removed")) is None:
        return False
    requested = reader.plain(entry.value)
    if not isinstance(requested, bool) and requested != BY_VALUE:
        must = f"must be true, false or {BY_VALUE}"
        reader.complain(entry.value, f"luck_removed {must}, not {node_text(entry.value)}")
        return False
    luck_removed: LuckRemoved = requested
    if luck_removed and (why := luck_refusal(game, players, luck_removed)):
        reader.complain(entry.value, why)
    return luck_removed


def read_openings(
    reader: Reader,
    entries: Mapping[str, Entry],
    folder: Path,
    game: Game,
    tables: Iterable[tuple[Any, int]],
) -> Openings | None:
    """The openings, a file named from `folder`, which tables of these rules and seats can play."""
    if (entry := entries.get("openings")) is None or reader.plain(entry.value) is None:
        return None
    from cantstop_arena.tournaments.openings import openings_in

    try:
        openings = openings_in(reader.plain(entry.value), folder)
    except UsageError as error:
        reader.complain(entry.value, str(error))
        return None
    for rules, players in tables:
        if why := openings.refusal(game, rules, players):
            reader.complain(entry.value, why)
    return openings


def read_anchor(reader: Reader, entry: Entry | None, names: Sequence[str]) -> dict[str, float]:
    """The anchor: the bot with a fixed Elo, and that Elo."""
    if entry is None:
        return {}
    given = reader.mapping(entry.value, "anchor")
    if is_mapping(entry.value) and len(given) != 1:
        reader.complain(entry.value, "anchor must name one bot and its Elo, as in {rule28: 1500}")
    for name, (key, value) in given.items():
        if name not in names:
            reader.complain(key, unknown_word("bot", name, names))
        elo = converted_losslessly(reader.plain(value), 0.0)
        if type(elo) is float and abs(elo) <= MAX_ANCHOR:
            return {name: elo}
        must = f"a number from {-MAX_ANCHOR:,.0f} to {MAX_ANCHOR:,.0f}"
        reader.complain(value, f"an anchor's Elo must be {must}, not {node_text(value)}")
    return {}


def read_challenger(
    reader: Reader, entry: Entry | None, entrants: Sequence[Entrant], lineup_size: int
) -> str:
    """The challenger of a gauntlet, who plays in all games; empty in other tournaments."""
    if entry is None:
        return ""
    if lineup_size == 1:
        reader.complain(entry.key, "a gauntlet needs 2 players or more; alone nobody is challenged")
    name = reader.text(entry.value, "gauntlet")
    names = names_of(entrants)
    if name is not None and name not in names:
        reader.complain(entry.value, unknown_word("bot", name, names))
    return name or ""


def read_left_out(reader: Reader, entry: Entry | None) -> tuple[LeftOut, ...]:
    """The bots that could not play when the file was written, and why."""
    keys = LeftOut.__struct_fields__
    left_out = []
    for node in reader.items(entry.value, "left_out") if entry else []:
        entries = reader.mapping(node, "a bot that is left out", keys)
        texts = {key: reader.text(entries[key].value, key) for key in keys if key in entries}
        if len(texts) < len(keys):
            reader.complain(node, f"a bot that is left out needs {listed(keys)}")
        left_out.append(LeftOut(*(in_a_line(texts.get(key) or "") for key in keys)))
    return tuple(left_out)


def read_seed(reader: Reader, entry: Entry | None) -> Seed | None:
    """The seed in the file; None when there is none, or an invalid one."""
    if entry is None:
        return None
    value = reader.plain(entry.value)
    if value is None:  # as in JSON: there is none
        return None
    seed = seed_of(converted_losslessly(value, 0))
    if seed is None:
        reader.complain(entry.value, f"seed must be {SEED_FORM}, not {node_text(entry.value)}")
    return seed


def read_plain(reader: Reader, entries: Mapping[str, Entry], key: Key) -> Any:
    """The value of a key whose kind says all about its valid values."""
    name, entry = key.name, entries.get(key.name)
    if isinstance(key.kind, range):
        return reader.integer(entry, name, key.kind, key.default)
    if isinstance(key.kind, Seconds) and key.kind.maximum is not None:
        return reader.seconds(entry, name, key.kind.maximum, key.default)
    if key.kind is bool:
        return reader.flag(entry, name, key.default)
    return key.default if entry is None else reader.choice(entry, name, key.kind)


def read_games(reader: Reader, entries: Mapping[str, Entry], default: int) -> int:
    """The number of games of each lineup."""
    return reader.integer(entries.get("games"), "games", BY_NAME["games"].kind, default)


def read_policy(reader: Reader, entries: Mapping[str, Entry]) -> FaultPolicy:
    """The limits for bots and the policy on faults."""
    names = FaultPolicy.__struct_fields__
    return FaultPolicy(*(read_plain(reader, entries, BY_NAME[name]) for name in names))


def read_until(
    reader: Reader, entry: Entry | None, bots: int, orders: Orders, sorted_by: str = WINS
) -> Until | None:
    """The rule that ends the tournament; None when there is none, or an invalid one.

    A width is that of mean payoffs where standings are sorted by them.
    """
    if entry is None:
        return None
    players, by_payoff = len(orders[0]), sorted_by == PAYOFF
    if players == 1 and not by_payoff:
        reader.complain(entry.key, "until needs 2 players or more; alone there is nothing to win")
    entries = reader.mapping(entry.value, "until", UNTIL)
    if not is_mapping(entry.value):
        return None
    measures = [measure for measure in UNTIL if measure in entries]
    if len(entries) != 1:
        needs = f"until needs one of {' and '.join(UNTIL)}, as in {{{ELO_ERROR}: 3}}"
        reader.complain(entry.value, needs)
    if measures[:1] == [WIDTH] and by_payoff:
        width = reader.amount(entries[WIDTH], WIDTH, *PAYOFF_WIDTHS)
        return rule_for(PAYOFF_WIDTH, width, bots, players, len(orders))
    amounts = [reader.amount(entries[measure], measure, *UNTIL[measure]) for measure in measures]
    if not amounts or not 1 < players <= bots:
        return None
    return rule_for(measures[0], amounts[0], bots, players, len(orders))


def read_name(reader: Reader, entry: Entry | None, stem: str) -> str:
    """The name of the tournament and its results folder; by default that of the file."""
    node = entry.value if entry else reader.root
    subject = "name" if entry else "name is missing, and the file's name"
    name = reader.text(node, subject) if entry else stem
    if name is not None and not _names_a_folder(name):
        reader.complain(node, f"{subject} {A_NAME}, not {quoted(name)}")
    elif name is not None and name.casefold() == PEOPLE:
        reader.complain(node, f"{subject} is {quoted(name)}, which is reserved; choose another")
    return name or stem


def _names_a_folder(name: str) -> bool:
    return (
        0 < len(name) <= MAX_NAME_LENGTH
        and all(unicodedata.category(char)[0] in "LMN" or char in " -_." for char in name)
        and len(name.encode()) <= MAX_FOLDER_LENGTH
        and not name.startswith(".")
        and name == name.strip()
    )


def read_game(reader: Reader, entry: Entry | None) -> Game:
    """The game. Raises ConfigError when unknown, since the other keys depend on it."""
    name = reader.text(entry.value, "game") if entry else None
    if entry is None or name is None:
        return game_named(DEFAULT)
    try:
        return game_named(name)
    except UsageError as error:
        reader.complain(entry.value, str(error))
        reader.finish()
        raise


def usual_players(game: Game) -> int:
    """The default number of seats: two, or the minimum of the game."""
    return 2 if 2 in game.players else game.players[0]


def read_rules(reader: Reader, entry: Entry | None, catalogue: Catalogue) -> Any:
    """A rule set, given by name or by its parameters."""
    if entry and is_mapping(entry.value):
        return _inline_rules(reader, entry.value, catalogue)
    return _named_rules(reader, entry, "rules", catalogue)


def _named_rules(reader: Reader, entry: Entry | None, what: str, catalogue: Catalogue) -> Any:
    name = reader.text(entry.value, what) if entry else None
    if entry is None or name is None:
        return catalogue.game.rules.default
    try:
        if name not in catalogue.rules:
            reader.complain(entry.value, unknown_word("rules", name, list(catalogue.rules)))
        return catalogue.rules.get(name, catalogue.game.rules.default)
    except UsageError as error:  # numbers that no rules of the game's pattern can have
        reader.complain(entry.value, str(error))
        return catalogue.game.rules.default


def _inline_rules(reader: Reader, node: Node, catalogue: Catalogue) -> Any:
    book = catalogue.game.rules
    entries = reader.mapping(node, "rules", ("base", "name", *book.parameters))
    base = _named_rules(reader, entries.get("base"), "base", catalogue)
    name = _rules_name(reader, entries.get("name"))
    given = {key: reader.plain(entries[key].value) for key in book.parameters if key in entries}
    changes = {key: converted_losslessly(value, getattr(base, key)) for key, value in given.items()}
    try:
        return book.derive(base, changes, name)
    except RulesError as error:
        for parameter, message in error.faults:
            blamed = entries[parameter].key if parameter in entries else node
            reader.complain(blamed, f"{parameter} {message}")
        return base


def _rules_name(reader: Reader, entry: Entry | None) -> str | None:
    name = reader.text(entry.value, "the rules' name") if entry else None
    if entry and name is not None and not (name.isprintable() and name.strip()):
        reader.complain(entry.value, f"the rules' name must be printable, not {quoted(name)}")
    return name
