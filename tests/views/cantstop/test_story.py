"""Telling games: remembered by the engine, recorded by a run."""

import csv
import json
import re
import statistics
from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from conftest import Tables
from helpers import story
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.parameters import slow_but

from cantstop_arena.deals import counting
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.table.recording import record
from cantstop_arena.views.cantstop import view as highlights
from cantstop_arena.views.cantstop.view import Lead, by_how_much

BOTS = ("random", "cautious", "rule28")


@dataclass
class Game:
    """A game as it was told by its record, slowly."""

    deal: int
    events: list[Event]
    drama: story.Drama = field(default_factory=story.Drama)
    turns: int = 0
    unfinished: bool = False

    def __post_init__(self) -> None:
        told = story.told([json.dumps(event) for event in self.events], self.drama)
        self.turns, self.unfinished = sum(told["turns"]), bool(told["unfinished"][0])


def most_telling(games: list[Game]) -> dict[str, int]:
    """The deals of the longest game, the closest, and the greatest comeback, in that order."""
    found = {}
    if finished := [game for game in games if not game.unfinished]:
        found["longest"] = max(finished, key=lambda game: game.turns).deal
    if told := [game for game in games if game.drama.ahead]:
        found["closest"] = min(told, key=lambda game: game.drama.ahead or (0, 0)).deal
        found["comeback"] = max(told, key=lambda game: game.drama.behind or (0, 0)).deal
    return found


@pytest.mark.parametrize(
    ("players", "turn_limit"), slow_but((1,), [(1, 1000), (2, 1000), (2, 25), (3, 1000)])
)
def test_telling_games_are_remembered(tables: Tables, players: int, turn_limit: int) -> None:
    table = tables.of(CLASSIC._replace(turn_limit=turn_limit), BOTS, players)
    group = tuple(range(players))
    result = table.play(Block(group, 3, 20))
    for order, tally in zip(permutations(group), result.tallies, strict=True):
        games = [Game(deal, list(record(table, order, deal))) for deal in range(3, 23)]
        assert {kind: deal for kind, (_, deal) in tally.highlights.items()} == most_telling(games)
        for game in games:
            remembered = highlights.game_highlights(game.events).highlights
            assert {*remembered} == {*tally.highlights} or game.unfinished
            for kind, how_much in remembered.items():
                most, deal = tally.highlights[kind]
                assert how_much == most if game.deal == deal else how_much <= most


def test_games_are_counted_by_length(tables: Tables) -> None:
    table = tables.of(CLASSIC._replace(turn_limit=60), BOTS, 2)
    result = table.play(Block((0, 1), 3, 40))
    for order, tally in zip(permutations((0, 1)), result.tallies, strict=True):
        found: dict[int, list[int]] = {}
        for deal in range(3, 43):
            turns = list(record(table, order, deal))[-1]["turns"]
            found.setdefault(counting.length_class(turns), []).append(deal)
        assert tally.lengths == {
            number: (len(deals), deals[0]) for number, deals in sorted(found.items())
        }


def test_every_length_has_a_class_not_far_from_it() -> None:
    starts = [counting.shortest_of(number) for number in range(counting.LENGTH_CLASSES)]
    assert starts == sorted({*starts}) and starts[:33] == [*range(33)]
    for turns in [*range(1, 9000), 10**6]:
        number = counting.length_class(turns)
        last = number == counting.LENGTH_CLASSES - 1
        assert starts[number] <= turns
        assert last or turns < starts[number + 1] <= starts[number] * 17 // 16 + 1


# --- In reports -----------------------------------------------------------------------------------

CUP = """
name: cup
games: 60
seed: 3
bots: [random, cautious, rule28]
"""
CALM = """
import os, pathlib, signal

def choose_move(turn, moves):
    doom = pathlib.Path("doom")
    if turn.rolls > 1 and doom.exists():
        fate = doom.read_text()
        doom.unlink()
        os.kill(os.getpid(), getattr(signal, fate))
    return 0

def roll_again(turn):
    return turn.rolls < 3
"""

Games = dict[tuple[tuple[str, ...], int], Game]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tournament, where we stand."""
    monkeypatch.chdir(tmp_path)
    Path("cup.yaml").write_text(CUP)
    return tmp_path


@pytest.fixture
def cup(here: Path, finished: Finished) -> None:
    """The tournament, played before, with its page."""
    finished.bring({"cup.yaml": CUP}, "run", "cup.yaml", "--quiet", "--page")


def events_of(kind: str, folder: str = "results/cup") -> list[dict[str, Any]]:
    lines = Path(folder, "games", f"{kind}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def games(tables: Tables) -> Games:
    """Every game of the cup, played again one by one."""
    table = tables.of(CLASSIC, BOTS, 2, seed=3)
    return {
        (tuple(BOTS[bot] for bot in pair), deal): Game(deal, list(record(table, pair, deal)))
        for pair in permutations(range(3), 2)
        for deal in range(30)
    }


@pytest.mark.slow
@pytest.mark.usefixtures("cup")
def test_the_records_are_of_the_most_telling_games_of_all(games: Games) -> None:
    records = {kind: events_of(kind) for kind in ("longest", "closest", "comeback", "typical")}
    found = {}
    for kind, events in records.items():
        found[kind] = games[tuple(events[0]["seats"]), events[0]["deal"]]
        assert found[kind].events == events
    assert found["longest"].turns == max(game.turns for game in games.values())
    told = [game.drama for game in games.values()]
    assert found["closest"].drama.ahead == min(drama.ahead or (9, 9) for drama in told)
    assert found["comeback"].drama.behind == max(drama.behind or (0, 0) for drama in told)
    standings = Path("results/cup/standings.csv").read_text().splitlines()
    best = [line.split(",")[1] for line in standings[1:3]]
    typical = found["typical"]
    counting = {key: game.turns for key, game in games.items() if {*key[0]} == {*best}}
    assert typical.turns == sorted(counting.values())[len(counting) // 2 - 1]
    same = [pair for (pair, _), turns in counting.items() if turns == typical.turns]
    assert typical.events[0]["seats"] == (best if tuple(best) in same else best[::-1])


@pytest.mark.slow
@pytest.mark.usefixtures("cup")
def test_percentiles_are_those_of_all_games(games: Games) -> None:
    with Path("results/cup/lengths.csv").open() as file:
        for row in csv.DictReader(file):
            turns = sorted(game.turns for (pair, _), game in games.items() if row["bot"] in pair)
            assert int(row["games"]) == len(turns) == 120
            assert float(row["mean"]) == pytest.approx(statistics.mean(turns))
            assert float(row["sd"]) == pytest.approx(statistics.stdev(turns))
            for percent in (5, 25, 50, 75, 95):
                exact = turns[-(-percent * 120 // 100) - 1]
                told = int(row[f"percentile_{percent}"])
                assert told == counting.shortest_of(counting.length_class(exact))


@pytest.mark.slow
def test_records_follow_the_results(arena: Arena, here: Path) -> None:
    """More games, other telling games; a record that is not of these results goes."""
    arena("run", "cup.yaml", "--quiet", "--games", "4")
    arena("run", "cup.yaml", "--quiet")
    grown = {path.name: path.read_bytes() for path in Path("results/cup/games").iterdir()}
    Path("results/cup/games/longest.jsonl").write_text("{}")
    Path("results/cup/games/closest.jsonl").write_bytes(grown["comeback.jsonl"])
    arena("run", "cup.yaml", "--quiet")
    assert {path.name: path.read_bytes() for path in Path("results/cup/games").iterdir()} == grown
    arena("run", "cup.yaml", "--quiet", "--results", "whole")
    assert {path.name: path.read_bytes() for path in Path("whole/cup/games").iterdir()} == grown


@pytest.mark.slow
def test_bots_that_play_otherwise_the_second_time_have_no_telling_games(arena: Arena) -> None:
    Path("bots").mkdir()
    arena(
        "run",
        "cup.yaml",
        "--quiet",
        "--page",
        yaml="name: cup\ngames: 60\nseed: 1\nbots: [moody, {bot: moody, as: other}]\n",
        bots={
            "moody": "import os\n"
            "def choose_move(turn, moves):\n    return os.urandom(1)[0] % len(moves)\n"
            "def roll_again(turn):\n    return os.urandom(1)[0] % 2 == 0\n"
        },
    )
    kept = [path.stem for path in Path("results/cup").glob("games/*.jsonl")]
    assert "closest" not in kept and "comeback" not in kept
    told = Path("results/cup/report.html").read_text()
    for title in ("The closest game", "The greatest comeback"):
        assert re.search(rf"{title}, (moody|other) against \w+ in deal \d+, has no record", told)


@pytest.mark.slow
@pytest.mark.usefixtures("cup")
def test_leads_are_told_as_they_are(games: Games) -> None:
    """Who has claimed more columns wins, and may be behind in progress: the closest game often."""
    told = " ".join(Path("results/cup/report.html").read_text().split())
    for kind, way, other in (("closest", "ahead", "behind"), ("comeback", "behind", "ahead")):
        events = events_of(kind)
        drama = games[tuple(events[0]["seats"]), events[0]["deal"]].drama
        claimed, progress = getattr(drama, way)
        lead = f"{claimed} column{'s' if claimed > 1 else ''} claimed"
        more = f"{abs(progress):.2f} columns of progress"
        says = (
            f"{lead} {way}, though {more} {other}" if progress < 0 else f"{lead} and {more} {way}"
        )
        assert f" {says}.</p>" in told


@pytest.mark.parametrize(
    ("lead", "says"),
    [
        (Lead(1, -2.471), "1 column claimed ahead, though 2.47 columns of progress behind"),
        (Lead(2, 0.5), "2 columns claimed and 0.50 columns of progress ahead"),
        (Lead(0, 0.5), "0.50 columns of progress ahead"),
    ],
)
def test_leads_in_words(lead: Lead, says: str) -> None:
    assert by_how_much(lead, "ahead", "behind") == says


def test_a_game_that_is_telling_in_several_ways_is_shown_once(arena: Arena) -> None:
    done = arena("run cup.yaml --quiet --page --games 2")
    records = Counter(path.read_bytes() for path in Path("results/cup").glob("games/*.jsonl"))
    assert max(records.values()) > 1
    titles = re.findall(r"<summary>\s*((?:A|The) \w+ (?:game|comeback).*?)\s*</summary>", done.page)
    assert len(titles) == len(records)
    assert sum(title.count(" and ") + 1 for title in titles) == records.total() == 4
    assert all(re.match(r"(A|The)( \w+)+( and (a|the)( \w+)+)*: \w+ against ", t) for t in titles)


@pytest.mark.slow
@pytest.mark.parametrize("fate", slow_but((0,), ["SIGKILL", "SIGSTOP"]))
def test_a_record_outlives_the_process_that_plays_it(arena: Arena, fate: str) -> None:
    """Whatever befalls a process from outside must not change what lies in the folder."""
    Path("bots").mkdir()
    arena(
        "run",
        "cup.yaml",
        "--quiet",
        "--results",
        "calm",
        yaml="name: cup\ngames: 10\ndecision_limit: 1\nseed: 1\nbots: [calm, random]\n",
        bots={"calm": CALM},
    )
    before = {path.name: path.read_bytes() for path in Path("calm/cup/games").iterdir()}
    assert before
    arena("run", "cup.yaml", "--quiet")
    for path in Path("results/cup/games").iterdir():
        path.unlink()
    Path("doom").write_text(fate)
    arena("run", "cup.yaml", "--quiet")
    assert not Path("doom").exists()
    assert {path.name: path.read_bytes() for path in Path("results/cup/games").iterdir()} == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "kinds"),
    [(1, {"longest", "typical"}), (4, {"longest", "typical", "closest", "comeback"})],
)
def test_alone_and_at_full_tables(arena: Arena, players: int, kinds: set[str]) -> None:
    bots = "bots: [random, odds, cautious, daring]\n"
    arena("run", "cup.yaml", "--quiet", yaml=f"name: cup\ngames: 48\nplayers: {players}\n{bots}")
    assert {path.stem for path in Path("results/cup").glob("games/*.jsonl")} == kinds
    for kind in kinds:
        assert len(events_of(kind)[0]["seats"]) == players


@pytest.mark.slow
@pytest.mark.usefixtures("cup")
def test_a_game_that_is_too_long_is_told_of_only(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Path("results/cup/report.html")
    assert all(f'id="game-{kind}"' in page.read_text() for kind in ("longest", "closest"))
    turns = events_of("longest")[-1]["turns"]
    monkeypatch.setattr("cantstop_arena.reports.page.games_section.MAX_TURNS", turns - 1)
    arena("report", "results/cup")
    assert 'id="game-longest"' not in page.read_text()
    told = rf"The longest game.*: \w+ against \w+ has more than {turns - 1} turns"
    assert re.search(told, page.read_text())
    assert 'id="game-closest"' in page.read_text()
