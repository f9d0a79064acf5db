"""Attempts on files: what a bot could read, write or fill."""

import os
import sys
from pathlib import Path

from .attempts import (
    C_LIBRARY,
    PARENT,
    PROBES,
    Probe,
    Scene,
    created,
    is_done,
    is_listed,
    is_opened,
    probe,
)

_PACKAGES = os.path.dirname(C_LIBRARY.decode())
_DEVICES = {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr"}
_DEVICES |= {"stdin", "stdout", "tty", "urandom", "zero"}
_MORE_DEVICES = {"fuse", "hwrng", "kmem", "kmsg", "kvm", "loop0", "mem", "port", "sda"}
_MORE_DEVICES |= {"tty0", "vda"}
_READ = (
    "home_file",
    "other_bot",
    "ledger",
    "tournament_file",
    "other_results",
    "results_in_visible_folder",
    "other_package",
    "other_module",
    "bytecode_of_other_module",
    "editable_bot",
    "unneeded_file",
)


def _reads(key: str) -> Probe:
    return lambda scene: Path(scene[key]).read_bytes()


def _writes(key: str) -> Probe:
    return lambda scene: Path(scene[key]).write_text("changed") or True


def _fills(folder: str) -> Probe:
    def fill(scene: Scene) -> object:
        block, paths = b"x" * (1 << 20), []
        try:
            for number in range(3 * scene["scratch"] >> 20):
                paths.append(Path(folder, f"fill{number}"))
                paths[-1].write_bytes(block)
        except OSError:
            return False
        finally:
            for path in paths:
                path.unlink(missing_ok=True)
        return True

    return fill


PROBES |= {f"reads_{key}": _reads(key) for key in _READ} | {
    "lists_a_covered_package": lambda scene: os.listdir(os.path.dirname(scene["other_package"])),
    "reads_a_covered_folder_by_another_path": lambda scene: os.listdir(scene["link_to_results"]),
    "reads_accounts": lambda scene: Path("/etc/passwd").read_text(),
    "reads_host_keys": lambda scene: os.listdir("/etc/ssl/private") or os.listdir("/etc/ssh"),
    "sees_run": is_listed("/run"),
    "sees_var": is_listed("/var"),
    "sees_home_folders": is_listed("/home"),
    "sees_devices_of_the_machine": lambda scene: set(os.listdir("/dev")) - _DEVICES,
    "sees_the_kernel_in_sys": is_listed("/sys"),
    "follows_the_root_of_its_parent": is_listed(f"/proc/{PARENT}/root/"),
    "follows_its_parents_files": is_listed(f"/proc/{PARENT}/fd"),
    "writes_to_what_it_needs": _writes("needed_file"),
    "fills_tmp": _fills("/tmp"),
    "fills_shared_memory": _fills("/dev/shm"),
    "fills_a_covering_folder": _writes("other_package"),
    "finds_what_is_in_the_folder_where_it_starts": is_listed("."),
    "takes_a_file_by_a_hard_link": is_done(os.link, C_LIBRARY, "/tmp/mine"),
    "makes_a_device": is_done(os.mknod, "/tmp/memory", 0o20666, os.makedev(1, 1)),
    "opens_a_device_of_the_machine": lambda scene: [
        name for name in _MORE_DEVICES if os.path.exists(f"/dev/{name}")
    ],
    "reads_the_memory_of_the_machine": is_opened("/proc/kcore"),
    "plants_bytecode": lambda scene: created(
        [f"{_PACKAGES}/__pycache__"], "planted.cpython-311.pyc"
    ),
    "plants_machine_code": lambda scene: created(_stored_code(), "planted.o"),
    "puts_another_folder_in_the_place_of_its_own": is_done(os.rename, "/bot", "/tmp/bot"),
    "asks_the_kernel_to_act": is_opened("/proc/sysrq-trigger", os.O_WRONLY),
}


@probe
def has_files_of_the_arena_open(scene: Scene) -> object:
    links = (os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd"))
    usual = ("/proc/", "/dev/null", "pipe:", "socket:")
    return [link for link in links if not link.removeprefix("/proc/self/fd/").startswith(usual)]


@probe
def writes_outside_its_scratch_folders(scene: Scene) -> object:
    visited = []
    scratch = ("/proc", "/tmp", "/dev/shm", "/dev/pts")
    for folder, folders, _ in os.walk("/"):
        inner = (name for name in folders if os.path.join(folder, name) not in scratch)
        folders[:] = inner if folder.count("/") < 5 else []
        visited.append(folder)
    return created(visited, "mark")


@probe
def changes_its_own_text(scene: Scene) -> object:
    path = Path(scene["own_text"])
    path.chmod(0o644)
    return path.write_text("changed") or True


@probe
def writes_a_huge_file(scene: Scene) -> object:
    with Path("/tmp/huge").open("wb") as file:
        file.truncate(1 << 33)
    return True


@probe
def opens_a_thousand_files(scene: Scene) -> object:
    files: list[int] = []
    try:
        for _ in range(1000):
            files.append(os.open("/dev/null", os.O_RDONLY))
        return True
    finally:
        for file in files:
            os.close(file)


@probe
def follows_a_link_of_its_own(scene: Scene) -> object:
    os.symlink(scene["home_file"], "/tmp/link")
    return Path("/tmp/link").read_bytes()


@probe
def follows_an_open_folder(scene: Scene) -> object:
    """A file of a folder outside would lead to all that is beside it."""
    return [name for name in os.listdir("/proc/self/fd") if os.path.isdir(f"/proc/self/fd/{name}/")]


@probe
def plants_a_module_for_all_programs(scene: Scene) -> object:
    """In a folder of packages a `.pth` file or a `sitecustomize` runs at each start of Python."""
    folders = [each for each in {_PACKAGES, *sys.path} if not each.startswith("/tmp")]  # its own
    return created(folders, "sitecustomize.py", "usercustomize.py", "arena.pth", "conftest.py")


def _stored_code() -> list[str]:
    """The compiled code of games; the folder around it is a temporary one."""
    root = "/tmp/arena-cache"
    shown = [f"{root}/{name}" for name in os.listdir(root)]
    return [folder for folder, _, _ in (each for path in shown for each in os.walk(path))]


@probe
def changes_machine_code(scene: Scene) -> object:
    opened = []
    for path in (Path(folder, name) for folder in _stored_code() for name in os.listdir(folder)):
        try:
            os.close(os.open(path, os.O_WRONLY))
            opened.append(path)
        except OSError:
            continue
    return opened
