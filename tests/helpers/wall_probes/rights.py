"""Attempts on rights: capabilities, other users, namespaces and mounts."""

import ctypes
import os
from pathlib import Path

from .attempts import C_LIBRARY, Scene, call, probe, status


@probe
def has_capabilities(scene: Scene) -> object:
    return int(status("CapPrm"), 16) or int(status("CapEff"), 16) or int(status("CapAmb"), 16)


@probe
def could_get_capabilities(scene: Scene) -> object:
    return int(status("CapBnd"), 16) if scene["is_root"] else False


@probe
def is_root(scene: Scene) -> object:
    return os.getuid() == 0 or os.geteuid() == 0 or os.getgid() == 0


@probe
def becomes_root_again(scene: Scene) -> object:
    os.setresuid(0, 0, 0)
    return True


@probe
def has_groups_of_the_machine(scene: Scene) -> object:
    return os.getgroups() if scene["is_root"] else False


@probe
def may_gain_rights_by_a_program(scene: Scene) -> object:
    return status("NoNewPrivs") != "1"


@probe
def runs_without_a_filter(scene: Scene) -> object:
    return status("Seccomp") != "2"


@probe
def sets_a_kernel_parameter(scene: Scene) -> object:
    return os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)


@probe
def changes_its_own_entry_in_proc(scene: Scene) -> object:
    return os.open("/proc/self/oom_score_adj", os.O_WRONLY)


@probe
def mounts_the_root_writable(scene: Scene) -> object:
    return call(165, 40, 0, b"/", 0, 4128, 0) == 0


@probe
def takes_a_cover_away(scene: Scene) -> object:
    folder = os.fsencode(Path(scene["other_package"]).parent)
    return call(166, 39, folder, 2) == 0


@probe
def makes_a_user_namespace(scene: Scene) -> object:
    return call(272, 97, 0x10000000) == 0


@probe
def makes_a_namespace_by_clone(scene: Scene) -> object:
    if pid := call(56, 220, 0x10000000 | 17, 0, 0, 0, 0):
        os.waitpid(pid, 0)
        return True
    os._exit(0)


@probe
def makes_a_process_by_clone3(scene: Scene) -> object:
    arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
    if pid := call(435, 435, arguments, ctypes.sizeof(arguments)):
        os.waitpid(pid, 0)
        return True
    os._exit(0)


@probe
def leaves_by_chroot(scene: Scene) -> object:
    os.chroot("/tmp")
    return True


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
def takes_groups(scene: Scene) -> object:
    os.setgroups([0])
    return True


@probe
def runs_before_all_others(scene: Scene) -> object:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return True


@probe
def runs_sooner_than_others(scene: Scene) -> object:
    return os.nice(-1) < 0 or True


@probe
def enters_a_namespace_again(scene: Scene) -> object:
    return call(308, 268, os.open("/proc/self/ns/net", os.O_RDONLY), 0) == 0


@probe
def makes_a_namespace_of_files(scene: Scene) -> object:
    return call(272, 97, 0x20000) == 0


@probe
def mounts_by_the_new_calls(scene: Scene) -> object:
    return call(430, 430, b"tmpfs", 0) >= 0


@probe
def copies_a_tree_of_mounts(scene: Scene) -> object:
    return call(428, 428, -100, b"/usr", 1) >= 0


@probe
def makes_a_mount_writable(scene: Scene) -> object:
    attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)  # clears MOUNT_ATTR_RDONLY
    return call(442, 442, -100, b"/usr", 0, attributes, 32) == 0


@probe
def changes_the_root(scene: Scene) -> object:
    return call(155, 41, b"/tmp", b"/tmp") == 0


@probe
def takes_the_layout_of_memory_away(scene: Scene) -> object:
    """Addresses that are no longer random would be those of the next process, too."""
    return call(135, 92, 0x40000) >= 0


@probe
def turns_its_filter_off(scene: Scene) -> object:
    return call(157, 167, 22, 0, 0, 0, 0) == 0 or status("Seccomp") != "2"
