"""Calls of functions that run foreign code, each in a child process of its own."""

import contextlib
import socket
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from cantstop_arena.processes import process_tree, shutdown
from cantstop_arena.processes.channel import ChildEnd, encoded
from cantstop_arena.processes.child import MAX_HALT_SECONDS, Child, ChildFailed
from cantstop_arena.processes.child_start import FORKED, Policy, function_named, start_entry
from cantstop_arena.texts import attribute_text, in_a_line_with_code, type_name

Keywords = Mapping[str, Any]
Starter = Callable[[], Child[Any]]

TRIES = 3
"""How often a call is tried when somebody else may have ended its process."""
MAX_PARALLEL_CALLS = 4
"""How many calls run at the same time: most of the slow ones wait, or compute without end."""
MAX_MEMORY_BYTES = 4 << 30
"""Bytes of memory that a call may take beyond what the arena has."""
_MAX_REASON_LENGTH = 1000  # characters
_TICK_SECONDS = 0.1
_ENTRY = f"{__name__}:serve"


class IsolatedCall(msgspec.Struct, tag=True, frozen=True):
    """A function to call in another process: "module:function", and its keyword arguments.

    The arguments are MessagePack; the result is decoded as the type with which the function is
    annotated. `limit` is in seconds of computing and sleeping; time in which the machine was busy
    with other work does not count.
    """

    function: str
    keywords: Keywords
    limit: float


class _Returned(msgspec.Struct, tag=True, frozen=True):
    """What a call has returned."""

    result: msgspec.Raw


class _NotReturned(msgspec.Struct, tag=True, frozen=True):
    """A call has raised an exception, or returned what cannot be sent."""

    text: str


REPORTS: Any = _Returned | _NotReturned
"""The type of the messages of a child that serves a call."""


class Raised(msgspec.Struct, tag=True, frozen=True):
    """The answer where foreign code has raised an exception: the reason."""

    text: str

    @property
    def reason(self) -> str:
        """The reason in one printable line, and the code that is no Python, if that is it."""
        return in_a_line_with_code(self.text, _MAX_REASON_LENGTH)


class CallFailed(Exception):
    """A call has no result. The message says what it did, in one printable line."""


class InvalidResult(CallFailed):
    """A call has returned what does not fit its arguments, or is of another type."""

    def __init__(self) -> None:
        super().__init__("sent an invalid message")


def starter(policy: Policy) -> Starter:
    """What starts a child that serves a call by this policy."""
    memory = policy.memory or MAX_MEMORY_BYTES
    return partial(start_entry, msgspec.structs.replace(policy, memory=memory), _ENTRY, REPORTS)


_FORKED_CHILD = starter(FORKED)


def run_all(
    calls: Sequence[IsolatedCall],
    on_tick: Callable[[], None] = lambda: None,
    at_once: int = MAX_PARALLEL_CALLS,
    start: Starter = _FORKED_CHILD,
) -> Iterator[Any]:
    """The result of each call, in their order, or the CallFailed that says why it has none.

    `at_once` calls run at the same time, each in a child that `start` returns; `on_tick` is called
    some ten times a second.
    """
    waiting = iter(calls)
    with process_tree.end_orphans_after(), contextlib.ExitStack() as stack:
        running: list[_RunningCall] = []
        for _ in calls:
            while len(running) < at_once and (call := next(waiting, None)):
                running.append(stack.enter_context(_RunningCall(call, start)))
            first = running.pop(0)
            while not first.has_outcome:
                shutdown.check()
                on_tick()
                first.wait(_TICK_SECONDS)
                for other in running:
                    other.wait(0.0)
            yield first.outcome


def run_isolated(call: IsolatedCall, on_tick: Callable[[], None] = lambda: None) -> Any:
    """The result of one call. Raises CallFailed."""
    (outcome,) = run_all([call], on_tick)
    return result_of(outcome)


def result_of(outcome: Any) -> Any:
    """The result in an outcome of `run_all`. Raises CallFailed when it is none."""
    if isinstance(outcome, CallFailed):
        raise outcome
    return outcome


class _RunningCall:
    """A call in its process; it is tried again when others may have ended the process."""

    def __init__(self, call: IsolatedCall, start: Starter) -> None:
        self._call = call
        self._start_child = start
        self._tries = 0
        self.has_outcome = False
        self.outcome: Any = None

    def _start(self) -> None:
        self._tries += 1
        self._child: Child[_Returned | _NotReturned] = self._start_child()
        self._child.send(self._call, self._call.limit)

    def __enter__(self) -> "_RunningCall":
        self._start()
        return self

    def __exit__(self, *exception: object) -> None:
        if not self.has_outcome:
            self._child.kill()

    def wait(self, seconds: float) -> None:
        """Wait at most so long for the outcome."""
        if self.has_outcome:
            return
        try:
            report = self._child.receive(seconds)
        except ChildFailed as error:
            self._child.kill()
            is_foreign = error.failure.kind == "died" and not error.failure.proven
            if (is_foreign or self._child.is_stopped) and self._tries < TRIES:
                self._start()
                return
            self.outcome = CallFailed(self._failure_text(error))
        else:
            if report is None:
                return
            self._child.end()
            self.outcome = self._outcome(report)
        self.has_outcome = True

    def _failure_text(self, error: ChildFailed) -> str:
        if error.failure.kind != "too slow":
            return error.failure.text
        if self._child.is_stopped:
            waited = min(self._call.limit, MAX_HALT_SECONDS)
            return f"was stopped, and is not done within {waited:g} s"
        return f"is not done within {self._call.limit:g} s"

    def _outcome(self, report: _Returned | _NotReturned) -> Any:
        if isinstance(report, _NotReturned):
            return CallFailed(report.text)
        try:
            return msgspec.msgpack.decode(report.result, type=_result_type(self._call.function))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return InvalidResult()


def _result_type(function: str) -> Any:
    return typing.get_type_hints(function_named(function))["return"]


def serve(end: socket.socket) -> None:
    """Make the one call that the arena asks for, in the call's process.

    All functions used later are looked up first, as foreign code may replace them in their modules.
    """
    channel: ChildEnd[IsolatedCall] = ChildEnd(end, IsolatedCall)
    encode, send, function_of = encoded, channel.send, function_named
    returned, not_returned = _Returned, _NotReturned
    text_of, name_of = attribute_text, type_name
    try:
        call = channel.receive()
        report: Any = returned(msgspec.Raw(encode(function_of(call.function)(**call.keywords))))
    except BaseException as error:
        report = not_returned(f"cannot send its result: {name_of(error)}: {text_of(error, str)}")
    send(report)
