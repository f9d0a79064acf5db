"""The comparison file: rule sets, numbers of players, and the bots that play them all."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict, replace

from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import Seed, random_seed
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.game import Game
from cantstop_arena.tournaments.file.entrants import MAX_NAME_LENGTH, Entrant, EntrantReader
from cantstop_arena.tournaments.file.keys import (
    read_game,
    read_luck_removed,
    read_name,
    read_policy,
    read_rules,
    read_seed,
    usual_players,
)
from cantstop_arena.tournaments.file.yaml_reader import (
    Entry,
    Reader,
    converted_losslessly,
    is_list,
    is_mapping,
    node_text,
    quoted,
    unknown_word,
)
from cantstop_arena.tournaments.file.yaml_text import Node, line_and_column
from cantstop_arena.tournaments.tournament import (
    GAMES,
    NO_OVERRIDES,
    RESOLVED,
    FaultPolicy,
    Overrides,
    Tournament,
    luck_refusal,
)

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue

KEYS = (
    "name",
    "game",
    "compare",
    "baseline",
    "players",
    "games",
    "seed",
    "ignore_below",
    "decision_limit",
    "start_limit",
    "max_faults",
    "on_fault",
    "isolate",
    "luck_removed",
    "bots",
)
MAX_FOLDER_LENGTH = 60
RESOLVED_FILE = "comparison.yaml"


class Comparison(msgspec.Struct, frozen=True):
    """Rule sets to be compared with a baseline, one of them, at tables of some sizes.

    Where nobody has named a `seed` it is `drawn`, and gives way to that of ledgers that are there.
    With `luck_removed` luck is scored, and taken out of what seats and bots win.
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
    entrants: tuple[Entrant, ...]
    source: Path
    has_random_seed: bool = False
    luck_removed: bool = False

    @property
    def variants(self) -> tuple[Any, ...]:
        """The rule sets without the baseline."""
        return tuple(rules for rules in self.rules if rules.name != self.baseline.name)

    def without_luck(self) -> Comparison:
        """The same with luck removed. Raises UsageError where that cannot be."""
        if why := luck_refusal(self.game, min(self.players)):
            raise UsageError(why)
        return replace(self, luck_removed=True)

    def tournament(self, rules: Any, players: int, folder: Path) -> Tournament:
        """What is to be played of one rule set at tables of one size, in `folder`."""
        entrants, lineups = repeat_bots(self.entrants, players)
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
            hidden=(self.source, folder.parents[1]),
            lineups=lineups,
            compared=True,
            luck_removed=self.luck_removed,
        )

    def resolved(self, folder: Path) -> dict[str, Any]:
        """Everything spelled out, as a file in `folder` would say it."""
        return {
            "name": self.name,
            "game": self.game.name,
            "compare": [self.game.rules.as_dict(rules) for rules in self.rules],
            "baseline": self.baseline.name,
            "players": list(self.players),
            "games": self.games,
            "seed": self.seed,
            "ignore_below": dict(self.ignored),
            **asdict(self.policy),
            **({"luck_removed": True} if self.luck_removed else {}),
            "bots": [entrant.as_file(folder) for entrant in self.entrants],
        }

    def folder(self, rules: Any, players: int, results: Path) -> Path:
        """Where that is played."""
        names = [item.name for item in self.rules]
        return results / f"{players}-players" / folder_names(names)[names.index(rules.name)]


def folder_names(names: list[str]) -> list[str]:
    """A folder for every rule set, all different, named after the rules as far as that can be."""
    folders: list[str] = []
    for name in names:
        arguments = "".join(
            sign if sign.isalnum() or sign in "-_." else " " for sign in name
        ).split()
        folder = "-".join(arguments)[:MAX_FOLDER_LENGTH].strip("-.")
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
    game = read_game(reader, entries.get("game"))
    catalogue = catalogue.playing(game)
    rules = tuple(_rule_sets(reader, entries.get("compare"), catalogue))
    isolate = reader.flag(entries.get("isolate"), "isolate", default=False)
    players = tuple(_players(reader, entries.get("players"), game))
    named = read_seed(reader, entries.get("seed"))
    comparison = Comparison(
        name=read_name(reader, entries.get("name"), path.stem),
        game=game,
        rules=rules,
        baseline=_baseline(reader, entries.get("baseline"), rules, game),
        players=players,
        games=reader.integer(entries.get("games"), "games", GAMES, default=10_000),
        seed=random_seed() if named is None else named,
        ignored=_ignored(reader, entries.get("ignore_below"), DealRatios(game.counts)),
        policy=read_policy(reader, entries),
        entrants=EntrantReader(reader, catalogue, path.parent, isolate).read(
            entries.get("bots"), players=1
        ),
        source=path,
        has_random_seed=named is None and overrides.seed is None,
        luck_removed=read_luck_removed(
            reader, entries.get("luck_removed"), game, min(players, default=2)
        ),
    )
    reader.finish()
    seed = comparison.seed if overrides.seed is None else overrides.seed
    return replace(comparison, games=overrides.over(comparison.games), seed=seed)


def _rule_sets(reader: Reader, entry: Entry | None, catalogue: Catalogue) -> Iterator[Any]:
    if entry is None:
        reader.complain(reader.root, "compare is missing; write compare: [classic, jump]")
        return
    nodes = reader.items(entry.value, "compare")
    if is_list(entry.value) and len(nodes) < 2:
        reader.complain(entry.key, f"compare needs at least 2 rule sets, not {len(nodes)}")
    lines: dict[str, int] = {}
    for node in nodes:
        problems = len(reader.problems)
        rules = read_rules(reader, Entry(node, node), catalogue)
        if len(reader.problems) > problems:
            continue
        if rules.name in lines:
            before = f"line {lines[rules.name]} has rules called {quoted(rules.name)}"
            reader.complain(node, f"{before}; give these another name with name:")
            continue
        lines[rules.name] = line_and_column(node)[0]
        yield rules


def _baseline(reader: Reader, entry: Entry | None, rules: tuple[Any, ...], game: Game) -> Any:
    first = rules[0] if rules else game.rules.default
    name = reader.text(entry.value, "baseline") if entry else None
    if entry is None or name is None:
        return first
    by_name = {item.name: item for item in rules}
    if name not in by_name and (by_name or not reader.problems):
        reader.complain(entry.value, unknown_word("baseline", name, list(by_name)))
    return by_name.get(name, first)


def _players(reader: Reader, entry: Entry | None, game: Game) -> Iterator[int]:
    if entry is None:
        yield usual_players(game)
        return
    nodes = reader.items(entry.value, "players") if is_list(entry.value) else [entry.value]
    if not nodes:
        reader.complain(entry.value, "players must be a number, or a list of numbers")
    observed: set[object] = set()
    for node in nodes:
        problems = len(reader.problems)
        players = reader.integer(Entry(node, node), "players", game.players, usual_players(game))
        if len(reader.problems) == problems and players in observed:
            reader.complain(node, f"players {players} stands here twice")
        observed.add(players)
        yield players


def _ignored(reader: Reader, entry: Entry | None, questions: DealRatios) -> Mapping[str, float]:
    """What is negligible, by question."""
    default = questions.ignored_by_default()
    if entry is None:
        return default
    if not is_mapping(entry.value):
        return dict.fromkeys(default, _min_difference(reader, entry.value, "ignore_below"))
    entries = reader.mapping(entry.value, "ignore_below", tuple(default))
    given = {
        key: _min_difference(reader, item.value, key)
        for key, item in entries.items()
        if key in default
    }
    return {**default, **given}


def _min_difference(reader: Reader, node: Node, what: str) -> float:
    value = converted_losslessly(reader.plain(node), 0.0)
    if type(value) is float and math.isfinite(value) and 0 <= value <= 1:
        return value
    must = "must be a number from 0 to 1 (0.01 is one percent)"
    reader.complain(node, f"{what} {must}, not {node_text(node)}")
    return 0.0


def repeat_bots(
    entrants: tuple[Entrant, ...], players: int
) -> tuple[tuple[Entrant, ...], tuple[Group, ...] | None]:
    """The bots at tables of `players` seats, and the groups that meet; None for all groups.

    Where the bots are fewer than the seats, they sit at a table more than once, each of them at
    least once, in all ways to choose which: copies enter behind the bots, under names of their
    own. Copy k of bot i is number k * bots + i.
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
        tuple(sorted(copy * bots + bot for bot in counted for copy in range(counted[bot])))
        for counted in map(Counter, combinations_with_replacement(range(bots), players))
        if len(counted) == bots
    )
    return (*entrants, *copies), lineups


def _free_name(name: str, copy: int, taken: set[str]) -> str:
    """A name for a copy of a bot: "rule28 #2" for the first copy."""
    number = copy + 1
    while True:
        suffix = f" #{number}"
        free = f"{name[: MAX_NAME_LENGTH - len(suffix)]}{suffix}"
        if free not in taken:
            taken.add(free)
            return free
        number += 1
