"""The walls around a process that runs foreign code: bubblewrap, a filter of system calls, limits.

The process has no network, sees no other process, has no rights, and leaves no marks that another
one could read. It sees a list of paths, read-only, and writes only in a temporary folder.
"""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from shutil import which

import msgspec

from cantstop_arena.processes import sandbox_init
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.seccomp import is_supported, seccomp_filter
from cantstop_arena.texts import in_a_line

TEXTS = Path("/bot")
"""The folder in the sandbox that holds the texts of a view."""
STORED_CODE = Path("/tmp/arena-cache")
"""The folder in the sandbox for compiled code."""
SCRATCH_FOLDERS = ("/tmp", "/dev/shm")
"""The folders in the sandbox that can be written, empty at first."""

_MIN_VERSION = (0, 7, 0)  # of bubblewrap: the first with --size
_TRIAL_SECONDS = 20.0  # a busy machine
_MAX_REASON_LENGTH = 300
_SYSTEM_FOLDERS = tuple(
    map(
        Path,
        (
            *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
            *("/nix/store", "/gnu/store"),
        ),
    )
)
_FILES_OF_ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime")
_SPARE_UIDS = range(1_879_048_192, 2_147_352_576)  # nobody's, by systemd's table of user ids
_RIGHTS_TO_LEAVE = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")  # which root leaves in sandbox_init
_WALLS = (
    *("--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"),
    *("--cap-drop", "ALL"),
)
_FIRST_PROCESS = Path("/proc/1")  # bubblewrap's, without limits: it could be read and changed
_TERMINALS = Path("/dev/pts")  # of which the machine has some thousands for all
_CPUINFO = Path("/proc/cpuinfo")
_COVERED_FILES = (Path("/proc/keys"), Path("/proc/key-users"))  # of all sandboxes of a user
_COVER_BYTES = "4096"  # the size of the empty folder over a covered one


class SandboxView(msgspec.Struct, frozen=True):
    """What a process sees besides the system, read-only.

    `visible` are files and folders, `texts` files given by content, by their path below TEXTS.
    What is `covered` is not seen, even in a visible folder, where it is empty. `stored_code` are
    folders by their path below STORED_CODE. `folder` is where the process starts; it need not be
    visible. There is no /proc unless it `has_proc`, for programs: by pagemap, smaps and the counts
    of faults it tells which pages of files the machine has in memory, so what others have read.
    """

    visible: tuple[Path, ...] = ()
    texts: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    covered: tuple[Path, ...] = ()
    stored_code: Mapping[str, Path] = msgspec.field(default_factory=dict)
    folder: Path = Path("/tmp")
    has_proc: bool = False


class NoSandbox(Exception):
    """There is no sandbox on this machine; the message is the reason, one printable line."""


class Sandbox:
    """The program that puts up the walls, at this path, which works here."""

    def __init__(self, program: str) -> None:
        self._program = program

    @classmethod
    def here(cls) -> "Sandbox":
        """The sandbox of this machine. Raises NoSandbox; the first call tries it out."""
        sandbox = _trial(which("bwrap"))
        if isinstance(sandbox, str):
            raise NoSandbox(sandbox)
        return sandbox

    def command(
        self,
        argv: Sequence[str],
        view: SandboxView,
        limits: ChildLimits,
        environment: Mapping[str, str],
    ) -> tuple[tuple[str, ...], list[int]]:
        """A command inside the walls, and the descriptors to pass to it and to close afterwards.

        Start it with an empty environment: `environment` holds inside. Raises OSError.
        """
        data = _PassedData()
        try:
            options = [
                *_walls(),
                *("--seccomp", data.descriptor(_filter(limits.processes > 0))),
                *_mounts(view, limits, data),
                *("--chdir", str(view.folder)),
                *_variables(environment),
            ]
            # A command line could be read by the processes inside.
            arguments = data.descriptor(b"".join(os.fsencode(word) + b"\0" for word in options))
        except BaseException:
            data.close()
            raise
        first = (sys.executable, "-I", "-S", str(_first_program()), _settings(limits))
        return (self._program, "--args", arguments, "--", *first, *argv), data.descriptors


class _PassedData:
    """Texts for bubblewrap in memory, each in a descriptor that it reads."""

    def __init__(self) -> None:
        self.descriptors: list[int] = []

    def descriptor(self, content: bytes) -> str:
        """The number of a new descriptor from which the content is read."""
        file = os.memfd_create("data")
        self.descriptors.append(file)
        with os.fdopen(file, "wb", closefd=False) as stream:
            stream.write(content)
        os.lseek(file, 0, os.SEEK_SET)
        return str(file)

    def close(self) -> None:
        """Close all of them."""
        for descriptor in self.descriptors:
            os.close(descriptor)


# --- Whether it works here ------------------------------------------------------------------------


@cache
def _trial(program: str | None) -> "Sandbox | str":
    """The sandbox by this program, or why there is none: the same walls around nothing."""
    if sys.platform != "linux":
        return "bubblewrap works on Linux only"
    if not is_supported(platform.machine()):
        return f"it has no filter of system calls for {platform.machine()}"
    if program is None:
        return "bubblewrap (bwrap) is not installed"
    sandbox = Sandbox(program)
    try:
        if reason := _version_fault(_output([program, "--version"])):
            return reason
        argv, descriptors = sandbox.command((), python_view(()), ChildLimits(), {})
        try:
            _output(argv, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
    except subprocess.TimeoutExpired:
        return f"bubblewrap does not work here: it takes more than {_TRIAL_SECONDS:g} s"
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines()
        line = in_a_line(lines[0], _MAX_REASON_LENGTH) if lines else f"exit code {error.returncode}"
        return f"bubblewrap does not work here: {line}"
    except OSError as error:
        return f"bubblewrap does not work here: {error.strerror}"
    return sandbox


def _output(argv: Sequence[str], descriptors: Sequence[int] = ()) -> str:
    result = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={},
        pass_fds=descriptors,
        timeout=_TRIAL_SECONDS,
        check=True,
    )
    return result.stdout.decode(errors="replace")


def _version_fault(text: str) -> str:
    """Why this version of bubblewrap does not do, from what it prints; empty if it does."""
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    if match is None or tuple(map(int, match.groups())) >= _MIN_VERSION:
        return ""
    needed = ".".join(map(str, _MIN_VERSION))
    return f"bubblewrap {match[0]} is too old; {needed} or newer is needed"


# --- Options of bubblewrap ------------------------------------------------------------------------


def _walls() -> Iterator[str]:
    yield from _WALLS
    if os.getuid() == 0:
        for right in _RIGHTS_TO_LEAVE:
            yield from ("--cap-add", right)
    else:
        yield "--unshare-user"


@cache
def _filter(has_processes: bool) -> bytes:
    return seccomp_filter(has_processes, platform.machine())


def _settings(limits: ChildLimits) -> str:
    """The argument of the first program: the user that it becomes, and its limits."""
    uid = _SPARE_UIDS[int.from_bytes(os.urandom(8)) % len(_SPARE_UIDS)]
    return json.dumps({"uid": uid, "limits": limits.by_resource()})


def _first_program() -> Path:
    return Path(sandbox_init.__file__)


def _mounts(view: SandboxView, limits: ChildLimits, data: _PassedData) -> Iterator[str]:
    """Options that build the file system, in which only the temporary folders can be written."""
    yield from ("--perms", "0755", "--dir", "/etc")
    for name in _FILES_OF_ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    if view.has_proc:
        yield from ("--proc", "/proc")
        yield from _empty_folder_options(_FIRST_PROCESS)
        for file in filter(_exists, _COVERED_FILES):
            yield from _covering_options(file)
    else:
        cpuinfo = data.descriptor(_cpuinfo())
        yield from ("--perms", "0444", "--ro-bind-data", cpuinfo, str(_CPUINFO))
    yield from ("--dev", "/dev", *_empty_folder_options(_TERMINALS))
    for scratch in SCRATCH_FOLDERS:
        yield from ("--size", str(limits.scratch), "--tmpfs", scratch, "--chmod", "1777", scratch)
    folders = {Path("/etc"), *map(Path, SCRATCH_FOLDERS)}
    sealed: list[str] = []
    for link in _system_links():
        yield from ("--symlink", str(link.readlink()), str(link))
    for path, is_covered in _nested(view):
        if is_covered:
            yield from _covering_options(path)
            sealed += [str(path)] * path.is_dir()
        else:
            yield from _parent_options(path, folders)
            yield from ("--ro-bind", str(path), str(path))
    yield from ("--perms", "0755", "--dir", str(TEXTS))
    for name, text in view.texts.items():
        yield from _parent_options(TEXTS / name, folders)
        yield from ("--perms", "0444", "--ro-bind-data", data.descriptor(text), str(TEXTS / name))
    yield from ("--dir", str(STORED_CODE), "--chmod", "1777", str(STORED_CODE))
    for name, folder in view.stored_code.items():
        yield from ("--ro-bind", str(folder), str(STORED_CODE / name))
    yield from _parent_options(view.folder / "file", folders)
    sealed += [str(_FIRST_PROCESS), "/proc"] * view.has_proc
    for sealed_path in (*sealed, str(_TERMINALS), "/dev", "/"):
        yield from ("--remount-ro", sealed_path)


def _cpuinfo() -> bytes:
    """What Linux says of the processor, by which compiled code is found; without its clock."""
    try:
        lines = _CPUINFO.read_bytes().splitlines(keepends=True)
    except OSError:
        return b""
    return b"".join(line for line in lines if not line.startswith(b"cpu MHz"))


def _system_links() -> list[Path]:
    return [folder for folder in _SYSTEM_FOLDERS if folder.is_symlink()]


def _nested(view: SandboxView) -> list[tuple[Path, bool]]:
    """The paths to show (False) and to cover (True), folders before what is in them.

    Paths that are seen, or not seen, as a part of a folder are left out.
    """
    folders = [path for path in _SYSTEM_FOLDERS if path.is_dir() and not path.is_symlink()]
    links = _system_links()
    visible = {path for path in view.visible if _exists(path) and not _is_below(path, links)}
    visible.update(folders)
    # Folders can be reached by several paths, as links lead to them.
    covered = {
        path / os.path.relpath(cover, real_path)
        for path in visible
        for real_path in (path.resolve(),)
        for cover in {cover.resolve() for cover in view.covered}
        if cover.is_relative_to(real_path) and _exists(cover)
    }
    marks = dict.fromkeys(visible, False) | {Path(os.path.normpath(path)): True for path in covered}
    changes = []
    for path in sorted(marks, key=lambda path: path.parts):
        nearest = next((marks[parent] for parent in path.parents if parent in marks), True)
        if marks[path] != nearest:
            changes.append((path, marks[path]))
    return changes


def _exists(path: Path) -> bool:
    """Whether a path exists, and this user may see it."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises PermissionError


def _is_below(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _covering_options(path: Path) -> tuple[str, ...]:
    if path.is_dir():
        return _empty_folder_options(path)
    return ("--ro-bind", os.devnull, str(path))


def _empty_folder_options(path: Path) -> tuple[str, ...]:
    return ("--perms", "0755", "--size", _COVER_BYTES, "--tmpfs", str(path))


def _parent_options(path: Path, folders: set[Path]) -> Iterator[str]:
    """Options that create the folders above a path, which bubblewrap would close to other users."""
    for parent in reversed(path.parents[:-1]):
        if parent not in folders:
            folders.add(parent)
            yield from ("--perms", "0755", "--dir", str(parent))


def _variables(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        yield from ("--setenv", name, value)


# --- What Python needs ----------------------------------------------------------------------------


def python_view(packages: Iterable[str]) -> SandboxView:
    """The view of Python itself, the folders of installed packages, and these packages.

    Other folders of `sys.path`, in which anything may lie, are not shown as a whole.
    """
    folders = [folder for folder in map(Path, sys.path) if folder.is_absolute()]
    installed = [folder for folder in folders if next(folder.glob("*.dist-info"), None)]
    prefixes = [Path(prefix) for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix)]
    programs = [Path(sys.executable), _first_program()]
    package_paths = [path for name in packages for path in _package_paths(name)]
    paths = (*prefixes, *programs, *installed, *package_paths)
    return SandboxView(tuple(dict.fromkeys(each for path in paths for each in _names(path))))


def _names(path: Path) -> tuple[Path, Path]:
    """A path, and where the links on it lead."""
    return path.absolute(), path.resolve()


def _package_paths(name: str) -> list[Path]:
    """The folders or the file of a top-level package, which is not imported."""
    from importlib.util import find_spec

    try:
        spec = find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return []
    if spec is None:
        return []
    locations = spec.submodule_search_locations
    paths = [spec.origin] if locations is None else [*locations]
    return [Path(path) for path in paths if path]
