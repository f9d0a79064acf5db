"""A game in which all seats decide at once, as the package of a test."""

SEALED = '''
"""Every seat shows some fingers at once; whoever shows the most that nobody else shows wins."""

from dataclasses import dataclass

from cantstop_arena import hookimpl
from cantstop_arena.games import (
    Counts, Game, Question, Result, RuleBook, State, View, decision, whole
)


@dataclass(frozen=True)
class Rules:
    name: str = "standard"
    rounds: int = whole(2, 1, 9)


class Fingers(View):
    shown: tuple[tuple[int, ...], ...]

    def features(self):
        return [len(self.shown) / self.rules.rounds]


@decision
def show(view: Fingers) -> int:
    """Return 0 to 5 fingers."""


class Round(State):
    def setup(self):
        self.shown = []

    def question(self):
        is_over = len(self.shown) == self.rules.rounds
        return None if is_over else Question("show", range(self.players))

    def check(self, seat, answer):
        return None if 0 <= answer <= 5 else f"{answer} fingers are not 0 to 5"

    def answer(self, answers):
        self.shown.append(tuple(answers[seat] for seat in range(self.players)))
        return [{"event": "show", "turn": len(self.shown), "fingers": [*self.shown[-1]]}]

    def view(self, seat):
        return Fingers(seat, self.players, self.rules, tuple(self.shown))

    def result(self):
        points = [0] * self.players
        for fingers in self.shown:
            alone = [(n, seat) for seat, n in enumerate(fingers) if fingers.count(n) == 1]
            if alone:
                points[max(alone)[1]] += 1
        return Result([s for s, p in enumerate(points) if p == max(points)], points)


class Sealed(Game):
    name, title, players = "sealed", "Fingers", range(2, 6)
    rules, hooks, state = RuleBook(Rules()), (show,), Round
    counts = Counts(("decisions",), length="decisions", unit="decision", alone="decisions")

    def actions(self, rules, players):
        return {"show": range(6)}


@hookimpl
def register_games():
    return [Sealed()]
'''
