"""What foreign code attempts in an interpreter: threads, processes and audit hooks.

The audit hook that hears of it is set before foreign code runs, and stays for good.
"""

import _thread
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from cantstop_arena.processes.lasting_state import PROCESSES, THREADS

AUDIT_HOOK = "adds an audit hook"
DECIDING_THREADS = "starts threads while it decides"
REFUSED = "this needs a process of its own (isolate: processes)"

_PROCESS_EVENTS = {"os.fork", "os.forkpty", "os.posix_spawn", "subprocess.Popen"}
_THREAD_EVENTS = {"_thread.start_new_thread", "_thread.start_joinable_thread"}
_HAS_THREAD_EVENTS = sys.version_info >= (3, 12)
_STARTERS: tuple[tuple[Any, str], ...] = (
    (_thread, "start_new_thread"),
    (_thread, "start_new"),
    (threading, "_start_new_thread"),
)


class ForeignActs:
    """Hears what foreign code attempts, and refuses what nobody can undo.

    `line_of` is the `file:line` of the foreign code that a frame runs, empty if it runs none;
    `is_building` whether the frame builds a bot, rather than have it decide. `on_act` is called
    with what is attempted, and the line. Audit hooks are never added; if `is_strict`, the attempt
    raises RuntimeError, as do threads that a decision starts.
    """

    def __init__(
        self,
        line_of: Callable[[FrameType | None], str],
        is_building: Callable[[FrameType | None], bool],
        on_act: Callable[[str, str], None],
        is_strict: bool,
    ) -> None:
        self._line_of = line_of
        self._is_building = is_building
        self._on_act = on_act
        self._is_strict = is_strict

    def listen(self) -> None:
        """Hear everything from now on, as long as the process lives."""
        if not _HAS_THREAD_EVENTS:
            for module, name in _STARTERS:
                setattr(module, name, self._with_note(getattr(module, name)))
        sys.addaudithook(self._hear)
        if self._is_strict:  # what a hook raises here is not passed on
            setattr(sys, "addaudithook", self._refuse_hook)  # noqa: B010 - mypy knows its type

    def _with_note(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def start_thread(*arguments: Any) -> Any:
            self._thread_starts(sys._getframe(1))
            return start(*arguments)

        return start_thread

    def _hear(self, event: str, _: object) -> None:
        if event in _THREAD_EVENTS:
            self._thread_starts(sys._getframe(1))
        elif event in _PROCESS_EVENTS:
            self._note(PROCESSES, sys._getframe(1))
        elif event == "sys.addaudithook":
            self._note(AUDIT_HOOK, sys._getframe(1))
            raise RuntimeError(REFUSED)

    def _refuse_hook(self, _: object) -> None:
        raise RuntimeError(f"sys.addaudithook: {REFUSED}")

    def _thread_starts(self, frame: FrameType) -> None:
        is_foreign = self._note(THREADS, frame)
        if is_foreign and not self._is_building(frame):
            self._note(DECIDING_THREADS, frame)
            if self._is_strict:
                raise RuntimeError(f"a thread that a decision starts: {REFUSED}")

    def _note(self, what: str, frame: FrameType) -> bool:
        """Report an act of foreign code; whether it is one."""
        line = self._line_of(frame)
        if line:
            self._on_act(what, line)
        return bool(line)
