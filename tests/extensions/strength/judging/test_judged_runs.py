"""`arena judge` of a run: its bots against each other, kept and told with its results."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.pages import checked

from cantstop_arena.extensions.strength.exact.situations import KINDS_OF_SITUATION
from cantstop_arena.extensions.strength.judging.judge_process import in_pieces
from cantstop_arena.extensions.strength.judging.judged_runs import run_in
from cantstop_arena.games.cantstop.game import GAME

RULES = {"sides": 2, "column_lengths": [2, 4, 2]}
FILE = f"games: 6\nseed: 5\nrules: {json.dumps(RULES)}\nbots: [random, cautious, optimal]\n"
RUDE = """def choose_move(turn, moves):
    return -1
def roll_again(turn):
    return False
"""


@pytest.fixture
def run(finished: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a run on a board that can be solved."""
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path / "tables"))
    monkeypatch.chdir(tmp_path)
    finished.bring({"three.yaml": FILE}, "run", "three.yaml", "--quiet", "--no-page")
    return Path("results/three")


def contents(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def page(arena: Arena, folder: Path) -> str:
    arena("report", str(folder))
    return (folder / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_the_bots_of_a_run_are_judged_and_its_page_tells_so(arena: Arena, run: Path) -> None:
    before = contents(run)
    text = arena("judge", str(run), "--deals", "20").text
    assert "2 players; 20 deals of each bot; judged by optimal" in text
    shown = (run / "report.html").read_text("utf-8")
    assert 'id="where"' in shown
    assert 'id="judged"' in shown and "The worst decisions of random" in shown
    headline, _, _ = text.partition(".\n")
    assert headline.startswith("random loses ") and headline.endswith(", optimal 0.0")
    assert headline in shown
    after = contents(run)
    assert {*after} - {*before} == {"judged.json", "report.html"}
    assert {name: after[name] for name in before} == before
    assert page(arena, run) == shown


@pytest.mark.slow
def test_its_rivals_are_those_of_the_run_and_its_games_those_of_the_run(
    arena: Arena, run: Path
) -> None:
    content = json.loads(arena("judge", str(run), "--deals", "20", "--json").text)
    assert content["headline"].startswith("random loses ")
    told: dict[str, Any] = content["bots"]
    assert {each["kind"] for each in told["random"]["situations"]} == {*KINDS_OF_SITUATION}
    assert told["optimal"]["share_best"] == 1 > told["random"]["share_best"] > 0
    assert [*told] == ["random", "cautious", "optimal"] and told["optimal"]["lost"] == [0, 0]
    assert {one["rival"] for one in told["random"]["worst"]} == {"cautious", "optimal"}
    lines = map(str.strip, page(arena, run).splitlines())
    line = next(line for line in lines if line.startswith("$ arena replay"))
    file, *names = shlex.split(line)[3:]
    events = arena("replay", str(run / file), *names, "--json").text.splitlines()
    worst = told["random"]["worst"][0]
    rolls = [one for one in map(json.loads, events) if one["event"] == "roll"]
    own = [one for one in rolls if (one["seat"], one["turn"]) == (worst["seat"], worst["turn"])]
    assert own[worst["roll"] - 1]["dice"] == worst["dice"]


@pytest.mark.slow
def test_the_page_of_a_judgement_draws_the_worst_decisions(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path / "tables"))
    words = "judge cautious random --rules 2,2 --deals 12 --html page.html"
    headline, _, _ = arena(words).text.partition(".\n")
    text = (Path.cwd() / "page.html").read_text()
    checked(text)
    assert headline in text and 'class="decision"' in text
    assert ">played</span>" in text and ">best</span>" in text
    assert 'id="where"' in text and "with 0 columns won" in text
    again = "arena judge cautious random --rules 2,2 --deals 12"
    assert f">{again}<" in text.replace("\n", "")


def test_something_is_heard_now_and_then_of_all_deals(run: Path) -> None:
    tasks = run_in(run, 100, Path("bots")).tasks
    pieces = in_pieces(tasks)
    assert len(pieces) >= 40 and max(len(piece.deals) for piece in pieces) <= 7
    for task in tasks:
        own = [piece.deals for piece in pieces if piece.spec == task.spec]
        assert [deal for deals in own for deal in deals] == [*task.deals]


def test_a_folder_that_is_called_like_a_bot_is_none_of_a_run(arena: Arena, run: Path) -> None:
    Path("random").mkdir()
    words = ("judge", "random", "--rules", "2,1", "--deals", "4", "--json")
    assert [*json.loads(arena(*words).text)["bots"]] == ["random"]


@pytest.mark.slow
def test_other_results_are_not_told_of(arena: Arena, run: Path) -> None:
    arena("judge", str(run), "--deals", "4")
    arena("run", "three.yaml", "--quiet", "--no-page", "--games", "8")
    assert 'id="judged"' in page(arena, run)  # of the same tournament, gone on with
    arena("run", "three.yaml", "--quiet", "--no-page", "--fresh", "--seed", "6")
    assert 'id="judged"' not in page(arena, run)


@pytest.mark.slow
def test_a_damaged_file_is_named_and_written_again(arena: Arena, run: Path) -> None:
    arena("judge", str(run), "--deals", "4")
    kept = run / "judged.json"
    forged = json.loads(kept.read_text())
    forged["bots"]["random"]["worst"][0]["rival"] = "nobody"
    for text in ("{", "[]", json.dumps(forged)):
        kept.write_text(text)
        assert f"{kept} is damaged; arena judge {run} writes it again." in page(arena, run)


@pytest.mark.slow
def test_who_misbehaves_is_named_and_the_others_are_judged(arena: Arena, run: Path) -> None:
    Path("rude-bot.py").write_text(RUDE)
    arena(
        "run", "rude.yaml", "--quiet", "--no-page", yaml=FILE.replace("cautious", "./rude-bot.py")
    )
    result = arena("judge", "results/rude", "--deals", "4", "--json")
    assert {*json.loads(result.text)["bots"]} == {"random", "optimal"}
    assert "rude-bot cannot be judged: it misbehaves in deal" in result.error


@pytest.mark.slow
def test_a_bot_without_an_answer_is_named_once_with_its_fault(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path / "tables"))
    bot = """def choose_move(turn, moves): return None
def roll_again(turn): return False
"""
    words = "judge cautious ./bots/mute.py --rules 2,2 --deals 12 --json"
    result = arena(words, bots={"mute": bot})
    assert {*json.loads(result.text)["bots"]} >= {"cautious"}
    assert result.error.count("mute cannot be judged") == 1
    assert "choose_move must return an index, not None" in result.error


@pytest.mark.slow
def test_bots_that_are_not_those_that_played_are_refused(
    arena: Arena, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GAME, "editions", dict.fromkeys(GAME.bots, 2))
    result = arena("judge", str(run), code=2)
    assert "random and cautious and optimal changed since these results" in result.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["results/three", "random"], "A results folder cannot be combined"),
        (["results/three", "--against", "random"], "A results folder cannot be combined"),
        (["tables-of-nobody/.."], "is no folder with results"),
        (["results/salvage"], "there is no judge for games of Salvage"),
        (["results/four"], "there is no judge for games of 3 players"),
    ],
)
@pytest.mark.usefixtures("second_game")
def test_what_cannot_be_judged_is_refused(
    arena: Arena, run: Path, words: list[str], sentence: str
) -> None:
    Path("tables-of-nobody").mkdir()
    games = {"salvage": "game: salvage\nbots: [drunk, careful]\n"}
    games["four"] = "players: 3\nbots: [random, cautious, odds]\n"
    for name in {*games} & {Path(words[0]).name}:
        Path(f"{name}.yaml").write_text(f"seed: 1\ngames: 1\n{games[name]}")
        arena("run", f"{name}.yaml", "--quiet", "--no-page")
    result = arena("judge", *words, code=None)
    assert result.code in (1, 2) and sentence in result.output, result.output
