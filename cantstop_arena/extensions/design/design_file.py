"""A design file: the parameters of rules that vary, and the targets that rules shall meet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import isfinite, prod
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.counting import SHARE
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import RulesError
from cantstop_arena.extensions.design.keys import IN_FILE
from cantstop_arena.extensions.design.quantities import kinds_of
from cantstop_arena.game_api.game import Game
from cantstop_arena.tournaments.file.entrant_reader import EntrantReader, read_isolation
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.file.tournament_file import (
    read_game,
    read_name,
    read_rules,
    read_seed,
    usual_players,
)
from cantstop_arena.tournaments.file.yaml_reader import (
    Entry,
    Node,
    Reader,
    converted_losslessly,
    is_list,
    is_mapping,
    node_text,
    unknown_word,
)
from cantstop_arena.tournaments.tournament import NO_OVERRIDES, Overrides

KEYS = [key.name for key in IN_FILE]
MAX_CANDIDATES = 4096
SEED = 1
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)$")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?) ?%$")


class DesignTarget(msgspec.Struct, frozen=True):
    """The range in which a quantity shall lie; that of a share is from 0 to 1."""

    key: str
    low: float
    high: float
    is_share: bool


class Candidate(NamedTuple):
    """Rules that are tried: the values that vary, and the rule set."""

    changes: Mapping[str, Any]
    rules: Any


class Design(msgspec.Struct, frozen=True):
    """Rule sets of a game, and what they shall achieve between these bots.

    `refused` are the combinations that are no rules, and the reason for the first.
    """

    name: str
    game: Game
    base: Any
    players: int
    entrants: tuple[Entrant, ...]
    seed: Seed
    varied: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    targets: tuple[DesignTarget, ...]
    refused: tuple[int, str] = (0, "")


def read(path: Path, catalogue: Catalogue, overrides: Overrides = NO_OVERRIDES) -> Design:
    """The design that a file describes. Raises ConfigError with every problem of the file."""
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a design", KEYS)
    if not is_mapping(reader.root):
        reader.finish()
    catalogue = catalogue.playing(read_game(reader, entries.get("game")))
    game = catalogue.game
    isolate = read_isolation(reader, entries.get("isolate"))
    bots = EntrantReader(reader, catalogue, path.parent, isolate, overrides.isolate)
    entrants = bots.read(entries.get("bots"), 1, entries.get("exclude")).entrants
    base = read_rules(reader, entries.get("rules"), catalogue)
    players = reader.integer(entries.get("players"), "players", game.players, usual_players(game))
    file_seed = SEED if (given := read_seed(reader, entries.get("seed"))) is None else given
    vary = _vary(reader, entries.get("vary"), game)
    names = [entrant.name for entrant in entrants]
    targets = tuple(_targets(reader, entries.get("targets"), kinds_of(game, players, names)))
    name = read_name(reader, entries.get("name"), path.stem)
    reader.finish()
    candidates, refused = _candidates(reader, entries["vary"].key, game, base, vary)
    reader.finish()
    return Design(
        name=name,
        game=game,
        base=base,
        players=players,
        entrants=entrants,
        seed=file_seed if overrides.seed is None else overrides.seed,
        varied=tuple(vary),
        candidates=candidates,
        targets=targets,
        refused=refused,
    )


def _vary(reader: Reader, entry: Entry | None, game: Game) -> dict[str, list[Any]]:
    """The values of each parameter that varies."""
    if entry is None:
        reader.complain(reader.root, "vary is missing; write vary: {PARAMETER: 1..4}")
        return {}
    parameters = game.rules.parameters
    varied = {}
    for key, (name, node) in reader.mapping(entry.value, "vary").items():
        if key not in parameters:
            reader.complain(name, unknown_word("parameter", key, parameters))
            continue
        default = getattr(game.rules.default, key)
        varied[key] = [converted_losslessly(each, default) for each in _values(reader, key, node)]
    if is_mapping(entry.value) and not varied and not reader.problems:
        reader.complain(entry.value, "vary names no parameter")
    if prod(map(len, varied.values())) > MAX_CANDIDATES:
        more = f"these are more than {MAX_CANDIDATES:,} combinations"
        reader.complain(entry.key, f"{more}, of which all would be tried: vary less")
    return varied


def _values(reader: Reader, key: str, node: Node) -> list[Any]:
    """The values of a parameter: a list, or a range of whole numbers such as 1..4."""
    if is_list(node):
        values = [reader.plain(item) for item in reader.items(node, key)]
    else:
        match = _RANGE.match(str(reader.plain(node))) if not is_mapping(node) else None
        first, last = (int(match[1]), int(match[2])) if match else (0, -1)
        values = [*range(first, min(last, first + MAX_CANDIDATES) + 1)]
    if not values:
        must = "must be a list of values, or a range such as 1..4"
        reader.complain(node, f"{key} {must}, not {node_text(node)}")
    if twice := next((each for each in values if values.count(each) > 1), None):
        reader.complain(node, f"{key} has {twice} twice")
    return values


def _targets(
    reader: Reader, entry: Entry | None, kinds: Mapping[str, str]
) -> Iterator[DesignTarget]:
    if entry is None:
        reader.complain(reader.root, "targets is missing; write targets: {first_seat: [45%, 55%]}")
        return
    targets = reader.mapping(entry.value, "targets")
    if is_mapping(entry.value) and not targets:
        reader.complain(entry.value, "targets names no target")
    for key, (name, node) in targets.items():
        if key not in kinds:
            reader.complain(name, unknown_word("target", key, [*kinds]))
            continue
        is_share = kinds[key] == SHARE
        items = reader.items(node, key) if is_list(node) else []
        ends = [_end(reader.plain(item), is_share) for item in items]
        low, high = ends if len(ends) == 2 else (None, None)
        if low is None or high is None or low >= high:
            example = "[45%, 55%]" if is_share else "[8, 12]"
            must = f"must be its two ends, the lower one first, as in {example}"
            reader.complain(node, f"{key} {must}, not {node_text(node)}")
        else:
            yield DesignTarget(key, low, high, is_share)


def _end(value: Any, is_share: bool) -> float | None:
    """The end of a range; None for an invalid one. A share is a percentage, or from 0 to 1."""
    if is_share and isinstance(value, str) and (match := _PERCENT.match(value)):
        value = float(match[1]) / 100
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return float(value) if not is_share or 0 <= value <= 1 else None


def _candidates(
    reader: Reader, node: Node, game: Game, base: Any, vary: Mapping[str, list[Any]]
) -> tuple[tuple[Candidate, ...], tuple[int, str]]:
    """All combinations that are rules; how many are none, and why the first is none."""
    candidates, refusals = [], list[str]()
    for values in product(*vary.values()):
        changes = dict(zip(vary, values, strict=True))
        try:
            candidates.append(Candidate(changes, game.rules.derive(base, changes)))
        except RulesError as error:
            (parameter, message), *_ = error.faults
            refusals.append(f"{parameter} {message}")
    if not candidates:
        reader.complain(node, f"no combination is a rule set: {refusals[0]}")
    return tuple(candidates), (len(refusals), refusals[0] if refusals else "")
