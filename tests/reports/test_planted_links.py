"""No result is written through a link that somebody has put into a folder of results."""

import os
from pathlib import Path

import pytest
from helpers.arena import Arena

CUP = "seed: 1\ngames: 4\nbots: [rule28, steady]\n"
STEADY = """
def choose_move(turn, moves):
    print("move")
    return 0

def roll_again(turn):
    return turn.rolls < 3
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name in ("001-rule28.log", "typical.jsonl", "tournament.yaml"):
        (folder / name).write_text("dear")
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["", "games", "bots", "logs", "ledger.sqlite"])
def test_a_planted_link_is_refused_before_a_game_is_played(
    arena: Arena, elsewhere: Path, name: str
) -> None:
    link = Path("results/cup", name)
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    before = contents(elsewhere)
    refused = arena("run cup.yaml --quiet", yaml=CUP, bots={"steady": STEADY}, code=2)
    assert f"{link} is a link" in refused.error and "remove it" in refused.error
    assert contents(elsewhere) == before


def test_a_planted_link_in_a_comparison_is_refused(arena: Arena, elsewhere: Path) -> None:
    link = Path("results/rules/2-players")
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    before = contents(elsewhere)
    keys = "seed: 1\ngames: 4\nplayers: 2\nbots: [rule28]\ncompare: [classic, jump]\n"
    refused = arena("compare rules.yaml --quiet", yaml=keys, code=2)
    assert f"{link} is a link" in refused.error
    assert contents(elsewhere) == before


@pytest.mark.slow
def test_links_and_pipes_in_the_place_of_files_are_replaced(arena: Arena, elsewhere: Path) -> None:
    folder = Path("results/cup")
    folder.mkdir(parents=True)
    os.mkfifo(elsewhere / "pipe")
    for name in ("standings.csv", "report.html", "summary.json", "tournament.yaml"):
        (folder / name).symlink_to(elsewhere / "tournament.yaml")
    (folder / "fit.md").symlink_to(elsewhere / "pipe")
    arena("run cup.yaml --quiet", yaml=CUP, bots={"steady": STEADY})
    assert not any(path.is_symlink() for path in folder.iterdir())
    assert (elsewhere / "tournament.yaml").read_text() == "dear"


@pytest.mark.slow
def test_the_folder_of_all_results_may_be_a_link(arena: Arena, elsewhere: Path) -> None:
    Path("results").symlink_to(elsewhere)
    arena("run cup.yaml --quiet", yaml=CUP, bots={"steady": STEADY})
    assert (elsewhere / "cup" / "standings.csv").is_file()
