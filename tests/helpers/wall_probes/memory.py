"""Attempts on memory and processes."""

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import socket
import sys
import threading
import time
from pathlib import Path

from .attempts import (
    PAGE,
    PARENT,
    PROBES,
    Scene,
    call,
    is_done,
    is_made,
    is_opened,
    probe,
    processes,
)


def _holds(size: int) -> bool:
    block = mmap.mmap(-1, size)
    for offset in range(0, size, PAGE):
        block[offset] = 1
    return True


def _forked(count: int) -> bool:
    pids = []
    try:
        for _ in range(count):
            pids.append(os.fork())
            if not pids[-1]:
                time.sleep(1)
                os._exit(0)
    finally:
        for pid in pids:
            os.waitpid(pid, 0)
    return True


def _bytes_of(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


PROBES |= {
    "holds_twice_its_memory": lambda scene: _holds(2 * scene["memory"]),
    "holds_memory_in_a_nameless_file": is_made(319, 279, b"x", 0),
    "holds_memory_in_secret": is_made(447, 447, 0),
    # A pipe's content is no process's memory; a hundred with a megabyte each would be much.
    "holds_memory_in_pipes": lambda scene: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20) == 1 << 20,
    "starts_a_process": lambda scene: _forked(1),
    "starts_a_process_by_vfork": lambda scene: os.posix_spawn("/bin/true", ["true"], {}),
    "becomes_another_program_with_a_process": lambda scene: os.posix_spawnp(
        sys.executable, [sys.executable, "-c", "pass"], {}
    ),
    "sees_other_processes": lambda scene: len(processes()) > 3,
    "has_the_arenas_environment": lambda scene: "SECRET" in os.environ,
    "reads_an_environment_from_proc": lambda scene: [
        pid for pid in processes() if b"SECRET" in _bytes_of(f"/proc/{pid}/environ")
    ],
    "reads_paths_from_a_command_line": lambda scene: [
        pid
        for pid in {*processes()} - {str(os.getpid())}
        if os.fsencode(scene["folder"]) in _bytes_of(f"/proc/{pid}/cmdline")
    ],
    "traces_its_parent": is_made(101, 117, 16, PARENT, 0, 0),
    "lets_itself_be_traced": is_made(101, 117, 0, 0, 0, 0),
    "opens_its_parent": is_made(434, 434, PARENT, 0),
    "reads_memory_of_its_parent": is_opened(f"/proc/{PARENT}/mem"),
    "reads_its_parent_by_a_call": is_made(310, 270, PARENT, None, 0, None, 0, 0),
    "compares_itself_with_its_parent": is_made(312, 272, os.getpid(), PARENT, 1, 0, 0),
    "moves_pages_of_its_parent": is_made(279, 239, PARENT, 0, None, None, None, 0),
    "writes_memory_of_its_parent": is_made(311, 271, PARENT, None, 0, None, 0, 0),
    "takes_a_file_of_its_parent": lambda scene: call(438, 438, call(434, 434, PARENT, 0), 0, 0),
    "limits_its_parent": lambda scene: resource.prlimit(PARENT, resource.RLIMIT_CPU, (1, 1)),
    "sends_its_parent_a_signal_by_a_file": is_made(424, 424, PARENT, 0, None, 0),
    "keeps_its_memory_from_being_swapped": is_made(151, 230, 3),
    "leaves_an_image_of_its_memory": lambda scene: resource.getrlimit(resource.RLIMIT_CORE)[1],
    "has_a_terminal": is_opened("/dev/tty", os.O_RDWR),
    "takes_terminals_of_the_machine": lambda scene: os.openpty(),
    "signals_all_others": is_done(os.kill, -1, 0),
    "sees_who_started_it": lambda scene: os.getppid() > 1 or os.getsid(0) > 2,
}


@probe
def raises_its_limit(scene: Scene) -> object:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (soft + (1 << 30), soft + (1 << 30)))
    return hard == resource.RLIM_INFINITY or soft < hard


@probe
def starts_a_thousand_threads(scene: Scene) -> object:
    wait = threading.Event()
    threads: list[threading.Thread] = []
    try:
        for _ in range(1000):
            thread = threading.Thread(target=wait.wait)
            thread.start()
            threads.append(thread)
        return True
    finally:
        wait.set()
        for thread in threads:  # a process with threads can make no namespaces
            thread.join()


@probe
def types_into_a_terminal(scene: Scene) -> object:
    """Without a terminal of its own it can only be asked who refuses: the filter, or this file."""
    with open("/dev/null") as file:
        for command in (0x5412, 0x541C):
            try:
                fcntl.ioctl(file, command, b"x")
            except OSError as error:
                if error.errno != errno.EPERM:
                    return f"refused by the file only: {error}"
    return False


@probe
def holds_memory_in_sockets(scene: Scene) -> object:
    end, _ = socket.socketpair()
    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    return True


@probe
def holds_memory_in_connections(scene: Scene) -> object:
    """TCP keeps what is sent, some megabytes of each connection."""
    end = socket.socket()
    end.bind(("127.0.0.1", 0))
    end.connect(end.getsockname())
    return True


@probe
def holds_memory_in_attributes_of_files(scene: Scene) -> object:
    Path("/tmp/marked").touch()
    os.setxattr("/tmp/marked", "user.x", bytes(60_000))
    return True


@probe
def holds_pages_in_a_pipe(scene: Scene) -> object:
    """A byte in a pipe would keep its page, which may be a huge one, when it is given back."""
    text = ctypes.create_string_buffer(b"x")
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(text), 1)
    return call(278, 75, os.pipe()[1], vector, 1, 0)
