"""Attempts on the kernel: calls that a game needs no part of."""

import ctypes
import os
import socket
import sys
import time

from .attempts import PROBES, call, is_done, is_made

_EVENT = ctypes.create_string_buffer(bytes(4) + (128).to_bytes(4, sys.byteorder), 128)
_NOW = (ctypes.c_long * 2)(int(time.time()), 0)

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
}
