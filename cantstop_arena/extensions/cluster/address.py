"""The address of a cluster, as given on the command line."""

import os
import re
from importlib.util import find_spec
from pathlib import Path

import msgspec

from cantstop_arena.errors import UsageError

FORMS = "tcp://HOST:PORT, tls://HOST:PORT, file:SCHEDULER.json or local:PROCESSES"
_MAX_LOCAL = 256
_NEEDED = (("distributed", "Dask"), ("cryptography", "cryptography"))
"""The modules of the extra `cluster`, with their names: the second makes local certificates."""


class _SchedulerFile(msgspec.Struct):
    """What a scheduler writes into its file, and more."""

    address: str


class ClusterAddress(msgspec.Struct, frozen=True):
    """A scheduler's address, its scheduler file, or a number of local machines."""

    kind: str
    location: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.location}"

    @property
    def scheduler(self) -> str:
        """The scheduler for Dask: an address, or the path of a scheduler file."""
        return self.location if self.kind == "file" else str(self)


def address_in(text: str) -> ClusterAddress:
    """The address that a text describes.

    Raises UsageError when the text is no address, or Dask is not installed.
    """
    kind, _, location = text.partition(":")
    if not _is_valid(kind, location):
        raise UsageError(f"--cluster must be {FORMS}, not {text!r}")
    if kind == "file" and not os.path.isfile(location):
        raise UsageError(f"--cluster {text}: there is no such file; a scheduler writes it")
    if kind == "file" and not _is_scheduler_file(Path(location)):
        raise UsageError(f"--cluster {text}: {location} is not a scheduler file")
    for module, name in _NEEDED[: 2 if kind == "local" else 1]:
        if find_spec(module) is None:
            raise UsageError(
                f"--cluster {text} needs {name}, which is not installed:"
                " python -m pip install 'cantstop-arena[cluster]'"
            )
    return ClusterAddress(kind, location)


def _is_scheduler_file(path: Path) -> bool:
    """Whether a file has the address of a scheduler."""
    try:
        msgspec.json.decode(path.read_bytes(), type=_SchedulerFile)
    except (OSError, msgspec.DecodeError):
        return False
    return True


def _is_valid(kind: str, location: str) -> bool:
    if kind in ("tcp", "tls"):
        return re.fullmatch(r"//\S+:[0-9]+", location) is not None
    if kind == "local":
        number = re.fullmatch(r"[1-9][0-9]{0,3}", location)
        return number is not None and int(location) <= _MAX_LOCAL
    return kind == "file" and bool(location)
