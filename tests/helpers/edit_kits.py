"""What the random checker of edits makes bots and tournaments of, for several games."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Kit:
    """The bots of a game, and the keys of its tournaments.

    `kinds` are the texts of bots, with a {number} in them, by the word that their files' names
    begin with. `family` is a file of two bots, restless and lazy. `tuned` is the option of the
    first built-in bot, with its values; `keys` are other keys of the file with theirs, False for
    none. `games` is mostly one of `games`, as a check plays thousands of times, and seldom of
    `many_games`, where lessons end and samples are played again.
    """

    game: str
    kinds: dict[str, str]
    family: str
    built_in: tuple[str, ...]
    tuned: tuple[str, tuple[Any, ...]]
    games: tuple[int, ...]
    many_games: tuple[int, ...]
    keys: dict[str, tuple[Any, ...]]
    players: tuple[int, ...] = (2,)
    package: str = ""
    command: str = "run"
    slow: tuple[str, ...] = field(default=())  # kinds that are rarely written


def _texts(parts: dict[str, str], head: str, learner: str, family: str) -> dict[str, str]:
    return {
        "plain": f"{head}import random\nKEEP = {{number}}\n{parts['plain']}",
        "reader": (
            f"{head}import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n"
            f"import _beside\nKEEP = {{number}}\n{parts['reader']}"
        ),
        "faulty": f"{head}KEEP = {{number}}\n{parts['faulty']}",
        "learner": f"{head}learns = True\nSEEN = [{{number}}]\n{learner}",
        "family": f"{head}{family}",
    }


_CANTSTOP = _texts(
    {
        "plain": """
def choose_move(turn, moves):
    return int(random.random() * len(moves))
def roll_again(turn):
    return turn.rolls < 1 + KEEP % 4
""",
        "reader": """
def choose_move(turn, moves):
    return _beside.NUMBER % len(moves)
def roll_again(turn):
    return turn.rolls < 1 + KEEP % 3
""",
        "faulty": """
def choose_move(turn, moves):
    if turn.number > 3 + KEEP % 5:
        raise ValueError("no more")
    return 0
def roll_again(turn):
    return turn.rolls < 2
""",
    },
    "",
    """
def choose_move(turn, moves):
    SEEN.append(turn.number)
    return len(SEEN) % len(moves)
def roll_again(turn):
    return turn.rolls < 1 + len(SEEN) % 3
""",
    """
from cantstop_arena import Bot
def restless(limit: int = {number} % 4):
    class Player:
        def choose_move(self, turn, moves):
            return 0
        def roll_again(self, turn):
            return turn.rolls < limit
    return Player()
def lazy():
    return restless(1)
def register_bots():
    return [Bot("restless", restless), Bot("lazy", lazy)]
""",
)
_COMPILED = """
from cantstop_arena import compiled
@compiled
def choose_move(turn, moves):
    return {number} % 2 * (len(moves) - 1)
@compiled
def roll_again(turn):
    return turn.rolls < 3
"""
_BATCHED = """
import numpy
KEEP = {number}
rows = 1 + KEEP
def decide(batch):
    size = batch.observations.shape[1], batch.legal.shape[1]
    weights = numpy.random.default_rng(KEEP).random(size)
    return batch.observations @ weights + batch.random[:, None] * numpy.arange(size[1]) % 1
"""
_CUBUS = _texts(
    {
        "plain": """
def build(view):
    targets = [target for target in view.nearby() if target.least == 0]
    if not targets:
        return None
    return view.build(targets[int(random.random() * min(len(targets), 1 + KEEP))])
""",
        "reader": """
def build(view):
    targets = [target for target in view.nearby() if target.least == 0]
    return view.build(targets[(KEEP + _beside.NUMBER) % len(targets)]) if targets else None
""",
        "faulty": """
def build(view):
    if view.turn > 9 + KEEP:
        raise ValueError("no more")
    targets = [target for target in view.nearby() if target.least == 0]
    return view.build(targets[0]) if targets else None
""",
    },
    'game = "cubus"\n',
    """
def build(view):
    SEEN.append(view.turn)
    targets = [target for target in view.nearby() if target.least == 0]
    return view.build(targets[len(SEEN) % len(targets)]) if targets else None
""",
    """
from cantstop_arena import Bot
def restless(limit: int = {number} % 4):
    class Player:
        def build(self, view):
            targets = [target for target in view.nearby() if target.least == 0]
            return view.build(targets[min(limit, len(targets) - 1)]) if targets else None
    return Player()
def lazy():
    return restless(1)
def register_bots():
    return [Bot("restless", restless), Bot("lazy", lazy)]
""",
)
_KUHN = _texts(
    {
        "plain": """
def bet(view):
    return random.random() * 10 < KEEP
""",
        "reader": """
def bet(view):
    return view.card > (KEEP + _beside.NUMBER) % 4
""",
        "faulty": """
def bet(view):
    if view.card > 1 + KEEP % 3:
        raise ValueError("no more")
    return True
""",
    },
    'game = "kuhn-poker"\n',
    """
def bet(view):
    SEEN.append(view.card)
    return len(SEEN) % 3 == 0
""",
    """
from cantstop_arena import Bot
def restless(limit: int = {number} % 4):
    class Player:
        def bet(self, view):
            return view.card > limit
    return Player()
def lazy():
    return restless(1)
def register_bots():
    return [Bot("restless", restless), Bot("lazy", lazy)]
""",
)
_FOUR = _texts(
    {
        "plain": """
def drop(view, moves):
    return int(random.random() * len(moves)) if KEEP % 2 else KEEP % len(moves)
""",
        "reader": """
def drop(view, moves):
    return (KEEP + _beside.NUMBER) % len(moves)
""",
        "faulty": """
def drop(view, moves):
    if sum(map(len, view.columns)) > 4 + KEEP % 5:
        raise ValueError("no more")
    return 0
""",
    },
    'game = "four-in-a-row"\n',
    """
def drop(view, moves):
    SEEN.append(len(moves))
    return len(SEEN) % len(moves)
""",
    """
from cantstop_arena import Bot
def restless(limit: int = {number} % 4):
    class Player:
        def drop(self, view, moves):
            return min(limit, len(moves) - 1)
    return Player()
def lazy():
    return restless(1)
def register_bots():
    return [Bot("restless", restless), Bot("lazy", lazy)]
""",
)


def _kit(game: str, texts: dict[str, str], *others: Any, **more: Any) -> Kit:
    kinds = {kind: text for kind, text in texts.items() if kind != "family"}
    return Kit(game, kinds, texts["family"], *others, **more)


COMPARED = _kit(
    "cantstop",
    _CANTSTOP,
    ("rule28", "cautious", "random"),
    ("threshold", (20, 28)),
    (2, 10, 20, 21, 40),
    (128, 256, 300),
    {
        "compare": (["classic", "jump"], ["jump", "classic"], ["classic", "jump", "leave"]),
        "baseline": (False, "jump"),
        "luck_removed": (False, False, True),
    },
    players=(2, 3),
    command="compare",
)
KITS = {
    kit.game: kit
    for kit in (
        _kit(
            "cantstop",
            {**_CANTSTOP, "compiled": _COMPILED, "batched": _BATCHED},
            ("rule28", "cautious", "random", "daring", "odds"),
            ("threshold", (20, 28)),
            (2, 10, 20, 21, 40),
            (128, 256, 300, 301, 520),
            {"rules": ("classic", "jump"), "luck_removed": (False, False, True, "value")},
            players=(2, 3, 4),
            slow=("compiled",),
        ),
        _kit(
            "cubus",
            _CUBUS,
            ("random", "frugal"),
            ("", ()),
            (2, 6, 10),
            (20, 21, 40),
            {"rules": ("leaflet", "closed")},
            players=(2, 3),
        ),
        _kit(
            "kuhn-poker",
            {**_KUHN, "batched": f'game = "kuhn-poker"\n{_BATCHED}'},
            ("balanced", "honest", "caller"),
            ("", ()),
            (2, 10, 40, 41, 100),
            (128, 256, 300, 301, 520),
            {"rules": ("standard", {"cards": 4}), "score": (False, "wins", "payoff")},
            package="kuhn_poker",
        ),
        _kit(
            "four-in-a-row",
            {**_FOUR, "batched": f'game = "four-in-a-row"\n{_BATCHED}'},
            ("watchful", "anywhere"),
            ("", ()),
            (2, 10, 16, 32, 34),
            (40, 41, 60),
            {
                "rules": ("standard", "small"),
                "openings": (False, False, {"plies": 1}, {"plies": 2}),
            },
            package="four_in_a_row",
        ),
    )
} | {"compared": COMPARED}
