"""What another process can see of a game, in the memory where its record lies."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cantstop_arena.deals.outcomes import Snapshot
from cantstop_arena.game_api.decisions import GAME_OVER
from cantstop_arena.games.cantstop.engine.state import AGAIN, GAME, MAX_SEATS, MOVE, slot

SIZE = GAME.itemsize
_SEEN = ("cursor", "seat", "turn", "rolls", "waiting")
_SLOTS = [slot(name) for name in _SEEN]
_BOTS = slot("bots")
HEARING = -1  # what a game waits for that is over, while a bot hears of it
_ASKED = {MOVE: "choose_move", AGAIN: "roll_again", HEARING: GAME_OVER}


def snapshot_reader(memory: Any) -> Callable[[], Snapshot]:
    """A function that looks at the game in this memory, which others may be writing to."""
    numbers = np.frombuffer(memory, np.int64, SIZE // 8)

    def look() -> Snapshot:
        step = numbers[_SLOTS].tolist()
        cursor, seat, _, _, waiting = step
        asked = _ASKED.get(waiting)
        place = int(numbers[_BOTS + seat % MAX_SEATS])  # whatever a bot may have written there
        return Snapshot(cursor, place, asked or "", asked is not None, (*step, place))

    return look
