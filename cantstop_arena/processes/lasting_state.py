"""What foreign code changes in an interpreter for good: what no `InterpreterGuard` can restore."""

import builtins
import contextlib
import os
import sys
from _thread import _count as thread_count
from collections.abc import Iterator, Mapping
from operator import is_
from pathlib import Path
from time import monotonic, sleep
from types import FunctionType, ModuleType
from typing import Any

from cantstop_arena.processes.system import is_installed

THREADS = "leaves threads running"
PROCESSES = "leaves processes running"
_SHARED = {"cantstop_arena", "msgspec", "numpy", *sys.stdlib_module_names}
_THREAD_END_SECONDS = 0.1
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"


class LastingState:
    """The state when it was noted; `changes` says in which respects it has changed since then.

    With the `code` of shared modules, that of the standard library, the arena and NumPy is compared
    by the identity of functions and their code objects. That takes milliseconds, all else tenths.
    With `children` child processes count, which requires that only foreign code starts any.
    """

    def __init__(self, code: bool = True, children: bool = True) -> None:
        self.children = children
        self._facts = self._read()
        self._code = _SharedCode() if code else None

    def changes(self, code: bool = True) -> list[str]:
        """What has changed, as clauses that say what the culprit does.

        Without `code` that is not compared.
        """
        try:
            now = self._settled()
            changes = [what for what, before in self._facts.items() if now[what] != before]
            replaced = self._code.replaced() if code and self._code else ""
        except Exception as error:  # no descriptors or memory are left, or a pending exception
            return [f"breaks its interpreter ({type(error).__name__})"]
        return [*changes, *([f"replaces {replaced}, which all bots share"] if replaced else [])]

    def _settled(self) -> dict[str, Any]:
        """The present state; the system counts a thread for a moment after it has ended."""
        before, end = self._facts[THREADS], monotonic() + _THREAD_END_SECONDS
        while (more := _has_more((now := self._read())[THREADS], before)) and monotonic() < end:
            sleep(_THREAD_END_SECONDS / 50)
        return now if more else {**now, THREADS: before}

    def _read(self) -> dict[str, Any]:
        return {
            THREADS: _threads(),
            PROCESSES: _children() if self.children else "",
            "changes how Python imports": _import_hooks(),
            "changes built-in names": dict(vars(builtins)),
            "sets limits of its process": _limits(),
            "changes how its process is scheduled": _scheduling(),
            "closes standard files of its process": [*map(_is_open, range(3))],
        }


def _threads() -> tuple[int, int | None]:
    """The numbers of Python's threads, and of all threads where NumPy starts none of its own.

    None where the second is unknown.
    """
    tasks = None
    if os.environ.get(_BLAS_THREADS) == "1":
        with contextlib.suppress(OSError):
            tasks = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - ten times as fast
    return thread_count(), tasks


def _has_more(now: tuple[int, int | None], before: tuple[int, int | None]) -> bool:
    pairs = zip(now, before, strict=True)
    return any(a is not None and b is not None and a > b for a, b in pairs)


def _children() -> str:
    """The child processes, as the system lists them; empty where it does not."""
    try:
        return Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    except OSError:
        return ""


def _import_hooks() -> list[Any]:
    """The import hooks that belong to no installed package: many add their own when imported."""
    return [hook for hook in (*sys.meta_path, *sys.path_hooks) if not _is_of_package(hook)]


def _is_of_package(hook: Any) -> bool:
    name = getattr(hook, "__module__", None) or type(hook).__module__
    if name.partition(".")[0] in _SHARED:
        return True
    file = getattr(sys.modules.get(name), "__file__", None)
    return isinstance(file, str) and is_installed(file)


def _limits() -> list[Any]:
    try:
        import resource
    except ImportError:  # no such limits on this system
        return []
    numbers = {value for name, value in vars(resource).items() if name.startswith("RLIMIT_")}
    return [resource.getrlimit(number) for number in numbers]


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _scheduling() -> tuple[Any, ...]:
    if not hasattr(os, "sched_getaffinity"):
        return (os.getpriority(os.PRIO_PROCESS, 0),)
    return os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), os.sched_getaffinity(0)


class _SharedCode:
    """The functions and methods of the modules that all bots share, as they were."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._live: list[Mapping[str, Any]] = []
        self._values: list[dict[str, Any]] = []
        self._functions: list[FunctionType] = []
        for name, names in _namespaces():
            values = dict(names)
            self._names.append(name)
            self._live.append(names)
            self._values.append(values)
            self._functions += [v for v in values.values() if type(v) is FunctionType]
        self._codes = [function.__code__ for function in self._functions]

    def replaced(self) -> str:
        """The name of the first function that was replaced; empty if there is none."""
        for name, live, before in zip(self._names, self._live, self._values, strict=True):
            if len(live) == len(before) and all(map(is_, live.values(), before.values())):
                continue
            for key, value in before.items():
                if callable(value) and not _is_same(live.get(key), value):
                    return f"{name}.{key}"
        for function, code in zip(self._functions, self._codes, strict=True):
            if function.__code__ is not code:
                return f"{function.__module__}.{function.__qualname__}"
        return ""


def _is_same(now: Any, before: Any) -> bool:
    return now is before or (type(now) is FunctionType and now.__code__ is _code_of(before))


def _code_of(function: Any) -> Any:
    return getattr(function, "__code__", None)


def _namespaces() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The names of each shared module and of its classes, which change with them."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in _SHARED or not isinstance(module, ModuleType):
            continue
        yield name, vars(module)
        for key, value in list(vars(module).items()):
            if isinstance(value, type) and value.__module__ == name:
                yield f"{name}.{key}", vars(value)
