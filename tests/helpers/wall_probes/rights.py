"""Attempts on rights: capabilities, other users, namespaces and mounts."""

import ctypes
import os
from pathlib import Path

from .attempts import (
    C_LIBRARY,
    PROBES,
    Scene,
    call,
    is_done,
    is_made,
    is_opened,
    probe,
    status,
)

_NO_FILTER = ctypes.create_string_buffer(16)


def _is_writable(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        return False
    return True


PROBES |= {
    "could_get_capabilities": lambda scene: scene["is_root"] and int(status("CapBnd"), 16),
    "is_root": lambda scene: 0 in (os.getuid(), os.geteuid(), os.getgid()),
    "becomes_root_again": is_done(os.setresuid, 0, 0, 0),
    "has_groups_of_the_machine": lambda scene: scene["is_root"] and os.getgroups(),
    "may_gain_rights_by_a_program": lambda scene: status("NoNewPrivs") != "1",
    "runs_without_a_filter": lambda scene: status("Seccomp") != "2",
    "sets_a_kernel_parameter": is_opened("/proc/sys/kernel/core_pattern", os.O_WRONLY),
    "changes_its_own_entry_in_proc": is_opened("/proc/self/oom_score_adj", os.O_WRONLY),
    "mounts_the_root_writable": is_made(165, 40, 0, b"/", 0, 4128, 0),
    "makes_a_user_namespace": is_made(272, 97, 0x10000000),
    "leaves_by_chroot": is_done(os.chroot, "/tmp"),
    "takes_groups": is_done(os.setgroups, [0]),
    "runs_sooner_than_others": is_done(os.nice, -1),
    "reads_disks_before_all_others": is_made(251, 30, 1, 0, 1 << 13),
    "changes_what_proc_says_of_it": lambda scene: [
        name for name in sorted(os.listdir("/proc/self")) if _is_writable(f"/proc/self/{name}")
    ],
    "answers_calls_in_the_place_of_the_kernel": is_made(317, 277, 1, 8, _NO_FILTER),
    "makes_a_namespace_of_files": is_made(272, 97, 0x20000),
    "mounts_by_the_new_calls": is_made(430, 430, b"tmpfs", 0),
    "copies_a_tree_of_mounts": is_made(428, 428, -100, b"/usr", 1),
    "changes_the_root": is_made(155, 41, b"/tmp", b"/tmp"),
    # Addresses that are no longer random would be those of the next process, too.
    "takes_the_layout_of_memory_away": is_made(135, 92, 0x40000),
}


@probe
def has_capabilities(scene: Scene) -> object:
    return any(int(status(kind), 16) for kind in ("CapPrm", "CapEff", "CapAmb"))


@probe
def takes_a_cover_away(scene: Scene) -> object:
    folder = os.fsencode(Path(scene["other_package"]).parent)
    return call(166, 39, folder, 2) == 0


def _forks(x86_64: int, aarch64: int, *arguments: object) -> bool:
    """Whether a call makes a process."""
    if pid := call(x86_64, aarch64, *arguments):
        os.waitpid(pid, 0)
        return True
    os._exit(0)


@probe
def makes_a_namespace_by_clone(scene: Scene) -> object:
    return _forks(56, 220, 0x10000000 | 17, 0, 0, 0, 0)


@probe
def makes_a_process_by_clone3(scene: Scene) -> object:
    arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
    return _forks(435, 435, arguments, ctypes.sizeof(arguments))


@probe
def opens_a_file_by_its_handle(scene: Scene) -> object:
    handle = (ctypes.c_ubyte * 136)(128)
    mount = ctypes.c_int()
    return call(303, 264, -100, C_LIBRARY, handle, ctypes.byref(mount), 0) == 0


@probe
def makes_a_program_that_gains_rights(scene: Scene) -> object:
    return [path for path in ("/tmp", "/dev/shm", "/usr") if not os.statvfs(path).f_flag & 2]


@probe
def gives_a_file_a_capability(scene: Scene) -> object:
    Path("/tmp/able").touch()
    os.setxattr("/tmp/able", "security.capability", bytes.fromhex("0100000200000080") + bytes(12))
    return True


@probe
def runs_before_all_others(scene: Scene) -> object:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return True


@probe
def enters_a_namespace_again(scene: Scene) -> object:
    return call(308, 268, os.open("/proc/self/ns/net", os.O_RDONLY), 0) == 0


@probe
def makes_a_mount_writable(scene: Scene) -> object:
    attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)  # clears MOUNT_ATTR_RDONLY
    return call(442, 442, -100, b"/usr", 0, attributes, 32) == 0


@probe
def turns_its_filter_off(scene: Scene) -> object:
    return call(157, 167, 22, 0, 0, 0, 0) == 0 or status("Seccomp") != "2"
