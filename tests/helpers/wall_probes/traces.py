"""Attempts to leave or to read what outlives a process or is seen by others."""

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .attempts import (
    C_LIBRARY,
    PAGE,
    PROBES,
    Probe,
    Scene,
    call,
    is_done,
    is_made,
    is_opened,
    probe,
)

_KEY, _NAME = 0x61726E61, (b"user", b"arena-probe", b"seen", 4)
_RANGE = (ctypes.c_uint64 * 2)(0, PAGE)


def _on_a_file(act: Callable[..., object], *arguments: Any) -> Probe:
    """A probe: whether something can be done to a file that is open for reading."""
    return lambda scene: is_done(act, os.open(C_LIBRARY, os.O_RDONLY), *arguments)(scene)


def _is_obeyed(x86_64: int, aarch64: int, *arguments: object) -> Probe:
    return _on_a_file(lambda file: call(x86_64, aarch64, file, *arguments))


PROBES |= {
    "keeps_a_key_for_the_session": is_made(248, 217, *_NAME, -3),
    "keeps_a_key_for_the_user": is_made(248, 217, *_NAME, -4),
    "asks_for_a_key": is_made(249, 218, b"user", b"arena-probe", None, -3),
    "lists_keys": is_made(250, 219, 6, -3, ctypes.create_string_buffer(99), 99),
    "counts_keys_of_others": lambda scene: Path("/proc/key-users").read_text(),
    "joins_a_session_of_keys": is_made(250, 219, 1, b"arena"),
    "locks_a_file": _on_a_file(fcntl.flock, fcntl.LOCK_SH),
    "locks_a_byte": _on_a_file(fcntl.lockf, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 77),
    "locks_a_byte_of_an_open_file": _on_a_file(fcntl.fcntl, 36, bytes(64)),
    "leases_a_file": _on_a_file(fcntl.fcntl, 1025),
    "watches_a_file": lambda scene: call(254, 27, call(294, 26, 0), C_LIBRARY, 0x20),
    "watches_all_files": is_made(300, 262, 0, 0),
    "reads_only_what_is_cached": _on_a_file(os.preadv, [bytearray(1)], 0, 8),
    "drops_a_file_from_the_cache": _on_a_file(os.posix_fadvise, 0, 0, os.POSIX_FADV_DONTNEED),
    "asks_what_the_machine_has_cached": _is_obeyed(451, 451, _RANGE, (ctypes.c_uint64 * 5)(), 0),
    "reads_a_file_ahead": _is_obeyed(187, 213, 0, PAGE),
    "writes_the_disks_of_the_machine_out": _is_obeyed(306, 267),
    "changes_times_of_a_file": is_done(os.utime, C_LIBRARY, (1, 1)),
    "marks_a_device_with_the_time": is_done(os.utime, "/dev/full"),
    "marks_a_device_with_an_old_call": lambda scene: call(132, 999, b"/dev/full", None) == 0,
    "reads_which_pages_are_in_memory": is_opened("/proc/self/pagemap", os.O_RDONLY),
    "reads_which_mappings_are_in_memory": is_opened("/proc/self/smaps", os.O_RDONLY),
    "reads_what_a_thread_has_in_memory": is_opened("/proc/thread-self/smaps", os.O_RDONLY),
    "counts_faults_by_its_status": is_opened("/proc/self/stat", os.O_RDONLY),
    "counts_its_faults": lambda scene: resource.getrusage(resource.RUSAGE_SELF),
    "counts_free_blocks_of_the_disk": lambda scene: os.statvfs("/usr"),
    "asks_on_which_node_a_page_lies": is_made(239, 236, None, None, 0, None, 0),
    "takes_a_number_as_the_name_of_a_socket": lambda scene: (
        call(49, 200, socket.socket(socket.AF_UNIX).fileno(), b"\1\0", 2) == 0
    ),
    "drops_mapped_pages": is_done(lambda: mmap.mmap(-1, PAGE).madvise(21)),
    "reads_the_load_of_the_machine": is_opened("/proc/loadavg", os.O_RDONLY),
    "reads_the_counts_of_the_machine": is_opened("/proc/vmstat", os.O_RDONLY),
    "marks_a_file_with_an_attribute": is_done(os.setxattr, C_LIBRARY, "user.seen", b"1"),
    "makes_a_shared_segment": is_made(29, 194, _KEY, 1 << 20, 0o1666),
    "makes_a_semaphore": is_made(64, 190, _KEY, 1, 0o1666),
    "makes_a_queue_of_messages": is_made(68, 186, _KEY, 0o1666),
    "makes_a_posix_queue": is_made(240, 180, b"arena", os.O_CREAT | os.O_RDWR, 0o666, 0),
    "finds_files_of_an_earlier_process": lambda scene: [
        path for path in ("/tmp/left", "/dev/shm/left") if os.path.exists(path)
    ],
    "takes_places_for_asynchronous_reading": is_made(206, 0, 128, (ctypes.c_uint64 * 1)()),
    "sees_locks_of_others": lambda scene: Path("/proc/locks").read_text(),
    "writes_into_the_kernels_log": is_opened("/dev/kmsg", os.O_WRONLY),
}


@probe
def gives_a_file_a_hint(scene: Scene) -> object:
    """Its owner may, and that is this user for what a user without root has installed."""
    with Path("/tmp/hinted").open("wb") as file:
        fcntl.fcntl(file, 1036, bytes((ctypes.c_uint64 * 1)(3)))
    return True


@probe
def asks_what_others_have_read(scene: Scene) -> object:
    with open(C_LIBRARY, "rb") as file:
        block = mmap.mmap(file.fileno(), PAGE, access=mmap.ACCESS_COPY)
    address = ctypes.addressof(ctypes.c_char.from_buffer(block))
    resident = (ctypes.c_ubyte * 1)()
    return call(27, 232, ctypes.c_void_p(address), ctypes.c_size_t(PAGE), resident) == 0


@probe
def reads_what_an_earlier_process_printed(scene: Scene) -> object:
    os.lseek(2, 0, os.SEEK_SET)
    return scene["printed"].encode() in os.read(2, 1 << 16)


@probe
def reopens_what_an_earlier_process_printed(scene: Scene) -> object:
    output = os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK)
    return scene["printed"].encode() in os.read(output, 1 << 16)


@probe
def fills_the_waiting_signals_of_its_user(scene: Scene) -> object:
    """They are counted by user, and so for all sandboxes of one together."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [40])
    libc = ctypes.CDLL(None)
    return not any(libc.sigqueue(os.getpid(), 40, None) for _ in range(5000))


@probe
def fills_the_files_under_way_of_its_user(scene: Scene) -> object:
    first, _ = socket.socketpair()
    return [socket.send_fds(first, [b"x"], [0] * 100) for _ in range(2)]


@probe
def sees_shared_memory_of_others(scene: Scene) -> object:
    segments = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [name for name in os.listdir("/dev/shm") if name.startswith(("pym", "psm"))] or segments


@probe
def sees_sockets_of_others(scene: Scene) -> object:
    lines = Path("/proc/net/unix").read_text().splitlines()[1:]
    return [line for line in lines if scene["abstract"] in line or scene["folder"] in line]
