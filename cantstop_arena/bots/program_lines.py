"""The messages of an isolated bot as lines of JSON, which programs read and write.

docs/reference/protocol.md describes the lines.
"""

from collections.abc import Mapping
from typing import Any

from cantstop_arena.bots.bot_messages import (
    Answer,
    BotStarted,
    Decide,
    ProgramQuestion,
    Report,
    StartBot,
    StartGame,
)
from cantstop_arena.game_api.decisions import GAME_OVER, MOVES
from cantstop_arena.game_api.game import Game
from cantstop_arena.processes.channel import ProtocolError
from cantstop_arena.processes.isolated_call import Raised
from cantstop_arena.processes.json_lines import (
    ERROR,
    MAX_LINE_BYTES,
    PROTOCOL,
    excerpt,
    line_of,
    object_in,
)

_READY = "ready"


class ProgramLines:
    """The codec of a program's channel; a line is understood as the answer to the last question."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._expected_key = ""  # of the answer to a decision; empty before the program is ready
        self._number = 0  # of the decision
        self._unread = bytearray()

    def bytes_of(self, message: ProgramQuestion) -> bytes:
        """The line of a message."""
        return line_of(self._fields(message))

    def _fields(self, message: ProgramQuestion) -> Mapping[str, Any]:
        if isinstance(message, StartBot):
            self._expected_key = ""
            return {"type": "hello", "protocol": PROTOCOL, "options": message.options}
        if isinstance(message, StartGame):
            fields = {"seat": message.seat, "players": message.players, "anew": message.is_fresh}
            return {
                "type": "game",
                **fields,
                "rules": message.rules,
                "random": f"{message.key:016x}",
            }
        if isinstance(message, Decide):
            decision = self._game.decisions[message.decision]
            self._expected_key, self._number = decision.key, message.number
            moves = {} if message.moves is None else {MOVES: message.moves}
            return {"type": decision.name, decision.parameters[0]: message.view, **moves}
        result = {"seat": message.seat, "players": message.players, "winners": message.winners}
        return {
            "type": GAME_OVER,
            **result,
            **({"points": message.points} if message.points else {}),
        }

    def messages_in(self, chunk: bytes) -> list[Report]:
        """The answers that this chunk completes. Raises ProtocolError when one is invalid."""
        self._unread += chunk
        *lines, remainder = self._unread.split(b"\n")
        if any(len(line) > MAX_LINE_BYTES for line in (*lines, remainder)):
            start = excerpt(bytes(self._unread[:MAX_LINE_BYTES]))
            raise ProtocolError(f"a line of more than {MAX_LINE_BYTES} bytes: {start}")
        messages = [self._report_in(bytes(line)) for line in lines]
        self._unread = remainder
        return messages

    def unexpected(self, chunk: bytes) -> str:
        """What is wrong where something came unasked; empty if nothing did."""
        self._unread += chunk
        return f"unexpected message: {excerpt(bytes(self._unread))}" if self._unread else ""

    def _report_in(self, line: bytes) -> Report:
        """The answer in a line. Raises ProtocolError when there is none."""
        fields = object_in(line)
        key, error = self._expected_key, fields.get(ERROR)
        if key and key in fields:
            return Answer(self._number, fields[key])
        if isinstance(error, str):
            return Answer(self._number, error=error) if key else Raised(error)
        if key:
            raise ProtocolError(f"this has no {key!r}: {excerpt(line)}")
        if fields.get("type") != _READY:
            raise ProtocolError(f'expected "ready", got: {excerpt(line)}')
        return BotStarted(fields.get(GAME_OVER) is True)
