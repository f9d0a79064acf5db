"""Who may ask for what: the host, the token, the origin; and the headers of every answer."""

import secrets
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

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

from cantstop_arena.extensions.serve.forms import FormError, read_form
from cantstop_arena.extensions.serve.web_pages import VISITOR, Admission, Visitor

if TYPE_CHECKING:
    from cantstop_arena.extensions.serve.site import Site

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
STATIC, ENTER = "/static/", "/enter"
MAX_ADDRESS_BYTES, MAX_HEADER_BYTES = 4_000, 32_000
_METHODS = ("GET", "HEAD", "POST")
_READ_HEADERS = (b"host", b"content-type", b"x-fragment")  # by pages
_CLOSED = (
    "This page is for the owner of the server. Open the address that arena serve has printed."
    " Participants of a league open /league/NAME with their token."
)
_UNKNOWN = (
    "Unknown token: check that the address is complete. The owner's changes at each start of arena"
    " serve; a participant's opens /league/NAME and stands in tokens.csv of the league."
)


class Access:
    """Lets in whoever has the token and asks for one of our hosts; POST only from our pages.

    The cookie has the port in its name, as browsers send cookies to all ports of a host. A guest,
    such as a participant of a league, has a cookie of its own, which opens what `admission` says.
    Another site can lead a browser to an address with another's token, so that what is handed in
    next reaches that other: entering asks first where it comes from elsewhere, or would replace a
    guest. Browsers take pages in an origin of their own for another site, so that the links between
    them need a cookie for the owner that opens no other page.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: set[str],
        token: str,
        port: int,
        admission: Admission,
        site: "Site",
    ) -> None:
        self.app = app
        self.hosts = hosts
        self.origins = {f"http://{host}" for host in hosts}
        self.token = token
        self.cookie = f"arena-{port}"
        self.guest_cookie = f"arena-league-{port}"
        self.reader_cookie, self.reader_token = f"arena-reader-{port}", secrets.token_urlsafe()
        self.admission = admission
        self.site = site

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

        answer = _refusal_of_size(scope) or self._refusal(scope)
        # Frameworks parse what pages do not read, some of it in quadratic time.
        scope["headers"] = [each for each in scope["headers"] if each[0] in _READ_HEADERS]
        if answer is None and scope["path"] == ENTER and scope["method"] == "POST":
            answer = await self._entered(Request(scope, receive))
        await (answer or self.app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not passed on: a refusal, or the cookie."""
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]
        if headers.get("host") not in self.hosts:
            return _text("This server does not have that name.", 421)
        if method not in _METHODS:
            return _text("Only GET, HEAD and POST are allowed.", 405)
        if "transfer-encoding" in headers:
            return _text("A request needs its length (Content-Length).", 411)
        cookies = _cookies(headers.get("cookie", ""))
        is_owner = compare_digest(cookies.get(self.cookie, b""), self.token.encode())
        guest_token = cookies.get(self.guest_cookie, b"").decode()
        guest = self.admission(path, guest_token)
        visitor = scope["visitor"] = Visitor(is_owner, guest)
        VISITOR.set(visitor)
        if method == "POST":
            if headers.get("origin") not in self.origins:
                return self.site.problem_page("Only pages of this server may do that.", 403)
        elif token := _token_in(scope["query_string"]):
            entering = self._holder(path, token)
            if not entering.is_known:
                return self.site.problem_page(_UNKNOWN, 403)
            is_other = entering.guest is not None and (is_owner or guest_token not in ("", token))
            if is_other or self._is_from_elsewhere(headers):
                return self.site.page(
                    "enter.html", "", entering=entering, token=token, path=path, action=ENTER
                )
            return self._enter(path, entering, token)
        if visitor.is_known or path.startswith(STATIC) or (path == ENTER and method == "POST"):
            return None
        reader = cookies.get(self.reader_cookie, b"")
        if path.endswith(".html") and compare_digest(reader, self.reader_token.encode()):
            return None
        return self.site.problem_page(_CLOSED, 403)

    def _is_from_elsewhere(self, headers: Headers) -> bool:
        """Whether another site has led the browser here.

        Browsers say so to this machine's own names; to others over HTTP they send the referrer.
        """
        if "sec-fetch-site" in headers:
            return headers["sec-fetch-site"] not in ("none", "same-origin")
        referrer = headers.get("referer", "")
        return bool(referrer) and "/".join(referrer.split("/", 3)[:3]) not in self.origins

    def _holder(self, path: str, token: str) -> Visitor:
        if self._is_token(token):
            return Visitor(True)
        return Visitor(guest=self.admission(path, token))

    def _is_token(self, text: str) -> bool:
        return compare_digest(text.encode(), self.token.encode())

    async def _entered(self, request: Request) -> Response:
        """The answer to the page that asks."""
        try:
            form = await read_form(request)
        except FormError as error:
            return self.site.problem_page(str(error), error.status)
        path, token = form.get("path"), form.get("token")
        entering = self._holder(path, token)
        if not entering.is_known:
            return self.site.problem_page(_UNKNOWN, 403)
        return self._enter(path, entering, token)

    def _enter(self, path: str, entering: Visitor, token: str) -> Response:
        """Set the cookie, and lead to the same address without the token."""
        path = "/" + path.lstrip("/\\")  # two slashes would lead to another host
        answer = RedirectResponse(path, 303)
        if entering.is_owner:
            answer.set_cookie(self.reader_cookie, self.reader_token, httponly=True, samesite="lax")
            answer.set_cookie(self.cookie, token, httponly=True, samesite="strict")
        else:  # comes with links of other sites, so that it is seen whom they would replace
            answer.set_cookie(self.guest_cookie, token, httponly=True, samesite="lax")
        return answer


def _refusal_of_size(scope: Scope) -> Response | None:
    if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_ADDRESS_BYTES:
        return _text(f"An address has at most {MAX_ADDRESS_BYTES:,} bytes.", 414)
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        return _text(f"Headers have at most {MAX_HEADER_BYTES:,} bytes.", 431)
    return None


def _token_in(query: bytes) -> str:
    """The token in the address; empty if it has none."""
    values = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("token", [""])
    return values[0] or ("-" if b"token=" in query else "")


def _cookies(header: str) -> dict[str, bytes]:
    """The values of cookies by name, as they were set: tokens have no quotes."""
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    return {name: value.encode() for name, _, value in pairs}


def foreign_file(path: Path) -> Response:
    """A file that the arena has written: its scripts run without the rights of our pages."""
    return FileResponse(path, headers={"Content-Security-Policy": FOREIGN})


def foreign_page(html: str) -> Response:
    """A page like the files of `foreign_file`."""
    return HTMLResponse(html, headers={"Content-Security-Policy": FOREIGN})


def _text(sentence: str, status: int) -> Response:
    """A refusal whose request is not read to its end."""
    return PlainTextResponse(f"{sentence}\n", status, {"Connection": "close"})
