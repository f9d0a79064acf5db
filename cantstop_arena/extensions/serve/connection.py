"""The connections of the server: how long they may wait, and which are closed for new ones."""

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from cantstop_arena.extensions.serve.web_pages import NOBODY, Visitor

REQUEST_SECONDS = 10.0
"""A connection that brings no whole request header in this time is closed."""
MAX_CONNECTIONS = 200
_CLOSED_AT_ONCE = 20  # to compare all for each new one takes a second for 2,000
_READ_BYTES = 16_384  # parsed in one go: bodies in pieces of a byte take 20 us for each


class PageConnection(H11Protocol):
    """A connection that is closed where no request comes: uvicorn waits only after the first.

    Connections that send nothing, or a byte now and then, would keep all others out. Where there
    are too many, those go first, then the ones whose token opens least.
    """

    _last_cycle = None  # of request and response, at the check before
    _time = 0.0  # of the last request, or of the beginning

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room, and check every REQUEST_SECONDS whether a request has come."""
        super().connection_made(transport)
        transport.max_size = _READ_BYTES  # type: ignore[attr-defined]
        self._time = self.loop.time()
        self.loop.call_later(REQUEST_SECONDS, self._check)
        if len(self.connections) > MAX_CONNECTIONS:
            others = [each for each in self.connections if isinstance(each, PageConnection)]
            others.remove(self)
            for last in sorted(others, key=PageConnection._claim)[:_CLOSED_AT_ONCE]:
                self.connections.discard(last)  # what is closed is lost only later
                last.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Note the time of a request, so that of equal connections the oldest are closed."""
        cycle = self.cycle
        super().data_received(data)
        if self.cycle is not cycle:
            self._time = self.loop.time()

    def _claim(self) -> tuple[bool, bool, bool, float]:
        """The claim to stay open, as something that can be compared."""
        visitor = cast(Visitor, self.scope.get("visitor", NOBODY) if self.scope else NOBODY)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        return visitor.is_owner, visitor.is_known, is_answering, self._time

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
