"""Who may ask for what: the host, the token, the origin; and the headers of every answer."""

from hmac import compare_digest
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cantstop_arena.extensions.serve.web_pages import Admission

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
FOREIGN = "sandbox allow-scripts allow-popups"
"""The policy of files that the arena has written, but not this server: an origin of their own."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer forms would send the origin null
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_METHODS = ("GET", "HEAD", "POST")


class Access:
    """Lets in whoever has the token and asks for one of our hosts; POST only from our pages.

    The cookie has the port in its name, as browsers send cookies to all ports of a host. A
    participant of a league has a cookie of its own, which opens what `admits` says.
    """

    def __init__(
        self, app: ASGIApp, hosts: set[str], token: str, port: int, admits: Admission
    ) -> None:
        self.app = app
        self.hosts = hosts
        self.origins = {f"http://{host}" for host in hosts}
        self.token = token
        self.cookie = f"arena-{port}"
        self.league_cookie = f"arena-league-{port}"
        self.admits = admits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refusal(scope)
        await (answer or self.app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not passed on: a refusal, or the cookie."""
        request, headers = Request(scope), Headers(scope=scope)
        if headers.get("host") not in self.hosts:
            return _text("This server does not have that name.", 421)
        if request.method not in _METHODS:
            return _text("Only GET, HEAD and POST are allowed.", 405)
        given = request.query_params.get("token")
        if given is not None and request.method != "POST":
            if self._is_token(given):
                return self._enter(request, self.cookie, given)
            if self.admits(request.url.path, given):
                return self._enter(request, self.league_cookie, given)
        is_owner = self._is_token(request.cookies.get(self.cookie, ""))
        participant = request.cookies.get(self.league_cookie, "")
        if not (is_owner or (participant and self.admits(request.url.path, participant))):
            return _text("Open the address that arena serve has printed.", 403)
        if request.method == "POST" and headers.get("origin") not in self.origins:
            return _text("Only pages of this server may do that.", 403)
        scope["arena_owner"] = is_owner
        return None

    def _is_token(self, text: str) -> bool:
        return compare_digest(text.encode(), self.token.encode())

    def _enter(self, request: Request, cookie: str, token: str) -> Response:
        """Set the cookie, and lead to the same address without the token."""
        path = "/" + request.url.path.lstrip("/\\")  # two slashes would lead to another host
        answer = RedirectResponse(path, 303)
        answer.set_cookie(cookie, token, httponly=True, samesite="strict", path="/")
        return answer


def foreign_file(path: Path) -> Response:
    """A file that the arena has written: its scripts run without the rights of our pages."""
    return FileResponse(path, headers={"Content-Security-Policy": FOREIGN})


def foreign_page(html: str) -> Response:
    """A page like the files of `foreign_file`."""
    return HTMLResponse(html, headers={"Content-Security-Policy": FOREIGN})


def _text(sentence: str, status: int) -> Response:
    return PlainTextResponse(f"{sentence}\n", status)
