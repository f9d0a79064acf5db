"""A game whose own code sleeps, spins, exits or raises ends the run: no bot is charged with it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import installed_game

GAME = '''
"""A game of one question, in which the rules say what goes wrong, and where."""

import os
import time
from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import (
    Counts, Deal, Game, Question, Result, RuleBook, State, View, choice, decision
)


@dataclass(frozen=True)
class Rules:
    name: str = "standard"
    where: str = choice("nowhere", "begin", "question", "answer", "check", "result")
    what: str = choice("raises", "sleeps", "spins", "exits", "leaves", "dawdles")


@decision
def pick(view: View) -> int:
    """Return a number."""


def fail(rules: Rules, where: str) -> None:
    if rules.where == where:
        globals()[rules.what]()


def raises() -> None:
    raise KeyError("nine")


def sleeps() -> None:
    time.sleep(60)


def spins() -> None:
    while True:
        pass


def exits() -> None:
    os._exit(3)


def leaves() -> None:
    raise SystemExit(0)


def dawdles() -> None:
    time.sleep(0.5)


class Stuck(State):
    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.picked = None
        fail(deal.rules, "begin")

    def question(self):
        fail(self.deal.rules, "question")
        seats = self.deal.seats
        views = {seat: self.deal.view(View, seat) for seat in seats}
        return None if self.picked else Question("pick", views)

    def check(self, seat, answer):
        fail(self.deal.rules, "check")

    def answer(self, answers):
        fail(self.deal.rules, "answer")
        self.picked = answers
        return []

    def result(self):
        fail(self.deal.rules, "result")
        return Result([max(self.picked, key=self.picked.get)])


class StuckGame(Game):
    name = "stuck"
    title = "Stuck"
    rules = RuleBook(Rules())
    hooks = (pick,)

    def begin(self, deal):
        return Stuck(deal)


@hookimpl
def register_games():
    return [StuckGame()]
'''
BOT = """
game = "stuck"
def pick(view):
    return {}
"""
BOTS = {"one": BOT.format("1"), "two": BOT.format("2")}
TOURNAMENT = """
game: stuck
rules: {{where: {where}, what: {what}}}
games: 4
seed: 1
decision_limit: 0.4
game_limit: 0.6
bots: [one, two]
"""
FUNCTIONS = ("begin", "question", "answer", "check", "result")
SLEEP, LOOP = (
    GAME.splitlines().index(line) + 1 for line in ("    time.sleep(60)", "    while True:")
)
SAID = {
    "raises": r"Stuck fails in {where}\(\), deal 0 \(\w+, \w+\): KeyError: 'nine' \(.*py:\d+\)",
    "leaves": r"Stuck fails in {where}\(\), deal 0 \(\w+, \w+\): SystemExit: 0 \(.*game.py:\d+\)",
    "sleeps": r"Stuck fails in deal 0: the game's code gave no answer within 0.6 s: {where}\(\) at"
    rf" .*stuck/game.py:{SLEEP}$",
    "spins": r"Stuck fails in deal 0: the game's code gave no answer within 0.6 s: {where}\(\) at"
    rf" .*stuck/game.py:({LOOP}|{LOOP + 1})$",
    "exits": r"Stuck fails in deal 0: the game's code ended the process in {where}\(\)",
}
FAILURES = [(where, what) for what in ("raises", "sleeps", "exits") for where in FUNCTIONS]
FAILURES += [("begin", "spins"), ("result", "leaves")]  # as what sleeps, and what raises


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The game, as if it were installed."""
    with installed_game(tmp_path_factory.mktemp("packages"), "stuck", GAME):
        yield


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cup(where: str, what: str) -> str:
    return TOURNAMENT.format(where=where, what=what)


@pytest.mark.slow
@pytest.mark.parametrize(("where", "what"), FAILURES)
def test_a_game_that_fails_ends_the_run_and_charges_nobody(
    arena: Arena, where: str, what: str
) -> None:
    done = arena("run cup.yaml --quiet", bots=BOTS, yaml=cup(where, what), code=1)
    assert re.search(SAID[what].format(where=where), done.error, re.M), done.output
    assert not list(Path("results").rglob("summary.json"))


@pytest.mark.slow
@pytest.mark.parametrize("where", FUNCTIONS)
def test_the_time_of_a_game_is_not_its_bots(arena: Arena, where: str) -> None:
    yaml = cup(where, "dawdles").replace("games: 4", "games: 2").replace("0.6", "60")
    done = arena("run cup.yaml --quiet", bots=BOTS, yaml=yaml)
    assert {row["games"] for row in done.table("standings")} == {"2"}
    assert "faults" not in done.json


@pytest.mark.slow
@pytest.mark.parametrize("what", ["sleeps", "exits"])
def test_a_replay_says_what_the_run_says(arena: Arena, what: str) -> None:
    done = arena("replay cup.yaml one two", bots=BOTS, yaml=cup("question", what), code=1)
    assert re.search(SAID[what].format(where="question"), done.error, re.M), done.output


@pytest.mark.slow
def test_a_bot_that_is_slow_is_charged_in_a_game_of_this_kind(arena: Arena) -> None:
    slow = BOT.format("time.sleep(9)").replace("def", "import time\ndef", 1)
    done = arena("run cup.yaml --quiet", bots={**BOTS, "two": slow}, yaml=cup("nowhere", "raises"))
    assert {fault["bot"] for fault in done.json["faults"]} == {"two"}
    assert "pick gave no answer within 0.4 s" in done.json["faults"][0]["message"]
