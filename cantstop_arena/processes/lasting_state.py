"""What foreign code changes in an interpreter for good: what no `InterpreterGuard` can restore."""

import builtins
import contextlib
import os
import sys
from _thread import _count as thread_count
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import is_
from pathlib import Path
from time import monotonic, sleep
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from cantstop_arena.processes.system import is_installed

THREADS = "leaves threads running"
PROCESSES = "leaves processes running"
_SHARED = {"cantstop_arena", "msgspec", "numpy", *sys.stdlib_module_names}
_CHANGED_BY_THE_ARENA = ("_thread", "sys", "threading")  # by `ForeignActs`
_THREAD_END_SECONDS = 0.1
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"


class LastingState:
    """The state when it was noted; `changes` says in which respects it has changed since then.

    With the `code` of shared modules, that of the standard library, the arena and NumPy is compared
    by the identity of functions and their code objects. That takes milliseconds, all else tenths,
    so what `note_shared_code` has noted before a fork serves. With `children` child processes
    count, which requires that only foreign code starts any.
    """

    def __init__(self, code: bool = True, children: bool = True) -> None:
        self.children = children
        self._facts = self._read()
        self._code = _shared_code() if code else None

    def changes(self, code: bool = True) -> list[str]:
        """What has changed, as clauses that say what the culprit does.

        Without `code` that is not compared.
        """
        try:
            now = self._stable()
            changes = [what for what, before in self._facts.items() if now[what] != before]
            replaced = self._code.replaced() if code and self._code else ""
        except Exception as error:  # no descriptors or memory are left, or a pending exception
            return [f"breaks its interpreter ({type(error).__name__})"]
        return [*changes, *([f"replaces {replaced}, which all bots share"] if replaced else [])]

    def _stable(self) -> dict[str, Any]:
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


_library_threads = 0  # of libraries that the arena itself has imported


@contextlib.contextmanager
def importing_library() -> Iterator[None]:
    """A context in which the arena imports a library whose threads are not those of a bot."""
    global _library_threads
    before = _tasks()
    yield
    after = _tasks()
    if before is not None and after is not None:
        _library_threads += max(0, after - before)


def _threads() -> tuple[int, int | None]:
    """The numbers of Python's threads, and of all threads where NumPy starts none of its own.

    None where the second is unknown.
    """
    tasks = _tasks() if os.environ.get(_BLAS_THREADS) == "1" else None
    return thread_count(), None if tasks is None else tasks - _library_threads


def _tasks() -> int | None:
    """The number of threads of this process; None where the system does not tell."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - ten times as fast
    except OSError:
        return None


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
    if _is_shared(name):
        return True
    file = getattr(sys.modules.get(name), "__file__", None)
    return isinstance(file, str) and is_installed(file)


def _limits() -> list[Any]:
    import resource

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


class _Namespace(NamedTuple):
    """The names of a module or class, which change with it, and their values as they were."""

    name: str
    live: Mapping[str, Any]
    before: dict[str, Any]


class _SharedCode:
    """The functions and methods of the modules that all bots share, as they were."""

    def __init__(self) -> None:
        self._modules: dict[str, list[_Namespace]] = {}
        self._codes: dict[FunctionType, CodeType] = {}
        self.note_missing()

    def note_missing(self) -> None:
        """Note the modules that have not been noted before."""
        for name, module in _shared_modules():
            if name not in self._modules:
                self._note(name, module)

    def note_changes(self) -> None:
        """Note again what is not as it was noted."""
        self._codes = {function: function.__code__ for function in self._codes}
        for name, module in _shared_modules():
            recorded = self._modules.get(name)
            if not (
                recorded and recorded[0].live is vars(module) and all(map(_is_unchanged, recorded))
            ):
                self._note(name, module)

    def _note(self, name: str, module: ModuleType) -> None:
        self._modules[name] = namespaces = [*_namespaces(name, module)]
        for namespace in namespaces:
            values = namespace.before.values()
            self._codes |= {
                value: value.__code__ for value in values if type(value) is FunctionType
            }

    def forget(self, modules: Sequence[str]) -> None:
        """Forget these modules, but for the code of their functions."""
        for name in modules:
            self._modules.pop(name, None)

    def replaced(self) -> str:
        """The name of the first function that was replaced; empty if there is none."""
        for namespace in chain.from_iterable(self._modules.values()):
            if _is_unchanged(namespace):
                continue
            for key, value in namespace.before.items():
                if callable(value) and not _is_same(namespace.live.get(key), value):
                    return f"{namespace.name}.{key}"
        for function, code in self._codes.items():
            if function.__code__ is not code:
                return f"{function.__module__}.{function.__qualname__}"
        return ""


def _shared_modules() -> Iterator[tuple[str, ModuleType]]:
    for name, module in list(sys.modules.items()):
        if _is_shared(name) and isinstance(module, ModuleType):
            yield name, module


def _is_unchanged(namespace: _Namespace) -> bool:
    live, before = namespace.live, namespace.before
    return len(live) == len(before) and all(map(is_, live.values(), before.values()))


def _is_same(now: Any, before: Any) -> bool:
    return now is before or (type(now) is FunctionType and now.__code__ is _code_of(before))


def _is_shared(module: str) -> bool:
    return module.partition(".")[0] in _SHARED


def _code_of(function: Any) -> Any:
    return getattr(function, "__code__", None)


def _namespaces(name: str, module: ModuleType) -> Iterator[_Namespace]:
    """The names of a module and of its classes."""
    yield _Namespace(name, vars(module), dict(vars(module)))
    for key, value in list(vars(module).items()):
        if isinstance(value, type) and value.__module__ == name:
            yield _Namespace(f"{name}.{key}", vars(value), dict(vars(value)))


class _SharedSince(NamedTuple):
    """Shared code that was noted in the process `pid`."""

    pid: int
    code: _SharedCode


def note_shared_code() -> None:
    """Note the code that all bots share for the processes that are forked from now on.

    In a fork that would copy the memory of all these modules, as it counts references.
    """
    global _shared
    if _shared is not None and _shared.pid == os.getpid():
        _shared.code.note_changes()
    else:
        _shared = None  # else the new note of this module would keep that of another process
        _shared = _SharedSince(os.getpid(), _SharedCode())


def _shared_code() -> _SharedCode:
    """The code as it was before this process was forked, if it was noted there, or as it is now."""
    if _shared is None or _shared.pid == os.getpid():
        return _SharedCode()
    _shared.code.forget(_CHANGED_BY_THE_ARENA)
    _shared.code.note_missing()
    return _shared.code


_shared: _SharedSince | None = None
