"""The seat in the browser of a game without a seat of its own: forms by the kind of answer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers import bad_games
from helpers.cut_off_games import BOTS, cut_off_games
from helpers.parameters import slow_but

from cantstop_arena.extensions.serve.web_seat import SeatedPerson, WebSeat, seat_of
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.table.conversation import PendingDecision
from cantstop_arena.views.default_view import view_of

OPENING = {"event": "game", "seats": ["Ada", "bob"], "seed": 1, "deal": 0}
VIEW = bad_games.Hand(0, 2, bad_games.TrickGame.rules.default, (3, 7), (), (0, 0))


@dataclass
class Bid:
    coins: int
    note: str = ""


class Offer(msgspec.Struct):
    price: int


def pending(answer: Any, moves: Any = None, optional: bool = False) -> PendingDecision:
    decision = Decision("choose", ("view",), Any, answer, optional=optional, summary="Return it.")
    return PendingDecision(0, decision, VIEW, moves)


def form_of(asked: PendingDecision, hints: bool = False, game: Any = None) -> str:
    game = game or bad_games.TrickGame()
    person = SeatedPerson(game, 0, [OPENING], asked, hints)
    return str(seat_of(game).page(person, 0).form)


@pytest.mark.parametrize(
    ("asked", "parts", "missing"),
    [
        (pending(int, [4, "<b>"]), ['value="0"', "&lt;b&gt;", 'data-key="2"'], ["<b>", "pass"]),
        (pending(bool), ['value="true"', 'value="false"'], ["<input"]),
        (pending(bool | None), ['value="true"', 'value="null"'], []),
        (pending(int), ['name="answer"', 'type="number"'], ["pass"]),
        (pending(int, optional=True), ['type="number"', 'value="null"'], []),
        (pending(Bid), ['name="field.coins"', 'name="field.note"'], ['name="answer"']),
        (pending(Offer | None), ['name="field.price"', 'value="null"'], []),
        (pending(list[int]), ['name="answer"', "as JSON"], ["number"]),
    ],
)
def test_the_form_is_by_the_kind_of_answer(
    asked: PendingDecision, parts: list[str], missing: list[str]
) -> None:
    form = form_of(asked)
    assert all(part in form for part in parts) and not any(part in form for part in missing)


@pytest.mark.parametrize(
    ("asked", "fields", "answer"),
    [
        (pending(int, [4, 5]), {"answer": "1"}, 1),
        (pending(bool), {"answer": "false"}, False),
        (pending(int), {"answer": " 12 "}, 12),
        (pending(int | None), {"answer": ""}, None),
        (pending(Bid), {"field.coins": "3", "field.note": '"x"'}, {"coins": 3, "note": "x"}),
        (pending(Bid), {"field.coins": "3", "field.other": "1"}, {"coins": 3}),
        (pending(list[int]), {"answer": "[1, 2]"}, [1, 2]),
    ],
)
def test_answers_are_plain_data(
    asked: PendingDecision, fields: dict[str, str], answer: Any
) -> None:
    assert WebSeat(view_of(bad_games.TrickGame())).answer(asked, fields) == answer


@pytest.mark.parametrize(
    ("asked", "text"), [(pending(bool), "1"), (pending(int), "x"), (pending(int), "[" * 9999)]
)
def test_what_cannot_be_read_is_refused(asked: PendingDecision, text: str) -> None:
    with pytest.raises(IllegalAnswer):
        WebSeat(view_of(bad_games.TrickGame())).answer(asked, {"answer": text})


class _Position:
    """A position in which the number of the action is the chance to win, in tenths."""

    legal = (2, 5)

    def __init__(self) -> None:
        self.action = 0

    def clone(self) -> "_Position":
        return _Position()

    def step(self, action: int) -> None:
        self.action = action


class ValuedGame(bad_games.TrickGame):
    def position_of(self, view: Any, moves: Any = None) -> Any:
        return _Position()

    def value(self, position: Any) -> Any:
        return (position.action / 10, 1 - position.action / 10)


def test_hints_are_by_the_value_of_the_game() -> None:
    form = form_of(pending(int, ["a", "b"]), hints=True, game=ValuedGame())
    assert "20.0%" in form and "\u221230.0" in form and "50.0%" in form and "best" in form
    assert "%" not in form_of(pending(int, ["a", "b"]), hints=False, game=ValuedGame())
    assert "%" not in form_of(pending(int, ["a", "b"]), hints=True)
    assert "value function" in seat_of(ValuedGame()).judge(None, 2)
    assert seat_of(bad_games.TrickGame()).judge(None, 2) == ""


@pytest.mark.parametrize("name", slow_but([0, len(BOTS) - 1], BOTS))
def test_every_seat_shows_a_game_that_was_cut_off(name: str, tmp_path: Path) -> None:
    for game, cut in cut_off_games(name, tmp_path):
        assert seat_of(game).page(SeatedPerson(game, 0, cut, None, False), 0).heading
