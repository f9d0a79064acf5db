"""The dialogue with a person at Can't Stop: events, questions, odds and hints."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from cantstop_arena.game_api.adviser import Adviser, adviser_of
from cantstop_arena.games.cantstop.dice_odds import success_count
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.turn import Turn, move_text, runners_after
from cantstop_arena.texts import how_many
from cantstop_arena.views.cantstop.drawing import (
    LEGEND,
    dice_text,
    draw_board,
    draw_seats,
    event_line,
    turn_heading,
)
from cantstop_arena.views.cantstop.scenes import SEATS, BoardScene, after
from cantstop_arena.views.default_person import QUIT, Answer, TerminalPerson, terminal

ODDS, HINT = "?", "h"
_ROLL = ("r", "roll", "y", "yes")
_STOP = ("s", "stop", "n", "no")


class CantStopPerson(TerminalPerson):
    """A person in a seat, who can also ask for odds and hints."""

    _scene: BoardScene | None = None
    _turn = 0  # the last turn that was announced
    _board = ""  # the last board that was printed

    @terminal()
    def sees(self, event: Event) -> None:
        """Print an event of the game. Raises PersonLeft."""
        scene = self._scene = after(self._scene, event)
        kind = event["event"]
        if kind == "roll":
            self._announce(event["turn"], event["seat"])
        if kind == "end":
            self._draw()
        for line in event_line(scene, self._coloured):
            self._echo(line)
        if kind == "game":
            for line in _introduction(scene, self._seat):
                self._echo(line)

    @terminal()
    def choose_move(self, turn: Turn, moves: Sequence[Sequence[int]]) -> int:
        """The index of the move that the person chooses. Raises PersonLeft."""
        self._announce(turn.number, turn.seat)
        self._draw()
        self._echo(f"  {dice_text(turn.dice)}{_free_runners(turn)}")
        for number, move in enumerate(moves, start=1):
            self._echo(f"  {number:>3}  {move_text(move):<7} {_effect(turn, move)}")
        numbers = {str(number): number - 1 for number in range(1, len(moves) + 1)}
        question = f"Which move, 1 to {len(moves)}? "
        help_with = {
            ODDS: lambda: _odds_of_moves(turn, moves),
            HINT: lambda: _hints(lambda adviser: adviser.hint_of_moves(turn, moves)),
        }
        return self._ask(question, partial(_answer_among, numbers), help_with)

    @terminal()
    def roll_again(self, turn: Turn) -> bool:
        """Whether the person rolls again. Raises PersonLeft."""
        self._draw()
        if topped := [column for column in turn.placed if _is_top(turn, column)]:
            self._echo(f"  Stopping claims {_listed(topped)}.")
        answers = {**dict.fromkeys(_ROLL, True), **dict.fromkeys(_STOP, False)}
        help_with = {
            ODDS: lambda: _odds_of_roll(turn),
            HINT: lambda: _hints(lambda adviser: adviser.hint_of_roll(turn)),
        }
        answer_of = partial(_answer_among, answers)
        return self._ask("Roll or stop, r or s? ", answer_of, help_with)

    def _announce(self, turn: int, seat: int) -> None:
        """Print the heading of a turn, once."""
        if turn != self._turn and self._scene:
            self._turn = turn
            self._echo(turn_heading(self._scene, turn, seat, self._coloured))

    def _draw(self) -> None:
        """Print the board and the claims, unless the board has not changed."""
        scene = self._scene
        assert scene
        board = draw_board(scene, self._coloured)
        if board != self._board:
            self._echo(f"\n{board}\n")
            if scene.claimed:
                self._echo(f"{draw_seats(scene, self._coloured)}\n")
            self._board = board


def _hints(of_adviser: Callable[[Adviser], Iterator[str]]) -> Iterator[str]:
    """The hints of an extension, or a sentence that there are none."""
    if adviser := adviser_of("cantstop"):
        return of_adviser(adviser)
    return iter(["  There is no hint: no extension that is installed gives any."])


def _answer_among(answers: Mapping[str, Answer], word: str) -> Answer:
    """The answer that a word stands for. Raises ValueError with the words that are answers."""
    try:
        return answers[word.lower()]
    except KeyError:
        raise ValueError(f"Please enter {_among(answers)}, {ODDS} or {QUIT[0]}.") from None


HELP = f"{ODDS} shows the odds, {HINT} gives a hint, {QUIT[0]} leaves the game."

_STOPPING = {
    "any-time": "Roll as often as you like; stopping keeps the climb, a bust loses it.",
    "after-all-runners": "Roll on until all runners are placed; then stopping keeps the climb. A"
    " bust loses it.",
}
_LANDING = {
    "share": "",
    "jump": "Runners jump over rivals' markers.",
    "leave": "You cannot stop while a runner stands on a rival's marker.",
}


def _introduction(scene: BoardScene, seat: int) -> Iterator[str]:
    """The introduction for a person who plays for the first time."""
    rules = scene.opening["rules"]
    target = rules["columns_to_win"]
    yield f"You are {SEATS[seat]}. Whoever claims {how_many(target, 'column')} wins."
    yield _STOPPING[rules["stop"]]
    if landing_text := _LANDING[rules["landing"]]:
        yield landing_text
    yield LEGEND
    yield HELP


def _free_runners(turn: Turn) -> str:
    return f"  ({turn.free} of {turn.rules.runners} runners free)" if turn.free else ""


def _effect(turn: Turn, move: Sequence[int]) -> str:
    """The spaces that a move reaches, as text."""
    effects = []
    for column, space in runners_after(turn, move).items():
        if column in move:
            length = turn.rules.lengths[column]
            target = "the top" if space == length else f"space {space} of {length}"
            new = "" if column in turn.placed else " (new runner)"
            effects.append(f"{column} to {target}{new}")
    return ", ".join(effects)


def _is_top(turn: Turn, column: int) -> bool:
    return turn.runners[column] == turn.rules.lengths[column]


def _among(answers: Iterable[str]) -> str:
    """The answers as text: "1-3", or the words of one letter."""
    numbers = [word for word in answers if word.isdigit()]
    if numbers:
        return "1" if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(word for word in answers if len(word) == 1)


def _listed(columns: Sequence[int]) -> str:
    return " and ".join(map(str, columns))


def _odds_of_moves(turn: Turn, moves: Sequence[Sequence[int]]) -> Iterator[str]:
    yield from _odds_of_columns(turn)
    for number, move in enumerate(moves, start=1):
        chance = bust_chance_after(turn, move)
        yield f"  {number:>3}  {move_text(move):<7} bust risk after this move: {chance:.2%}"


def _odds_of_roll(turn: Turn) -> Iterator[str]:
    yield from _odds_of_columns(turn)
    yield f"  Bust risk of the next roll: {turn.bust_chance():.2%}."


def bust_chance_after(turn: Turn, move: Sequence[int]) -> float:
    """The probability that a roll after this move is a bust."""
    rules, runners = turn.rules, runners_after(turn, move)
    topped = [column for column, space in runners.items() if space == rules.lengths[column]]
    return 1 - success_count(rules, [*runners], turn.claimed, topped) / rules.sides**4


def _odds_of_columns(turn: Turn) -> Iterator[str]:
    """The probability that a roll makes each column, and the player's position there."""
    yield "  column  chance"
    for column in turn.rules.columns:
        yield f"  {column:>6}  {turn.chance(column):>6.2%}{_state(turn, column)}"


def _state(turn: Turn, column: int) -> str:
    progress = f"{turn.position(column)} of {turn.rules.lengths[column]}"
    if column in turn.claimed:
        return "  claimed"
    if column in turn.placed:
        return f"  runner on {progress}"
    return f"  marker on {progress}" if turn.position(column) else ""
