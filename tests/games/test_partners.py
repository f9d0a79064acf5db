"""Games whose sides have several seats: examples/tandem, and a game that all seats win together."""

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.game_packages import examples, installed_game

import cantstop_arena as ca
from cantstop_arena.game_api.position import returns_of
from cantstop_arena.games.registry import game_named

CUP = """
game: tandem
games: 60
seed: 1
bots: [closer, saver, anything]
"""
CHOIR = '''
"""All seats sing upwards together."""

from cantstop_arena import Bot, hookimpl
from cantstop_arena.games import (
    Chance, Game, Payoff, Question, Result, RuleBook, State, View, decision
)
from tandem.game import Rules

class Song(View):
    top: int

@decision
def sing(view: Song, moves: tuple[int, ...]) -> int:
    """Return the index of a note."""

class Singing(State):
    def setup(self):
        self.hands = [[] for _ in range(self.players)]
        self.dealt = self.top = self.score = 0
        self.turn = 1

    def question(self):
        if self.dealt < 3 * self.players:
            sung = {note for hand in self.hands for note in hand}
            return Chance(("note", self.dealt), [n for n in range(1, 20) if n not in sung])
        seat = self.turn % self.players
        return Question("sing", seat, sorted(self.hands[seat])) if self.hands[seat] else None

    def chance(self, note):
        self.hands[self.dealt % self.players].append(note)
        self.dealt += 1

    def answer(self, answers):
        ((seat, index),) = answers.items()
        note = sorted(self.hands[seat])[index]
        self.hands[seat].remove(note)
        self.score += note > self.top
        self.top = max(self.top, note)
        self.turn += 1
        return [{"event": "sing", "seat": seat, "note": note}]

    def view(self, seat):
        return Song(seat, self.players, self.rules, self.top)

    def result(self):
        return Result(payoffs=[self.score] * self.players)

class Choir(Game):
    name, title, players = "choir", "Choir", range(2, 5)
    rules, hooks, state = RuleBook(Rules()), (sing,), Singing
    payoff = Payoff("note", low=0)
    def sides(self, players):
        return [range(players)]

@hookimpl
def register_games():
    return [Choir()]
'''
SINGERS = {
    "low": (
        'game = "choir"\ndef sing(view, moves):\n'
        "    return next((n for n, note in enumerate(moves) if note > view.top), 0)\n"
    ),
    "high": 'game = "choir"\ndef sing(view, moves):\n    return len(moves) - 1\n',
}
FAILING = """
game = "tandem"
def play(view, moves):
    if view.seat > 1 and view.round == 2:
        raise ValueError("no more")
    return 0
"""
COUNTING = """
game = "tandem"
CALLS = []
def play(view, moves):
    CALLS.append(view.seat)
    return len(set(CALLS)) % len(moves)
"""


installed = examples("tandem")


@pytest.mark.slow
def test_pairs_meet_as_two_bots_do(arena: Arena) -> None:
    done = arena("run cup.yaml", yaml=CUP)
    assert done.output.startswith("cup: playing 3 pairings (180 games).")
    rows = done.table("standings")
    assert [row["bot"] for row in rows] == ["closer", "saver", "anything"]
    assert [row["games"] for row in rows] == ["120"] * 3
    assert sum(float(row["payoff"]) for row in rows) == pytest.approx(0, abs=1e-6)
    assert done.json["players"] == 4 and len(done.table("seats")) == 2
    assert "nothing to play" in arena("run cup.yaml", yaml=CUP).output


@pytest.mark.slow
def test_partners_are_named_in_records(arena: Arena) -> None:
    arena("run cup.yaml --quiet", yaml=CUP)
    record = arena("replay cup.yaml closer saver --json", yaml=CUP).text.splitlines()
    first, last = json.loads(record[0]), json.loads(record[-1])
    assert first["seats"] == ["closer", "saver"] * 2
    assert last["winners"] in ([0, 2], [1, 3], [0, 1, 2, 3])
    assert last["payoffs"][:2] == last["payoffs"][2:]


@pytest.mark.slow
def test_fault_of_one_seat_costs_both(arena: Arena) -> None:
    yaml = CUP.replace("anything", "failing").replace("60", "20")
    done = arena("run cup.yaml --quiet", yaml=yaml, bots={"failing": FAILING}, code=None)
    (failing,) = (row for row in done.table("standings") if row["bot"] == "failing")
    assert (failing["faults"], failing["payoff"]) == ("40", "-10.0")
    record = arena(
        "replay cup.yaml failing saver --json", yaml=yaml, bots={"failing": FAILING}
    ).text
    assert json.loads(record.splitlines()[-1])["winners"] == [1, 3]


@pytest.mark.slow
def test_isolated_partners_have_a_process_each(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = "[{bot: counting, isolate: processes, as: apart}, {bot: counting, as: together}]"
    text = f"game: tandem\ngames: 4\nseed: 1\nbots: {bots}\n"
    arena("run cup.yaml --quiet", yaml=text, bots={"counting": COUNTING})
    events = arena("replay cup.yaml apart together --json", yaml=text).text.splitlines()
    hands: dict[int, list[int]] = {}
    for event in map(json.loads, events):
        if event["event"] == "card":
            hands.setdefault(event["seat"], []).append(event["card"])
        elif event["event"] == "play":
            hand = sorted(hands[event["seat"]])
            if event["seat"] in (0, 2):  # it has seen its own calls only
                assert hand.index(event["card"]) == 1 % len(hand)
            hands[event["seat"]].remove(event["card"])


@pytest.mark.slow
def test_person_has_a_partner(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("play", "closer", "--game", "tandem", "--seed", "1", "--save", "game.jsonl")
    printed = arena(*words, input="1\n" * 9).output
    assert "C closer" in printed and "payoffs" in printed
    assert json.loads(Path("game.jsonl").read_text().splitlines()[0])["seats"][1:] == ["closer"] * 3
    three = arena("play", "saver", "closer", "saver", "--game", "tandem", input="1\n" * 9).output
    assert "B saver" in three and "C closer" in three


@pytest.mark.parametrize(
    ("winners", "sides", "returns"),
    [
        ([0, 2], (0, 1, 0, 1), (1, -1, 1, -1)),
        ([0], (0, 1, 1, 1), (1, -1, -1, -1)),
        ([0, 1], (0, 0), (1, 1)),
        ([], (0, 1, 0, 1), (0, 0, 0, 0)),
    ],
)
def test_returns_are_of_sides(
    winners: list[int], sides: tuple[int, ...], returns: tuple[float, ...]
) -> None:
    assert returns_of(winners, sides) == returns


@pytest.mark.slow
@pytest.mark.parametrize(
    ("result", "sides", "message"),
    [
        ("winners=[0], payoffs=[0] * 4", "SIDES", "winners [0] are no whole sides; sides are"),
        ("payoffs=[1, -1, 0, 0]", "SIDES", "payoffs [1, -1, 0, 0] differ within a side"),
        ("payoffs=[0] * 4", "[(0, 1), (2,)]", "sides(4) must name each seat from 0 to 3 once"),
    ],
)
def test_what_sides_forbid(
    arena: Arena, tmp_path: Path, result: str, sides: str, message: str
) -> None:
    code = f"""
from cantstop_arena.games import Payoff, Result
from tandem.game import SIDES, Table, Tandem
from cantstop_arena import hookimpl
class Wrong(Table):
    def result(self):
        return Result({result})
class Other(Tandem):
    name, title, state, payoff = "other", "Other", Wrong, Payoff("point")
    def sides(self, players):
        return {sides}
@hookimpl
def register_games():
    return [Other()]
"""
    with installed_game(tmp_path, "other", code):
        bots = {"a": 'game = "other"\ndef play(view, moves): return 0\n'}
        text = "game: other\ngames: 2\nbots: [a, {bot: a, as: b}]\n"
        assert message in arena("run cup.yaml", yaml=text, bots=bots, code=1).error


@pytest.mark.slow
def test_all_win_together(arena: Arena, tmp_path: Path) -> None:
    with installed_game(tmp_path, "choir", CHOIR):
        text = "game: choir\nplayers: 3\ngames: 30\nseed: 1\nbots: [low, high]\n"
        done = arena("run cup.yaml", yaml=text, bots=SINGERS)
        assert [row["bot"] for row in done.table("standings")] == ["low", "high"]
        assert "cup: playing 2 bots (60 games)." in done.output and "Elo" not in done.output
        assert "decisions fewer" not in done.output
        ending = arena("replay cup.yaml low", yaml=text).text.splitlines()[-1]
        assert ending.startswith("A low, B low and C low win (")
        refused = arena("match low high --game choir", code=2)
        assert "all seats are on one side" in refused.error


@pytest.mark.slow
def test_least_payoff_can_be_the_best(arena: Arena, tmp_path: Path) -> None:
    code = CHOIR.replace("low=0", 'high=9, best="least"')
    with installed_game(tmp_path, "choir", code):
        text = "game: choir\nplayers: 3\ngames: 30\nseed: 1\nbots: [low, high]\n"
        done = arena("run cup.yaml", yaml=text, bots=SINGERS)
        assert [row["bot"] for row in done.table("standings")] == ["high", "low"]


def test_match_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = ca.match("closer", "anything", game="tandem", players=4, games=20, seed=1, page=False)
    assert str(done) == "<closer-vs-anything: 20 games of 2 bots>"


def test_sides_of_other_games_are_seats() -> None:
    game: Any = game_named("cantstop")
    assert game.side_by_seat(3) == (0, 1, 2) and game.lineup_size(3) == 3


@pytest.mark.slow
def test_decisions_of_partners_are_exported(arena: Arena) -> None:
    two_bots = CUP.replace("closer, saver", "closer")  # else a deal has games of several lineups
    Path("cup.yaml").write_text(two_bots.replace("games: 60", "games: 2"))
    report = ca.run("cup.yaml").export_decisions("decisions.jsonl")
    rows = [json.loads(line) for line in Path("decisions.jsonl").read_text().splitlines()]
    assert not report.missing
    assert {row["seat"] for row in rows} == {0, 1, 2, 3}
    for row in rows:  # partners are one bot, and win together
        partner = {**row, "seat": (row["seat"] + 2) % 4}
        keys = ("deal", "seating", "seat")
        same = [
            each
            for each in rows
            if all(each[key] == partner[key] for key in keys) and each["bot"] == row["bot"]
        ]
        assert same and all(each["won"] == row["won"] for each in same)
