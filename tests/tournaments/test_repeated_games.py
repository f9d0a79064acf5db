"""Sequential tests of games without chance: one game, played again and again, counts once."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import installed_game
from helpers.pages import Page
from helpers.parameters import slow_but

import cantstop_arena as ca
from cantstop_arena.exit_codes import ExitCode

GAME = '''
"""The higher number wins, of equal ones the first; a die may turn it round."""

from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import (
    Deal, Game, Named, Question, Result, RuleBook, State, View, decision, flag
)


@dataclass(frozen=True)
class Rules:
    name: str = "standard"
    die: bool = flag(False)


@decision
def pick(view: View) -> int:
    """Return a number."""


class Higher(State):
    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.picked = None

    def question(self):
        views = {seat: self.deal.view(View, seat) for seat in self.deal.seats}
        return None if self.picked else Question("pick", views)

    def answer(self, answers):
        self.picked = answers
        return []

    def result(self):
        order = sorted(self.picked, key=self.picked.get, reverse=True)
        if not self.deal.rules.die:
            return Result(order[:1])
        (die,) = self.deal.stream("die").rolled(1)
        return Result([order[-1 if die < 4 else 0]])


class HigherGame(Game):
    name = "higher"
    title = "Higher"
    rules = RuleBook(Rules(), (Named(Rules("dice", die=True), "tests"),))
    hooks = (pick,)

    def begin(self, deal):
        return Higher(deal)


@hookimpl
def register_games():
    return [HigherGame()]
'''
BOT = 'game = "higher"\ndef pick(view):\n    return {}\n'
BOTS = {"one": BOT.format(1), "also": BOT.format(1), "two": BOT.format(2)}
TEST = "--game higher --sprt 0 200 --seed 1"
VERDICT = (
    "All 16 deals are the same 2 games: no chance is involved, so they count as one deal and the"
    " test has no verdict. Add openings (openings: {plies: 4}, or a file), or bots that draw at"
    " random."
)


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The game, as if it were installed."""
    with installed_game(tmp_path_factory.mktemp("packages"), "higher", GAME):
        yield


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("words", slow_but([2], ["two one", "one two", "one also"]))
def test_one_repeated_game_has_no_verdict(arena: Arena, words: str) -> None:
    done = arena(f"match {words} {TEST} --page", bots=BOTS)
    assert VERDICT in done.text and "2 games (of 200 alike), 1 deal in both" in done.text
    test = json.loads((done.folder / "match.json").read_text())["sprt"]
    assert test["accepted"] is None and test["repeated"] is True
    assert abs(test["llr"]) < 1, "that of one deal"
    assert VERDICT in Page(done.page).text
    arena(f"match {words} {TEST} --exit-code --quiet", code=ExitCode.UNDECIDED)


@pytest.mark.slow
def test_it_has_none_from_stored_games_either(arena: Arena) -> None:
    arena(f"match two one {TEST}", bots=BOTS)
    again = arena(f"match two one {TEST}")
    assert VERDICT in again.text


@pytest.mark.slow
def test_the_api_has_no_verdict_either(arena: Arena) -> None:
    arena(f"match two one {TEST}", bots=BOTS)
    result = ca.match("two", "one", game="higher", sprt=(0, 200), seed=1, results="again")
    assert result.accepted is None


@pytest.mark.slow
def test_games_with_chance_have_a_verdict(arena: Arena) -> None:
    done = arena(f"match two one {TEST} --rules dice", bots=BOTS)
    test = json.loads((done.folder / "match.json").read_text())["sprt"]
    assert test["accepted"] == "H0" and "repeated" not in test


def test_who_wins_every_game_of_dice_has_a_verdict(arena: Arena) -> None:
    done = arena("match rule28 random --sprt 0 50 --seed 1")
    assert "H1 is accepted" in done.text and "count as one deal" not in done.text
