"""The speed of games of Cubus and of building its library, in processor time: `make bench`.

Games of two seats of compiled bots, of the same bots in plain Python, the time to build
the library of the usual box, and the memory of a process that plays.
"""

import resource
import time
from collections.abc import Callable

from cantstop_arena.extensions.cubus.bots.strategies import BOTS, decide
from cantstop_arena.extensions.cubus.chance import keys_of_deal
from cantstop_arena.extensions.cubus.compiled_bots import play_all
from cantstop_arena.extensions.cubus.engine.library import build
from cantstop_arena.extensions.cubus.rules import LEAFLET
from cantstop_arena.extensions.cubus.state import CubusState
from cantstop_arena.game_api.state import Deal
from cantstop_arena.game_api.streams import DealChance
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.seated_bot import SeatedBot

SECONDS = 2.0
BATCH = 50
GOALS = {"greedy": 1000, "deny": 500, "hasty": 150}
PLAIN_GOAL = 200


def compiled(name: str, deal: int) -> int:
    """Play a batch of games of compiled bots; returns their number."""
    keys = [keys_of_deal(1987, deal + number, 2) for number in range(BATCH)]
    functions = BotFunctions(build=BOTS[name].build, knock=BOTS[name].knock)
    play_all(LEAFLET, [SeatedBot(name, functions, name)] * 2, keys)
    return BATCH


def plain(name: str, deal: int) -> int:
    """Play a game of plain Python bots; returns 1."""
    state, bot = CubusState(Deal(LEAFLET, 2, DealChance(1987, deal))), BOTS[name]
    while question := state.question():
        state.answer({seat: decide(bot, view) for seat, view in question.views_of(state)})
    return 1


def rate(play: Callable[[str, int], int], name: str) -> float:
    """Games a second of processor time, after a first batch as warm-up."""
    play(name, 0)
    start, games = time.process_time(), 0
    while time.process_time() - start < SECONDS:
        games += play(name, games)
    return games / (time.process_time() - start)


def main() -> None:
    """Measure and print."""
    for name, goal in GOALS.items():
        print(f"{name}, compiled: {rate(compiled, name):,.0f} games a second (goal {goal:,})")
    print(f"greedy, plain: {rate(plain, 'greedy'):,.0f} games a second (goal {PLAIN_GOAL})")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory of this process: {memory:,.0f} MB (goal 400)")
    start = time.process_time()
    piles = len(build(LEAFLET.box).masks)
    print(f"library of {piles:,} piles: {time.process_time() - start:.1f} s (goal 5)")


if __name__ == "__main__":
    main()
