"""Cubus through whole runs: played, continued, compared, rated, shown."""

import json
import re
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.cubus.naive.referee import referee
from helpers.finished import Finished
from helpers.paths import ROOT

from cantstop_arena.bots.versions import HISTORY

CUP = "name: cup\ngame: cubus\nplayers: 3\ngames: 12\nseed: 7\nbots: [greedy, hasty, random]\n"
MINE = '''"""Builds what brings most points nearby."""
game = "cubus"

def build(view):
    for target in view.nearby():
        return view.build(target.pile, tuple(view.places(target.pile)[: target.least]))
'''


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a tournament and a bot, where we stand."""
    monkeypatch.chdir(tmp_path)
    Path("cup.yaml").write_text(CUP)
    Path("bots").mkdir()
    Path("bots/mine.py").write_text(MINE)


def played(arena: Arena, *words: str, results: str) -> dict[str, bytes]:
    """The files of a run of the cup, but for the record of how it was played."""
    arena("run", "cup.yaml", "--workers", "1", "--no-page", "--results", results, *words)
    return written(results)


def cup(finished: Finished) -> str:
    """The cup with its page, played once for all; what was printed."""
    return finished.bring({"cup.yaml": CUP}, "run", "cup.yaml", "--workers", "1", "--page")


def written(results: str) -> dict[str, bytes]:
    """All that was written, by name, but for when it was played."""
    found = Path(results).rglob("*")
    paths = sorted(path for path in found if path.suffix in _KINDS and path.name != HISTORY)
    return {str(path.relative_to(results)): path.read_bytes() for path in paths}


_KINDS = {".csv", ".md", ".json", ".jsonl"}


@pytest.mark.slow
def test_a_run_tells_who_wins_and_after_whom_to_sit(finished: Finished) -> None:
    """Tables, files and page; the games it keeps are by the rules."""
    printed = cup(finished)
    assert re.search(r"Sitting after\n\nafter +points more", printed)
    assert re.search(
        r"sit(ting)? right after greedy, the first in the standings, .*a game", printed
    )
    summary = json.loads(Path("results/cup/summary.json").read_text())
    assert {one["after"] for one in summary["predecessors"]["effects"]} == {
        *("greedy", "hasty", "random")
    }
    assert summary["games"] == 12
    assert "Sitting after" in Path("results/cup/report.html").read_text()
    for record in Path("results/cup/games").glob("*.jsonl"):
        assert referee(record.read_text().splitlines()) == []


@pytest.mark.slow
def test_means_after_whom_are_those_of_the_tallies(finished: Finished) -> None:
    """All that a bot counts, it counts after one of the others."""
    cup(finished)
    summary = json.loads(Path("results/cup/summary.json").read_text())
    pairs = summary["predecessors"]["pairs"]
    mean = sum(one["points"] for one in pairs) / 2
    assert mean == pytest.approx(summary["metrics"]["points"]["mean"])


@pytest.mark.slow
def test_a_run_goes_on_to_the_same_bytes(arena: Arena) -> None:
    """Six games and then twelve are twelve games."""
    played(arena, "--games", "6", results="parts")
    parts, whole = played(arena, results="parts"), played(arena, results="whole")
    assert parts == whole


@pytest.mark.slow
def test_two_workers_write_the_same_bytes(arena: Arena) -> None:
    arena("run", "cup.yaml", "--workers", "2", "--no-page", "--results", "two")
    assert written("two") == played(arena, results="one")


@pytest.mark.slow
def test_isolated_bots_play_the_same_games(arena: Arena) -> None:
    """A file and a built-in bot, in processes of their own and not."""
    told = []
    for isolate in ("false", "processes"):
        Path("cup.yaml").write_text(
            f"name: cup\ngame: cubus\nplayers: 2\ngames: 2\nseed: 7\nisolate: {isolate}\n"
            "bots: [mine, greedy]\n"
        )
        files = played(arena, results=isolate)
        told.append({name: files[f"cup/{name}"] for name in ("standings.csv", "styles.csv")})
    assert told[0] == told[1]


@pytest.mark.slow
def test_a_program_plays(arena: Arena, tmp_path: Path) -> None:
    """A shell script that speaks the protocol puts the second crate on the first one."""
    program = ROOT / "bots/programs/crates.sh"
    Path("cup.yaml").write_text(
        "name: cup\ngame: cubus\nplayers: 2\ngames: 8\nseed: 2\n"
        f"bots: [{{command: [sh, {program}], as: crates}}, {{bot: mine, as: mine}}]\n"
    )
    files = played(arena, results="results")
    summary = json.loads(files["cup/summary.json"])
    assert "faults" not in summary
    assert summary["by_bot"]["crates"]["points_per_build"] == 1  # two crates, five cards


def test_matches_are_played(arena: Arena) -> None:
    told = arena(
        "match", "greedy", "hasty", "--game", "cubus", "--games", "8", "--workers", "1"
    ).output
    assert "greedy" in told and "hasty" in told


def test_rule_sets_are_compared(arena: Arena) -> None:
    """On the same decks, with a sentence."""
    told = arena(
        "compare",
        "two.yaml",
        "--workers",
        "1",
        "--no-page",
        yaml="name: two\ngame: cubus\ncompare: [leaflet, exchange]\nplayers: [2]\ngames: 20\n"
        "seed: 7\nbots: [greedy, eager]\n",
    ).output
    assert "exchange against leaflet, 2 players" in told
    assert "crates at the end" in told


def test_results_are_reported_rated_and_shown_again(arena: Arena, finished: Finished) -> None:
    """What was kept of a run is enough for all that comes after it."""
    printed = cup(finished)
    table = printed[printed.index("Sitting after") : printed.index("Styles")]
    assert table in arena("rate", "results/cup").output
    before = Path("results/cup/report.html").read_bytes()
    arena("report", "results/cup")
    assert Path("results/cup/report.html").read_bytes() == before
    record = next(iter(sorted(Path("results/cup/games").glob("*.jsonl"))))
    assert "builds for" in arena("replay", record).output
    arena("replay", record, "--html", "game.html")
    assert "cubus-game" in Path("game.html").read_text()
    arena("draw", record, "--svg", "pile.svg")
    assert Path("pile.svg").read_text().startswith("<svg")
