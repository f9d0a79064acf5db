"""A position that is stepped through, as text."""

from cantstop_arena.games.cantstop.play.stepping.position import CantStopPosition
from cantstop_arena.games.cantstop.turn import Spaces, Turn
from cantstop_arena.views.cantstop.drawing import draw_board
from cantstop_arena.views.cantstop.scenes import SEATS, Scene


def board_text(position: CantStopPosition) -> str:
    """The board, and above it the turn with the dice where a move is to be chosen."""
    turn = position.turn()
    heading = f"Turn {turn.number}: {SEATS[turn.seat]}"
    if position.is_choice:
        heading += f", {'-'.join(map(str, turn.dice))}"
    return f"{heading}\n\n{draw_board(_scene(turn))}"


def _scene(turn: Turn) -> Scene:
    opening = {"rules": turn.rules.as_dict(), "seats": [*SEATS[: turn.players]]}
    relative = (turn.markers, *turn.rivals)
    markers = (relative[(seat - turn.seat) % turn.players] for seat in range(turn.players))
    runners = _by_column(turn.runners)
    return Scene(
        opening, opening, tuple(map(_by_column, markers)), runners, runners, seat=turn.seat
    )


def _by_column(spaces: Spaces) -> dict[int, int]:
    return {column: space for column, space in enumerate(spaces) if space}
