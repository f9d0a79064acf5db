"""The memory of a process with all its descendants."""

from pathlib import Path

from cantstop_arena.processes.watchdog import family_states

_KIBIBYTE = 1024
_FIELDS = (b"Pss_Anon:", b"Pss_Shmem:")


def tree_memory(pid: int) -> int:
    """Bytes of memory of a process and its descendants, without mapped files.

    What several of them share is counted once.
    """
    return sum(_memory_of(member) for member in family_states(pid))


def _memory_of(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines()
    except OSError:  # it has ended
        return 0
    sizes = (line.split()[1] for line in lines if line.startswith(_FIELDS))
    return _KIBIBYTE * sum(map(int, sizes))
