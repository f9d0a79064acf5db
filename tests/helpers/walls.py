"""A bot between the walls that makes all attempts of `wall_probes`: `python -m helpers.walls`.

It runs in a folder of the caller's. Prints, as JSON, what each probe achieved; "" where it failed.
"""

import json
import os
import shutil
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.bot_sandbox import start_here
from cantstop_arena.bots.bot_start import BotStart, Isolation
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.bots.origins import Origin
from cantstop_arena.processes.channel import Connection
from cantstop_arena.processes.child import Child, ChildFailed
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.child_start import start_command
from cantstop_arena.processes.json_lines import line_of, object_in
from cantstop_arena.processes.sandbox import TEXTS, SandboxView
from helpers import wall_probes
from helpers.game_packages import described

MEMORY, SCRATCH = 400 << 20, 8 << 20
MAX_FILES = 3000
PRINTED = "printed by an earlier process"
_LEAVES = f"""
import os
os.write(2, b"{PRINTED}\\n")
for folder in ("/tmp", "/dev/shm"):
    open(f"{{folder}}/left", "w").close()
print("{{}}", flush=True)
input()
"""
_KEEPS_FILES = f"""
import sys
print("{{}}", flush=True)
input()
for number in range({4 * MAX_FILES}):
    open(f"/tmp/{{number}}", "w").close()
print("{{}}", flush=True)
input()
print("{{}}", flush=True)
"""
_PROBES = f"import sys; sys.path.insert(0, {str(TEXTS)!r}); import wall_probes; wall_probes.main()"
_OTHER_BOT = "def choose_move(turn, moves): return 0\n"


def scene_in(folder: Path) -> wall_probes.Scene:
    """What an attacker looks for, in a folder; sockets stay open."""
    paths = {
        "home_file": "home/.ssh/id_rsa",
        "other_bot": "lab/bots/other.py",
        "ledger": "lab/results/cup/ledger.sqlite",
        "tournament_file": "lab/cup.yaml",
        "other_results": "lab/results/old/summary.json",
        "results_in_visible_folder": "site/results/cup/ledger.sqlite",
        "other_package": "site/rival_bot/__init__.py",
        "other_module": "site/lone_bot.py",
        "bytecode_of_other_module": "site/__pycache__/lone_bot.cpython-311.pyc",
        "editable_bot": "source/editable_bot/__init__.py",
        "needed_file": "data/needed/weights.txt",
        "unneeded_file": "data/other/weights.txt",
    }
    scene: wall_probes.Scene = {name: str(folder / path) for name, path in paths.items()}
    for path in paths.values():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(_OTHER_BOT)
    described(folder / "site", "rival", "[cantstop_arena]\nrival = rival_bot\n")
    described(folder / "site", "lone", "[cantstop_arena]\nlone = lone_bot\n")
    described(folder / "site", "edited", "[cantstop_arena]\nedited = editable_bot\n")
    record = '{"url": "file:///", "dir_info": {"editable": true}}'
    (folder / "site/edited-1.0.dist-info/direct_url.json").write_text(record)
    (folder / "way").symlink_to("site")
    sys.path += [str(folder / "site"), str(folder / "way"), str(folder / "source")]
    scene |= {"link_to_results": str(folder / "way/results"), "folder": str(folder)}
    scene |= {"socket": str(folder / "socket"), "fifo": str(folder / "fifo")}
    scene |= {"abstract": f"arena{os.getpid()}", "machine": os.uname().nodename}
    scene |= {"is_root": os.getuid() == 0, "own_text": str(TEXTS / "wall_probes/__init__.py")}
    scene |= {"memory": MEMORY, "scratch": SCRATCH, "printed": PRINTED}
    return scene | {"port": _listen(scene)}


def _listen(scene: wall_probes.Scene) -> int:
    """Open what can be connected to from outside; return the port of TCP."""
    os.mkfifo(scene["fifo"])
    _kept.append(os.open(scene["fifo"], os.O_RDWR))
    connections = [socket.socket(family) for family in (1, 1, 2)]
    addresses = (scene["socket"], f"\0{scene['abstract']}", ("127.0.0.1", 0))
    for connection, address in zip(connections, addresses, strict=True):
        connection.bind(address)
        connection.listen()
    _kept.extend(connections)
    port: int = connections[-1].getsockname()[1]
    return port


_kept: list[object] = []


def start_of(scene: wall_probes.Scene) -> tuple[BotStart, SandboxView]:
    """How a bot that makes the probes is started, and what it sees."""
    folder = Path(scene["folder"])
    bots = folder / "lab/bots"
    shutil.copytree(Path(wall_probes.__file__).parent, bots / "wall_probes")
    source = BotSource.at(bots / "wall_probes/__init__.py").identified()
    start = BotStart(
        name="wall_probes",
        cwd=folder / "lab",
        limits=ChildLimits(scratch=SCRATCH, scratch_files=MAX_FILES),
        log=folder / "log",
        isolation=Isolation.SANDBOX,
        bot=BotAddress("wall_probes", "cantstop", Origin.FILE, source.digest, source),
        needs=(Path(scene["needed_file"]).parent,),
        hidden=(folder / "lab/results", bots, folder / "lab/cup.yaml", folder / "site/results"),
    )
    local, view = start_here(start)
    assert view is not None
    return local, view


def probed(names: list[str]) -> dict[str, str]:
    """What each probe achieved, by name."""
    os.environ["SECRET"] = "1"
    scene = scene_in(Path.cwd()) | {"probes": names}
    start, view = start_of(scene)
    earlier = _child(start, view, "-c", _LEAVES)
    earlier.send({}, 60.0)
    earlier.answer()
    while not earlier.output or PRINTED not in earlier.output.last_line():
        time.sleep(0.01)
    child = _child(start, view, "-c", _PROBES)
    child.send(scene, 120.0)
    achieved = child.answer()
    for process in (earlier, child):
        process.end()
    return achieved | {"keeps_many_files": _kept_files(start, view)}


def _kept_files(start: BotStart, view: SandboxView) -> str:
    """What a process has achieved that keeps many files, between two questions at the latest."""
    child = _child(start, view, "-c", _KEEPS_FILES)
    child.send({}, 60.0)
    child.answer()
    child.mark_started()
    try:
        for _ in range(2):
            child.check_files()
            child.send({}, 60.0)
            child.answer()
    except ChildFailed as error:
        return "" if str(error) == f"kept more than {MAX_FILES:,} temporary files" else str(error)
    finally:
        child.kill()
    return f"kept {4 * MAX_FILES:,} files"


class _Lines:
    """A codec of JSON objects, a line each."""

    def __init__(self) -> None:
        self._unread = b""

    def bytes_of(self, message: Mapping[str, Any]) -> bytes:
        return line_of(message)

    def messages_in(self, chunk: bytes) -> list[dict[str, Any]]:
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        return [object_in(line) for line in lines]

    def unexpected(self, chunk: bytes) -> str:
        return repr(chunk) if chunk else ""


def _child(start: BotStart, view: SandboxView, *arguments: str) -> Child[dict[str, Any]]:
    argv = (sys.executable, "-P", *arguments)
    limits = replace(start.limits, memory=MEMORY)
    command = replace(start.process, argv=argv, limits=limits)
    return start_command(command, view, Connection(codec=_Lines()))


if __name__ == "__main__":
    print(json.dumps(probed(sys.argv[1:])))
