"""How far a bot is kept apart from the arena, the user's files and the other bots."""

from collections.abc import Mapping
from enum import StrEnum

from cantstop_arena.errors import UsageError
from cantstop_arena.processes.sandbox import NoSandbox, Sandbox


class Isolation(StrEnum):
    """How a bot is isolated; true unless it plays in the arena's own processes.

    A bot in the sandbox sees only its own files. In a process of its own it has the user's rights.
    Programs in any language play in the sandbox where there is one, unless the user says how.
    """

    NONE = ""
    PROCESSES = "processes"
    SANDBOX = "sandbox"
    SANDBOX_IF_ANY = "sandbox if any"

    @property
    def key(self) -> bool | str | None:
        """The value of `isolate` in a tournament file; None for what needs no key."""
        return _KEYS.get(self)

    @property
    def identity(self) -> bool | str | None:
        """Its value in the version of a bot; None for a bot that is not isolated."""
        return True if self is Isolation.SANDBOX_IF_ANY else self.key


_KEYS: Mapping[Isolation, bool | str] = {
    Isolation.PROCESSES: "processes",
    Isolation.SANDBOX: True,
}
VALUES = "true, false or processes"
"""What `isolate` may be, for messages."""


def isolation_of(value: object) -> Isolation | None:
    """The isolation of a value of `isolate`, or of the option; None for no such value."""
    if isinstance(value, Isolation):
        return value
    if value is False:
        return Isolation.NONE
    keys = ((type(key), key, isolation) for isolation, key in _KEYS.items())
    return next((each for kind, key, each in keys if type(value) is kind and value == key), None)


def checked_isolation(isolate: object) -> Isolation:
    """The isolation of an argument `isolate`. Raises UsageError."""
    isolation = isolation_of(isolate)
    if isolation is None:
        raise UsageError(f"isolate must be {VALUES}, not {isolate!r:.60}")
    return isolation


def chosen_isolation(is_isolated: bool) -> Isolation:
    """What the option `--isolate` chooses. Raises UsageError where there is no sandbox."""
    if not is_isolated:
        return Isolation.NONE
    if problem := sandbox_problem():
        raise UsageError(f"--isolate needs a sandbox, and there is none here: {problem}")
    return Isolation.SANDBOX


def sandbox_problem() -> str:
    """Why there is no sandbox on this machine; empty where there is one."""
    try:
        Sandbox.here()
    except NoSandbox as error:
        return str(error)
    return ""


def check_sandbox(bot: str, isolation: Isolation) -> None:
    """Raise UsageError when a bot needs the sandbox, and there is none on this machine."""
    if isolation is Isolation.SANDBOX and (problem := sandbox_problem()):
        raise UsageError(refusal(bot, problem))


def refusal(bot: str, reason: str) -> str:
    """The message about an isolated bot where there is no sandbox."""
    remedy = "Install it, or write" if reason.endswith("is not installed") else "Write"
    return (
        f"bot {bot} is isolated, and there is no sandbox here: {reason}. {remedy} isolate:"
        " processes, which does not protect your files."
    )
