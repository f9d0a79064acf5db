"""Attempts to get through a wall of the sandbox, made from inside.

The input is a line of JSON: paths and addresses outside. Prints, as JSON, what each probe achieved,
or "" where a wall has held. It imports the standard library only.
"""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Scene = dict[str, Any]
PROBES: dict[str, Callable[[Scene], object]] = {}

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_IS_ARM = os.uname().machine == "aarch64"
_PAGE = 4096
_C_LIBRARY = os.__file__.encode()  # a file that every sandbox sees


def probe(function: Callable[[Scene], object]) -> Callable[[Scene], object]:
    """Add a probe, whose result is false, or which raises an exception, where the wall holds."""
    PROBES[function.__name__] = function
    return function


def call(x86_64: int, aarch64: int, *arguments: Any) -> int:
    """Make a system call. Raises OSError."""
    result: int = _LIBC.syscall(aarch64 if _IS_ARM else x86_64, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def status(key: str) -> str:
    return Path("/proc/self/status").read_text().split(f"{key}:\t")[1].split("\n")[0]


# --- Files ----------------------------------------------------------------------------------------


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


# --- Rights ---------------------------------------------------------------------------------------


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
    return call(303, 264, -100, _C_LIBRARY, handle, ctypes.byref(mount), 0) == 0


# --- Networks -------------------------------------------------------------------------------------


def _connects(family: int, address: Any) -> object:
    with socket.socket(family) as connection:
        connection.connect(address)
    return True


@probe
def connects_to_a_socket_file(scene: Scene) -> object:
    return _connects(socket.AF_UNIX, scene["socket"])


@probe
def connects_to_an_abstract_socket(scene: Scene) -> object:
    return _connects(socket.AF_UNIX, f"\0{scene['abstract']}")


@probe
def connects_by_tcp(scene: Scene) -> object:
    return _connects(socket.AF_INET, ("127.0.0.1", scene["port"]))


@probe
def sees_network_devices(scene: Scene) -> object:
    lines = Path("/proc/net/dev").read_text().splitlines()[2:]
    return [line for line in lines if line.split(":")[0].strip() != "lo"]


@probe
def opens_a_socket_of_the_hypervisor(scene: Scene) -> object:
    return socket.socket(40, socket.SOCK_STREAM)


@probe
def opens_a_netlink_socket(scene: Scene) -> object:
    return socket.socket(16, socket.SOCK_RAW, 0)


@probe
def opens_a_packet_socket(scene: Scene) -> object:
    return socket.socket(17, socket.SOCK_RAW, 0)


@probe
def opens_a_socket_of_the_kernels_ciphers(scene: Scene) -> object:
    return socket.socket(38, socket.SOCK_SEQPACKET, 0)


@probe
def writes_into_a_fifo(scene: Scene) -> object:
    return os.open(scene["fifo"], os.O_WRONLY | os.O_NONBLOCK)


# --- What outlives a process, and is seen by others -----------------------------------------------


@probe
def keeps_a_key_for_the_session(scene: Scene) -> object:
    return call(248, 217, b"user", b"arena-probe", b"seen", 4, -3)


@probe
def keeps_a_key_for_the_user(scene: Scene) -> object:
    return call(248, 217, b"user", b"arena-probe", b"seen", 4, -4)


@probe
def locks_a_file(scene: Scene) -> object:
    fcntl.flock(os.open(_C_LIBRARY, os.O_RDONLY), fcntl.LOCK_SH)
    return True


@probe
def locks_a_byte(scene: Scene) -> object:
    fcntl.lockf(os.open(_C_LIBRARY, os.O_RDONLY), fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 77)
    return True


@probe
def locks_a_byte_of_an_open_file(scene: Scene) -> object:
    lock = bytearray(64)
    fcntl.fcntl(os.open(_C_LIBRARY, os.O_RDONLY), 36, bytes(lock))
    return True


@probe
def leases_a_file(scene: Scene) -> object:
    return fcntl.fcntl(os.open(_C_LIBRARY, os.O_RDONLY), 1025) >= 0


@probe
def gives_a_file_a_hint(scene: Scene) -> object:
    """Its owner may, and that is this user for what a user without root has installed."""
    with Path("/tmp/hinted").open("wb") as file:
        fcntl.fcntl(file, 1036, bytes((ctypes.c_uint64 * 1)(3)))
    return True


@probe
def watches_a_file(scene: Scene) -> object:
    return call(254, 27, call(294, 26, 0), _C_LIBRARY, 0x20)


@probe
def asks_what_others_have_read(scene: Scene) -> object:
    with open(_C_LIBRARY, "rb") as file:
        block = mmap.mmap(file.fileno(), _PAGE, access=mmap.ACCESS_COPY)
    address = ctypes.addressof(ctypes.c_char.from_buffer(block))
    resident = (ctypes.c_ubyte * 1)()
    return call(27, 232, ctypes.c_void_p(address), ctypes.c_size_t(_PAGE), resident) == 0


@probe
def reads_only_what_is_cached(scene: Scene) -> object:
    file = os.open(_C_LIBRARY, os.O_RDONLY)
    return os.preadv(file, [bytearray(1)], 0, getattr(os, "RWF_NOWAIT", 8)) == 1


@probe
def drops_a_file_from_the_cache(scene: Scene) -> object:
    os.posix_fadvise(os.open(_C_LIBRARY, os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)
    return True


@probe
def changes_times_of_a_file(scene: Scene) -> object:
    os.utime(_C_LIBRARY, (1, 1))
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


# --- Memory and processes -------------------------------------------------------------------------


def _holds(size: int) -> bool:
    block = mmap.mmap(-1, size)
    for offset in range(0, size, _PAGE):
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


# --- The kernel -----------------------------------------------------------------------------------


@probe
def reads_the_kernels_log(scene: Scene) -> object:
    return call(103, 116, 3, ctypes.create_string_buffer(99), 99) >= 0


@probe
def sets_up_io_uring(scene: Scene) -> object:
    return call(425, 425, 4, ctypes.create_string_buffer(120))


@probe
def loads_a_bpf_program(scene: Scene) -> object:
    return call(321, 280, 0, ctypes.create_string_buffer(72), 72)


@probe
def opens_performance_counters(scene: Scene) -> object:
    attributes = ctypes.create_string_buffer(bytes(4) + (128).to_bytes(4, sys.byteorder), 128)
    return call(298, 241, attributes, 0, -1, -1, 0)


@probe
def handles_its_page_faults(scene: Scene) -> object:
    return call(323, 282, 1)


@probe
def uses_calls_of_another_architecture(scene: Scene) -> object:
    return call(0x40000000 + 39, 0x40000000 + 39)  # getpid of x32


@probe
def sets_the_clock(scene: Scene) -> object:
    return call(227, 112, 0, (ctypes.c_long * 2)(int(time.time()), 0)) == 0


@probe
def renames_the_machine(scene: Scene) -> object:
    socket.sethostname("mine")
    return True


@probe
def sees_the_machines_name(scene: Scene) -> object:
    return os.uname().nodename == scene["machine"]


def results(scene: Scene, names: list[str]) -> dict[str, str]:
    """What each probe achieved; "" where a wall has held."""
    achieved = {}
    for name in names or [*PROBES]:
        try:
            outcome = PROBES[name](scene)
            achieved[name] = repr(outcome)[:200] if outcome else ""
        except (OSError, MemoryError, RuntimeError, ValueError, AttributeError):
            achieved[name] = ""
    return achieved


if __name__ == "__main__":
    given = json.loads(sys.stdin.readline())
    names = given["probes"]
    sys.stdout.write(json.dumps(results(given, names)) + "\n")
