"""A cluster on this machine admits nobody but the run that has started it."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("cryptography", reason="local:N needs certificates")

from distributed import Client, Security

from cantstop_arena.tournaments.cluster.local_cluster import local_cluster


async def _can_connect(address: str, security: Security) -> bool:
    try:
        async with Client(address, security=security, asynchronous=True, timeout=5):
            return True
    except (OSError, TypeError):  # Dask's TypeError: TLS without certificates
        return False


async def _strangers() -> tuple[list[str], list[bool]]:
    """The addresses of the scheduler and its workers, and whether each client can connect."""
    async with local_cluster(1, 1) as cluster, Client(cluster, asynchronous=True) as ours:
        await ours.wait_for_workers(1)
        tls = cluster.scheduler_address
        addresses: list[Any] = [tls, *await ours.nthreads()]
        plain = [address.replace("tls:", "tcp:") for address in addresses]
        strangers = [(address, Security()) for address in [*addresses, *plain]]
        strangers += [(address, Security.temporary()) for address in addresses]
        connected = [await _can_connect(*stranger) for stranger in strangers]
        connected.append(await _can_connect(tls, cluster.security))
        return addresses, connected


@pytest.mark.slow
def test_another_user_of_the_machine_cannot_connect() -> None:
    """Neither without certificates, nor with certificates that are not those of the run."""
    addresses, connected = asyncio.run(_strangers())
    assert all(address.startswith("tls://127.0.0.1:") for address in addresses)
    assert connected == [False] * (len(connected) - 1) + [True]
