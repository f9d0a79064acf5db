"""A cluster on this machine admits nobody but the run that has started it."""

import asyncio
import gc
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

import pytest

from cantstop_arena.extensions.cluster.dask_errors import connection_problem

if TYPE_CHECKING:  # else where it is used: it would fill the memory of pytest
    from distributed import Security

CONNECTED = "connected"


async def _attempt(address: str, security: "Security") -> str:
    """What comes of a client's attempt to connect."""
    from distributed import Client

    try:
        async with Client(address, security=security, asynchronous=True, timeout=5):
            return CONNECTED
    except Exception as error:
        return connection_problem(error)


def _careless(security: "Security | None") -> ssl.SSLContext:
    """A client with these certificates or none, to which any server is welcome."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if security:
        with NamedTemporaryFile("w") as file:
            file.write(security.tls_client_key + security.tls_client_cert)
            file.flush()
            context.load_cert_chain(file.name)
    return context


async def _is_greeted(address: str, context: ssl.SSLContext) -> bool:
    """Whether a listener of Dask's, which speaks first, says anything to such a client."""
    host, _, port = address.removeprefix("tls://").partition(":")
    try:
        reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
        greeting = await reader.read(1)
        writer.close()
    except OSError:  # an SSLError is one
        return False
    return bool(greeting)


async def _all_attempts() -> tuple[Sequence[str], list[list[Any]]]:
    """The addresses of the scheduler and its workers, and what strangers and the run get there."""
    from distributed import Client, Security

    from cantstop_arena.extensions.cluster.dask_bridge import local_cluster

    async with local_cluster(1, 1) as cluster, Client(cluster, asynchronous=True) as ours:
        await ours.wait_for_workers(1)
        addresses = [cluster.scheduler_address, *await ours.nthreads()]
        own, attempts = Security.temporary(), []
        for address in addresses:
            attempts += [
                [
                    await _attempt(address.replace("tls:", "tcp:"), Security()),
                    await _attempt(address, Security()),
                    await _attempt(address, own),
                    await _is_greeted(address, _careless(None)),
                    await _is_greeted(address, _careless(own)),
                    await _is_greeted(address, _careless(cluster.security)),
                ]
            ]
        return addresses, attempts


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")  # of clients that are refused
def test_another_user_of_the_machine_cannot_connect() -> None:
    """Neither without certificates, nor with certificates that are not those of the run."""
    pytest.importorskip("cryptography", reason="local:N needs certificates")
    with ThreadPoolExecutor(1) as thread:  # in this one another test's loop may run
        addresses, attempts = thread.submit(asyncio.run, _all_attempts()).result()
    gc.collect()  # the clients, so that what they warn of is said here
    assert len(addresses) == 2
    assert all(address.startswith("tls://127.0.0.1:") for address in addresses)
    lacking = "asks for a certificate, and Dask's configuration here has none"
    told = ["cannot be reached", lacking, "refuses this certificate"]
    assert attempts == [[*told, False, False, True]] * 2
