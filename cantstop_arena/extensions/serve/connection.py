"""The connections of the server, which do not wait for ever for a request."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0
"""A connection that brings no whole request header in this time is closed."""


class PageConnection(H11Protocol):
    """A connection that is closed where no request comes: uvicorn waits only after the first.

    Connections that send nothing, or a byte now and then, would keep all others out.
    """

    _last_cycle = None  # of request and response, at the check before

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Check every REQUEST_SECONDS whether a request has come."""
        super().connection_made(transport)
        self.loop.call_later(REQUEST_SECONDS, self._check)

    def _check(self) -> None:
        """Close the connection if it has begun no request since the last check."""
        if self.transport.is_closing():
            return
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self.cycle is self._last_cycle and not is_answering:
            self.transport.close()
            return
        self._last_cycle = self.cycle
        self.loop.call_later(REQUEST_SECONDS, self._check)
