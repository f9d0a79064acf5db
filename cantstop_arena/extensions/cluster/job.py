"""All that a machine needs to play a tournament's blocks.

Bots' files are sent with their contents; packages and programs must be installed on the machine
already, in the same version. The machine checks that.
"""

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.describe import describe_command
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.cluster.cluster_messages import SetTable
from cantstop_arena.processes import system
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.pool.worker import start_methods
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import BotFacts, PreparedBot, ignore_fault, prepare_bots
from cantstop_arena.tournaments.table_spec import TableSpec


class Job(msgspec.Struct, frozen=True):
    """A tournament's table, its bots and the options of its workers.

    `texts` are the contents of bots' files, by digest; `here` is the folder in which the run was
    started. Workers are started by `method`; None is the machine's default.
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
    def message(self) -> SetTable:
        """The message that sends the job."""
        return SetTable(pickle.dumps(self))


def job_for(spec: TableSpec, bots: BotFacts, names: Sequence[str], options: PoolOptions) -> Job:
    """The job for a table that has been prepared. Raises BotError."""
    sources = [seat.bot.source for seat in spec.seats if seat.bot.source]
    return Job(
        spec,
        replace(bots, note_fault=ignore_fault),  # machines report faults with their results
        tuple(names),
        {source.digest: source.texts() for source in sources},
        Path.cwd(),
        options.method if options.method != start_methods()[0] else None,
        options.memory,
        options.start_limit,
        tuple(options.foreign),
    )


def unpack_job(message: SetTable) -> Job:
    """The job in a message of the arena."""
    job: Job = pickle.loads(message.job)
    return job


class JobFolder(msgspec.Struct, frozen=True):
    """A job on a machine: its table, the facts about its bots there, and worker options."""

    spec: TableSpec
    bots: BotFacts
    options: PoolOptions


def install_job(job: Job, processes: int, folder: Path) -> JobFolder:
    """Install a job in a folder of this machine: compile and load everything once.

    Raises BotError when a bot is missing here, cannot be built, or differs.
    """
    system.set_path_base(job.here)
    logs = BotLogs(folder / "logs", job.names)
    logs.begin()
    seats = [_local_start(job, number, folder, logs) for number in range(len(job.spec.seats))]
    spec = replace(job.spec, seats=tuple(seats))
    parts = prepare_bots(spec, lambda names: None)
    bots = replace(
        job.bots, prepared=tuple(map(_checked_bot, job.names, parts, job.bots.prepared)), logs=logs
    )
    method = job.method or start_methods()[0]
    return JobFolder(
        spec, bots, PoolOptions(processes, method, job.memory, job.start_limit, job.foreign)
    )


def _checked_bot(name: str, here: PreparedBot, there: PreparedBot) -> PreparedBot:
    """A bot prepared here, with the source lines of the machine that started the run."""
    if here.is_compiled != there.is_compiled:
        kinds = ["compiled" if part.is_compiled else "plain" for part in (here, there)]
        raise BotError(f"bot {name} is {kinds[0]} there, and {kinds[1]} here")
    return replace(here, source_lines=there.source_lines)


def _local_start(job: Job, number: int, folder: Path, logs: BotLogs) -> BotStart:
    """The start of a bot with the paths of this machine. Raises BotError."""
    start = job.spec.seats[number]
    if start.bot.source:
        start = replace(start, bot=_local_bot(job, start.bot, start.bot.source, folder))
    if not (start.isolation or start.is_foreign):
        return start
    cwd = start.cwd if start.cwd.is_dir() else folder
    start = replace(start, cwd=cwd, log=logs.paths[number])
    if not start.command:
        limits = replace(start.limits, memory=job.memory)
        return replace(start, folder=job.here / job.spec.folder, limits=limits)
    if describe_command(start.command) != start.bot.digest:
        command = " ".join(start.command)
        raise BotError(
            f"the program of {start.name} ({command}) is not there, or is another than here"
        )
    return start


def _local_bot(job: Job, bot: BotAddress, source: BotSource, folder: Path) -> BotAddress:
    """The address of a bot whose texts are written to a folder of this machine."""
    copies = folder / "bots" / source.digest
    for name, text in job.texts[source.digest].items():
        (copies / name).parent.mkdir(parents=True, exist_ok=True)
        (copies / name).write_bytes(text)
    return replace(bot, source=replace(source, path=job.here / source.path, copies=copies))
