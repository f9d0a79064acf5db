"""A person at a table of Cubus: sees the pile, and names what to build by number or by text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from cantstop_arena.game_api.game import Event
from cantstop_arena.games.cubus.builds.build import Build, build_result
from cantstop_arena.games.cubus.builds.piles import IllegalBuild, parse
from cantstop_arena.games.cubus.choices.bot_view import CubusBotView
from cantstop_arena.games.cubus.choices.takedown import judge_take, usual_take
from cantstop_arena.table.person_table import PersonLeft, terminal
from cantstop_arena.texts import how_many
from cantstop_arena.views.cubus import drawing
from cantstop_arena.views.cubus.scenes import PileScene, scenes, standings
from cantstop_arena.views.default_person import HELP, QUIT

if TYPE_CHECKING:
    from cantstop_arena.views.cubus.view import CubusView

_SHOWN = 9  # targets
_PASS = ("", "p", "pass")
_HELP = (
    "  Enter the number of a pile in the list, or a pile text such as 22/21@0,0 with the cells of\n"
    "  all its open cards, as in 22/21@0,0 0,0 1,0. p passes, q leaves the game."
)
_ASKED = {
    "build": "Your turn",
    "ending": "The pool is yours to build with",
    "knock": "You may knock, and build with these cards",
    "take": "Take a crate away",
}


class CubusPerson:
    """A player in a seat who reads and types."""

    def __init__(
        self,
        view: CubusView,
        seat: int,
        read: Callable[[str], str | None],
        say: Callable[[str], None],
        coloured: bool,
    ) -> None:
        self._view = view
        self._seat = seat
        self._read = read
        self._say = say
        self._coloured = coloured
        self._happened: list[Event] = []
        self._known_pass = 0  # the turn of a pass that was told before it was recorded
        self.build = self.knock = self.take = self._decide

    @terminal()
    def sees(self, event: Event) -> None:
        """Show what has happened at the table. Raises Left."""
        self._happened.append(event)
        if event["event"] == "game":
            self._say(self._view.heading(event))
            self._say(f"You are {self._scene().names[self._seat]}. {HELP} explains, q leaves.")
            return
        scene = self._scene()
        if event["event"] != "pass" or event["turn"] != self._known_pass:
            self._say(f"{scene.text}.")
        if scene.is_end:
            self._say("\n".join(standings(scene)))

    def _scene(self) -> PileScene:
        *_, scene = scenes(self._happened)
        return scene

    @terminal()
    def _decide(self, view: CubusBotView) -> Build | None:
        """Ask until there is an answer that the rules allow. Raises Left."""
        listed = _takes(view) if view.asked == "take" else _targets(view)
        self._show(view, listed)
        while True:
            word = self._line()
            if word == HELP:
                self._say(_HELP)
                continue
            try:
                return self._meant(word, view, listed)
            except (IllegalBuild, ValueError) as error:
                self._say(f"  {error}")

    def _show(self, view: CubusBotView, listed: Sequence[tuple[Build | None, int]]) -> None:
        """The pile, the cards, and what there is to choose from."""
        if view.asked == "knock":
            self._tell_pass(view)
        self._say("")
        self._say(drawing.pile_text(view.table, self._coloured))
        hand = view.hand.text() or "no card"
        self._say(f"{_ASKED[view.asked]}. On the table: {view.pile.text}; cards: {hand}.")
        won = "card" if view.asked == "take" else "point"
        for number, (build, gain) in enumerate(listed, start=1):
            self._say(f"  {number}  {_text(build)}  ({how_many(gain, won)})")

    def _tell_pass(self, view: CubusBotView) -> None:
        """Say the pass to knock at, which is recorded only when all have answered."""
        event = {"event": "pass", "turn": view.turn, "seat": view.owner, "card": view.drawn}
        *_, scene = scenes([*self._happened, event])
        self._say(f"{scene.text}.")
        self._known_pass = view.turn

    def _line(self) -> str:
        line = self._read("> ")
        if line is None:
            raise PersonLeft(asked=False)
        if line.strip().lower() in QUIT:
            raise PersonLeft(asked=True)
        return line.strip()

    def _meant(
        self, word: str, view: CubusBotView, listed: Sequence[tuple[Build | None, int]]
    ) -> Build | None:
        """The answer that a word means. Raises IllegalBuild, or ValueError with what is wanted."""
        if word.lower() in _PASS:
            return _passed(view)
        if word.isdecimal() and len(word) < 3:
            if not 1 <= int(word) <= len(listed):
                raise ValueError(f"there is no number {word} in the list; {HELP} explains")
            return listed[int(word) - 1][0]
        return _named(word, view)


def _passed(view: CubusBotView) -> Build | None:
    """A pass, where the rules allow it. Raises ValueError."""
    if view.asked == "build" and view.rules.duty == "strict" and view.best():
        raise ValueError("R17: who can build must; choose a pile")
    return usual_take(view.table, view.rules.box) if view.asked == "take" else None


def _named(word: str, view: CubusBotView) -> Build:
    """The build that is spelled out, if it is legal. Raises IllegalBuild or ValueError."""
    text, *cells = word.split()
    build = Build(text, tuple(_cell(cell) for cell in cells))
    if view.asked == "take":
        judge_take(view.table, build, view.rules.box)
    else:
        build_result(view.table, view.hand, build, view.rules)
    return build


def _cell(text: str) -> tuple[int, int]:
    x, _, y = text.partition(",")
    try:
        return int(x), int(y)
    except ValueError:
        raise ValueError(f"{text!r:.40} is no cell such as 1,0; {HELP} explains") from None


def _targets(view: CubusBotView) -> list[tuple[Build | None, int]]:
    """The best builds, and their points."""
    found = islice(view.iter_targets(), _SHOWN) if view.bound() else ()
    return [
        (view.build(pile, tuple(view.places(pile)[:least])), points)
        for pile, points, least, _ in found
    ]


def _takes(view: CubusBotView) -> list[tuple[Build | None, int]]:
    """The takes that win most, and how many cards."""
    return [(view.take_build(pile) if pile else None, won) for pile, won in view.takes()[:_SHOWN]]


def _text(build: Build | None) -> str:
    if build is None:
        return "the last crate"
    return " ".join([parse(build.pile).text, *(f"{x},{y}" for x, y in build.open)])
