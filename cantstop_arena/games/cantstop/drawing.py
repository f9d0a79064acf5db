"""The board and a recorded game as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Spaces = Mapping[int, int]
SEATS = "ABCD"
RUNNER = "*"
_WIDTH = 5


def draw_board(
    lengths: Sequence[int], markers: Sequence[Spaces], runners: Spaces | None = None
) -> str:
    """The board as a mountain of spaces, column 2 first, tops named by their columns.

    `markers` has the spaces of every seat's markers by column; runners are drawn as stars. Who
    stands on a top has claimed its column.
    """
    columns = range(2, 2 + len(lengths))
    tallest = max(lengths)
    rows = []
    for level in range(tallest + 1, 0, -1):
        cells = []
        for column, length in zip(columns, lengths, strict=True):
            if level == length + 1:
                cells.append(str(column))
            elif level > length:
                cells.append("")
            else:
                cells.append(_space(column, level, level == length, markers, runners or {}))
        rows.append("".join(f"{cell:^{_WIDTH}}" for cell in cells).rstrip())
    return "\n".join(rows)


def _space(column: int, level: int, top: bool, markers: Sequence[Spaces], runners: Spaces) -> str:
    seats = [SEATS[seat] for seat, own in enumerate(markers) if own.get(column) == level]
    standing = "".join(seats) + (RUNNER if runners.get(column) == level else "")
    if top:
        return f"({standing})" if standing else "( )"
    return standing or "."


def tell_game(events: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A recorded game in lines for people: every roll, and the board after every stop."""
    teller = _Teller()
    for event in events:
        yield from getattr(teller, f"_{event['event']}")(event)


class _Teller:
    """Remembers the board while a game is told."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.lengths: list[int] = []
        self.markers: list[dict[int, int]] = []
        self.turn = 0

    def _game(self, event: Mapping[str, Any]) -> Iterator[str]:
        self.names = [f"{SEATS[seat]} {name}" for seat, name in enumerate(event["seats"])]
        self.lengths = event["rules"]["column_lengths"]
        self.markers = [{} for _ in self.names]
        rules = event["rules"]["name"]
        yield f"Can't Stop ({rules}), seed {event['seed']}, deal {event['deal']}"
        yield "Seats: " + ", ".join(self.names)

    def _roll(self, event: Mapping[str, Any]) -> Iterator[str]:
        if event["turn"] != self.turn:
            self.turn = event["turn"]
            yield f"\nTurn {self.turn}: {self.names[event['seat']]}"
        dice = "-".join(map(str, event["dice"]))
        if event["chosen"] is None:
            yield f"  {dice}  no move"
            return
        runners = " ".join(f"{column}:{space}" for column, space in event["runners"].items())
        others = ", ".join(_plus(move) for move in event["moves"] if move != event["chosen"])
        told = f" (or {others})" if others else ""
        yield f"  {dice}  {_plus(event['chosen']) + told:<32}  runners {runners}"

    def _bust(self, event: Mapping[str, Any]) -> Iterator[str]:
        yield "  bust"

    def _stop(self, event: Mapping[str, Any]) -> Iterator[str]:
        seat = event["seat"]
        self.markers[seat] = {int(column): space for column, space in event["markers"].items()}
        for column, space in self.markers[seat].items():
            if space == self.lengths[column - 2]:
                self._clear(column, seat)
        yield "  stops\n"
        yield draw_board(self.lengths, self.markers)

    def _clear(self, column: int, owner: int) -> None:
        for seat, own in enumerate(self.markers):
            if seat != owner:
                own.pop(column, None)

    def _end(self, event: Mapping[str, Any]) -> Iterator[str]:
        winners = " and ".join(self.names[seat] for seat in event["winners"]) or "nobody"
        verb = "win" if len(event["winners"]) > 1 else "wins"
        turns = "1 turn" if event["turns"] == 1 else f"{event['turns']} turns"
        yield f"\nAfter {turns} {winners} {verb} ({event['reason']})."


def _plus(move: Sequence[int]) -> str:
    return "+".join(map(str, move))
