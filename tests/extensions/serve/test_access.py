"""Who gets into `arena serve`, by attack: other sites, names, ports, paths, forms."""

import re
import socket
from pathlib import Path

import pytest
from helpers.pages_server import PagesServer
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.extensions.serve.access import HEADERS

POSTS = (
    "/play", "/runs", "/live/x/stop", "/play/00/answer", "/play/00/undo", "/play/00/leave",
    "/play/00/again", "/league/x/submissions",
)  # fmt: skip
MARKUP = "<img src=x onerror=alert(1)>"


def test_the_token_opens_the_pages_and_leaves_the_address(server: PagesServer) -> None:
    without = server.get("/", Cookie=None)
    assert without.status == 403 and "Open the address" in without.text
    other = server.token[::-1].swapcase()
    assert server.get(f"/?token={other}", Cookie=None).status == 403
    entered = server.get(f"/?token={server.token}", Cookie=None)
    assert entered.status == 303 and entered.headers["location"] == "/"
    cookie = entered.headers["set-cookie"]
    assert f"arena-{server.port}=" in cookie
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert (
        server.get(f"//evil.example/?token={server.token}", Cookie=None)
        .headers["location"]
        .startswith("/evil.example")
    )
    assert server.get("/", Cookie=f"other=1; {server.cookie}").status == 200
    assert server.get("/", Cookie=f"arena-1={server.token}").status == 403


@pytest.mark.parametrize("path", POSTS)
def test_forms_of_other_origins_are_refused(server: PagesServer, path: str) -> None:
    for origin in (
        None,
        "null",
        "http://evil.example",
        "http://127.0.0.1:1",
        "http://127.0.0.1",
        f"https://{server.host}",
    ):
        assert server.post(path, Origin=origin).status == 403
    assert server.post(path, Cookie=None).status == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "", None])
def test_other_names_of_the_host_are_refused(server: PagesServer, host: str | None) -> None:
    name = host.format(port=server.port) if host is not None else None
    answer = server.get("/", Host=name)
    assert answer.status in (400, 421) and "result" not in answer.text
    assert server.get("/", Host=f"localhost:{server.port}").status == 200


@pytest.mark.parametrize("path", ["/", "/nothing", "/play", "/static/none", "/play/00"])
def test_every_answer_has_the_headers(server: PagesServer, path: str) -> None:
    for answer in (server.get(path), server.get(path, Cookie=None), server.get(path, Host="x")):
        for name, value in HEADERS.items():
            assert answer.headers[name.lower()] == value


def test_the_style_and_the_script_may_be_kept(server: PagesServer) -> None:
    names = re.findall(r'"(/static/serve-[0-9a-f]{12}\.(?:css|js))"', server.get("/").text)
    assert len(names) == 2
    for name in names:
        answer = server.get(name)
        assert answer.status == 200 and answer.headers["cache-control"] == "max-age=3600"


@pytest.mark.parametrize("method", ["DELETE", "PUT", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(server: PagesServer, method: str) -> None:
    assert server.ask(method, "/").status == 405


def test_forwarded_headers_change_nothing(server: PagesServer) -> None:
    answer = server.get("/", X_Forwarded_Host="evil.example", X_Forwarded_For="1.2.3.4")
    assert answer.status == 200 and "evil" not in answer.text
    assert server.get("/", X_Forwarded_Host=server.host, Host="evil.example").status == 421


@pytest.mark.parametrize(
    "path",
    [
        "/results/..%2f..%2fetc",
        "/results/%2e%2e",
        "/results/link",
        "/results/people",
        "/results/.hidden",
        "/live/link",
        "/live/..%2flink",
        "/league/link/index.html",
        "/league/cup/..%2f..%2fsecret.html",
        "/league/cup/tokens.csv",
        "/league/cup/link.html",
        "/static/..%2fserve.css",
        "/play/..%2f..%2fpeople/review",
    ],
)
def test_no_path_leads_out_of_the_results(server: PagesServer, path: str) -> None:
    results = server.folder / "results"
    outside = server.folder / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "report.html").write_text("a secret")
    public = results / "cup" / "public"
    public.mkdir(parents=True, exist_ok=True)
    for link in (results / "link", public / "link.html"):
        if not link.is_symlink():
            link.symlink_to(outside if link.name == "link" else outside / "report.html")
    answer = server.get(path)
    assert answer.status == 404 and "secret" not in answer.text


def test_reports_have_an_origin_of_their_own(server: PagesServer) -> None:
    folder = server.folder / "results" / "cup"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text("<script>1</script>")
    answer = server.get("/results/cup")
    assert answer.status == 200
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in answer.headers["content-security-policy"]


def test_large_forms_are_refused(server: PagesServer) -> None:
    assert server.ask("POST", "/play", "name=" + "a" * 20_000).status == 422
    assert server.ask("POST", "/play", "&".join(f"a{n}=1" for n in range(900))).status == 422
    assert server.ask("POST", "/play", b"name=\xff").status == 422
    assert server.ask("POST", "/play", "name=%00&game=cantstop").status == 422


def test_markup_in_names_stays_text(server: PagesServer) -> None:
    game = server.begin("rule28", name=f"{MARKUP}\x1b[2J")
    for path in (game, "/", "/play"):
        text = server.get(path).text
        assert "<img" not in text and "&lt;img" in text and "\x1b" not in text


def test_the_seed_stays_secret_until_the_end(server: PagesServer) -> None:
    import sqlite3

    game = server.begin("random")
    page = server.get(game)
    database = sqlite3.connect(server.folder / "results/people/people.sqlite")
    query = "SELECT seed FROM game WHERE id = ?"
    ((seed,),) = database.execute(query, (game.rpartition("/")[2],)).fetchall()
    assert len(seed) > 20
    for _ in range(3):
        page = server.answer(game, page, page.options[0])
        assert page.status == 200 and seed not in page.text
    assert seed not in server.get("/").text
    assert server.get(f"{game}/review").status == 409


def test_answers_out_of_turn_change_nothing(server: PagesServer) -> None:
    game = server.begin("rule28")
    first = server.get(game)
    assert first.n == "0"
    after = server.answer(game, first, first.options[0])
    again = server.answer(game, first, first.options[-1])
    assert again.status == 200 and (again.n, after.n) == ("1", "1")
    for choice in ("9", "-1", "true and", "[]", '"x"', "1e999", "9" * 400):
        refused = server.answer(game, after, choice)
        assert refused.status in (200, 422)
        assert server.get(game).n == ("1" if refused.status == 422 else "2")
    assert server.post(f"{game}/answer", {"n": "99", "answer": "0"}).status == 303
    assert server.post(f"{game}/answer", {"n": "x", "answer": "0"}).status == 422
    assert server.post("/play/ffff/answer", {"n": "0", "answer": "0"}).status == 404


def test_an_index_or_number_is_no_bool_from_outside(server: PagesServer) -> None:
    """`bool(9)` would be an answer, too."""
    game = server.begin("rule28")
    page = server.get(game)
    while "true" not in page.options:
        page = server.answer(game, page, page.options[0])
    refused = server.answer(game, page, "9")
    assert refused.status == 422 and server.get(game).n == page.n


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"bot": ["nobody"]}, "No bot is called nobody"),
        ({"bot": ["./x.py"]}, "No bot is called ./x.py"),
        ({"bot": ["rule28"] * 4}, "seats"),
        ({"bot": ["optimal"]}, "optimal cannot play: classic has not been solved for 2 players"),
        ({"bot": ["policy-net"], "rules": "jump"}, "policy-net cannot play: its net was trained"),
        ({"bot": ["rule28"], "rules": "none"}, "unknown rules"),
        ({"bot": ["rule28"], "name": "  "}, "Enter a name"),
        ({"bot": ["rule28"], "mode": "cheat"}, "no such kind"),
        ({"bot": ["rule28"], "seat": "7"}, "Seat must be"),
        ({"bot": ["rule28"], "game": "chess"}, "no such game"),
    ],
)
def test_a_form_that_cannot_be_played_says_why(
    server: PagesServer, fields: dict[str, list[str] | str], message: str
) -> None:
    usual = {"game": "cantstop", "rules": "classic", "name": "Ada", "seat": "0", "mode": "rated"}
    answer = server.post("/play", {**usual, **fields})
    assert answer.status == 422 and message in answer.text


@pytest.mark.parametrize("path", ["/play", "/live", "/bots"])
def test_bots_are_offered_where_they_can_play(server: PagesServer, path: str) -> None:
    page = server.get(f"{path}?game=cantstop").text
    offered = {*re.findall(r'name="bot" value="([^"]+)"|[?&;]bot=([^"&]+)"', page)}
    names = {name for pair in offered for name in pair}
    assert "rule28" in names and "policy-net" in names and "optimal" not in names
    assert ("optimal" in page) == (path == "/bots")


@pytest.mark.parametrize("name", ["a'b", "a\nb", 'a": x', "../x", "people", "", "-x", "A"])
def test_names_of_runs_are_plain(server: PagesServer, name: str) -> None:
    form = {
        "name": name, "game": "cantstop", "rules": "classic", "players": "2", "games": "20",
        "bot": ["rule28", "random"],
    }  # fmt: skip
    assert server.post("/runs", form).status == 422
    assert not (server.folder / "tournaments").exists()


def test_the_server_can_do_without_a_proper_browser(server: PagesServer) -> None:
    """What is no HTTP, or never ends, does not stop the others."""
    lines = [b"\x00\xff\r\n\r\n", b"GET /" + b"x" * 70_000, b"POST /play HTTP/1.1\r\n"]
    sockets = []
    for line in lines:
        sockets.append(socket.create_connection(("127.0.0.1", server.port)))
        sockets[-1].sendall(line)
    assert server.get("/").status == 200
    for each in sockets:
        each.close()


def test_another_address_needs_expose(tmp_path: Path) -> None:
    import subprocess

    from helpers.pages_server import ARENA

    words = [*ARENA, "serve", "--host", "0.0.0.0", "--port", "0"]
    process = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    assert process.returncode == 2
    assert "lets other machines in" in process.stderr and "ssh -L" in process.stderr


def test_a_port_in_use_is_said(server: PagesServer) -> None:
    import subprocess

    from helpers.pages_server import ARENA

    words = [*ARENA, "serve", "--port", str(server.port)]
    done = subprocess.run(
        words, cwd=server.folder, capture_output=True, text=True, timeout=TIME_LIMIT
    )
    assert done.returncode == 2 and "choose another port" in done.stderr


@pytest.mark.slow
def test_a_hostile_record_is_a_message(server: PagesServer) -> None:
    game = server.begin("random")
    assert server.post(f"{game}/leave").status == 303
    record = server.folder / "results/people/games" / f"{game.rpartition('/')[2]}.jsonl"
    good = record.read_text("utf-8")
    for text in ("", "[]\n", "\x00", good.replace("cantstop", "<blink>"), good.replace("2", "99")):
        record.write_text(text)
        for path in (game, f"{game}/review"):
            answer = server.get(path)
            assert answer.status in (200, 422) and "<blink>" not in answer.text
    record.write_bytes(b"\xff\xfe")
    assert server.get(game).status == 422 and server.get(f"{game}/review").status == 422
