"""The tournament file: read with every problem at once, and written back with all spelled out."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantstop_arena.deals.outcomes import ELO_ERROR, WIDTH, Until
from cantstop_arena.deals.seatings import Orders, groups_with
from cantstop_arena.deals.seeds import WANTED, Seed, drawn, in_json, seed_of
from cantstop_arena.errors import RulesError, UsageError
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT, game_called
from cantstop_arena.ratings.labels import MOST_ANCHOR
from cantstop_arena.ratings.sequential.stopping_rule import rule_for
from cantstop_arena.tournament.files.entrants import Entrant, EntrantReader, needs
from cantstop_arena.tournament.files.yaml_reader import (
    Entry,
    Reader,
    fitted,
    found,
    is_mapping,
    shown,
    unknown,
    wanted,
)
from cantstop_arena.tournament.files.yaml_text import Node, dump

if TYPE_CHECKING:
    from cantstop_arena.bot_sources.catalogue import Catalogue
    from cantstop_arena.deals.seatings import Group

__all__ = ["Entrant", "Overrides", "Tournament", "dump", "read"]

KEYS = (
    "name",
    "game",
    "rules",
    "players",
    "games",
    "until",
    "seed",
    "decision_limit",
    "start_limit",
    "max_faults",
    "on_fault",
    "isolate",
    "anchor",
    "gauntlet",
    "luck_removed",
    "bots",
)
RESOLVED = "tournament.yaml"  # in a results folder
GAMES = range(1, 10**12 + 1)
DEFAULT_GAMES = 10_000
MOST_GAMES = 10_000_000  # by default, where the games are played until a rule ends them
BLOCKS = 512  # keep workers busy, and progress visible
UNTIL = {ELO_ERROR: (0.01, 1000.0), WIDTH: (1e-6, 1.0)}  # from the narrowest to the widest
MAX_FAULTS = range(1, 10**9 + 1)
LONGEST_DECISION = LONGEST_START = 3600.0
START_LIMIT = 60.0  # loading numba takes seconds, and a busy machine makes minutes of them
_TRIES_APART = 4
ON_FAULT = ("forfeit", "abort")
LONGEST_NAME = 100
LONGEST_FOLDER = 255  # bytes, on every common file system
A_NAME = (
    f"must be 1 to {LONGEST_NAME} letters, digits, spaces, hyphens, underscores and dots"
    f" ({LONGEST_FOLDER} bytes), with no dot in front and no space at either end"
)


@dataclass(frozen=True)
class FaultPolicy:
    """What becomes of bots that misbehave: the limits, and whether the first fault ends a run.

    Limits are in seconds: for a decision, and for a worker or a program to get ready.
    """

    decision_limit: float = 1.0
    start_limit: float = START_LIMIT
    max_faults: int = 100
    on_fault: str = ON_FAULT[0]

    @property
    def patience_apart(self) -> float:
        """The seconds a worker may wait for a bot's own process, whose time it keeps itself.

        It starts a program, asks it, and does so again where it is doubtful why no answer came.
        """
        return _TRIES_APART * (self.start_limit + self.decision_limit)


@dataclass(frozen=True)
class Tournament:
    """What is to be played: every group of `players` entrants, `games` games each.

    With a `challenger` only its groups meet. With `until`, so many games at most: fewer where
    intervals are narrow before. Where nobody has named a `seed` it is `drawn`, and gives way to the
    one of a ledger that is there. What is `hidden` in the sandbox, besides the `source`, may tell
    the seed, too. With `luck_removed` luck is scored, and taken out of what is found.
    """

    name: str
    game: Game
    rules: Any
    players: int
    games: int
    seed: Seed
    policy: FaultPolicy
    entrants: tuple[Entrant, ...]
    source: Path = field(compare=False)
    anchor: Mapping[str, float] = field(default_factory=dict, compare=False)
    lineups: tuple[Group, ...] | None = None  # the groups that meet, where it is not all
    challenger: str = ""  # the entrant that sits in all of them
    compared: bool = False  # with other rule sets, so that the ledger keeps counts deal by deal
    until: Until | None = None
    luck_removed: bool = False
    blocks: int = field(default=BLOCKS, compare=False)  # that a run is cut into, at least
    drawn: bool = field(default=False, compare=False)
    reseeded: bool = field(default=False, compare=False)  # on the command line
    hidden: tuple[Path, ...] = field(default=(), compare=False)

    @property
    def measured(self) -> bool:
        """Whether the ledger keeps counts deal by deal."""
        followed = bool(self.game.counts.followed) and self.players > 2
        return self.compared or self.luck_removed or followed

    @property
    def deals(self) -> int:
        """The deals of a group: its games, rounded up to every seating of whole deals."""
        return -(-self.games // len(self.orders))

    @property
    def orders(self) -> Orders:
        """The orders in which bots take their seats in each deal."""
        return self.game.orders(self.players)

    def groups(self) -> Iterator[Group]:
        """Every group of entrants that meets, by their numbers, ascending."""
        if self.lineups is not None:
            return iter(sorted(self.lineups, key=sorted))
        return combinations(range(len(self.entrants)), self.players)

    @property
    def group_count(self) -> int:
        """The number of groups."""
        if self.lineups is not None:
            return len(self.lineups)
        return comb(len(self.entrants), self.players)

    def without_luck(self) -> Tournament:
        """The same with luck removed. Raises UsageError where that cannot be."""
        if why := no_luck(self.game, self.players):
            raise UsageError(why)
        return replace(self, luck_removed=True)

    def challenged(self, challenger: str) -> Tournament:
        """The same, but only one of the entrants meets the others."""
        names = [entrant.name for entrant in self.entrants]
        lineups = groups_with(names.index(challenger), len(names), self.players)
        return replace(self, challenger=challenger, lineups=lineups)

    def resolved(self, folder: Path) -> dict[str, Any]:
        """Everything spelled out, as a file in `folder` would say it."""
        return {
            "name": self.name,
            "game": self.game.name,
            "rules": self.game.rules.as_dict(self.rules),
            "players": self.players,
            "games": self.games,
            **({"until": {self.until.measure: self.until.most}} if self.until else {}),
            "seed": self.seed,
            **asdict(self.policy),
            **({"anchor": dict(self.anchor)} if self.anchor else {}),
            **({"gauntlet": self.challenger} if self.challenger else {}),
            **({"luck_removed": True} if self.luck_removed else {}),
            "bots": [entrant.written(folder) for entrant in self.entrants],
        }

    def identity(self) -> dict[str, Any]:
        """What has to agree for results to be continued, as it looks after a stay in JSON."""
        told = {
            "name": self.name,
            "game": self.game.name,
            "rules": self.game.rules.as_dict(self.rules),
            "players": self.players,
            "seed": in_json(self.seed),
            "decision_limit": self.policy.decision_limit,
            "max_faults": self.policy.max_faults,
            "bots": [entrant.identified() for entrant in self.entrants],
            **({"lineups": self.lineups} if self.lineups is not None else {}),
            **({"gauntlet": self.challenger} if self.challenger else {}),
            **({"measured": True} if self.measured else {}),
            **({"luck_removed": True} if self.luck_removed else {}),
        }
        identity: dict[str, Any] = json.loads(json.dumps(told))
        return identity


@dataclass(frozen=True)
class Overrides:
    """What the command line says instead of the file."""

    games: int | None = None
    seed: Seed | None = None

    def applied(self, tournament: Tournament) -> Tournament:
        """The tournament as the command line wants it."""
        games = self.over(tournament.games)
        if self.seed is None:
            return replace(tournament, games=games)
        return replace(tournament, games=games, seed=self.seed, drawn=False, reseeded=True)

    def over(self, games: int) -> int:
        """The games that the command line wants, in place of those of a file."""
        if self.games is not None and self.games not in GAMES:
            raise UsageError(f"--games must be {wanted(GAMES)}, not {self.games}")
        return games if self.games is None else self.games


AS_WRITTEN = Overrides()


def read(path: Path, catalogue: Catalogue, overrides: Overrides = AS_WRITTEN) -> Tournament:
    """The tournament that a file describes.

    Raises ConfigError with every problem of the file.
    """
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a tournament", KEYS)
    if not is_mapping(reader.root):
        reader.finish()
    game = read_game(reader, entries.get("game"))
    catalogue = catalogue.playing(game)
    players = _players(reader, entries, game)
    isolate = reader.flag(entries.get("isolate"), "isolate", default=False)
    entrants = EntrantReader(reader, catalogue, path.parent, isolate).read(
        entries.get("bots"), players
    )
    tournament = _tournament(reader, entries, catalogue, path, entrants)
    reader.finish()
    return overrides.applied(tournament)


def described(
    told: Mapping[str, Any], entrants: Sequence[Entrant], catalogue: Catalogue, source: Path
) -> Tournament:
    """The tournament of these entrants that the keys of a file, but for its bots, describe.

    `source` is where its file will be. Raises ConfigError with every problem, each told of the
    keys as they would stand in a file.
    """
    reader = Reader(source, dump(told))
    entries = reader.mapping(reader.root, "a tournament", KEYS)
    tournament = _tournament(reader, entries, catalogue, source, tuple(entrants))
    if len(entrants) < tournament.players:
        reader.complain(reader.root, f"{needs(tournament.players)}, not {len(entrants)}")
    reader.finish()
    return tournament


def _players(reader: Reader, entries: Mapping[str, Entry], game: Game) -> int:
    return reader.whole(entries.get("players"), "players", game.players, usual_players(game))


def _tournament(
    reader: Reader,
    entries: Mapping[str, Entry],
    catalogue: Catalogue,
    source: Path,
    entrants: tuple[Entrant, ...],
) -> Tournament:
    game = catalogue.game
    players = _players(reader, entries, game)
    games = MOST_GAMES if "until" in entries else DEFAULT_GAMES
    seed = read_seed(reader, entries.get("seed"))
    tournament = Tournament(
        name=read_name(reader, entries.get("name"), source.stem),
        game=game,
        rules=read_rules(reader, entries.get("rules"), catalogue),
        players=players,
        games=reader.whole(entries.get("games"), "games", GAMES, default=games),
        seed=drawn() if seed is None else seed,
        drawn=seed is None,
        policy=read_policy(reader, entries),
        entrants=entrants,
        source=source,
        anchor=_anchor(reader, entries.get("anchor"), _names(entrants)),
        until=_until(reader, entries.get("until"), len(entrants), game.orders(players)),
        luck_removed=_luck_removed(reader, entries.get("luck_removed"), game, players),
    )
    challenger = _challenger(reader, entries.get("gauntlet"), entrants, players)
    return tournament.challenged(challenger) if challenger in _names(entrants) else tournament


def _names(entrants: Sequence[Entrant]) -> list[str]:
    return [entrant.name for entrant in entrants]


def no_luck(game: Game, players: int) -> str:
    """Why luck cannot be removed; empty where it can."""
    if not game.luck:
        return f"luck cannot be removed: nothing scores it in {game.name}"
    return "luck cannot be removed from games alone: there is nothing to win" * (players == 1)


def _luck_removed(reader: Reader, entry: Entry | None, game: Game, players: int) -> bool:
    wanted = reader.flag(entry, "luck_removed", default=False)
    if entry and wanted and (why := no_luck(game, players)):
        reader.complain(entry.value, why)
    return wanted


def read_aims(
    path: Path, bots: Sequence[str], orders: Orders
) -> tuple[dict[str, float], Until | None]:
    """Of a tournament file only the anchor and the rule that ends the games, bots unseen.

    Raises ConfigError where they make no sense.
    """
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a tournament", KEYS)
    anchor = _anchor(reader, entries.get("anchor"), bots)
    until = _until(reader, entries.get("until"), len(bots), orders)
    reader.finish()
    return anchor, until


def read_games(path: Path) -> int:
    """Of a tournament file only the games that each group is to have. Raises ConfigError."""
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a tournament", KEYS)
    games = reader.whole(entries.get("games"), "games", GAMES, default=DEFAULT_GAMES)
    reader.finish()
    return games


def _anchor(reader: Reader, entry: Entry | None, names: Sequence[str]) -> dict[str, float]:
    """The bot whose Elo is given, and its Elo."""
    if entry is None:
        return {}
    given = reader.mapping(entry.value, "anchor")
    if is_mapping(entry.value) and len(given) != 1:
        reader.complain(entry.value, "anchor must name one bot and its Elo, as in {rule28: 1500}")
    for name, (key, value) in given.items():
        if name not in names:
            reader.complain(key, unknown("bot", name, names))
        elo = fitted(reader.plain(value), 0.0)
        if type(elo) is float and abs(elo) <= MOST_ANCHOR:
            return {name: elo}
        must = f"a number from {-MOST_ANCHOR:,.0f} to {MOST_ANCHOR:,.0f}"
        reader.complain(value, f"an anchor's Elo must be {must}, not {found(value)}")
    return {}


def _challenger(
    reader: Reader, entry: Entry | None, entrants: Sequence[Entrant], players: int
) -> str:
    """The entrant whose games alone are played; empty where all meet."""
    if entry is None:
        return ""
    if players == 1:
        reader.complain(entry.key, "a gauntlet needs 2 players or more; alone nobody is challenged")
    name = reader.text(entry.value, "gauntlet")
    names = _names(entrants)
    if name is not None and name not in names:
        reader.complain(entry.value, unknown("bot", name, names))
    return name or ""


def read_seed(reader: Reader, entry: Entry | None) -> Seed | None:
    """The seed that is named; None where there is none, or none that makes sense."""
    if entry is None:
        return None
    seed = seed_of(fitted(reader.plain(entry.value), 0))
    if seed is None:
        reader.complain(entry.value, f"seed must be {WANTED}, not {found(entry.value)}")
    return seed


def read_policy(reader: Reader, entries: Mapping[str, Entry]) -> FaultPolicy:
    """What the entries of a file say of bots that misbehave."""
    default = FaultPolicy()
    return FaultPolicy(
        reader.seconds(
            entries.get("decision_limit"),
            "decision_limit",
            LONGEST_DECISION,
            default.decision_limit,
        ),
        reader.seconds(
            entries.get("start_limit"), "start_limit", LONGEST_START, default.start_limit
        ),
        reader.whole(entries.get("max_faults"), "max_faults", MAX_FAULTS, default.max_faults),
        reader.choice(entries.get("on_fault"), "on_fault", ON_FAULT),
    )


def _until(reader: Reader, entry: Entry | None, bots: int, orders: Orders) -> Until | None:
    """The rule that ends the games; None where there is none, or none that makes sense."""
    if entry is None:
        return None
    players = len(orders[0])
    if players == 1:
        reader.complain(entry.key, "until needs 2 players or more; alone there is nothing to win")
    entries = reader.mapping(entry.value, "until", UNTIL)
    if not is_mapping(entry.value):
        return None
    known = [measure for measure in UNTIL if measure in entries]
    if len(entries) != 1:
        needs = f"until needs one of {' and '.join(UNTIL)}, as in {{{ELO_ERROR}: 3}}"
        reader.complain(entry.value, needs)
    amounts = [reader.amount(entries[measure], measure, *UNTIL[measure]) for measure in known]
    if not amounts or not 1 < players <= bots:
        return None
    return rule_for(known[0], amounts[0], bots, players, len(orders))


def read_name(reader: Reader, entry: Entry | None, stem: str) -> str:
    """The name of the results' folder: as given, or the file's."""
    node = entry.value if entry else reader.root
    subject = "name" if entry else "name is missing, and the file's name"
    name = reader.text(node, subject) if entry else stem
    if name is not None and not _names_a_folder(name):
        reader.complain(node, f"{subject} {A_NAME}, not {shown(name)}")
    return name or stem


def _names_a_folder(name: str) -> bool:
    return (
        0 < len(name) <= LONGEST_NAME
        and all(unicodedata.category(char)[0] in "LMN" or char in " -_." for char in name)
        and len(name.encode()) <= LONGEST_FOLDER
        and not name.startswith(".")
        and name == name.strip()
    )


def read_game(reader: Reader, entry: Entry | None) -> Game:
    """The game that is named. Raises ConfigError: without it nothing else can be read."""
    name = reader.text(entry.value, "game") if entry else None
    if entry is None or name is None:
        return game_called(DEFAULT)
    try:
        return game_called(name)
    except UsageError as error:
        reader.complain(entry.value, str(error))
        reader.finish()
        raise


def usual_players(game: Game) -> int:
    """Two seats, or as many as the game needs."""
    return 2 if 2 in game.players else game.players[0]


def read_rules(reader: Reader, entry: Entry | None, catalogue: Catalogue) -> Any:
    """A rule set, by its name or written out."""
    if entry and is_mapping(entry.value):
        return _inline_rules(reader, entry.value, catalogue)
    return _named_rules(reader, entry, "rules", catalogue)


def _named_rules(reader: Reader, entry: Entry | None, what: str, catalogue: Catalogue) -> Any:
    name = reader.text(entry.value, what) if entry else None
    if entry is None or name is None:
        return catalogue.game.rules.default
    if name not in catalogue.rules:
        reader.complain(entry.value, unknown("rules", name, list(catalogue.rules)))
    return catalogue.rules.get(name, catalogue.game.rules.default)


def _inline_rules(reader: Reader, node: Node, catalogue: Catalogue) -> Any:
    book = catalogue.game.rules
    entries = reader.mapping(node, "rules", ("base", "name", *book.parameters))
    base = _named_rules(reader, entries.get("base"), "base", catalogue)
    name = _rules_name(reader, entries.get("name"))
    given = {key: reader.plain(entries[key].value) for key in book.parameters if key in entries}
    changes = {key: fitted(value, getattr(base, key)) for key, value in given.items()}
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
        reader.complain(entry.value, f"the rules' name must be printable, not {shown(name)}")
    return name
