"""Positions whose drawings are kept in tests/data/boards, to be compared and looked at.

`python tests/helpers/boards.py` draws them anew.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cantstop_arena.games.cantstop.rules import CLASSIC, RULES, RuleSet, derive
from cantstop_arena.views.cantstop.drawing import draw_board, draw_seats
from cantstop_arena.views.cantstop.scenes import BoardScene, scenes
from cantstop_arena.views.cantstop.svg import draw_svg
from helpers.paths import TESTS

FOLDER = TESTS / "data" / "boards"
HOSTILE = ("<script>alert(1)</script>", "\x1b[2J\nred & 'blue' \"]]>", "🎲" * 60, "\u202eevil\0")
Spaces = dict[int, int]
Event = dict[str, Any]


def opening(*names: str, rules: RuleSet = CLASSIC) -> Event:
    """The first event of a game."""
    told = {"rules": RULES.as_dict(rules), "seats": list(names), "seed": 1980, "deal": 17}
    return {"event": "game", "game": "cantstop", **told}


def by_column(spaces: Spaces) -> dict[str, int]:
    return {str(column): space for column, space in spaces.items()}


def game(first: Event, *markers: Spaces) -> list[Event]:
    """A game in which every seat has stopped once, with these markers."""
    return [first, *(stop(turn, turn - 1, own) for turn, own in enumerate(markers, start=1))]


def stop(turn: int, seat: int, markers: Spaces) -> Event:
    return {"event": "stop", "turn": turn, "seat": seat, "markers": by_column(markers)}


def roll(turn: int, seat: int, runners: Spaces, *moves: list[int]) -> Event:
    """A roll after which the runners stand there; the first of the moves was made."""
    chosen = moves[0] if moves else None
    told = {"dice": [1, 2, 1, 2], "moves": list(moves), "chosen": chosen}
    runs = by_column(runners)
    return {"event": "roll", "turn": turn, "seat": seat, **told, "runners": runs}


def end(turns: int, winners: list[int], reason: str) -> Event:
    return {"event": "end", "turns": turns, "winners": winners, "reason": reason}


TWO = opening("rule28", "example")
FOUR = opening("rule28", "example", "random", "you")
SMALL = derive(CLASSIC, {"sides": 2, "columns_to_win": 2, "runners": 2})
LARGE = derive(CLASSIC, {"sides": 8})
UNEVEN = derive(CLASSIC, {"sides": 3, "column_lengths": [1, 100, 2, 7, 1]})

POSITIONS: dict[str, list[Event]] = {
    "start": [TWO],
    "runners": [
        *game(TWO, {6: 3, 7: 5}, {7: 5, 8: 2, 12: 1}),
        roll(3, 0, {7: 6, 6: 4}, [6, 7], [4]),
        roll(3, 0, {7: 6, 6: 4, 2: 1}, [2], [12]),
    ],
    "runner-on-a-marker": [*game(TWO, {6: 3}, {7: 5}), roll(3, 0, {7: 5, 6: 4}, [7])],
    "runner-on-a-top": [*game(TWO, {2: 2}, {7: 5}), roll(3, 0, {2: 3, 7: 1}, [2, 7])],
    "bust": [*game(TWO, {2: 2}, {7: 5}), roll(3, 0, {4: 1, 5: 1, 6: 2})],
    "claimed": game(TWO, {2: 3, 3: 4, 7: 12}, {12: 3, 11: 5, 7: 13}),
    "four-on-a-space": game(FOUR, *4 * [{7: 6, 6: 1}]),
    "four-with-a-runner": [
        *game(FOUR, {7: 6, 2: 1}, {7: 6, 2: 2}, {7: 6, 12: 3}, {7: 2}),
        roll(5, 3, {7: 6}, [7, 7]),
    ],
    "alone": [*game(opening("glenn-aloi"), {7: 13, 6: 3}), roll(2, 0, {8: 1}, [8])],
    "two-sides": game(opening("a", "b", rules=SMALL), {2: 3, 3: 4}, {3: 1, 4: 1}),
    "eight-sides": [
        *game(opening(*"abcd", rules=LARGE), {9: 17, 2: 1}, {10: 3}, {10: 3, 16: 2}, {10: 3}),
        roll(5, 0, {10: 3, 3: 1, 15: 2}, [3, 15]),
    ],
    "uneven": [
        *game(opening("a", "b", rules=UNEVEN), {3: 100, 2: 1}, {5: 6}),
        roll(3, 0, {4: 1}, [4]),
    ],
    "hostile-names": game(opening(*HOSTILE), {2: 3}, {3: 1}, {4: 1}, {5: 1}),
    "shared-win": [*game(TWO, {2: 3, 3: 5}, {12: 3, 11: 5}), end(2, [0, 1], "all-claimed")],
}


def scene_of(name: str) -> BoardScene:
    """The position of this name."""
    return list(scenes(POSITIONS[name]))[-1]


def drawings(name: str) -> Iterator[tuple[Path, str]]:
    """The files that show a position, and what belongs into them."""
    scene = scene_of(name)
    plain, coloured = (f"{draw_seats(scene, c)}\n{draw_board(scene, c)}\n" for c in (False, True))
    yield FOLDER / f"{name}.txt", plain
    yield FOLDER / f"{name}.ansi", coloured
    yield FOLDER / f"{name}.svg", draw_svg(scene)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for position in POSITIONS:
        for path, text in drawings(position):
            path.write_text(text, "utf-8")
