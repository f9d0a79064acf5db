"""Attacks on `arena serve` other than those of test_access: slow, large, split and odd requests,
names with markup everywhere, races, and ends in the middle of a write."""

import json
import re
import signal
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.pages_server import PagesServer
from helpers.parameters import slow_but
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.extensions.serve.connection import MAX_CONNECTIONS

MARKUP = "<script>alert(1)</script>"


def raw(server: PagesServer, request: bytes, seconds: float = TIME_LIMIT) -> bytes:
    """What the server answers to bytes; what it has said when it ends, or stops to say more."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        answer = b""
        try:
            connection.sendall(request)
            while part := connection.recv(65536):
                answer += part
        except (TimeoutError, ConnectionError):
            pass
        return answer


def lines(server: PagesServer, first: str, *others: str, body: bytes = b"") -> bytes:
    """A request as bytes, with the cookie and the origin of a page of the server."""
    head = [
        first,
        f"Host: {server.host}",
        f"Cookie: {server.cookie}",
        f"Origin: http://{server.host}",
        "Connection: close",
        *others,
    ]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + body


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


@pytest.mark.slow
def test_slow_requests_do_not_stop_the_others(server: PagesServer) -> None:
    slow = []
    for number in range(60):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(f"GET /{number} HTTP/1.1\r\nHost: {server.host}\r\nX-A: ".encode())
        slow.append(connection)
    body = socket.create_connection(("127.0.0.1", server.port))
    body.sendall(lines(server, "POST /play HTTP/1.1", "Content-Length: 9000", body=b"name=a"))
    for connection in slow:
        connection.sendall(b"b")
    assert server.get("/").status == 200
    game = server.begin("rule28")
    assert server.get(game).status == 200
    for connection in (*slow, body):
        connection.close()
    assert server.get("/").status == 200


@pytest.mark.parametrize(
    "headers",
    slow_but(
        (0, 1, 2, 3, 5, 6, 7, 8),
        [
            ["X-Large: " + "a" * 200_000],
            [f"X-{number}: a" for number in range(20_000)],
            ["Content-Length: 5", "Content-Length: 6"],
            ["Content-Length: -1"],
            ["Content-Length: 99999999999999999999"],
            ["Transfer-Encoding: chunked", "Content-Length: 5"],
            ["Transfer-Encoding: gzip"],
            ["X-A: a\x00b"],
            ["Cookie : a=b"],
            ["Expect: 100-continue", "Content-Length: 20000000"],
        ],
    ),
)
def test_odd_headers_change_nothing(server: PagesServer, headers: list[str]) -> None:
    answer = raw(server, lines(server, "POST /play HTTP/1.1", *headers, body=b"a=b\r\n"), 3)
    assert status(answer) in (0, 100, 400, 411, 413, 422, 431, 501)
    assert server.get("/").status == 200


def test_a_split_form_is_not_larger_than_another(server: PagesServer) -> None:
    chunk = b"1000\r\n" + b"a" * 0x1000 + b"\r\n"
    head = "Transfer-Encoding: chunked"
    answer = raw(
        server, lines(server, "POST /play HTTP/1.1", head, body=chunk * 600 + b"0\r\n\r\n")
    )
    assert status(answer) == 411  # a request needs its length
    assert server.get("/").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/results/%2e%2e%2fsecret",
        "/results/cup%00",
        "/results/cup%2freport.html",
        "/results/..",
        "/results/%252e%252e",
        "/results/cup\\..\\secret",
        "/results//etc/passwd",
        "/results/cup/%2e%2e%2f%2e%2e%2fsecret",
        "/results/%c0%ae%c0%ae/secret",
        "/results/\xff",
        "/league/cup/%2e%2e%2ftokens.csv",
        "/league/cup/index.html%00.csv",
        "/live/%2e%2e/events",
        "/static/%2e%2e%2fserver.py",
        "/bots/%2e%2e%2f%2e%2e%2fsecret",
        "/play/%2e%2e%2fpeople.sqlite",
        "/review?result=..&bots=a&deal=0",
        "/review?result=cup/../..&bots=a&deal=0",
        "/review?result=cup&bots=--results&bots=/etc&deal=0",
        "/review?result=cup&bots=a&deal=-1",
        "/review?result=cup&bots=a&deal=%00",
        "http://evil.example/results/cup",
    ],
)
def test_no_way_of_writing_a_path_leads_out(server: PagesServer, path: str) -> None:
    (server.folder / "secret").mkdir(exist_ok=True)
    (server.folder / "secret/report.html").write_text("a secret")
    answer = raw(server, lines(server, f"GET {path} HTTP/1.1"))
    assert status(answer) in (400, 404, 421, 422) and b"a secret" not in answer
    assert b"Traceback" not in answer


def test_links_in_results_lead_nowhere(server: PagesServer, tmp_path: Path) -> None:
    results = server.folder / "results"
    (tmp_path / "report.html").write_text("a secret")
    folder = results / "linked"
    folder.mkdir(parents=True)
    for name in ("report.html", "history-x.html"):
        (folder / name).symlink_to(tmp_path / "report.html")
    for path in ("/results/linked", "/results/linked/history-x.html", "/live/linked"):
        assert "a secret" not in server.get(path).text
    assert server.get("/").status == 200


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "PROPFIND"])
def test_no_method_reflects_or_changes(server: PagesServer, method: str) -> None:
    answer = raw(server, lines(server, f"{method} /play HTTP/1.1", "X-Echo: echoed"))
    assert b"echoed" not in answer and server.token.encode() not in answer
    assert status(answer) == (200 if method == "HEAD" else 405 if status(answer) else 0)
    assert b"Access-Control" not in answer


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Host", "127.0.0.1:{port}.evil.example"),
        ("Host", "127.0.0.1:{port}@evil.example"),
        ("Host", "evil.example, 127.0.0.1:{port}"),
        ("Host", "0.0.0.0:{port}"),
        ("Host", "[::1]:{port}"),
        ("Host", "LOCALHOST.:{port}"),
        ("Origin", "http://127.0.0.1:{port}.evil.example"),
        ("Origin", "http://127.0.0.1:{port}/"),
        ("Origin", "http://evil.example http://127.0.0.1:{port}"),
        ("Origin", "file://"),
        ("Cookie", "arena-{port}=; arena-{port}x={token}"),
        ("Cookie", "arena-1={token}"),
        ("Cookie", "arena-{port}={token}x"),
        ("Cookie", "arena-league-{port}={token}"),
        ("Cookie", "arena-{port}=\xff\xfe"),
    ],
)
def test_variants_of_names_are_others(server: PagesServer, header: str, value: str) -> None:
    given = value.format(port=server.port, token=server.token)
    answer = server.ask("POST", "/play", "game=cantstop", **{header: given})
    assert answer.status in (403, 421)


def test_the_token_is_not_told_on(server: PagesServer) -> None:
    entered = server.get(f"/?token={server.token}&x=1", Cookie=None)
    assert server.token not in entered.headers["location"] and entered.text == ""
    assert entered.headers["referrer-policy"] == "same-origin"
    for path in ("/", "/play", "/live", "/bots", "/league", "/nothing"):
        answer = server.get(path, Referer=f"http://{server.host}/?token={server.token}")
        assert server.token not in answer.text + str(answer.headers)


def test_markup_is_text_wherever_it_comes_from(server: PagesServer, arena: Arena) -> None:
    bots = server.folder / "bots"
    bots.mkdir(exist_ok=True)
    body = "def choose_move(turn, moves): return 0\ndef roll_again(turn): return False\n"
    (bots / "marked.py").write_text(f'"""A {MARKUP} bot."""\n{body}', "utf-8")
    (bots / f"x{MARKUP.replace('/', '')}.py").write_text(body, "utf-8")
    (bots / "broken.py").write_text(f'raise ValueError("{MARKUP}")\n', "utf-8")
    results = server.folder / "results"
    stored: dict[str, dict[str, object]] = {
        "tuned": {"tuning.json": {"headline": MARKUP, "bot": MARKUP}},
        "compared": {
            "comparison.json": {
                "game": "cantstop",
                "bots": [MARKUP],
                "rules": {MARKUP: {}},
                "answers": [{"sentence": MARKUP, "games": 1}],
                "headline": MARKUP,
            }
        },
        "odd": {"comparison.json": {"game": MARKUP, "bots": [], "rules": {}, "answers": []}},
    }
    for name, files in stored.items():
        (results / name).mkdir(parents=True)
        for file, content in files.items():
            (results / name / file).write_text(json.dumps(content))
    (results / "a&b<i>").mkdir()
    (server.folder / "league").mkdir()
    for path in ("/", "/bots", "/bots/marked", "/play", "/live", "/league", "/?kind=tuning"):
        text = server.get(path).text
        assert "<script>" not in text and "<i>" not in text
    assert "&lt;script&gt;" in server.get("/bots/marked").text
    assert "&lt;script&gt;" in server.get("/").text


@pytest.mark.slow
def test_two_first_answers_at_once_count_once(served: PagesServer) -> None:
    """Different answers to one question: one is taken, and both pages show what has become."""
    game = served.begin("random")
    page = served.get(game)
    while len(page.options) < 2:
        page = served.answer(game, page, page.options[0])
    before = int(page.n)
    with ThreadPoolExecutor(2) as threads:
        answers = [*threads.map(lambda o: served.answer(game, page, o), page.options[:2])]
    assert {answer.n for answer in answers} == {str(before + 1)}
    path = served.folder / "results/people/people.sqlite"
    with closing(sqlite3.connect(path)) as database:
        count = database.execute("SELECT count(*), max(n) FROM answer").fetchone()
    assert count == (before + 1, before)


@pytest.mark.slow
def test_a_server_that_is_killed_while_it_writes_loses_no_answer_that_it_has_shown(
    served: PagesServer,
) -> None:
    game = served.begin("random", "random", "random")
    shown = 0
    for _ in range(5):
        with ThreadPoolExecutor(1) as threads:
            killed = threads.submit(_kill_after, served, 0.2)
            try:
                page = served.get(game)
                while page.n:
                    shown = int(page.n)
                    choice = "true" if "true" in page.options else page.options[0]
                    page = served.answer(game, page, choice)
            except OSError:
                pass
            except Exception as error:
                assert "IncompleteRead" in type(error).__name__ or "Remote" in str(error)
            killed.result()
        served.process.wait()
        served.start()
        page = served.get(game)
        assert page.status == 200 and "went on differently" not in page.text
        if not page.n:
            break
        assert int(page.n) >= shown
    path = served.folder / "results/people/people.sqlite"
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _kill_after(served: PagesServer, seconds: float) -> None:
    time.sleep(seconds)
    served.process.send_signal(signal.SIGKILL)


def test_connections_without_a_request_are_closed_first(server: PagesServer) -> None:
    """However many there are, the owner gets in, and keeps the connections with the token."""
    kept = HTTPConnection("127.0.0.1", server.port, timeout=TIME_LIMIT)
    headers = {"Host": server.host, "Cookie": server.cookie}
    kept.request("GET", "/", headers=headers)
    kept.getresponse().read()
    with ExitStack() as opened:
        for number in range(2 * MAX_CONNECTIONS):
            held = socket.create_connection(("127.0.0.1", server.port), timeout=TIME_LIMIT)
            opened.enter_context(held)
            with suppress(OSError):
                held.sendall((b"", b"GET / HT", b"GET / HTTP/1.1\r\n\r\n")[number % 3])
        assert server.get("/").status == 200
        kept.request("GET", "/", headers=headers)
        assert kept.getresponse().status == 200
    kept.close()


@pytest.mark.parametrize(
    "headers",
    [
        [f'Cookie: a="{chr(92) * 30_000}"'],  # Python's own parser takes seconds for it
        ["Range: bytes=" + ",".join(f"{n}-{n}" for n in range(2000))],
        ["Connection: " + "a," * 14_000],
        ["X-A: " + "a" * 30_000, "X-B: " + "b" * 9_000],
    ],
)
def test_headers_are_not_parsed_generously(server: PagesServer, headers: list[str]) -> None:
    answer = raw(server, lines(server, "GET /static/none HTTP/1.1", *headers))
    assert status(answer) in (400, 404, 431)


def test_a_cookie_is_compared_as_it_came(server: PagesServer) -> None:
    assert server.get("/", Cookie=f'arena-{server.port}="{server.token}"').status == 403
    assert server.get("/", Cookie=f"a=1;arena-{server.port}={server.token} ;b").status == 200


def test_long_addresses_are_refused(server: PagesServer) -> None:
    for path in ("/?" + "a&" * 3000, "/" + "a" * 5000, "/?token=" + "a" * 5000):
        assert server.get(path).status == 414


def test_an_answer_is_sent_at_once(server: PagesServer) -> None:
    """A socket without the protocol's name gets no TCP_NODELAY, and every answer waits."""
    from cantstop_arena.extensions.serve.server import _socket

    with closing(_socket("127.0.0.1", 0)) as listening:
        assert listening.proto == socket.IPPROTO_TCP
        with socket.create_connection(listening.getsockname()):  # it listens already
            pass
    assert re.search(r"^Pages at http://127\.0\.0\.1:\d+/", server.said)
