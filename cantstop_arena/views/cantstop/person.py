"""A person at the table, line by line: sees what happens, is asked, and may ask for the odds."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from cantstop_arena.games.cantstop.dice_odds import success_count
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.table.person_table import PersonLeft, terminal
from cantstop_arena.texts import how_many
from cantstop_arena.views.cantstop.drawing import (
    dice_text,
    draw_board,
    draw_seats,
    event_line,
    move_text,
    turn_heading,
)
from cantstop_arena.views.cantstop.hints import hint_of_moves, hint_of_roll
from cantstop_arena.views.cantstop.scenes import SEATS, BoardScene, after

ODDS, HINT, QUIT = "?", "h", "q"
_ROLL = ("r", "roll", "y", "yes")
_STOP = ("s", "stop", "n", "no")


class CantStopPerson:
    """A player in a seat who reads and types.

    `read` shows a prompt and returns a line, None at the end of the input; `say` prints one.
    """

    def __init__(
        self,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> None:
        self._seat = seat
        self._read = read
        self._echo = echo
        self._coloured = coloured
        self._scene: BoardScene | None = None
        self._turn = 0  # that was announced last
        self._board = ""  # that was drawn last

    @terminal()
    def sees(self, event: Event) -> None:
        """Show what has happened at the table. Raises Left."""
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
        """Ask which move to make. Raises Left."""
        self._announce(turn.number, turn.seat)
        self._draw()
        self._echo(f"  {dice_text(turn.dice)}{_free_runners(turn)}")
        for number, move in enumerate(moves, start=1):
            self._echo(f"  {number:>3}  {move_text(move):<7} {_effect(turn, move)}")
        numbers = {str(number): number - 1 for number in range(1, len(moves) + 1)}
        question = f"Which move, 1 to {len(moves)}? "
        help_with = {
            ODDS: lambda: _odds_of_moves(turn, moves),
            HINT: lambda: hint_of_moves(turn, moves),
        }
        return self._answer(question, numbers, help_with)

    @terminal()
    def roll_again(self, turn: Turn) -> bool:
        """Ask whether to roll. Raises Left."""
        self._draw()
        if topped := [column for column in turn.placed if _is_top(turn, column)]:
            self._echo(f"  Stopping claims {_listed(topped)}.")
        keywords = {**dict.fromkeys(_ROLL, 1), **dict.fromkeys(_STOP, 0)}
        help_with = {ODDS: lambda: _odds_of_roll(turn), HINT: lambda: hint_of_roll(turn)}
        return bool(self._answer("Roll or stop, r or s? ", keywords, help_with))

    def _answer(
        self,
        question: str,
        answers: Mapping[str, int],
        help_with: Mapping[str, Callable[[], Iterator[str]]],
    ) -> int:
        """What the person answers, asked again until it is an answer."""
        while True:
            line = self._read(question)
            if line is None:
                raise PersonLeft(is_requested=False)
            word = line.strip().lower()
            if word in (QUIT, "quit"):
                raise PersonLeft(is_requested=True)
            if word in help_with:
                for text in help_with[word]():
                    self._echo(text)
            elif word in answers:
                return answers[word]
            else:
                self._echo(f"  Please enter {_among(answers)}, {ODDS} or {QUIT}.")

    def _announce(self, turn: int, seat: int) -> None:
        """Say whose turn it is, once."""
        if turn != self._turn and self._scene:
            self._turn = turn
            self._echo(turn_heading(self._scene, turn, seat, self._coloured))

    def _draw(self) -> None:
        """Show the board and who has claimed columns, unless nothing has changed."""
        scene = self._scene
        assert scene
        board = draw_board(scene, self._coloured)
        if board != self._board:
            self._echo(f"\n{board}\n")
            if scene.claimed:
                self._echo(f"{draw_seats(scene, self._coloured)}\n")
            self._board = board


HELP = f"{ODDS} shows the odds, {HINT} gives a hint, {QUIT} leaves the game."

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
    """What somebody has to know who plays for the first time."""
    rules = scene.opening["rules"]
    expected = rules["columns_to_win"]
    yield f"You are {SEATS[seat]}. Whoever claims {how_many(expected, 'column')} wins."
    yield _STOPPING[rules["stop"]]
    if text := _LANDING[rules["landing"]]:
        yield text
    yield "On the board letters are markers, * are runners, ( ) are tops; | is a claimed column."
    yield HELP


def _free_runners(turn: Turn) -> str:
    return f"  ({turn.free} of {turn.rules.runners} runners free)" if turn.free else ""


def _effect(turn: Turn, move: Sequence[int]) -> str:
    """Where a move leads to."""
    data = []
    for column, space in _runners_after(turn, move).items():
        if column in move:
            length = turn.rules.lengths[column]
            location = "the top" if space == length else f"space {space} of {length}"
            new = "" if column in turn.placed else " (new runner)"
            data.append(f"{column} to {location}{new}")
    return ", ".join(data)


def _runners_after(turn: Turn, move: Sequence[int]) -> dict[int, int]:
    """The spaces of the runners after a move, by column."""
    runners = {column: turn.runners[column] for column in turn.placed}
    for column in move:
        runners[column] = turn.next_space(column, runners.get(column) or turn.position(column))
    return runners


def _is_top(turn: Turn, column: int) -> bool:
    return turn.runners[column] == turn.rules.lengths[column]


def _among(answers: Iterable[str]) -> str:
    """What may be entered: "1-3", or the shortest words."""
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
    """How likely a roll after this move is to be a bust."""
    rules, runners = turn.rules, _runners_after(turn, move)
    topped = [column for column, space in runners.items() if space == rules.lengths[column]]
    return 1 - success_count(rules, [*runners], turn.claimed, topped) / rules.sides**4


def _odds_of_columns(turn: Turn) -> Iterator[str]:
    """The chance that a roll makes each column, and how far the player is there."""
    yield "  column  chance"
    for column in turn.rules.columns:
        yield f"  {column:>6}  {turn.chance(column):>6.2%}{_state(turn, column)}"


def _state(turn: Turn, column: int) -> str:
    location = f"{turn.position(column)} of {turn.rules.lengths[column]}"
    if column in turn.claimed:
        return "  claimed"
    if column in turn.placed:
        return f"  runner on {location}"
    return f"  marker on {location}" if turn.position(column) else ""
