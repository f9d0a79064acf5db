"""The filter of system calls in the sandbox: a program of classic BPF (see seccomp(2), bpf(4)).

What is refused would pass the sandbox's other walls: memory that no limit counts or that outlives
its process, marks on files that the processes of all sandboxes see, counters of a user or of the
machine that all of them share, the machine itself, and calls of the kernel that programs do not
need.
"""

import errno
import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # <linux/audit.h>


class _Call(NamedTuple):
    """The numbers of a system call (<asm/unistd_64.h>, <asm-generic/unistd.h>); None: has none."""

    x86_64: int | None
    aarch64: int | None


_PERSISTENT_MEMORY = {
    "keyctl": _Call(250, 219),
    "add_key": _Call(248, 217),
    "request_key": _Call(249, 218),
    "shmget": _Call(29, 194),
    "shmat": _Call(30, 196),
    "shmctl": _Call(31, 195),
    "semget": _Call(64, 190),
    "msgget": _Call(68, 186),
    "mq_open": _Call(240, 180),
    "memfd_create": _Call(319, 279),
    "memfd_secret": _Call(447, 447),
}
_UNCOUNTED_MEMORY = {
    "setxattr": _Call(188, 5),
    "lsetxattr": _Call(189, 6),
    "fsetxattr": _Call(190, 7),
    "setxattrat": _Call(463, 463),
    "vmsplice": _Call(278, 75),  # a byte in a pipe keeps its whole page, which may be a huge one
}
_MARKS_ON_FILES = {
    "utime": _Call(132, None),
    "utimes": _Call(235, None),
    "futimesat": _Call(261, None),
    "utimensat": _Call(280, 88),
    "flock": _Call(73, 32),
    "inotify_init": _Call(253, None),
    "inotify_init1": _Call(294, 26),
    "inotify_add_watch": _Call(254, 27),
    "fanotify_init": _Call(300, 262),
    "mincore": _Call(27, 232),
    "cachestat": _Call(451, 451),
    "fadvise64": _Call(221, 223),
    "readahead": _Call(187, 213),
    "preadv2": _Call(327, 286),
    "sync": _Call(162, 81),
    "syncfs": _Call(306, 267),
}
_COUNTS_OF_THE_MACHINE = {
    "getrusage": _Call(98, 165),  # faults: which pages of a file others have read
    "get_mempolicy": _Call(239, 236),  # the node on which a page of a file lies
    "statfs": _Call(137, 43),  # free blocks of the disk, to which all that bots print is written
    "fstatfs": _Call(138, 44),
}
_OTHER_PROCESSES = {
    "ptrace": _Call(101, 117),
    "process_vm_readv": _Call(310, 270),
    "process_vm_writev": _Call(311, 271),
    "process_madvise": _Call(440, 440),
    "process_mrelease": _Call(448, 448),
    "kcmp": _Call(312, 272),
    "pidfd_open": _Call(434, 434),
    "pidfd_getfd": _Call(438, 438),
    "migrate_pages": _Call(256, 238),
    "move_pages": _Call(279, 239),
}
_MOUNTS = {
    "unshare": _Call(272, 97),
    "setns": _Call(308, 268),
    "mount": _Call(165, 40),
    "umount2": _Call(166, 39),
    "pivot_root": _Call(155, 41),
    "chroot": _Call(161, 51),
    "fsopen": _Call(430, 430),
    "fsconfig": _Call(431, 431),
    "fsmount": _Call(432, 432),
    "fspick": _Call(433, 433),
    "move_mount": _Call(429, 429),
    "open_tree": _Call(428, 428),
    "open_tree_attr": _Call(467, 467),
    "mount_setattr": _Call(442, 442),
    "name_to_handle_at": _Call(303, 264),
    "open_by_handle_at": _Call(304, 265),
}
_KERNEL = {
    "bpf": _Call(321, 280),
    "perf_event_open": _Call(298, 241),
    "userfaultfd": _Call(323, 282),
    "io_setup": _Call(206, 0),  # the machine has so many places for all users
    "io_uring_setup": _Call(425, 425),
    "io_uring_enter": _Call(426, 426),
    "io_uring_register": _Call(427, 427),
    "syslog": _Call(103, 116),
    "acct": _Call(163, 89),
    "quotactl": _Call(179, 60),
    "quotactl_fd": _Call(443, 443),
    "personality": _Call(135, 92),
    "modify_ldt": _Call(154, None),
    "iopl": _Call(172, None),
    "ioperm": _Call(173, None),
    "uselib": _Call(134, None),
    "lookup_dcookie": _Call(212, 18),
    "vhangup": _Call(153, 58),
    "reboot": _Call(169, 142),
    "swapon": _Call(167, 224),
    "swapoff": _Call(168, 225),
    "settimeofday": _Call(164, 170),
    "clock_settime": _Call(227, 112),
    "adjtimex": _Call(159, 171),
    "clock_adjtime": _Call(305, 266),
    "sethostname": _Call(170, 161),
    "setdomainname": _Call(171, 162),
    "init_module": _Call(175, 105),
    "finit_module": _Call(313, 273),
    "delete_module": _Call(176, 106),
    "kexec_load": _Call(246, 104),
    "kexec_file_load": _Call(320, 294),
}
REFUSED = {
    **_PERSISTENT_MEMORY,
    **_UNCOUNTED_MEMORY,
    **_MARKS_ON_FILES,
    **_OTHER_PROCESSES,
    **_MOUNTS,
    **_KERNEL,
}
"""Calls that fail with EPERM."""

FOR_PROGRAMS = {
    **_COUNTS_OF_THE_MACHINE,
    "fork": _Call(57, None),
    "vfork": _Call(58, None),
    # Open files under way are counted by user, and so for all of a user's sandboxes together.
    "sendmsg": _Call(46, 211),
    "sendmmsg": _Call(307, 269),
}
"""Calls that fail with EPERM, too, unless the sandbox may have processes."""
_CLONE, _CLONE3 = _Call(56, 220), _Call(435, 435)
_SOCKET, _SET_SOCKET_OPTION = _Call(41, 198), _Call(54, 208)
_BIND, _ADVISE = _Call(49, 200), _Call(28, 233)
_FCNTL, _IOCTL, _LIMITS_OF_A_PROCESS = _Call(72, 25), _Call(16, 29), _Call(302, 261)

_CLONE_THREAD = 0x10000
_CLONE_NAMESPACES = 0x7E020080  # all CLONE_NEW*
_MARKING_COMMANDS = (
    *(5, 6, 7),  # F_GETLK, F_SETLK, F_SETLKW
    *(36, 37, 38),  # F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW
    *(1024, 1025, 1026),  # F_SETLEASE, F_GETLEASE, F_NOTIFY
    *(1035, 1036, 1037, 1038),  # F_GET_RW_HINT and the like, which are of the file, not the opener
)
_SIZE_OF_PIPE = (1031,)  # F_SETPIPE_SZ
_SOCKET_OPTIONS = (
    *(7, 8, 32, 33),  # SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE
    16,  # SO_PASSCRED, which gives a socket a name, by a counter of the machine in older kernels
)
_NO_NAME = (2,)  # the length of an address without a name, with which bind gives such a name
_EVICTIONS = (20, 21)  # MADV_COLD, MADV_PAGEOUT
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
# AF_UNIX only: some families, as AF_VSOCK, have no namespaces, and TCP keeps megabytes for each of
# its sockets, which no limit counts.
_SOCKET_FAMILIES = (1,)

_X32_CALLS = 0x40000000  # from this number on, on x86_64

# Instructions and results (<linux/bpf_common.h>, <linux/seccomp.h>)
_LOAD, _RETURN = 0x20, 0x06
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x35, 0x45
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _FIRST_ARGUMENT_OFFSET = 0, 4, 16
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_ERRNO = 0x50000

_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


def is_supported(machine: str) -> bool:
    """Whether there is a filter for the machine, named as by `platform.machine()`."""
    return machine in _AUDIT_ARCHITECTURES


def seccomp_filter(has_processes: bool, machine: str) -> bytes:
    """The filter for a machine; unless the sandbox may have processes, only threads are started."""
    column = list(_AUDIT_ARCHITECTURES).index(machine)
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_IF_EQUAL, 1, 0, _AUDIT_ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_IF_AT_LEAST, 0, 1, _X32_CALLS),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    refused = [*REFUSED.values(), *(() if has_processes else FOR_PROGRAMS.values())]
    for number in (call[column] for call in refused):
        if number is not None:
            program += _refusal(number, errno.EPERM)
    # Its flags lie in memory, which a filter cannot read; libraries use clone instead.
    program += _refusal(_number_of(_CLONE3, column), errno.ENOSYS)
    program += _by_argument(_number_of(_CLONE, column), 0, _clone_tests(has_processes))
    commands = _tests_of(_MARKING_COMMANDS, errno.ENOLCK) + _tests_of(_SIZE_OF_PIPE, errno.EPERM)
    program += _by_argument(_number_of(_FCNTL, column), 1, commands)
    for call, argument, values in (
        (_SET_SOCKET_OPTION, 2, _SOCKET_OPTIONS),
        (_BIND, 2, _NO_NAME),
        (_ADVISE, 2, _EVICTIONS),
        (_IOCTL, 1, _TERMINAL_INPUT),
    ):
        tests = _tests_of(values, errno.EPERM)
        program += _by_argument(_number_of(call, column), argument, tests)
    own = [(_IF_EQUAL, 1, 0, 0), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]  # 0 is the caller
    program += _by_argument(_number_of(_LIMITS_OF_A_PROCESS, column), 0, own)
    program += _by_argument(_number_of(_SOCKET, column), 0, _family_tests())
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _number_of(call: _Call, column: int) -> int:
    number = call[column]
    assert number is not None
    return number


def _refusal(number: int, error: int) -> list[_Instruction]:
    return [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error)]


def _by_argument(
    number: int, argument: int, tests: Sequence[_Instruction]
) -> Iterable[_Instruction]:
    """Tests of the low half of a call's argument; what passes them is allowed."""
    return (
        (_IF_EQUAL, 0, 2 + len(tests), number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_OFFSET + 8 * argument),
        *tests,
        (_RETURN, 0, 0, _ALLOW),
    )


def _tests_of(values: Iterable[int], error: int) -> list[_Instruction]:
    return [instruction for value in values for instruction in _refusal(value, error)]


def _clone_tests(has_processes: bool) -> list[_Instruction]:
    tests = [(_IF_ANY_BIT, 0, 1, _CLONE_NAMESPACES), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    if not has_processes:
        tests += [(_IF_ANY_BIT, 1, 0, _CLONE_THREAD), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    return tests


def _family_tests() -> list[_Instruction]:
    count = len(_SOCKET_FAMILIES)
    allowed = [
        (_IF_EQUAL, count - index, 0, family) for index, family in enumerate(_SOCKET_FAMILIES)
    ]
    return [*allowed, (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT)]
