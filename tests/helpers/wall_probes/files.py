"""Attempts on files: what a bot could read, write or fill."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from .attempts import C_LIBRARY, PROBES, Scene, probe


def _reads(key: str) -> Callable[[Scene], object]:
    return lambda scene: Path(scene[key]).read_bytes()


for _key in (
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
):
    PROBES[f"reads_{_key}"] = _reads(_key)


@probe
def lists_a_covered_package(scene: Scene) -> object:
    return os.listdir(Path(scene["other_package"]).parent)


@probe
def reads_a_covered_folder_by_another_path(scene: Scene) -> object:
    return os.listdir(scene["link_to_results"])


@probe
def reads_accounts(scene: Scene) -> object:
    return Path("/etc/passwd").read_text()


@probe
def reads_host_keys(scene: Scene) -> object:
    return os.listdir("/etc/ssl/private") or os.listdir("/etc/ssh")


@probe
def sees_run(scene: Scene) -> object:
    return os.listdir("/run")


@probe
def sees_var(scene: Scene) -> object:
    return os.listdir("/var")


@probe
def sees_home_folders(scene: Scene) -> object:
    return os.listdir("/home")


@probe
def sees_devices_of_the_machine(scene: Scene) -> object:
    usual = {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr"}
    return set(os.listdir("/dev")) - usual - {"stdin", "stdout", "tty", "urandom", "zero"}


@probe
def sees_the_kernel_in_sys(scene: Scene) -> object:
    return os.listdir("/sys")


@probe
def follows_the_root_of_its_parent(scene: Scene) -> object:
    return os.listdir(f"/proc/{os.getppid()}/root/")


@probe
def follows_its_parents_files(scene: Scene) -> object:
    return os.listdir(f"/proc/{os.getppid()}/fd")


@probe
def has_files_of_the_arena_open(scene: Scene) -> object:
    links = (os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd"))
    usual = ("/proc/", "/dev/null", "pipe:", "socket:")
    return [link for link in links if not link.removeprefix("/proc/self/fd/").startswith(usual)]


@probe
def writes_outside_its_scratch_folders(scene: Scene) -> object:
    written = []
    scratch = ("/proc", "/tmp", "/dev/shm", "/dev/pts")
    for folder, folders, _ in os.walk("/"):
        depth = folder.count("/")
        inner = (name for name in folders if os.path.join(folder, name) not in scratch)
        folders[:] = inner if depth < 5 else []
        try:
            os.close(os.open(f"{folder}/mark", os.O_CREAT | os.O_WRONLY))
            written.append(folder)
        except OSError:
            continue
    return written


@probe
def changes_its_own_text(scene: Scene) -> object:
    path = Path(scene["own_text"])
    path.chmod(0o644)
    return path.write_text("changed") or True


@probe
def writes_to_what_it_needs(scene: Scene) -> object:
    return Path(scene["needed_file"]).write_text("changed") or True


def _fills(folder: str, size: int) -> object:
    block, paths = b"x" * (1 << 20), []
    try:
        for number in range(3 * size >> 20):
            paths.append(Path(folder, f"fill{number}"))
            paths[-1].write_bytes(block)
    except OSError:
        return False
    finally:
        for path in paths:
            path.unlink(missing_ok=True)
    return True


@probe
def fills_tmp(scene: Scene) -> object:
    return _fills("/tmp", scene["scratch"])


@probe
def fills_shared_memory(scene: Scene) -> object:
    return _fills("/dev/shm", scene["scratch"])


@probe
def fills_a_covering_folder(scene: Scene) -> object:
    return Path(scene["other_package"]).write_text("mine") or True


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
def finds_what_is_in_the_folder_where_it_starts(scene: Scene) -> object:
    return os.listdir(".")


@probe
def follows_a_link_of_its_own(scene: Scene) -> object:
    os.symlink(scene["home_file"], "/tmp/link")
    return Path("/tmp/link").read_bytes()


@probe
def follows_an_open_folder(scene: Scene) -> object:
    """A file of a folder outside would lead to all that is beside it."""
    return [name for name in os.listdir("/proc/self/fd") if os.path.isdir(f"/proc/self/fd/{name}/")]


@probe
def takes_a_file_by_a_hard_link(scene: Scene) -> object:
    os.link(C_LIBRARY, "/tmp/mine")
    return True


@probe
def makes_a_device(scene: Scene) -> object:
    os.mknod("/tmp/memory", 0o20666, os.makedev(1, 1))
    return True


@probe
def opens_a_device_of_the_machine(scene: Scene) -> object:
    names = ("fuse", "hwrng", "kmem", "kmsg", "kvm", "loop0", "mem", "port", "sda", "tty0", "vda")
    return [name for name in names if os.path.exists(f"/dev/{name}")]


@probe
def reads_the_memory_of_the_machine(scene: Scene) -> object:
    return os.open("/proc/kcore", os.O_RDONLY)


@probe
def plants_a_module_for_all_programs(scene: Scene) -> object:
    """In a folder of packages a `.pth` file or a `sitecustomize` runs at each start of Python."""
    planted = []
    folders = {os.path.dirname(C_LIBRARY.decode()), *sys.path}
    for folder in (each for each in folders if not each.startswith("/tmp")):  # its own
        for name in ("sitecustomize.py", "usercustomize.py", "arena.pth", "conftest.py"):
            try:
                os.close(os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY))
                planted.append(f"{folder}/{name}")
            except OSError:
                continue
    return planted


@probe
def plants_bytecode(scene: Scene) -> object:
    folder = os.path.join(os.path.dirname(C_LIBRARY.decode()), "__pycache__")
    return os.open(f"{folder}/planted.cpython-311.pyc", os.O_CREAT | os.O_WRONLY)


def _stored_code() -> list[str]:
    """The compiled code of games; the folder around it is a temporary one."""
    root = "/tmp/arena-cache"
    shown = [f"{root}/{name}" for name in os.listdir(root)]
    return [folder for folder, _, _ in (each for path in shown for each in os.walk(path))]


@probe
def plants_machine_code(scene: Scene) -> object:
    planted = []
    for folder in _stored_code():
        try:
            os.close(os.open(f"{folder}/planted.o", os.O_CREAT | os.O_WRONLY))
            planted.append(folder)
        except OSError:
            continue
    return planted


@probe
def changes_machine_code(scene: Scene) -> object:
    opened = []
    for folder in _stored_code():
        for name in os.listdir(folder):
            try:
                os.close(os.open(f"{folder}/{name}", os.O_WRONLY))
                opened.append(name)
            except OSError:
                continue
    return opened


@probe
def puts_another_folder_in_the_place_of_its_own(scene: Scene) -> object:
    os.rename("/bot", "/tmp/bot")
    return True


@probe
def asks_the_kernel_to_act(scene: Scene) -> object:
    return os.open("/proc/sysrq-trigger", os.O_WRONLY)
