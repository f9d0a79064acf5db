"""The connections of the server, which do not wait for ever for a request."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
"""A connection that brings no whole request header in this time is closed."""


class PageConnection(H11Protocol):
    """A connection that is closed where no request comes: uvicorn waits only after the first.

    Connections that say nothing, or a letter now and then, would hold the places of all others.
    """

    _last = None  # the request-response cycle at the look before

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look at what comes."""
        super().connection_made(transport)
        self.loop.call_later(SECONDS, self._look)

    def _look(self) -> None:
        """Close the connection if it has begun no request since the last look."""
        if self.transport.is_closing():
            return
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self.cycle is self._last and not is_answering:
            self.transport.close()
            return
        self._last = self.cycle
        self.loop.call_later(SECONDS, self._look)
