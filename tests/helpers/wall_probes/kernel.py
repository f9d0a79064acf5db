"""Attempts on the kernel: calls that a game needs no part of."""

import ctypes
import os
import socket
import sys
import time

from .attempts import Scene, call, probe


@probe
def reads_the_kernels_log(scene: Scene) -> object:
    return call(103, 116, 3, ctypes.create_string_buffer(99), 99) >= 0


@probe
def sets_up_io_uring(scene: Scene) -> object:
    return call(425, 425, 4, ctypes.create_string_buffer(120))


@probe
def loads_a_bpf_program(scene: Scene) -> object:
    return call(321, 280, 0, ctypes.create_string_buffer(72), 72)


@probe
def opens_performance_counters(scene: Scene) -> object:
    attributes = ctypes.create_string_buffer(bytes(4) + (128).to_bytes(4, sys.byteorder), 128)
    return call(298, 241, attributes, 0, -1, -1, 0)


@probe
def handles_its_page_faults(scene: Scene) -> object:
    return call(323, 282, 1)


@probe
def uses_calls_of_another_architecture(scene: Scene) -> object:
    return call(0x40000000 + 39, 0x40000000 + 39)  # getpid of x32


@probe
def sets_the_clock(scene: Scene) -> object:
    return call(227, 112, 0, (ctypes.c_long * 2)(int(time.time()), 0)) == 0


@probe
def renames_the_machine(scene: Scene) -> object:
    socket.sethostname("mine")
    return True


@probe
def sees_the_machines_name(scene: Scene) -> object:
    return os.uname().nodename == scene["machine"]


@probe
def keeps_accounts_of_processes(scene: Scene) -> object:
    return call(163, 89, None) == 0


@probe
def asks_for_quotas(scene: Scene) -> object:
    return call(179, 60, 0x800007 << 8, None, 0, None) == 0


@probe
def stops_the_machine(scene: Scene) -> object:
    return call(169, 142, 0xFEE1DEAD - (1 << 32), 672274793, 0) == 0  # "no Ctrl-Alt-Del"


@probe
def loads_a_module(scene: Scene) -> object:
    return call(175, 105, None, 0, b"") == 0


@probe
def gets_ports_of_the_machine(scene: Scene) -> object:
    return os.uname().machine == "x86_64" and call(172, 0, 3) == 0


@probe
def tunes_the_clock(scene: Scene) -> object:
    return call(159, 171, ctypes.create_string_buffer(208)) >= 0


@probe
def hangs_the_terminal_up(scene: Scene) -> object:
    return call(153, 58) == 0


@probe
def uses_a_disk_for_memory(scene: Scene) -> object:
    return call(167, 224, b"/tmp/swap", 0) == 0
