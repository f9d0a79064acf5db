"""Recorded games of Cubus written by hand, and what the referee says of them."""

import json
from typing import Any

from helpers.cubus.naive.referee import referee
from helpers.cubus.random_games import Event, Record, header, ruleset

FEW = {"left": 2, "right": 2, "lids": 2, "open": 0}


def complaints(record: Record) -> list[str]:
    """What the referee says of a record."""
    return referee(json.dumps(event) for event in record)


def build(turn: int, card: str | None, pile: str, *open_cells: list[int], **told: Any) -> Event:
    """A build of two players."""
    own = {"turn": turn, "seat": (turn - 1) % 2, "card": card}
    return {"event": "build", **own, "pile": pile, "open": list(open_cells), **told}


def passed(turn: int, card: str | None, players: int = 2) -> Event:
    """A pass."""
    return {"event": "pass", "turn": turn, "seat": (turn - 1) % players, "card": card}


def knock(
    turn: int, seat: int, right: bool, pile: str, *open_cells: list[int], **told: Any
) -> Event:
    """A knock."""
    own = {"turn": turn, "seat": seat, "right": right}
    return {"event": "knock", **own, "pile": pile, "open": list(open_cells), **told}


def ending(seat: int, pile: str, *open_cells: list[int], **told: Any) -> Event:
    """A build with the pool."""
    return {"event": "ending", "seat": seat, "pile": pile, "open": list(open_cells), **told}


def take(turn: int, pile: str, *open_cells: list[int], cards: str) -> Event:
    """A crate taken down by one of two players."""
    own = {"turn": turn, "seat": (turn - 1) % 2}
    return {"event": "take", **own, "pile": pile, "open": list(open_cells), "cards": cards}


def end(turns: int, points: list[int], winners: list[int], **told: Any) -> Event:
    """The last line."""
    usual = {"cards": None, "reason": "done"}
    return {"event": "end", "turns": turns, "points": points, "winners": winners, **usual, **told}


def whole_game() -> Record:
    """A game with every event: six cards are drawn, the pool brings a point, all is taken down."""
    few = {"left": 3, "right": 3, "lids": 2, "open": 1}
    return [
        header(ruleset(**few, ending="last", take_down=True), 2),
        passed(1, "L"),
        passed(2, "R"),
        build(3, "R", "2@0,0", points=1, hand=""),
        passed(4, "L"),
        knock(4, 0, False, "22@0,0", points=0, hand="LR"),
        passed(5, "T"),
        passed(6, "O"),
        knock(6, 0, True, "21@0,0", [1, 0], points=1, hand="L"),
        passed(7, None),
        passed(8, None),
        ending(0, "21/10@0,0", [1, 0], points=1, hand=""),
        take(9, "21@0,0", [1, 0], cards="TL"),
        take(10, "11@0,0", [1, 0], cards="LR"),
        take(11, "1@1,0", [1, 0], cards="TR"),
        take(12, "", cards="OLR"),
        end(12, [3, 2], [1], cards=[4, 5]),
    ]


def passes(number: int, drawn: str = "TLR", players: int = 2) -> Record:
    """So many passes from the first turn on."""
    cards = [*drawn, *[None] * number]
    return [passed(turn, cards[turn - 1], players) for turn in range(1, number + 1)]


def idle(number: int, players: int = 2, **changes: Any) -> Record:
    """Three cards are drawn and nothing is built, so that the game should end after n passes."""
    return [header(ruleset(**FEW, **changes), players), *passes(number, players=players)]


def with_pool(how: str, *endings: Event, **changes: Any) -> Record:
    """Nothing was built, the pool is TLR; then these builds."""
    return [*idle(3, ending=how, **changes), *endings]
