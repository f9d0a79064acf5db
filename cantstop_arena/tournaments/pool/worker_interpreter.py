"""Starts a worker in an interpreter of its own, where processes cannot be forked.

`python -P -m cantstop_arena.tournaments.pool.worker_interpreter`: the current folder is not on the
path while the arena is imported. Descriptors of the channel, the shared memory and the task, which
is pickled, are arguments.
"""

import contextlib
import mmap
import os
import pickle
import socket
import subprocess
import sys
import tempfile
from typing import IO, Protocol

from cantstop_arena.processes.system import python_module


class WorkerProcess(Protocol):
    """A started process, as `multiprocessing.Process` is one."""

    @property
    def pid(self) -> int | None:
        """Its process id."""

    @property
    def exitcode(self) -> int | None:
        """Its exit code, or minus the signal that ended it; None while it runs."""

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, up to `timeout` seconds."""

    def kill(self) -> None:
        """Kill it."""


class _InterpreterProcess:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid

    @property
    def exitcode(self) -> int | None:
        return self._process.poll()

    def join(self, timeout: float | None = None) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)

    def kill(self) -> None:
        self._process.kill()


def start_interpreter(
    end: socket.socket, size: int, task: object
) -> tuple[WorkerProcess, mmap.mmap]:
    """Start a worker with its end of the channel; return shared memory of `size` bytes, too."""
    with _memory_file() as window, _memory_file() as text:
        window.truncate(size)
        pickle.dump((sys.path, sys.argv), text)
        pickle.dump(task, text)
        text.seek(0)
        files = (end.fileno(), window.fileno(), text.fileno())
        process = subprocess.Popen(
            python_module(__name__, *map(str, (os.getpid(), size, *files))),
            stdin=subprocess.DEVNULL,
            pass_fds=files,
        )
        return _InterpreterProcess(process), mmap.mmap(window.fileno(), size)


def _memory_file() -> IO[bytes]:
    """A file without a name, in memory where the system has such files."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("worker"), "w+b")
    return tempfile.TemporaryFile()


def main() -> None:
    """Work in this fresh interpreter."""
    from cantstop_arena.tournaments.pool.worker import serve

    parent, size, end, window, text = map(int, sys.argv[1:])
    shared = mmap.mmap(window, size)
    os.close(window)
    with os.fdopen(text, "rb") as file:
        sys.path[:], sys.argv[:] = pickle.load(file)  # in which the task's modules may lie
        task = pickle.load(file)
    os.set_inheritable(end, False)
    serve(socket.socket(fileno=end), parent, shared, task)


if __name__ == "__main__":
    main()
