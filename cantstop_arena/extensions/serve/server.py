"""The server: its socket, its token, and the loop that ends in order."""

import contextlib
import secrets
import socket
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

from cantstop_arena.errors import UsageError
from cantstop_arena.processes import system

LOCAL = ("127.0.0.1", "::1", "localhost")
_TOKEN_BYTES = 24


def serve(
    host: str,
    port: int,
    names: Iterable[str],
    results: Path,
    bots: Path,
    ready: Callable[[str], None],
) -> None:
    """Serve until the user ends it. `ready` is called with the address when it can be opened.

    Raises UsageError when the address cannot be used, or the games of people cannot be read.
    """
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:  # before an address is printed that nobody serves
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    listening = _socket(host, port)
    port = listening.getsockname()[1]
    hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", *names)}
    if host == "::1":
        hosts.add(f"[::1]:{port}")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    address = {"::1": "[::1]", "localhost": "localhost"}.get(host, host if host in LOCAL else "")
    ready(f"http://{address or '127.0.0.1'}:{port}/?token={token}")
    # Whoever opens the address at once waits for the rest, which takes most of the time to load.
    import uvicorn

    from cantstop_arena.extensions.serve.access import MAX_ADDRESS_BYTES, MAX_HEADER_BYTES
    from cantstop_arena.extensions.serve.app import application
    from cantstop_arena.extensions.serve.connection import PageConnection
    from cantstop_arena.extensions.serve.site import Site

    site = Site(results, bots)
    system.restore_gc()
    config = uvicorn.Config(
        application(site, hosts, token, port),
        log_level="warning",
        access_log=False,  # addresses may have the token
        server_header=False,
        proxy_headers=False,
        loop="asyncio",  # its transports can be set to read little at a time
        http=PageConnection,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES + MAX_ADDRESS_BYTES,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=3,
        timeout_keep_alive=5,
    )
    server = uvicorn.Server(config)
    site.should_exit = lambda: server.should_exit
    try:
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again when all is closed
            server.run(sockets=[listening])
    finally:
        site.close()


def _socket(host: str, port: int) -> socket.socket:
    """A socket that listens already: who opens the address at once waits, and is not refused."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sets TCP_NODELAY; else every answer waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(
            f"{host}:{port} cannot be used: {reason}; choose another port with --port, 0 for a free"
            " one"
        ) from None
    return listening
