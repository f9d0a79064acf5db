"""Verdicts on the decisions of a recorded game, by the best evaluator; the unit of losses.

A loss is printed in percentage points of winning probability, in solo games in turns.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.extensions.strength.exact.evaluator import Evaluator, best_evaluator
from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
from cantstop_arena.games.cantstop.records import VERDICT, Event
from cantstop_arena.games.cantstop.rules import RULES, RuleSet
from cantstop_arena.games.cantstop.turn import Turn, move_text
from cantstop_arena.views.cantstop.scenes import BoardScene, Spaces, scenes

ROLL, STOP = "roll", "stop"
_GERUNDS = {ROLL: "rolling on", STOP: "stopping"}


class JudgedDecision(NamedTuple):
    """A decision with all its options, their values to the seat, and the number of the one taken.

    The options are moves, or `ROLL` and `STOP`.
    """

    options: Sequence[str]
    values: Sequence[float]
    taken: int

    @property
    def verdict(self) -> "DecisionVerdict":
        """What the decision has lost."""
        best = self.values.index(max(self.values))
        loss = self.values[best] - self.values[self.taken]
        better = best if loss else self.taken
        return DecisionVerdict(self.options[self.taken], self.options[better], loss)


class DecisionVerdict(NamedTuple):
    """A decision: the action taken, the best one, and the loss in winning probability, or turns."""

    taken: str
    best: str
    lost: float


def add_verdicts(events: Iterable[Event]) -> Iterator[Event]:
    """The events of a game with verdicts: of a roll on the decisions after it, of the end on the
    losses of each seat. A `verdict` has plain values, and their text as `said`.

    Raises UsageError when there is no evaluator for the rules of the game.
    """
    board_scenes = list(scenes(events))
    evaluator = _evaluator(board_scenes[0].opening)
    lost = [0.0] * len(board_scenes[0].names)
    for scene, after in zip_longest(board_scenes, board_scenes[1:]):
        if scene.event["event"] == ROLL:
            verdicts = [each.verdict for each in _decisions(evaluator, scene, after)]
            lost[scene.seat] += sum(verdict.lost for verdict in verdicts)
            yield {**scene.event, VERDICT: _on_roll(verdicts, len(lost))}
        else:
            yield {**scene.event, VERDICT: _at_end(scene, lost)} if scene.is_end else scene.event


def judged_decisions(events: Iterable[Event]) -> Iterator[tuple[int, BoardScene, JudgedDecision]]:
    """The decisions of a game: the number of the event with the roll, its scene, the decision.

    Raises UsageError when there is no evaluator for the rules of the game.
    """
    board_scenes = list(scenes(events))
    evaluator = _evaluator(board_scenes[0].opening)
    following = zip_longest(board_scenes, board_scenes[1:])
    for number, (scene, after) in enumerate(following):
        if scene.event["event"] == ROLL:
            for decision in _decisions(evaluator, scene, after):
                yield number, scene, decision


def _evaluator(opening: Event) -> Evaluator:
    rules = RULES.from_dict(opening["rules"])
    try:
        return best_evaluator(rules, len(opening["seats"]), tables_folder())
    except BotError as error:
        raise UsageError(f"there is no judge for this game: {error}") from error


def _decisions(
    evaluator: Evaluator, scene: BoardScene, after: BoardScene | None
) -> Iterator[JudgedDecision]:
    """The choice of a move and that of rolling again after a roll, if there was a choice."""
    moves, chosen = scene.event["moves"], scene.event["chosen"]
    if chosen is not None and len(moves) > 1:
        turn = _turn(evaluator.rules, scene, scene.before)
        values = evaluator.values(turn, [tuple(move) for move in moves])
        yield JudgedDecision([move_text(move) for move in moves], values, moves.index(chosen))
    turn = _turn(evaluator.rules, scene, scene.runners)
    action = after.event["event"] if after else ""
    if action in (ROLL, STOP) and chosen is not None and _may_choose(turn):
        yield JudgedDecision([ROLL, STOP], evaluator.choice(turn), int(action == STOP))


def _may_choose(turn: Turn) -> bool:
    """Whether the rules allow stopping, and stopping does not win at once."""
    tops = [column for column in turn.placed if turn.runners[column] == turn.rules.lengths[column]]
    if turn.claims + len(tops) >= turn.rules.columns_to_win:
        return False
    open_columns = turn.free and {*turn.usable} - {*turn.placed}
    return not (turn.rules.stop == "after-all-runners" and open_columns)


def _turn(rules: RuleSet, scene: BoardScene, runners: Spaces) -> Turn:
    """The view of the player on turn in a scene, with these runners."""
    seats, own = len(scene.markers), scene.seat
    claimed, free = scene.claimed, rules.runners - len(runners)
    in_order = [scene.markers[(own + step) % seats] for step in range(seats)]
    claims = [[*claimed.values()].count((own + step) % seats) for step in range(seats)]
    climbing = {**in_order[0], **runners}
    usable = [
        column
        for column in rules.columns
        if column not in claimed
        and climbing.get(column, 0) < rules.lengths[column]
        and (free or column in runners)
    ]
    return Turn(
        seat=own,
        players=seats,
        number=scene.turn,
        rolls=scene.rolls,
        dice=tuple(scene.event["dice"]),
        runners=_spaces(rules, runners),
        free=free,
        placed=tuple(sorted(runners)),
        usable=tuple(usable),
        claimed=tuple(sorted(claimed)),
        markers=_spaces(rules, in_order[0]),
        rivals=tuple(_spaces(rules, spaces) for spaces in in_order[1:]),
        claims=claims[0],
        rival_claims=tuple(claims[1:]),
        rules=rules,
        random=_no_luck,
    )


def _no_luck() -> float:
    """In place of a bot's random numbers, which the judge does not use."""
    return 0.0


def _spaces(rules: RuleSet, spaces: Spaces) -> tuple[int, ...]:
    return tuple(spaces.get(column, 0) for column in range(len(rules.lengths)))


# Text -------------------------------------------------------------------------------------------


def loss_scale(players: int) -> int:
    """The scale from a loss to the number printed."""
    return 100 if players > 1 else 1


def loss_unit(players: int) -> str:
    """The unit of a printed loss, in the plural."""
    return "percentage points" if players > 1 else "turns"


def short_unit(players: int) -> str:
    """The unit of a printed loss for a heading that has little room."""
    return "points" if players > 1 else "turns"


def loss_unit_text(players: int) -> str:
    """The unit, with the quantity that it is of."""
    return "percentage points of winning probability" if players > 1 else "turns"


def judge_text(opening: Event) -> str:
    """Who judges a game, and the unit of the losses. Raises UsageError without an evaluator."""
    name, players = _evaluator(opening).name, len(opening["seats"])
    return f"Judge: {name}. Losses are in {loss_unit_text(players)}."


def worst_decisions(events: Iterable[Event], seat: int) -> Iterator[str]:
    """The verdicts on the decisions of a seat as lines, the worst first, and their sum.

    Raises UsageError when there is no evaluator for the rules of the game.
    """
    opening, *others = add_verdicts(events)
    players = len(opening["seats"])
    judged = [
        (event, DecisionVerdict(**decision))
        for event in others
        if event.get("seat") == seat
        for decision in event.get(VERDICT, {}).get("decisions", ())
    ]
    yield judge_text(opening)
    yield f"Decisions of {opening['seats'][seat]}, the worst first:"
    for event, verdict in sorted(judged, key=lambda item: -item[1].lost):
        dice = " ".join(map(str, event["dice"]))
        yield f"turn {event['turn']}, dice {dice}: {_verdict_text(verdict, players)}"
    lost = loss_scale(players) * sum(verdict.lost for _, verdict in judged)
    yield f"{len(judged)} decisions lost {lost:.2f} together."


def _on_roll(verdicts: Sequence[DecisionVerdict], players: int) -> dict[str, Any]:
    text = ", ".join(_verdict_text(verdict, players) for verdict in verdicts)
    return {"said": text, "decisions": [verdict._asdict() for verdict in verdicts]}


def _verdict_text(verdict: DecisionVerdict, players: int) -> str:
    taken, best = (_GERUNDS.get(action, action) for action in (verdict.taken, verdict.best))
    if not verdict.lost:
        return f"{taken} is best"
    return f"{taken} loses {loss_scale(players) * verdict.lost:.2f} ({best} is best)"


def _at_end(scene: BoardScene, lost: Sequence[float]) -> dict[str, Any]:
    scale, unit = loss_scale(len(lost)), loss_unit(len(lost))
    parts = [f"{name} {scale * loss:.2f}" for name, loss in zip(scene.names, lost, strict=True)]
    return {"said": f"lost by decisions, in {unit}: {', '.join(parts)}", "lost": lost}
