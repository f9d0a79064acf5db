"""The filter of system calls, interpreted here for every machine that it is made for."""

import errno
import re
import struct
from pathlib import Path

import pytest

from cantstop_arena.processes import seccomp
from cantstop_arena.processes.seccomp import is_supported, seccomp_filter

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # <linux/audit.h>
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x50000
# By the headers of the kernel: these numbers are not those of the filter's own tables.
READ, WRITE, CLONE, CLONE3, FORK = (0, 63), (1, 64), (56, 220), (435, 435), (57, None)
SOCKET, FCNTL, IOCTL, SET_OPTION = (41, 198), (72, 25), (16, 29), (54, 208)
BIND, ADVISE, RUSAGE, UTIMENSAT = (49, 200), (28, 233), (98, 165), (280, 88)
THREAD, PROCESS, USER_NAMESPACE = 0x3D0F00, 0x1200011, 0x10000011  # flags of clone
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def outcome(
    machine: str, number: int, *arguments: int, processes: bool = False, audit: int = 0
) -> int:
    """What the kernel would do with a call: the result of the filter's program."""
    words = (*arguments, *[0] * 6)[:6]
    call = struct.pack("=iIQ6Q", number, audit or MACHINES[machine], 0, *words)
    program = [*struct.iter_unpack("HBBI", seccomp_filter(processes, machine))]
    place = accumulator = 0
    while True:
        code, if_true, if_false, operand = program[place]
        place += 1
        if code == 0x20:  # load
            (accumulator,) = struct.unpack_from("=I", call, operand)
        elif code == 0x06:  # return
            return int(operand)
        else:
            tests = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: accumulator & operand != 0,
            }
            place += if_true if tests[code] else if_false


def refused(error: int) -> int:
    return ERRNO | error


@pytest.fixture(params=[*MACHINES])
def machine(request: pytest.FixtureRequest) -> str:
    """A machine with a filter."""
    return str(request.param)


def number(machine: str, numbers: tuple[int | None, int | None]) -> int:
    """The number of a call there; some number of no call where it has none."""
    found = numbers[[*MACHINES].index(machine)]
    return 999 if found is None else found


def test_machines_have_a_filter() -> None:
    assert all(map(is_supported, MACHINES)) and not is_supported("riscv64")


def test_what_games_need_is_allowed(machine: str) -> None:
    for numbers in (READ, WRITE):
        assert outcome(machine, number(machine, numbers)) == ALLOW
    assert outcome(machine, number(machine, CLONE), THREAD) == ALLOW
    assert outcome(machine, number(machine, SOCKET), 1) == ALLOW
    assert outcome(machine, number(machine, FCNTL), 3, 1) == ALLOW  # F_GETFD
    assert outcome(machine, number(machine, IOCTL), 1, 0x5413) == ALLOW  # TIOCGWINSZ
    assert outcome(machine, number(machine, SET_OPTION), 3, 1, 2) == ALLOW  # SO_REUSEADDR


def test_what_passes_other_walls_is_refused(machine: str) -> None:
    for numbers in seccomp.REFUSED.values():
        if None not in numbers:
            assert outcome(machine, number(machine, numbers)) == refused(errno.EPERM)
    assert outcome(machine, number(machine, FCNTL), 3, 6) == refused(errno.ENOLCK)  # F_SETLK
    assert outcome(machine, number(machine, FCNTL), 3, 1031) == refused(errno.EPERM)
    assert outcome(machine, number(machine, IOCTL), 0, 0x5412) == refused(errno.EPERM)  # TIOCSTI
    for option in (7, 16):
        assert outcome(machine, number(machine, SET_OPTION), 3, 1, option) == refused(errno.EPERM)
    assert outcome(machine, number(machine, BIND), 3, 0, 2) == refused(errno.EPERM)
    assert outcome(machine, number(machine, ADVISE), 0, 4096, 21) == refused(errno.EPERM)
    for pair in (RUSAGE, UTIMENSAT):
        assert outcome(machine, number(machine, pair)) == refused(errno.EPERM)
    assert outcome(machine, number(machine, RUSAGE), processes=True) == ALLOW
    for family in (2, 10, 16, 17, 40):
        assert outcome(machine, number(machine, SOCKET), family) == refused(errno.EAFNOSUPPORT)


def test_processes_are_started_only_by_who_may(machine: str) -> None:
    clone, fork = number(machine, CLONE), number(machine, FORK)
    assert outcome(machine, clone, PROCESS) == refused(errno.EPERM)
    assert outcome(machine, clone, PROCESS, processes=True) == ALLOW
    for processes in (False, True):
        assert outcome(machine, clone, USER_NAMESPACE, processes=processes) == refused(errno.EPERM)
        assert outcome(machine, number(machine, CLONE3), processes=processes) == refused(
            errno.ENOSYS
        )
    assert outcome(machine, fork, processes=True) == ALLOW
    if machine == "x86_64":
        assert outcome(machine, fork) == refused(errno.EPERM)


def test_calls_in_the_numbers_of_another_machine_never_pass(machine: str) -> None:
    (other,) = {*MACHINES.values()} - {MACHINES[machine]}
    assert outcome(machine, number(machine, READ), audit=other) == KILL
    assert outcome(machine, number(machine, READ) | 0x40000000) == refused(errno.ENOSYS)  # x32


def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    if not HEADERS[machine].is_file():
        pytest.skip("the kernel's headers are not installed")
    text = HEADERS[machine].read_text()
    known = {name: int(at) for name, at in re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", text)}
    compared = seccomp.REFUSED | seccomp.FOR_PROGRAMS
    column = [*MACHINES].index(machine)
    numbers = {name: call[column] for name, call in compared.items() if name in known}
    assert len(numbers) > 60
    assert numbers == {name: known[name] for name in numbers}
