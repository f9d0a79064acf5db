"""A person at a table of Cubus, who chooses builds by their number in a list or by pile text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from cantstop_arena.extensions.cubus.builds.build import Build, build_result
from cantstop_arena.extensions.cubus.builds.piles import parse
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.extensions.cubus.choices.takedown import judge_take, usual_take
from cantstop_arena.extensions.cubus.view import drawing
from cantstop_arena.extensions.cubus.view.scenes import PileScene, scenes, standings
from cantstop_arena.game_api.state import Event
from cantstop_arena.texts import how_many
from cantstop_arena.views.default_person import HELP, TerminalPerson, greeting, terminal

if TYPE_CHECKING:
    from cantstop_arena.extensions.cubus.view.view import CubusView

_MAX_LISTED = 9  # targets
_PASS = ("", "p", "pass")
_HELP = (
    "  Enter the number of a pile in the list, or a pile text such as 22/21@0,0 with the cells of\n"
    "  all its open cards, as in 22/21@0,0 0,0 1,0. p passes, q leaves the game."
)
PROMPTS = {
    "build": "Your turn",
    "ending": "The pool is yours to build with",
    "knock": "You may knock, and build with these cards",
    "take": "Take a crate away",
}


class CubusPerson(TerminalPerson):
    """A player in a seat, at the terminal."""

    def __init__(
        self,
        view: CubusView,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> None:
        super().__init__(seat, read, echo, coloured)
        self._view = view
        self._events: list[Event] = []
        self._announced_pass = 0  # the turn of the last pass that was printed before its event
        self.build = self.knock = self.take = self._decide

    @terminal()
    def sees(self, event: Event) -> None:
        """Print an event. Raises PersonLeft."""
        self._events.append(event)
        if event["event"] == "game":
            self._echo(self._view.heading(event))
            self._echo(greeting(self._seat))
            return
        scene = self._scene()
        if event["event"] != "pass" or event["turn"] != self._announced_pass:
            self._echo(f"{scene.text}.")
        if scene.is_end:
            self._echo("\n".join(standings(scene)))

    def _scene(self) -> PileScene:
        *_, scene = scenes(self._events)
        return scene

    @terminal()
    def _decide(self, view: CubusBotView) -> Build | None:
        """Prompt until the answer is legal. Raises PersonLeft."""
        listed = takes(view) if view.asked == "take" else targets(view)
        self._show(view, listed)
        answer_of = partial(_answer_of, view, listed)
        return self._ask(_question(listed), answer_of, {HELP: lambda: [_HELP]})

    def _show(self, view: CubusBotView, listed: Sequence[tuple[Build | None, int]]) -> None:
        """Print the pile, the cards and the list of choices."""
        if view.asked == "knock":
            self._announce_pass(view)
        self._echo("")
        self._echo(drawing.pile_text(view.table, self._coloured))
        hand = view.hand.text() or "no card"
        self._echo(f"{PROMPTS[view.asked]}. On the table: {view.pile.text}; cards: {hand}.")
        won = "card" if view.asked == "take" else "point"
        for number, (build, gain) in enumerate(listed, start=1):
            self._echo(f"  {number}  {build_text(build)}  ({how_many(gain, won)})")

    def _announce_pass(self, view: CubusBotView) -> None:
        """Print the pass to knock at: its event comes only when all seats have answered."""
        event = {"event": "pass", "turn": view.turn, "seat": view.owner, "card": view.drawn}
        *_, scene = scenes([*self._events, event])
        self._echo(f"{scene.text}.")
        self._announced_pass = view.turn


def _question(listed: Sequence[tuple[Build | None, int]]) -> str:
    """The question for an answer, with the numbers of the listed choices."""
    if not listed:
        return f"No pile is listed; p to pass, {HELP} explains: "
    numbers = "1" if len(listed) == 1 else f"1 to {len(listed)}"
    return f"Which pile, {numbers}, or p to pass ({HELP} explains)? "


def _answer_of(
    view: CubusBotView, listed: Sequence[tuple[Build | None, int]], word: str
) -> Build | None:
    """The answer that a word stands for. Raises IllegalBuild, or ValueError with a hint."""
    if word.lower() in _PASS:
        return pass_answer(view)
    if word.isdecimal() and len(word) < 3:
        if not 1 <= int(word) <= len(listed):
            raise ValueError(f"there is no number {word} in the list; {HELP} explains")
        return listed[int(word) - 1][0]
    return named_build(word, view)


def pass_answer(view: CubusBotView) -> Build | None:
    """The answer of a pass. Raises ValueError when the rules forbid it."""
    if view.asked == "build" and view.rules.duty == "strict" and view.best():
        raise ValueError("R17: who can build must; choose a pile")
    return usual_take(view.table, view.rules.box) if view.asked == "take" else None


def named_build(word: str, view: CubusBotView) -> Build:
    """The build of a pile text and cells. Raises IllegalBuild or ValueError."""
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
        raise ValueError(
            f"invalid cell {text!r:.40}: use X,Y, for example 1,0; {HELP} explains"
        ) from None


def targets(view: CubusBotView) -> list[tuple[Build | None, int]]:
    """The best builds, and their points."""
    best = islice(view.iter_targets(), _MAX_LISTED) if view.bound() else ()
    return [
        (view.build(pile, tuple(view.places(pile)[:needed])), points)
        for pile, points, needed, _ in best
    ]


def takes(view: CubusBotView) -> list[tuple[Build | None, int]]:
    """The takes that win most, and their cards won."""
    return [
        (view.take_build(pile) if pile else None, won) for pile, won in view.takes()[:_MAX_LISTED]
    ]


def build_text(build: Build | None) -> str:
    if build is None:
        return "the last crate"
    return " ".join([parse(build.pile).text, *(f"{x},{y}" for x, y in build.open)])
