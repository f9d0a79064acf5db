"""Attempts to leave or to read what outlives a process or is seen by others."""

import ctypes
import fcntl
import mmap
import os
import signal
import socket
from pathlib import Path

from .attempts import C_LIBRARY, PAGE, Scene, call, probe


@probe
def keeps_a_key_for_the_session(scene: Scene) -> object:
    return call(248, 217, b"user", b"arena-probe", b"seen", 4, -3)


@probe
def keeps_a_key_for_the_user(scene: Scene) -> object:
    return call(248, 217, b"user", b"arena-probe", b"seen", 4, -4)


@probe
def locks_a_file(scene: Scene) -> object:
    fcntl.flock(os.open(C_LIBRARY, os.O_RDONLY), fcntl.LOCK_SH)
    return True


@probe
def locks_a_byte(scene: Scene) -> object:
    fcntl.lockf(os.open(C_LIBRARY, os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 77)
    return True


@probe
def locks_a_byte_of_an_open_file(scene: Scene) -> object:
    lock = bytearray(64)
    fcntl.fcntl(os.open(C_LIBRARY, os.O_RDONLY), 36, bytes(lock))
    return True


@probe
def leases_a_file(scene: Scene) -> object:
    return fcntl.fcntl(os.open(C_LIBRARY, os.O_RDONLY), 1025) >= 0


@probe
def gives_a_file_a_hint(scene: Scene) -> object:
    """Its owner may, and that is this user for what a user without root has installed."""
    with Path("/tmp/hinted").open("wb") as file:
        fcntl.fcntl(file, 1036, bytes((ctypes.c_uint64 * 1)(3)))
    return True


@probe
def watches_a_file(scene: Scene) -> object:
    return call(254, 27, call(294, 26, 0), C_LIBRARY, 0x20)


@probe
def asks_what_others_have_read(scene: Scene) -> object:
    with open(C_LIBRARY, "rb") as file:
        block = mmap.mmap(file.fileno(), PAGE, access=mmap.ACCESS_COPY)
    address = ctypes.addressof(ctypes.c_char.from_buffer(block))
    resident = (ctypes.c_ubyte * 1)()
    return call(27, 232, ctypes.c_void_p(address), ctypes.c_size_t(PAGE), resident) == 0


@probe
def reads_only_what_is_cached(scene: Scene) -> object:
    file = os.open(C_LIBRARY, os.O_RDONLY)
    return os.preadv(file, [bytearray(1)], 0, getattr(os, "RWF_NOWAIT", 8)) == 1


@probe
def drops_a_file_from_the_cache(scene: Scene) -> object:
    os.posix_fadvise(os.open(C_LIBRARY, os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)
    return True


@probe
def changes_times_of_a_file(scene: Scene) -> object:
    os.utime(C_LIBRARY, (1, 1))
    return True


@probe
def makes_a_shared_segment(scene: Scene) -> object:
    return call(29, 194, 0x61726E61, 1 << 20, 0o1666) >= 0


@probe
def makes_a_semaphore(scene: Scene) -> object:
    return call(64, 190, 0x61726E61, 1, 0o1666) >= 0


@probe
def makes_a_queue_of_messages(scene: Scene) -> object:
    return call(68, 186, 0x61726E61, 0o1666) >= 0


@probe
def makes_a_posix_queue(scene: Scene) -> object:
    return call(240, 180, b"arena", os.O_CREAT | os.O_RDWR, 0o666, 0) >= 0


@probe
def reads_what_an_earlier_process_printed(scene: Scene) -> object:
    os.lseek(2, 0, os.SEEK_SET)
    return scene["printed"].encode() in os.read(2, 1 << 16)


@probe
def reopens_what_an_earlier_process_printed(scene: Scene) -> object:
    output = os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK)
    return scene["printed"].encode() in os.read(output, 1 << 16)


@probe
def finds_files_of_an_earlier_process(scene: Scene) -> object:
    return os.path.exists("/tmp/left") or os.path.exists("/dev/shm/left")


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
def takes_places_for_asynchronous_reading(scene: Scene) -> object:
    return call(206, 0, 128, (ctypes.c_uint64 * 1)()) == 0


@probe
def marks_a_file_with_an_attribute(scene: Scene) -> object:
    os.setxattr(C_LIBRARY, "user.seen", b"1")
    return True


@probe
def watches_all_files(scene: Scene) -> object:
    return call(300, 262, 0, 0) >= 0


@probe
def asks_what_the_machine_has_cached(scene: Scene) -> object:
    file = os.open(C_LIBRARY, os.O_RDONLY)
    found = (ctypes.c_uint64 * 5)()
    return call(451, 451, file, (ctypes.c_uint64 * 2)(0, 4096), found, 0) == 0


@probe
def reads_a_file_ahead(scene: Scene) -> object:
    return call(187, 213, os.open(C_LIBRARY, os.O_RDONLY), 0, 4096) == 0


@probe
def writes_the_disks_of_the_machine_out(scene: Scene) -> object:
    return call(306, 267, os.open(C_LIBRARY, os.O_RDONLY)) == 0


@probe
def sees_locks_of_others(scene: Scene) -> object:
    return Path("/proc/locks").read_text()


@probe
def sees_shared_memory_of_others(scene: Scene) -> object:
    segments = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [name for name in os.listdir("/dev/shm") if name.startswith(("pym", "psm"))] or segments


@probe
def sees_sockets_of_others(scene: Scene) -> object:
    lines = Path("/proc/net/unix").read_text().splitlines()[1:]
    return [line for line in lines if scene["abstract"] in line or scene["folder"] in line]


@probe
def writes_into_the_kernels_log(scene: Scene) -> object:
    return os.open("/dev/kmsg", os.O_WRONLY)
