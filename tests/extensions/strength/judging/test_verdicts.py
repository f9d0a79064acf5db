"""A game told with a judge's verdicts: they are those of `arena judge`, and told wherever it is."""

import json
from pathlib import Path

import pytest
from conftest import Tables
from helpers.arena import Arena, Done

from cantstop_arena.extensions.strength.exact.regret import judge
from cantstop_arena.extensions.strength.exact.solved_tables import adviser_for
from cantstop_arena.games.cantstop.rules import CLASSIC, derive
from cantstop_arena.table.seated_bot import SeatedBot

CHANGES = {"sides": 2, "column_lengths": [2, 4, 2]}
FILE = f"games: 40\nseed: 5\nrules: {json.dumps(CHANGES)}\nbots: [random, optimal]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tournament on a board that can be solved, and the tables of these tests."""
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.yaml").write_text(FILE)
    return tmp_path


def replay(arena: Arena, *words: str) -> Done:
    return arena("replay", *words, "--judge", code=None)


def told(arena: Arena, *words: str) -> str:
    result = replay(arena, *words)
    assert result.code == 0, result.output
    return result.output


def lost_by(arena: Arena, deal: int, names: tuple[str, str]) -> dict[str, float]:
    """What each bot has lost in a game, by the record that tells it."""
    lines = told(arena, "two.yaml", *names, "--deal", str(deal), "--json").splitlines()
    return dict(zip(names, json.loads(lines[-1])["verdict"]["lost"], strict=True))


@pytest.mark.slow
def test_what_decisions_lose_is_what_the_judge_says(
    arena: Arena, tables: Tables, folder: Path
) -> None:
    adviser = adviser_for(derive(CLASSIC, CHANGES), 2, folder)
    bots = [SeatedBot(name, tables.player(name), name) for name in ("random", "optimal")]
    for deal in (0, 3, 8):
        wanted = judge(adviser, bots[0], bots[1], range(deal, deal + 2), 5).losses[0]
        one, other = (
            lost_by(arena, deal, ("random", "optimal")),
            lost_by(arena, deal, ("optimal", "random")),
        )
        assert one["random"] + other["random"] == pytest.approx(sum(wanted)) != 0
        assert one["optimal"] == other["optimal"] == 0


def test_every_way_of_telling_has_the_verdicts(arena: Arena, folder: Path) -> None:
    text = told(arena, "two.yaml", "random", "optimal", "--deal", "3")
    assert "judge: " in text and " is best" in text
    assert "The judge: lost by decisions, in percentage points: A random " in text
    assert text.splitlines()[-1].endswith(", B optimal 0.00.")
    told(arena, "two.yaml", "random", "optimal", "--deal", "3", "--html", "game.html")
    page = Path("game.html").read_text()
    assert ". The judge: " in page and "; the judge: " in page


def test_a_record_is_judged_again_whatever_it_says(arena: Arena, folder: Path) -> None:
    lines = told(arena, "two.yaml", "random", "optimal", "--deal", "3", "--json")
    forged = [{**json.loads(line), "verdict": [5]} for line in lines.splitlines()]
    Path("forged.jsonl").write_text("\n".join(map(json.dumps, forged)))
    assert told(arena, "forged.jsonl", "--json") == lines
    plain = arena("replay", "forged.jsonl", code=None)
    assert plain.code == 0 and "judge" not in plain.output


@pytest.mark.parametrize(
    ("file", "names", "sentence"),
    [
        (
            "rules: jump\nbots: [random, rule28]\n",
            ("random", "rule28"),
            "there is no judge for this",
        ),
        (
            "game: salvage\nbots: [drunk, careful]\n",
            ("drunk", "careful"),
            "there is no judge for games of",
        ),
    ],
)
@pytest.mark.usefixtures("second_game")
def test_where_nobody_can_judge_that_is_said(
    arena: Arena, folder: Path, file: str, names: tuple[str, ...], sentence: str
) -> None:
    Path("other.yaml").write_text(f"seed: 1\n{file}")
    result = replay(arena, "other.yaml", *names, "--deal", "0")
    assert result.code == 2, result.output
    assert sentence in result.output
