"""The comparison file: rule sets, numbers of players, and bots; every bot plays all of them."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict, replace

from cantstop_arena.bots.known_bot import MAX_NAME_LENGTH
from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.deals.outcomes import LuckRemoved
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import Seed, random_seed
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.game import Game
from cantstop_arena.tournaments.file.entrant_reader import EntrantReader, read_isolation
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.file.keys import keys_of_file, values_in_file
from cantstop_arena.tournaments.file.pattern_entrants import WithField
from cantstop_arena.tournaments.file.tournament_file import (
    read_game,
    read_games,
    read_left_out,
    read_luck_removed,
    read_name,
    read_openings,
    read_policy,
    read_rules,
    read_seed,
    usual_players,
)
from cantstop_arena.tournaments.file.yaml_reader import (
    Entry,
    Node,
    Reader,
    converted_losslessly,
    dump,
    is_list,
    is_mapping,
    line_and_column,
    node_text,
    quoted,
    unknown_word,
)
from cantstop_arena.tournaments.ledger.open_ledger import part_name
from cantstop_arena.tournaments.tournament import (
    COPIES,
    NO_OVERRIDES,
    RESOLVED,
    FaultPolicy,
    Overrides,
    Tournament,
    luck_refusal,
)

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.tournaments.openings import Openings

KEYS = [key.name for key in keys_of_file("comparison")]
MAX_FOLDER_LENGTH = 60
RESOLVED_FILE = "comparison.yaml"


class Comparison(WithField, frozen=True):
    """Rule sets, the baseline among them, and how many games they play with how many players.

    A `seed` that no user has named is random (`has_random_seed`), and that of existing ledgers
    replaces it. With `luck_removed` luck is scored, and removed from the wins of seats and bots.
    Deals begin with `openings`, if any.
    """

    name: str
    game: Game
    rules: tuple[Any, ...]
    baseline: Any
    players: tuple[int, ...]
    games: int
    seed: Seed
    ignored: Mapping[str, float]
    policy: FaultPolicy
    source: Path
    has_random_seed: bool = False
    luck_removed: LuckRemoved = False
    openings: Openings | None = None

    @property
    def variants(self) -> tuple[Any, ...]:
        """The rule sets without the baseline."""
        return tuple(rules for rules in self.rules if rules.name != self.baseline.name)

    def without_luck(self, luck_removed: LuckRemoved) -> Comparison:
        """The same with luck removed. Raises UsageError where the game does not allow it."""
        if why := luck_refusal(self.game, self.players, luck_removed):
            raise UsageError(why)
        return replace(self, luck_removed=luck_removed)

    def with_openings(self, openings: Openings) -> Comparison:
        """The same with openings. Raises UsageError where a table cannot play them."""
        for rules, players in product(self.rules, self.players):
            if why := openings.refusal(self.game, rules, players):
                raise UsageError(why)
        return replace(self, openings=openings)

    def tournaments(self, results: Path) -> Iterator[Tournament]:
        """The tournaments with each rule set and number of players, in folders below `results`."""
        for players in self.players:
            for rules in self.rules:
                yield self.tournament(rules, players, results)

    def tournament(self, rules: Any, players: int, results: Path) -> Tournament:
        """The tournament of one rule set with this number of players."""
        entrants, lineups = repeat_bots(self.entrants, self.game.lineup_size(players))
        part = self.part(rules, players)
        folder = results / part
        return Tournament(
            name=folder.name,
            game=self.game,
            rules=rules,
            players=players,
            games=self.games,
            seed=self.seed,
            policy=self.policy,
            entrants=entrants,
            source=folder / RESOLVED,
            hidden=(self.source, results),
            lineups=lineups,
            part=part,
            luck_removed=self.luck_removed,
            openings=self.openings,
        )

    def resolved(self, folder: Path) -> dict[str, Any]:
        """The content of a comparison file in `folder`, with all defaults filled in."""
        first = self.part(self.rules[0], self.players[0])
        values = {
            "name": self.name,
            "game": self.game.name,
            "compare": [self.game.rules.as_dict(rules) for rules in self.rules],
            "baseline": self.baseline.name,
            "players": list(self.players),
            "games": self.games,
            "seed": self.seed,
            "ignore_below": dict(self.ignored),
            **asdict(self.policy),
            "luck_removed": self.luck_removed,
            "openings": self.openings.as_key() if self.openings else None,
            "bots": [entrant.as_file(folder, f"{first}/{COPIES}") for entrant in self.entrants],
            "left_out": [asdict(left_out) for left_out in self.left_out] or None,
        }
        return values_in_file("comparison", values)

    def part(self, rules: Any, players: int) -> str:
        """The name of the part that plays a rule set with this number of players."""
        names = [item.name for item in self.rules]
        return part_name(players, folder_names(names)[names.index(rules.name)])


def folder_names(names: list[str]) -> list[str]:
    """Unique folder names of rule sets, made of the letters and digits of their names."""
    folders: list[str] = []
    for name in names:
        segments = "".join(
            character if character.isalnum() or character in "-_." else " " for character in name
        ).split()
        folder = "-".join(segments)[:MAX_FOLDER_LENGTH].strip("-.")
        if not folder or folder.casefold() in map(str.casefold, folders):
            folder = f"{folder or 'rules'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        folders.append(folder)
    return folders


def read(path: Path, catalogue: Catalogue, overrides: Overrides = NO_OVERRIDES) -> Comparison:
    """The comparison that a file describes.

    Raises ConfigError with every problem of the file.
    """
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a comparison", KEYS)
    if not is_mapping(reader.root):
        reader.finish()
    catalogue = catalogue.playing(read_game(reader, entries.get("game")))
    isolate = read_isolation(reader, entries.get("isolate"))
    bots = EntrantReader(reader, catalogue, path.parent, isolate, overrides.isolate)
    field = bots.read(entries.get("bots"), 1, entries.get("exclude"))
    comparison = _comparison(reader, entries, catalogue, path, field.entrants).with_field(field)
    seed = comparison.seed if overrides.seed is None else overrides.seed
    if overrides.luck_removed:
        comparison = comparison.without_luck(overrides.luck_removed)
    if overrides.openings:
        comparison = comparison.with_openings(overrides.openings)
    return replace(
        comparison,
        games=overrides.over(comparison.games),
        seed=seed,
        has_random_seed=comparison.has_random_seed and overrides.seed is None,
    )


def comparison_from_keys(
    keys: Mapping[str, Any], entrants: tuple[Entrant, ...], catalogue: Catalogue, source: Path
) -> Comparison:
    """The comparison of these entrants with the keys of a file other than `bots`.

    `source` is the path at which its file will be. Raises ConfigError with all problems, located by
    lines and columns as if the keys were in a file.
    """
    reader = Reader(source, dump(keys))
    entries = reader.mapping(reader.root, "a comparison", KEYS)
    if not entrants:
        reader.complain(reader.root, "a comparison needs at least 1 bot")
    return _comparison(reader, entries, catalogue, source, entrants)


def _comparison(
    reader: Reader,
    entries: Mapping[str, Entry],
    catalogue: Catalogue,
    source: Path,
    entrants: tuple[Entrant, ...],
) -> Comparison:
    """The comparison of the entries of a file. Raises ConfigError with every problem."""
    game = catalogue.game
    rules = tuple(_rule_sets(reader, entries.get("compare"), catalogue))
    players = tuple(_players(reader, entries.get("players"), game))
    file_seed = read_seed(reader, entries.get("seed"))
    comparison = Comparison(
        name=read_name(reader, entries.get("name"), source.stem),
        game=game,
        rules=rules,
        baseline=_baseline(reader, entries.get("baseline"), rules, game),
        players=players,
        games=read_games(reader, entries, default=10_000),
        seed=random_seed() if file_seed is None else file_seed,
        ignored=_ignored(reader, entries.get("ignore_below"), DealRatios(game.counts)),
        policy=read_policy(reader, entries),
        entrants=entrants,
        source=source,
        has_random_seed=file_seed is None,
        luck_removed=read_luck_removed(reader, entries, game, players),
        openings=read_openings(reader, entries, source.parent, game, product(rules, players)),
        left_out=read_left_out(reader, entries.get("left_out")),
    )
    reader.finish()
    return comparison


def _rule_sets(reader: Reader, entry: Entry | None, catalogue: Catalogue) -> Iterator[Any]:
    if entry is None:
        reader.complain(reader.root, "compare is missing; write compare: [classic, jump]")
        return
    nodes = reader.items(entry.value, "compare")
    if is_list(entry.value) and len(nodes) < 2:
        reader.complain(entry.key, f"compare needs at least 2 rule sets, not {len(nodes)}")
    lines: dict[str, int] = {}
    for node in nodes:
        problem_count = len(reader.problems)
        rules = read_rules(reader, Entry(node, node), catalogue)
        if len(reader.problems) > problem_count:
            continue
        if rules.name in lines:
            first_use = f"line {lines[rules.name]} has rules called {quoted(rules.name)}"
            reader.complain(node, f"{first_use}; give these another name with name:")
            continue
        lines[rules.name] = line_and_column(node)[0]
        yield rules


def _baseline(reader: Reader, entry: Entry | None, rules: tuple[Any, ...], game: Game) -> Any:
    default = rules[0] if rules else game.rules.default
    name = reader.text(entry.value, "baseline") if entry else None
    if entry is None or name is None:
        return default
    by_name = {item.name: item for item in rules}
    if name not in by_name and (by_name or not reader.problems):
        reader.complain(entry.value, unknown_word("baseline", name, list(by_name)))
    return by_name.get(name, default)


def _players(reader: Reader, entry: Entry | None, game: Game) -> Iterator[int]:
    if entry is None:
        yield usual_players(game)
        return
    nodes = reader.items(entry.value, "players") if is_list(entry.value) else [entry.value]
    if not nodes:
        reader.complain(entry.value, "players must be a number, or a list of numbers")
    listed: set[object] = set()
    for node in nodes:
        problem_count = len(reader.problems)
        players = reader.integer(Entry(node, node), "players", game.players, usual_players(game))
        if len(reader.problems) == problem_count and players in listed:
            reader.complain(node, f"players {players} stands here twice")
        listed.add(players)
        yield players


def _ignored(reader: Reader, entry: Entry | None, measures: DealRatios) -> Mapping[str, float]:
    """The negligible difference of each measure, by key."""
    default = measures.ignored_by_default()
    if entry is None:
        return default
    if not is_mapping(entry.value):
        return dict.fromkeys(default, _min_difference(reader, entry.value, "ignore_below"))
    entries = reader.mapping(entry.value, "ignore_below", tuple(default))
    from_file = {
        key: _min_difference(reader, item.value, key)
        for key, item in entries.items()
        if key in default
    }
    return {**default, **from_file}


def _min_difference(reader: Reader, node: Node, label: str) -> float:
    value = converted_losslessly(reader.plain(node), 0.0)
    if type(value) is float and math.isfinite(value) and 0 <= value <= 1:
        return value
    requirement = "must be a number from 0 to 1 (0.01 is one percent)"
    reader.complain(node, f"{label} {requirement}, not {node_text(node)}")
    return 0.0


def repeat_bots(
    entrants: tuple[Entrant, ...], players: int
) -> tuple[tuple[Entrant, ...], tuple[Group, ...] | None]:
    """The entrants at tables of `players` seats, and the groups that meet; None for all groups.

    Where there are fewer bots than seats, each sits at the table at least once and some more than
    once, in all possible combinations. Copies follow the bots, under names of their own: copy k
    of bot i is number k * bots + i.
    """
    bots = len(entrants)
    if bots >= players:
        return entrants, None
    names = {entrant.name for entrant in entrants}
    copies = [
        replace(entrant, name=_free_name(entrant.name, copy, names))
        for copy in range(1, players - bots + 1)
        for entrant in entrants
    ]
    lineups = tuple(
        tuple(
            sorted(copy * bots + bot for bot in multiplicity for copy in range(multiplicity[bot]))
        )
        for multiplicity in map(Counter, combinations_with_replacement(range(bots), players))
        if len(multiplicity) == bots
    )
    return (*entrants, *copies), lineups


def _free_name(name: str, copy: int, taken: set[str]) -> str:
    """An unused name for a copy of a bot ("rule28 #2" for the first), added to `taken`."""
    number = copy + 1
    while True:
        suffix = f" #{number}"
        free = f"{name[: MAX_NAME_LENGTH - len(suffix)]}{suffix}"
        if free not in taken:
            taken.add(free)
            return free
        number += 1
