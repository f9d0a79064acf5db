"""`arena history`: the versions of a bot against the field of a tournament."""

import csv
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.api.histories import MissingGames
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.tournaments.version_history import version_history

BOT = """
def choose_move(turn, moves):
    return 0


def roll_again(turn):
    return turn.rolls < 1
"""
FILE = "games: 40\nseed: 1\nbots: [mine, rule28, random]\n"


@pytest.fixture(scope="module")
def three_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of three runs, each with another version of a bot, and their standings.csv."""
    folder, written = tmp_path_factory.mktemp("runs"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for rolls in (1, 2, 3):
            bots = {"mine": BOT.replace("< 1", f"< {rolls}")}
            Arena()("run", "cup.yaml", "--quiet", bots=bots, yaml=FILE)
            written.append(Path("results/cup/standings.csv").read_text())
    return folder, written


@pytest.fixture
def versions(arena: Arena, three_runs: tuple[Path, list[str]]) -> list[str]:
    """What three runs have written in standings.csv; a copy of their folder is the present one."""
    folder, written = three_runs
    shutil.copytree(folder, Path.cwd(), dirs_exist_ok=True)
    return written


def rows() -> list[dict[str, str]]:
    with Path("results/cup/history-mine.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_versions_are_in_order_of_arrival(arena: Arena, versions: list[str]) -> None:
    done = arena("history", "mine", "--in", "results/cup")
    first, _, tables = done.text.partition("\n\n")
    assert re.fullmatch(
        r"The newest mine is \S+ ± \S+ Elo stronger than its first version\.", first
    )
    assert tables.startswith(
        "mine: 3 versions against the field of cup (rule28, random), 40 games each."
    )
    assert "better than before, %" in done.text
    assert done.text.endswith("Written to results/cup: history-mine.csv.\n")
    told = rows()
    assert [row["lines"] for row in told] == ["", "1", "1"]
    assert told[0]["superiority"] == "" and 0 < float(told[2]["superiority"]) < 1
    digests = [
        line[:7] for line in done.text.splitlines() if line[:7] in {r["label"] for r in told}
    ]
    assert digests == [row["label"] for row in told]


@pytest.mark.slow
def test_scores_are_those_of_the_runs(arena: Arena, versions: list[str]) -> None:
    arena("history", "mine", "--in", "results/cup")
    for row, standings in zip(rows(), versions, strict=True):
        (run,) = (line for line in csv.DictReader(standings.splitlines()) if line["bot"] == "mine")
        assert run["score"] == row["score"]


def test_versions_meet_a_rival_on_the_same_dice_and_are_joined(
    arena: Arena, versions: list[str]
) -> None:
    """Three versions of one bot with each rival; the two rivals by themselves."""
    totals = version_history(Path("results/cup"), "mine").totals
    pairs, families = totals.deals.populations
    names = [[totals.bots[bot] for bot in lineup] for lineup in pairs.lineups[:, 0]]
    assert names == [["rule28", "random"]]
    for family in families.lineups.tolist():
        versions_in, rivals = zip(
            *([totals.bots[bot] for bot in sorted(pair)] for pair in family), strict=True
        )
        assert len({*versions_in, *rivals}) == 4, "three versions, one rival"
    assert len(families.lineups) == 2


@pytest.mark.slow
def test_the_field_keeps_its_elo(arena: Arena, versions: list[str]) -> None:
    arena("history", "mine", "--in", "results/cup")
    (run,) = (line for line in csv.DictReader(versions[-1].splitlines()) if line["bot"] == "mine")
    assert float(rows()[-1]["elo"]) == pytest.approx(float(run["elo"]), abs=25)


@pytest.mark.slow
def test_a_version_that_has_not_met_all_is_named(arena: Arena, versions: list[str]) -> None:
    Path("cup.yaml").write_text(FILE.replace("random]", "random, cautious]"))
    arena("run", "cup.yaml", "--quiet")
    text = arena("history", "mine", "--in", "results/cup").text
    assert "2 of 3 versions have not met all of this field; --play plays 80 games." in text


@pytest.mark.slow
def test_faults_are_those_of_their_bots(arena: Arena, versions: list[str]) -> None:
    faulty = BOT.replace("return 0", "return 0 if turn.rolls < 2 else 99")
    Path("bots/wrong.py").write_text(faulty)
    Path("cup.yaml").write_text(FILE.replace("random]", "random, wrong]"))
    arena("run", "cup.yaml", "--quiet", code=None)
    found = ca.history("results/cup", "mine", play=True, workers=1)
    assert {report.bot for report in found.analysis.results.faults} <= {"wrong"}


def test_a_bot_that_was_removed_has_a_history(arena: Arena, versions: list[str]) -> None:
    Path("cup.yaml").write_text(FILE.replace("mine, ", ""))
    arena("run", "cup.yaml", "--quiet")
    arena("history", "mine", "--in", "results/cup")
    assert len(rows()) == 3


@pytest.mark.slow
def test_missing_games_are_played_from_the_copies(arena: Arena, versions: list[str]) -> None:
    isolated = FILE.replace("mine,", "{bot: mine, isolate: processes},")
    Path("cup.yaml").write_text(isolated)
    arena("run", "cup.yaml", "--quiet")
    Path("cup.yaml").write_text(isolated.replace("random]", "random, cautious]"))
    arena("run", "cup.yaml", "--quiet")
    Path("bots/mine.py").unlink()
    before = files()
    plan, pace = arena("history", "mine", "--in", "results/cup", "--dry-run").text.splitlines()
    assert plan == "cup: 6 of 9 pairings are in the ledger; playing 3 (120 games)."
    assert pace.startswith("About ")
    text = arena("history", "mine", "--in", "results/cup", "--play").text
    assert text.startswith(plan) and "have not met" not in text
    assert arena("history", "mine", "--in", "results/cup", "--dry-run").text == ""
    assert {name: files()[name] for name in before} == before
    field = FILE.replace("mine, ", "").replace("random]", "random, cautious]")
    arena("run", "cup.yaml", "--quiet", yaml=field)
    arena("run", "cup.yaml", "--quiet", "--results", "fresh")
    paths = [Path(folder) / "cup/standings.csv" for folder in ("results", "fresh")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def files() -> dict[str, bytes]:
    """The files of the tournament, which a history leaves as they are."""
    paths = [path for path in Path("results/cup").iterdir() if path.is_file()]
    exempt = ("ledger", "history", ".lock")
    return {path.name: path.read_bytes() for path in paths if not path.name.startswith(exempt)}


@pytest.mark.slow
def test_a_version_without_a_copy_is_left_out(arena: Arena, versions: list[str]) -> None:
    Path("cup.yaml").write_text(FILE.replace("random]", "random, cautious]"))
    arena("run", "cup.yaml", "--quiet")
    label = rows_of(arena)[0]["label"]
    (copy,) = Path("results/cup/bots").glob(f"{label}*")
    shutil.rmtree(copy)
    done = arena("history", "mine", "--in", "results/cup", "--play")
    assert f"mine@{label} cannot play again: results/cup/bots lacks its copy" in done.error
    assert "1 of 3 versions has not met all of this field; --play plays 40 games." in done.text


def rows_of(arena: Arena) -> list[dict[str, str]]:
    """The rows of the table, after a history without playing."""
    arena("history", "mine", "--in", "results/cup", "--quiet")
    return rows()


@pytest.mark.slow
def test_an_interrupted_history_goes_on(arena: Arena, versions: list[str]) -> None:
    Path("cup.yaml").write_text(FILE.replace("random]", "random, cautious]"))
    arena("run", "cup.yaml", "--quiet")

    class Impatient(RunObserver):
        def on_progress(self, games: int) -> None:
            raise ca.Interrupted

    with pytest.raises(ca.Interrupted):
        missing = MissingGames(Path("results/cup"), "mine", Path("bots"))
        missing.play(RunOptions(workers=1), Impatient())
    left = ca.history("results/cup", "mine").missing_games
    assert 0 < left < 80
    assert ca.history("results/cup", "mine", play=True, workers=1).missing_games == 0


@pytest.mark.slow
def test_the_page_has_the_chart(
    arena: Arena, versions: list[str], opened: Callable[..., Any]
) -> None:
    done = arena("history", "mine", "--in", "results/cup", "--page")
    assert done.text.endswith("Written to results/cup: history-mine.csv, history-mine.html.\n")
    html = Path("results/cup/history-mine.html").read_text("utf-8")
    assert "http" not in html.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    for width in (1200, 700, 390):
        page = opened(html, viewport={"width": width, "height": 800})
        assert page.locator("svg .dot").count() == 3
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
def test_a_history_in_python(arena: Arena, versions: list[str]) -> None:
    found = ca.history("results/cup", "mine")
    assert [path.name for path in found.output_files] == ["history-mine.csv"]
    assert found.versions["label"] == [row["label"] for row in rows()]
    assert found.versions["lines"] == [None, 1, 1]
    assert repr(found) == "<mine: 3 versions in results/cup>"
    assert "3 versions against the field of cup" in found._repr_html_()


def test_an_unknown_bot_is_answered(arena: Arena, versions: list[str]) -> None:
    done = arena("history", "nobody", "--in", "results/cup", code=None)
    assert done.code == 2
    assert done.error == (
        "no bot called 'nobody' has played in results/cup; bots are mine, rule28, random\n"
    )


@pytest.mark.slow
def test_faults_of_versions_are_no_obstacle(arena: Arena, versions: list[str]) -> None:
    """The last bot of the history's field has another number than in the tournament."""
    faulty = BOT.replace("return 0", "return 0 // (turn.number < 9)")
    arena("run", "cup.yaml", "--quiet", bots={"mine": faulty}, yaml=f"{FILE}max_faults: 9999\n")
    arena("history", "mine", "--in", "results/cup")
    assert len(rows()) == 4 and rows()[-1]["elo"]
