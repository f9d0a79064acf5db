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

from .attempts import PAGE, Scene, call, probe


def _holds(size: int) -> bool:
    block = mmap.mmap(-1, size)
    for offset in range(0, size, PAGE):
        block[offset] = 1
    return True


@probe
def holds_twice_its_memory(scene: Scene) -> object:
    return _holds(2 * scene["memory"])


@probe
def raises_its_limit(scene: Scene) -> object:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (soft + (1 << 30), soft + (1 << 30)))
    return hard == resource.RLIM_INFINITY or soft < hard


@probe
def holds_memory_in_a_nameless_file(scene: Scene) -> object:
    return call(319, 279, b"x", 0)


@probe
def holds_memory_in_secret(scene: Scene) -> object:
    return call(447, 447, 0)


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


@probe
def starts_a_process(scene: Scene) -> object:
    return _forked(1)


@probe
def starts_a_process_by_vfork(scene: Scene) -> object:
    return os.posix_spawn("/bin/true", ["true"], {})


@probe
def starts_a_thousand_threads(scene: Scene) -> object:
    wait = threading.Event()
    threads: list[threading.Thread] = []
    try:
        for _ in range(1000):
            threads.append(threading.Thread(target=wait.wait))
            threads[-1].start()
        return True
    finally:
        wait.set()


@probe
def sees_other_processes(scene: Scene) -> object:
    return len([name for name in os.listdir("/proc") if name.isdigit()]) > 3


@probe
def has_the_arenas_environment(scene: Scene) -> object:
    return "SECRET" in os.environ


@probe
def reads_an_environment_from_proc(scene: Scene) -> object:
    pids = [name for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if b"SECRET" in _bytes_of(f"/proc/{pid}/environ")]


@probe
def reads_paths_from_a_command_line(scene: Scene) -> object:
    folder = os.fsencode(scene["folder"])
    pids = [name for name in os.listdir("/proc") if name.isdigit()]
    own = str(os.getpid())
    return [pid for pid in pids if pid != own and folder in _bytes_of(f"/proc/{pid}/cmdline")]


def _bytes_of(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


@probe
def traces_its_parent(scene: Scene) -> object:
    return call(101, 117, 16, os.getppid(), 0, 0) == 0


@probe
def reads_memory_of_its_parent(scene: Scene) -> object:
    return os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY)


@probe
def has_a_terminal(scene: Scene) -> object:
    return os.open("/dev/tty", os.O_RDWR)


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
def holds_memory_in_pipes(scene: Scene) -> object:
    """A pipe's content is no process's memory; a hundred with a megabyte each would be much."""
    return fcntl.fcntl(os.pipe()[1], 1031, 1 << 20) == 1 << 20


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


@probe
def lets_itself_be_traced(scene: Scene) -> object:
    return call(101, 117, 0, 0, 0, 0) == 0


@probe
def opens_its_parent(scene: Scene) -> object:
    return call(434, 434, os.getppid(), 0)


@probe
def reads_its_parent_by_a_call(scene: Scene) -> object:
    return call(310, 270, os.getppid(), None, 0, None, 0, 0) >= 0


@probe
def compares_itself_with_its_parent(scene: Scene) -> object:
    return call(312, 272, os.getpid(), os.getppid(), 1, 0, 0) >= 0


@probe
def moves_pages_of_its_parent(scene: Scene) -> object:
    return call(279, 239, os.getppid(), 0, None, None, None, 0) >= 0


@probe
def signals_all_others(scene: Scene) -> object:
    os.kill(-1, 0)
    return True


@probe
def sees_who_started_it(scene: Scene) -> object:
    return os.getppid() > 1 or os.getsid(0) > 2


@probe
def becomes_another_program_with_a_process(scene: Scene) -> object:
    return os.posix_spawnp(sys.executable, [sys.executable, "-c", "pass"], {})
