"""Attempts on the kernel: calls that a game needs no part of."""

import ctypes
import os
import socket
import sys
import time
from pathlib import Path

from .attempts import PROBES, call, is_done, is_made

_EVENT = ctypes.create_string_buffer(bytes(4) + (128).to_bytes(4, sys.byteorder), 128)
_NOW = (ctypes.c_long * 2)(int(time.time()), 0)
_MAPS = ("/proc/kallsyms", "/proc/iomem", "/proc/ioports")
_PAGES = ("kpagecount", "kpageflags", "vmallocinfo", "slabinfo", "timer_list", "sched_debug")


def _lines_of(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


PROBES |= {
    "reads_the_kernels_log": is_made(103, 116, 3, ctypes.create_string_buffer(99), 99),
    "sets_up_io_uring": is_made(425, 425, 4, ctypes.create_string_buffer(120)),
    "loads_a_bpf_program": is_made(321, 280, 0, ctypes.create_string_buffer(72), 72),
    "opens_performance_counters": is_made(298, 241, _EVENT, 0, -1, -1, 0),
    "handles_its_page_faults": is_made(323, 282, 1),
    "uses_calls_of_another_architecture": is_made(*[0x40000000 + 39] * 2),  # getpid of x32
    "sets_the_clock": is_made(227, 112, 0, _NOW),
    "tunes_the_clock": is_made(159, 171, ctypes.create_string_buffer(208)),
    "renames_the_machine": is_done(socket.sethostname, "mine"),
    "sees_the_machines_name": lambda scene: os.uname().nodename == scene["machine"],
    "keeps_accounts_of_processes": is_made(163, 89, None),
    "asks_for_quotas": is_made(179, 60, 0x800007 << 8, None, 0, None),
    "stops_the_machine": is_made(169, 142, 0xFEE1DEAD - (1 << 32), 672274793, 0),  # no Ctrl-Alt-Del
    "loads_a_module": is_made(175, 105, None, 0, b""),
    "gets_ports_of_the_machine": lambda scene: (
        os.uname().machine == "x86_64" and not call(172, 0, 3)
    ),
    "hangs_the_terminal_up": is_made(153, 58),
    "uses_a_disk_for_memory": is_made(167, 224, b"/tmp/swap", 0),
    "sets_the_time_of_day": is_made(164, 170, _NOW, None),
    "adjusts_a_clock": is_made(305, 266, 0, ctypes.create_string_buffer(208)),
    "renames_the_domain": is_made(171, 162, b"mine", 4),
    "loads_another_kernel": is_made(246, 104, 0, 0, None, 0),
    "makes_segments_of_its_own": lambda scene: (
        os.uname().machine == "x86_64" and call(154, 0, 1, ctypes.create_string_buffer(16), 16) == 0
    ),
    "sees_where_the_kernel_lies": lambda scene: [
        path
        for path in _MAPS
        if any(int(line.split()[0].split("-")[0], 16) for line in _lines_of(path))
    ],
    "sees_the_pages_of_the_machine": lambda scene: [
        name
        for name in _PAGES
        if os.access(f"/proc/{name}", os.R_OK) and os.open(f"/proc/{name}", 0)
    ],
}
