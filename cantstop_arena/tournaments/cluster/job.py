"""All that a machine needs to play a tournament's blocks: it travels by content.

Bots' files are told by their texts; packages and programs have to be on the machine already, and
the same. The machine checks that, as it checks that it has the arena's own code.
"""

import hashlib
import pickle
import platform
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
from msgspec.structs import replace

import cantstop_arena
from cantstop_arena.bots.bot_start import BotStart, served_bot
from cantstop_arena.bots.describe import describe_command
from cantstop_arena.errors import BotError
from cantstop_arena.processes import system
from cantstop_arena.tournaments.bot_facts import BotFacts
from cantstop_arena.tournaments.cluster.cluster_messages import StartJob
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.pool.worker import start_methods
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import PreparedBot, prepare_bots
from cantstop_arena.tournaments.table_spec import SeatSpec, TableSpec

_TOOLS = ("numpy", "numba", "llvmlite")
_FINGERPRINT = 12  # digits


@cache
def versions() -> dict[str, str]:
    """What has to be the same on all machines, by name."""
    python = ".".join(platform.python_version_tuple()[:2])
    ours = {"cantstop-arena": cantstop_arena.__version__, "its code": _fingerprint()}
    return ours | {"Python": python} | {tool: _version_of(tool) for tool in _TOOLS}


def _fingerprint() -> str:
    """A hash of all that the package consists of, the engines and their nets included."""
    folder, result = Path(cantstop_arena.__file__).parent, hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            result.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            result.update(hashlib.sha256(path.read_bytes()).digest())
    return result.hexdigest()[:_FINGERPRINT]


def _version_of(tool: str) -> str:
    try:
        return version(tool)
    except PackageNotFoundError:
        return "none"


def differences(there: Mapping[str, str]) -> str:
    """What is not here as it is where a run was started, in words; nothing where all is."""
    here = versions()
    texts = [
        f"{name} is {here.get(name, 'none')} there, and {there.get(name, 'none')} here"
        for name in {**there, **here}
        if there.get(name) != here.get(name)
    ]
    return "; ".join(texts)


class Job(msgspec.Struct, frozen=True):
    """A tournament's table and bots as the arena knows them, and how workers are kept.

    `texts` are those of bots' files, by their digests; `here` is the folder in which the run was
    started. Workers are started by a `method`, or as is usual on a machine.
    """

    spec: TableSpec
    bots: BotFacts
    names: tuple[str, ...]
    texts: Mapping[str, Mapping[str, bytes]]
    here: Path
    method: str | None
    memory: int | None
    start_limit: float
    foreign: tuple[int, ...]

    @property
    def start_message(self) -> StartJob:
        """The letter that says all of it."""
        return StartJob(versions(), pickle.dumps(self))


def job_for(spec: TableSpec, bots: BotFacts, names: Sequence[str], options: PoolOptions) -> Job:
    """The job of playing at a table that has been prepared. Raises BotError."""
    sources = [seat.bot.source for seat in spec.seats if seat.bot.source]
    return Job(
        spec,
        bots,
        tuple(names),
        {source.digest: source.texts() for source in sources},
        Path.cwd(),
        options.method if options.method != start_methods()[0] else None,
        options.memory,
        options.start_limit,
        tuple(options.foreign),
    )


def unpack_job(message: StartJob) -> Job:
    """The job of a letter that the arena has sent."""
    job: Job = pickle.loads(message.job)
    return job


class JobFolder(msgspec.Struct, frozen=True):
    """A job on a machine: its table, what is known of the bots there, and how workers are kept."""

    spec: TableSpec
    bots: BotFacts
    options: PoolOptions


def install_job(job: Job, processes: int, folder: Path) -> JobFolder:
    """Settle a job in a folder of this machine: compile and load all of it once.

    Raises BotError where a bot is not here, cannot be built, or is another.
    """
    system.set_path_base(job.here)
    logs = BotLogs(folder / "logs", job.names)
    logs.begin()
    seats = [_moved(job, number, folder, logs) for number in range(len(job.spec.seats))]
    spec = replace(job.spec, seats=tuple(seats))
    parts = prepare_bots(spec, lambda names: None)
    bots = replace(
        job.bots, prepared=tuple(map(_agreed, job.names, parts, job.bots.prepared)), logs=logs
    )
    method = job.method or start_methods()[0]
    return JobFolder(
        spec, bots, PoolOptions(processes, method, job.memory, job.start_limit, job.foreign)
    )


def _agreed(name: str, here: PreparedBot, there: PreparedBot) -> PreparedBot:
    """A bot as it was found here, its functions told as where the run was started."""
    if here.is_compiled != there.is_compiled:
        backends = ["compiled" if part.is_compiled else "plain" for part in (here, there)]
        raise BotError(f"bot {name} is {backends[0]} there, and {backends[1]} here")
    return replace(here, source_lines=there.source_lines)


def _moved(job: Job, number: int, folder: Path, logs: BotLogs) -> SeatSpec:
    """A seat whose bot is found on this machine. Raises BotError."""
    seat = job.spec.seats[number]
    bot, source = seat.bot, seat.bot.source
    if source:
        path = folder / "bots" / source.digest
        for name, text in job.texts[source.digest].items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(text)
        bot = replace(bot, source=replace(source, copies=path))
    moved = replace(seat, bot=bot)
    if not seat.launch:
        return moved
    cwd = seat.launch.cwd if seat.launch.cwd.is_dir() else folder
    launch = replace(seat.launch, cwd=cwd, log=logs.paths[number])
    at_home = _program if bot.origin == "command" else _served
    return replace(moved, launch=at_home(moved, launch, job))


def _program(seat: SeatSpec, launch: BotStart, job: Job) -> BotStart:
    """A program that has to be on this machine."""
    if describe_command(launch.argv) != seat.bot.digest:
        text = " ".join(launch.argv)
        raise BotError(f"the program of {seat.name} ({text}) is not there, or is another than here")
    return launch


def _served(seat: SeatSpec, launch: BotStart, job: Job) -> BotStart:
    """A bot in Python that is served by this machine's own interpreter."""
    bot = seat.bot
    if bot.source:
        bot = replace(bot, source=replace(bot.source, path=job.here / bot.source.path))
    return replace(launch, argv=served_bot(bot, job.here / job.spec.folder, job.memory))
