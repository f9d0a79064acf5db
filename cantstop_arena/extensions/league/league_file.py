"""The file of a league: who takes part, how submissions are checked, ranked and marked."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.known_bot import is_printed_well
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.extensions.league.keys import IN_FILE
from cantstop_arena.extensions.league.rounds import RoundRules
from cantstop_arena.game_api.game import Game
from cantstop_arena.processes.system import seconds_of
from cantstop_arena.texts import look_key
from cantstop_arena.tournaments.file.entrant_reader import EntrantReader, read_isolation
from cantstop_arena.tournaments.file.entrants import Entrant, needs
from cantstop_arena.tournaments.file.keys import FAULTS
from cantstop_arena.tournaments.file.tournament_file import (
    names_of,
    read_game,
    read_name,
    read_plain,
    read_policy,
    read_rules,
    read_seed,
    usual_players,
)
from cantstop_arena.tournaments.file.yaml_reader import (
    Entry,
    Reader,
    is_list,
    is_mapping,
    node_text,
)
from cantstop_arena.tournaments.tournament import FaultPolicy

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue

KEYS = [key.name for key in IN_FILE]
_BY_NAME = {key.name: key for key in IN_FILE}
LOWER, ESTIMATE = "lower", "estimate"
"""What has to reach the threshold of a mark: the lower end of the interval, or the estimate."""
DAY = 86_400.0  # seconds
_ROUND_COUNTS = range(1, 1001)
_CHECK_GAMES = range(10**6 + 1)
_MAX_SECONDS = 3600.0
_MAX_DAYS = 3650
_A_LEVEL = "a level must be like {against: rule28, score: 0.45, points: 4}"


class CheckRules(msgspec.Struct, frozen=True):
    """The check of a submission: games against the staff, seconds in all, mean time of a decision.

    Both times are in seconds.
    """

    games: int = 200
    limit: float = 60.0
    mean: float = 0.005


class Level(msgspec.Struct, frozen=True):
    """A score to reach against a bot of the staff, and the points for it."""

    against: str
    score: float
    points: float


class MarkRules(msgspec.Struct, frozen=True):
    """The levels of a mark, and what has to reach them."""

    rule: str = LOWER
    levels: tuple[Level, ...] = ()

    @property
    def rivals(self) -> list[str]:
        """The bots of the staff that levels name, in their order."""
        return list(dict.fromkeys(level.against for level in self.levels))


class Participant(msgspec.Struct, frozen=True):
    """A participant: the name of the folder, and the name in the roster, if there is one."""

    id: str
    name: str = ""


class League(msgspec.Struct, frozen=True):
    """A league as its file describes it.

    A `seed` of None is drawn at the first run. `arrows` is the age, in days, of the standings with
    which new ones are compared.
    """

    name: str
    game: Game
    rules: Any
    players: int
    seed: Seed | None
    season: int
    policy: FaultPolicy
    isolate: Isolation
    folder: Path
    entry: str
    participants: tuple[Participant, ...]
    hide: bool
    staff: tuple[Entrant, ...]
    check: CheckRules
    rounds: RoundRules
    marks: MarkRules
    arrows: int
    source: Path


def read(path: Path, catalogue: Catalogue) -> League:
    """The league that a file describes. Raises ConfigError with every problem of the file."""
    reader = Reader(path)
    entries = reader.mapping(reader.root, "a league", KEYS)
    if not is_mapping(reader.root):
        reader.finish()
    game = read_game(reader, entries.get("game"))
    catalogue = catalogue.playing(game)
    players = reader.integer(
        entries.get("players"), "players", _seats(game), max(2, usual_players(game))
    )
    staff = _staff(reader, entries, catalogue, path.parent)
    folder = path.parent / _path(reader, entries, "participants")
    participants = _participants(reader, entries, folder, names_of(staff), path.parent)
    rounds = _rounds(reader, entries)
    league = League(
        name=read_name(reader, entries.get("league"), path.stem),
        game=game,
        rules=read_rules(reader, entries.get("rules"), catalogue),
        players=players,
        seed=read_seed(reader, entries.get("seed")),
        season=read_plain(reader, entries, _BY_NAME["season"]),
        policy=replace(read_policy(reader, entries), max_faults=FAULTS[-1]),
        isolate=_isolation(reader, entries.get("isolate")),
        folder=folder,
        entry=_path(reader, entries, "entry"),
        participants=participants,
        hide=read_plain(reader, entries, _BY_NAME["hide"]),
        staff=staff,
        check=_check(reader, entries.get("check")),
        rounds=rounds,
        marks=_marks(reader, entries.get("marks"), names_of(staff)),
        arrows=_arrows(reader, entries.get("arrows")),
        source=path,
    )
    if len(participants) + len(staff) < game.lineup_size(players):
        who = f"{len(participants)} in {folder} and {len(staff)} of the staff"
        reader.complain(reader.root, f"{needs(game.lineup_size(players))}, not {who}")
    reader.finish()
    return league


def _seats(game: Game) -> range:
    return range(max(2, game.players[0]), max(2, game.players[-1]) + 1)


def _staff(
    reader: Reader, entries: Mapping[str, Entry], catalogue: Catalogue, folder: Path
) -> tuple[Entrant, ...]:
    if "staff" not in entries:
        return ()
    return EntrantReader(reader, catalogue, folder, key="staff").read(entries["staff"], 1).entrants


def _path(reader: Reader, entries: Mapping[str, Entry], key: str) -> str:
    """The text of a path; its default where it is missing or invalid."""
    default: str = _BY_NAME[key].default
    if key not in entries:
        return default
    text = reader.text(entries[key].value, key) or default
    if "\0" in text:
        reader.complain(entries[key].value, f"{key} must be a path")
        return default
    return text


def _isolation(reader: Reader, entry: Entry | None) -> Isolation:
    isolation = read_isolation(reader, entry, Isolation.SANDBOX)
    if entry and isolation is Isolation.NONE:
        message = "isolate must be true or processes: participants' bots are foreign code"
        reader.complain(entry.value, message)
    return isolation


# Participants ----------------------------------------------------------------------------------


def _participants(
    reader: Reader,
    entries: Mapping[str, Entry],
    folder: Path,
    staff: Sequence[str],
    base: Path,
) -> tuple[Participant, ...]:
    """The participants by their ids: those with a folder, and those of the roster."""
    entry = entries.get("participants")
    node = entry.value if entry else reader.root
    if not folder.is_dir():
        reader.complain(node, f"there is no folder {folder}")
        return ()
    roster = _roster(reader, entries.get("names"), base)
    folders = [each.name for each in folder.iterdir() if each.is_dir() and each.name[0] not in "._"]
    ids = sorted({*folders, *roster})
    for first, second in combinations(ids, 2):
        if _page_key(first) == _page_key(second):
            paths = f"{folder / first} and {folder / second}"
            message = f"{paths} differ only in case, accents, or spaces and hyphens; rename one"
            reader.complain(node, message)
    for each in ids:
        if not is_printed_well(each):
            reader.complain(node, f"{folder / each}: a participant's name must be printable")
        elif look_key(each) in map(look_key, staff):
            reader.complain(node, f"{folder / each}: a bot of the staff has this name; rename one")
        elif each.casefold() == "index":
            reader.complain(node, f"{folder / each}: index.html is the standings; rename it")
    return tuple(Participant(each, roster.get(each, "")) for each in ids)


def _page_key(identity: str) -> str:
    """What the files of pages of different participants differ in, on any disk."""
    return look_key(identity).replace(" ", "-")


def _roster(reader: Reader, entry: Entry | None, base: Path) -> dict[str, str]:
    """The names in the roster by id; empty where there is none."""
    path = reader.text(entry.value, "names") if entry else None
    if entry is None or path is None:
        return {}
    try:
        with (base / path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not CSV in UTF-8"
        reader.complain(entry.value, f"{path} cannot be read: {why}")
        return {}
    if rows and not {"id", "name"} <= {*rows[0]}:
        first = ",".join(map(str, rows[0]))
        cure = ": separate the columns by commas, not semicolons" if ";" in first else ""
        reader.complain(entry.value, f"{path} needs a first line with id,name, not {first}{cure}")
        return {}
    names: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        identity, name = (row.get("id") or "").strip(), (row.get("name") or "").strip()
        if not identity or "/" in identity:
            reader.complain(entry.value, f"{path}, line {number}: id must be a folder's name")
        elif identity in names:
            reader.complain(entry.value, f"{path}, line {number}: {identity} stands here again")
        names.setdefault(identity, name)
    return names


# Rules -----------------------------------------------------------------------------------------


def _check(reader: Reader, entry: Entry | None) -> CheckRules:
    if entry is None:
        return CheckRules()
    parts, default = reader.mapping(entry.value, "check", ("games", "limit", "mean")), CheckRules()
    return CheckRules(
        reader.integer(parts.get("games"), "check.games", _CHECK_GAMES, default.games),
        _duration(reader, parts.get("limit"), "check.limit", _MAX_SECONDS, default.limit),
        _duration(reader, parts.get("mean"), "check.mean", _MAX_SECONDS, default.mean),
    )


def _rounds(reader: Reader, entries: Mapping[str, Entry]) -> RoundRules:
    default, entry = RoundRules(), entries.get("rounds")
    names = ("games", "base", "most")
    parts = reader.mapping(entry.value, "rounds", names) if entry else {}
    base = reader.integer(parts.get("base"), "rounds.base", _ROUND_COUNTS, default.base)
    max_rounds = reader.integer(
        parts.get("most"), "rounds.most", _ROUND_COUNTS, max(base, default.most)
    )
    if max_rounds < base:
        reader.complain(parts["most"].value, "rounds.most must be at least rounds.base")
    precision = entries.get("precision")
    return RoundRules(
        reader.integer(parts.get("games"), "rounds.games", range(1, 10**6 + 1), default.games),
        base,
        max_rounds,
        reader.amount(precision, "precision", 1e-4, 0.5) if precision else default.precision,
        read_plain(reader, entries, _BY_NAME["budget"]),
    )


def _marks(reader: Reader, entry: Entry | None, staff: Sequence[str]) -> MarkRules:
    if entry is None:
        return MarkRules()
    parts = reader.mapping(entry.value, "marks", ("rule", "levels"))
    rule = reader.choice(parts.get("rule"), "marks.rule", (LOWER, ESTIMATE))
    levels = parts.get("levels")
    nodes = reader.items(levels.value, "marks.levels") if levels else []
    return MarkRules(rule, tuple(_level(reader, Entry(node, node), staff) for node in nodes))


def _level(reader: Reader, entry: Entry, staff: Sequence[str]) -> Level:
    parts = reader.mapping(entry.value, "a level", ("against", "score", "points"))
    if is_list(entry.value) or len(parts) < 3:
        reader.complain(entry.value, f"{_A_LEVEL}; here something is missing")
        return Level("", 0.0, 0.0)
    against = reader.text(parts["against"].value, "against") or ""
    if against and against not in staff:
        listed = f"staff: {', '.join(staff)}" if staff else "there is no staff"
        message = f"marks need a staff bot; {against!r} is not one ({listed})"
        reader.complain(parts["against"].value, message)
    score = reader.amount(parts["score"], "score", 0.0, 1.0)
    return Level(against, score, reader.amount(parts["points"], "points", 0.0, 1000.0))


def _arrows(reader: Reader, entry: Entry | None) -> int:
    default = int(seconds_of(str(_BY_NAME["arrows"].default)) / DAY)
    seconds = _duration(reader, entry, "arrows", _MAX_DAYS * DAY, default * DAY)
    if entry and seconds < DAY:
        reader.complain(entry.value, "arrows must be a day or more, as in 7d")
    return int(seconds / DAY)


def _duration(
    reader: Reader, entry: Entry | None, what: str, maximum: float, default: float
) -> float:
    """The seconds of a duration such as 5ms, 60 or 7d, which an invalid one is replaced by."""
    if entry is None:
        return default
    value = reader.plain(entry.value)
    try:
        seconds = seconds_of("" if isinstance(value, bool) else str(value))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= maximum:
        must = "must be a time such as 5ms, 60s or 7d"
        reader.complain(entry.value, f"{what} {must}, not {node_text(entry.value)}")
        return default
    return seconds
