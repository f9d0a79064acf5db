"""Functions of the operating system that the standard library lacks; Linux has all of them."""

import ctypes
import gc
import mmap
import os
import re
import resource
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import ceil
from pathlib import Path
from typing import Protocol

FOREIGN_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""Signals by which other processes end a process; other signals are faults of its own."""

_PR_SET_PDEATHSIG = 1
_MONITORING_TOOLS = 6  # whose numbers sys.monitoring knows
_PF_EXITING = 4  # set before the kernel closes the files of a process that ends
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}


def short_path(path: str) -> str:
    """A path relative to the folder where the command was given, if it lies below."""
    folder, display_folder = _DISPLAY
    return display_folder + path.removeprefix(folder) if path.startswith(folder) else path


def set_path_base(folder: Path) -> None:
    """Print paths relative to this folder, which may be on another machine.

    Processes that are started after this call do so, too.
    """
    os.environ[PATH_BASE] = f"{folder}{os.sep}"
    display_paths_in(folder, "")


def display_paths_in(folder: Path, display_folder: str) -> None:
    """Print paths in a folder as if they were in `display_folder`, which ends with a slash."""
    global _DISPLAY
    _DISPLAY = f"{folder}{os.sep}", display_folder


PATH_BASE = "CANTSTOP_ARENA_SEEN_FROM"
"""The environment variable that holds the folder of `set_path_base`."""


def _current_folder() -> str:
    try:
        return f"{Path.cwd()}{os.sep}"
    except OSError:  # it has been deleted
        return ""


# Read once, as a bot may change the folder.
_DISPLAY = os.environ.get(PATH_BASE) or _current_folder(), ""


_ARENA = str(Path(__file__).parents[1])


def is_installed(file: str) -> bool:
    """Whether a file belongs to the arena, to Python, or to an installed package."""
    return file.startswith((_ARENA, sys.prefix, sys.base_prefix))


def open_standard_files() -> None:
    """Open the null device for each standard file that is closed, for children of this process too.

    Else the next file that is opened would get its descriptor, and be written to by mistake.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            null_device = os.open(os.devnull, os.O_RDWR)
            if null_device != number:
                os.dup2(null_device, number)
                os.close(null_device)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def prepare_process() -> None:
    """Make this process what its children expect, whoever has started it and how.

    Standard files are open. The arena reads the files that it writes, whatever the umask is. There
    is a home folder, though it may be one that cannot be written.
    Signals by which it waits for children, and limits and ends them, are neither ignored nor
    blocked.
    """
    open_standard_files()
    os.umask(os.umask(0o077) & 0o077)
    try:
        Path.home()
    except RuntimeError:  # as where the user's number has no name
        os.environ["HOME"] = os.devnull
    for needed in (signal.SIGCHLD, signal.SIGALRM):
        if signal.getsignal(needed) is signal.SIG_IGN:
            signal.signal(needed, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())


_SCHEDSTAT = "/proc/thread-self/schedstat"


def remove_hooks() -> None:
    """Remove the functions with which a profiler or debugger observes the parent of this process.

    They are not to observe foreign code, which may replace them.
    """
    for module in (sys, threading):
        module.setprofile(None)
        module.settrace(None)
    if monitoring := getattr(sys, "monitoring", None):  # Python 3.12
        for tool in filter(monitoring.get_tool, range(_MONITORING_TOOLS)):
            monitoring.free_tool_id(tool)


def is_ending(pid: int) -> bool:
    """Whether a process is ending or has ended; also true when the system gives no status."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True
    fields = text.rpartition(b")")[2].split()  # the name before it may hold anything
    return fields[0] in (b"Z", b"X") or bool(int(fields[6]) & _PF_EXITING)


def ending(code: int | None) -> str:
    """How a process ended, as text; `code` is its exit code, minus a signal, or None if it runs."""
    if code is None:
        return "closed the pipe of its process"
    if code >= 0:
        return f"ended its process with exit code {code}"
    try:
        return f"ended its process by {signal.Signals(-code).name}"
    except ValueError:  # most real-time signals have no name
        return f"ended its process by signal {-code}"


def die_with_parent(parent: int, number: int = signal.SIGKILL) -> None:
    """Let the system send this process a signal when `parent`, which started it, ends."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


def close_files(folder: Path, prefix: str = "") -> None:
    """Close the open files below a folder, and those whose names begin with `prefix`."""
    for link in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):
            target = link.readlink()
            if target.is_relative_to(folder) or (prefix and target.name.startswith(prefix)):
                os.close(int(link.name))


def core_count(root: Path = Path(os.sep)) -> int:
    """The number of cores that this process may use: by affinity, and by quotas of its cgroups."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    quotas = filter(None, map(_cgroup_quota, _cgroup_folders(root)))
    return min([cores, *map(ceil, quotas)])


def _cgroup_folders(root: Path) -> Iterator[Path]:
    """The cgroups that can limit this process's use of cores, of both versions, with all parents.

    A container sees its own as the root, though `/proc` may name it as its host does.
    """
    with suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers or "cpu" in controllers.split(","):
                mount = root / "sys/fs/cgroup" / (controllers and "cpu")
                group = mount / path.lstrip("/")
                yield from (each for each in (group, *group.parents) if each.is_relative_to(mount))


def _cgroup_quota(folder: Path) -> float | None:
    """The cores that a cgroup may use, from `cpu.max` or from the two files of version 1."""
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        with suppress(OSError, ValueError, ZeroDivisionError):
            quota, period = " ".join((folder / name).read_text() for name in names).split()
            if int(quota) > 0:  # -1, and "max" in version 2, is no limit
                return int(quota) / int(period)
    return None


def counts_waiting() -> bool:
    """Whether the system counts here for how long threads wait for a processor."""
    return Path(_SCHEDSTAT).exists()


def run_queue_seconds() -> float:
    """Seconds for which this thread was ready to run, but waited for a processor.

    0 on systems that do not count them.
    """
    try:
        return int(Path(_SCHEDSTAT).read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def limit_memory(extra: int, for_good: bool = False) -> None:
    """Limit the memory of this process to its present size and `extra` bytes.

    With `for_good` the process cannot raise the limit again.
    """
    with suppress(ValueError, OSError):  # no such limits on this system
        limit = _address_space() + extra
        hard_limit = limit if for_good else resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard_limit))


def _address_space() -> int:
    """The bytes of this process's address space. Raises OSError where nothing limits it.

    In the sandbox there is no /proc: the size is the lowest limit under which a page can be mapped.
    """
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    except OSError:
        if sys.platform != "linux":
            raise
    low, high = 0, 1 << 47
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    if hard_limit != resource.RLIM_INFINITY:
        high = hard_limit
    while high - low > mmap.PAGESIZE:
        limit = (low + high) // 2
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard_limit))
        try:
            mmap.mmap(-1, mmap.PAGESIZE).close()
            high = limit
        except (OSError, MemoryError):
            low = limit
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft_limit, hard_limit))
    return high


def refuse_cores() -> None:
    """Disable core dumps of this process and its children."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def memory_shortage(needed: int) -> str:
    """A message when the address space is limited to less than `needed` bytes, else empty."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or limit >= needed:
        return ""
    mebibyte = 1 << 20
    return (
        f"a process may take {limit // mebibyte:,} MiB of address space here, and"
        f" {needed // mebibyte:,} MiB are needed; raise the limit (ulimit -v)"
    )


def bytes_of(text: str) -> int:
    """The number of bytes in a text like 512M, 2G or 1.5 GB. Raises ValueError when invalid."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?\s*", text.upper())
    if not match or not (number := int(float(match[1]) * _UNITS[match[2]])):
        raise ValueError(text)
    return number


def seconds_of(text: str) -> float:
    """The seconds in a text like 5ms, 30m or 7d; a number alone is seconds. Raises ValueError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d)?\s*", text.lower())
    if not match:
        raise ValueError(text)
    return float(match[1]) * _SECONDS[match[2] or "s"]


def python_module(module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs a module of this package.

    -P keeps the current folder off the path: a bot called random.py there must not be mistaken for
    the module of that name.
    """
    return (sys.executable, "-P", "-m", module, *arguments)


class ArenaProcess(Protocol):
    """An `arena` that was started as a child process."""

    def poll(self) -> int | None:
        """The exit code, minus a signal that ended it; None while it runs."""

    def send_signal(self, number: int, /) -> None:
        """Send a signal to it, if it runs."""


def limit_library_threads() -> None:
    """Have NumPy's linear algebra compute in one thread, also where it was imported with more.

    The command line and all children that are no forks have that in their environment; a fork of a
    notebook, which has imported NumPy before, has not. Sums of several threads round otherwise.
    """
    if "numpy" in sys.modules and os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)


def start_arena(
    command_line: Sequence[str],
    variables: Mapping[str, str] | None = None,
    files: Sequence[int] = (),
    log: Path | None = None,
) -> ArenaProcess:
    """Start `arena` with these words as a child that ends when this process does.

    It gets further environment `variables` and open `files`, and shares the standard files. With a
    `log` it outlives this process instead, in a session of its own: it has no input, and its output
    goes to this file.
    """
    import subprocess

    command = python_module(__name__.partition(".")[0], *command_line)
    environment = {**os.environ, **(variables or {})}
    if log is None:
        return subprocess.Popen(
            command,
            env=environment,
            pass_fds=files,
            preexec_fn=partial(die_with_parent, os.getpid(), signal.SIGTERM),
        )
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            env=environment,
            pass_fds=files,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


_MADV_WIPEONFORK = 18  # <bits/mman-linux.h>; Python has no name for it


class OriginMark(Protocol):
    """`origin[0]` is true in the process that created it, and false in processes forked from it."""

    def __getitem__(self, index: int, /) -> int: ...


def origin() -> OriginMark:
    """An OriginMark created by this process, as fast to read as a byte."""
    if sys.platform == "linux":
        with suppress(OSError):  # a kernel that is older, or only looks like Linux
            return _wiped_page()
    return _ProcessIdOrigin()


def _wiped_page() -> mmap.mmap:
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    page.madvise(_MADV_WIPEONFORK)
    page[0] = 1
    return page


class _ProcessIdOrigin:
    """An Origin by the process id, for systems without pages that are wiped on fork."""

    def __init__(self) -> None:
        self._pid = os.getpid()

    def __getitem__(self, index: int, /) -> int:
        return os.getpid() == self._pid


_USUAL_THRESHOLDS = gc.get_threshold()
_STARTUP_THRESHOLDS = 200_000, 20, 20  # new objects before a collection; all imports create fewer


def relax_gc() -> None:
    """Collect garbage rarely while the arena starts: imports make none."""
    gc.set_threshold(*_STARTUP_THRESHOLDS)


def restore_gc() -> None:
    """Collect garbage at Python's usual rate, as bots have a memory limit."""
    gc.set_threshold(*_USUAL_THRESHOLDS)
