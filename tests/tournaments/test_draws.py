"""Draws: games that all seats win, apart from those that nobody does."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import installed_game

GAME = '''
"""The higher number wins; equal numbers draw, and with a 0 nobody wins."""

from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import Game, Question, Result, RuleBook, State, View, decision


@dataclass(frozen=True)
class Rules:
    name: str = "standard"


@decision
def pick(view: View) -> int:
    """Return a number."""


class Higher(State):
    def setup(self):
        self.picked = None

    def question(self):
        return None if self.picked else Question("pick", range(self.players))

    def answer(self, answers):
        self.picked = answers
        return [{"event": "picked", "numbers": [*answers.values()]}]

    def result(self):
        picked = self.picked or {0: 0}
        highest = max(picked.values())
        if 0 in picked.values():
            return Result([])
        return Result([seat for seat in picked if picked[seat] == highest])


class HigherGame(Game):
    name = "draws"
    title = "Draws"
    rules = RuleBook(Rules())
    hooks = (pick,)
    state = Higher


@hookimpl
def register_games():
    return [HigherGame()]
'''
BOT = 'game = "draws"\ndef pick(view):\n    return int(view.random() * {})\n'


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The game, as if it were installed."""
    with installed_game(tmp_path_factory.mktemp("packages"), "draws", GAME):
        yield


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_drawn_and_unfinished_games_are_counted_apart(arena: Arena) -> None:
    bots = {"two": BOT.format(3), "three": BOT.format(4)}
    cup = "game: draws\nbots: [two, three]\ngames: 400\nseed: 1\n"
    done = arena("run cup.yaml --no-page", bots=bots, yaml=cup)
    lineups = json.loads((done.folder / "summary.json").read_text())["lineups"]
    games, drawn, unfinished = (
        sum(each[key] for each in lineups) for key in ("games", "drawn", "unfinished")
    )
    # Both draw from 0 to 2, and from 0 to 3: a half has a 0, a sixth equal numbers above. The two
    # games of a deal are nearly the same, so that 400 are worth little more than 200.
    assert games == 400 and 155 < unfinished < 245 and 38 < drawn < 98
    for row in done.table("standings"):
        assert float(row["drawn"]) == pytest.approx(drawn / games)
    assert "drawn %" in done.text and f"{unfinished} of 400 games were not finished" in done.text


@pytest.mark.slow
def test_without_draws_there_is_no_column(arena: Arena) -> None:
    bots = {"one": BOT.replace("int(view.random() * {})", "1"), "also": BOT.format(1)}
    cup = "game: draws\nbots: [one, also]\ngames: 4\nseed: 1\n"
    done = arena("run cup.yaml --no-page", bots=bots, yaml=cup)
    assert "drawn" not in done.text and "drawn" not in done.json["lineups"][0]


@pytest.mark.slow
def test_a_replay_says_who_has_won(arena: Arena) -> None:
    bots = {
        name: BOT.replace("int(view.random() * {})", name[-1]) for name in ("no0", "a1", "b1", "c2")
    }
    cup = "game: draws\nbots: [no0, a1, b1, c2]\ngames: 2\nseed: 1\n"
    arena("run cup.yaml --no-page", bots=bots, yaml=cup)
    said = {"a1 b1": "A a1 and B b1 draw (", "a1 c2": "B c2 wins (", "a1 no0": "nobody wins"}
    for seats, text in said.items():
        shown = arena(f"replay results/cup {seats}").text
        assert text in shown, shown
