"""Attempts on networks, and on sockets of the machine."""

import os
import socket
from pathlib import Path
from typing import Any

from .attempts import PROBES, Probe, Scene, probe


def _connects(family: int, address: Any) -> object:
    with socket.socket(family) as connection:
        connection.connect(address)
    return True


def _is_open(family: int, kind: int) -> Probe:
    return lambda scene: socket.socket(family, kind)


PROBES |= {
    "connects_to_a_socket_file": lambda scene: _connects(socket.AF_UNIX, scene["socket"]),
    "connects_to_an_abstract_socket": lambda scene: _connects(1, f"\0{scene['abstract']}"),
    "connects_by_tcp": lambda scene: _connects(socket.AF_INET, ("127.0.0.1", scene["port"])),
    "connects_by_ipv6": lambda scene: _connects(socket.AF_INET6, ("::1", scene["port"])),
    "opens_a_socket_of_the_hypervisor": _is_open(40, socket.SOCK_STREAM),
    "opens_a_netlink_socket": _is_open(16, socket.SOCK_RAW),
    "opens_a_packet_socket": _is_open(17, socket.SOCK_RAW),
    "opens_a_socket_of_the_kernels_ciphers": _is_open(38, socket.SOCK_SEQPACKET),
    "writes_into_a_fifo": lambda scene: os.open(scene["fifo"], os.O_WRONLY | os.O_NONBLOCK),
    "looks_a_name_up": lambda scene: socket.getaddrinfo(scene["machine"], 80),
}


@probe
def sees_network_devices(scene: Scene) -> object:
    lines = Path("/proc/net/dev").read_text().splitlines()[2:]
    return [line for line in lines if line.split(":")[0].strip() != "lo"]


@probe
def opens_sockets_of_other_families(scene: Scene) -> object:
    opened = []
    for family in range(2, 64):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind).close()
                opened.append(family)
            except OSError:
                continue
    return opened


@probe
def sends_a_datagram(scene: Scene) -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"x", ("127.0.0.1", scene["port"]))


@probe
def speaks_through_its_own_socket_to_others(scene: Scene) -> object:
    """An open file could be sent along; the arena would have to take it."""
    first, _ = socket.socketpair()
    return socket.send_fds(first, [b"x"], [0])
