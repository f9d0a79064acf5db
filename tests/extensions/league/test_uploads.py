"""A participant's pages and upload: who gets which, what is stored, what the page says of it."""

import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.pages_server import Answer, PagesServer

from cantstop_arena.extensions.league.web_routes import _store

BOT = "def choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    return False\n"
LEAGUE = "league: class\nisolate: processes\nstaff: [rule28, random]\n"
BOUNDARY = "----line"


@pytest.fixture
def tokens(served: PagesServer, arena: Arena) -> dict[str, str]:
    """The tokens of a league with two participants, by id."""
    os.chdir(served.folder)
    for name in ("ada", "bob"):
        (served.folder / "submissions" / name).mkdir(parents=True)
    arena("league class.yaml --tokens", files={"class.yaml": LEAGUE})
    lines = (served.folder / "results/class/tokens.csv").read_text("utf-8").splitlines()
    return dict(line.split(",")[:2] for line in lines[1:])


def hand_in(
    server: PagesServer, token: str, name: str, content: bytes, **headers: str | None
) -> Answer:
    body = (
        (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode()
        + content
        + f"\r\n--{BOUNDARY}--\r\n".encode()
    )
    given: dict[str, str | None] = {
        "Cookie": f"arena-league-{server.port}={token}",
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
    }
    given.update(headers)
    return server.ask("POST", "/league/class/submissions", body, **given)


def test_a_token_opens_the_form_and_nothing_else(
    served: PagesServer, tokens: dict[str, str]
) -> None:
    entered = served.get(f"/league/class?token={tokens['ada']}", Cookie=None)
    assert entered.status == 303 and "token" not in entered.headers["location"]
    cookie = entered.headers["set-cookie"].partition(";")[0]
    page = served.get("/league/class", Cookie=cookie)
    assert page.status == 200 and "Hand in your bot" in page.text and "ada" in page.text
    for path in ("/", "/play", "/live", "/bots", "/results/class", "/league"):
        assert served.get(path, Cookie=cookie).status == 403
    assert served.get("/league/other", Cookie=cookie).status == 403
    assert served.get(f"/league/other?token={tokens['ada']}", Cookie=None).status == 403
    assert served.post("/play", {"name": "x"}, Cookie=cookie).status == 403


@pytest.mark.slow
def test_an_upload_is_stored_whole(served: PagesServer, tokens: dict[str, str]) -> None:
    folder = served.folder / "submissions/ada"
    assert hand_in(served, tokens["ada"], "../../x.py", BOT.encode()).status == 303
    assert (folder / "bot.py").read_text("utf-8") == BOT
    net = bytes(range(256)) * 4
    assert hand_in(served, tokens["ada"], "my net.onnx", net).status == 303
    assert (folder / "bot.onnx").read_bytes() == net and not (folder / "bot.py").exists()
    assert not [*(served.folder / "submissions/bob").iterdir()]
    assert sorted(path.name for path in folder.iterdir()) == ["bot.onnx"]


@pytest.mark.slow
def test_uploads_are_refused(served: PagesServer, tokens: dict[str, str]) -> None:
    ada, code = tokens["ada"], BOT.encode()
    assert hand_in(served, "", "bot.py", code).status == 403
    assert hand_in(served, "x" * 22, "bot.py", code).status == 403
    assert hand_in(served, ada, "bot.py", code, Cookie=served.cookie).status == 403
    assert hand_in(served, ada, "bot.py", code, Origin="http://evil.example").status == 403
    assert hand_in(served, ada, "bot.py", code, Origin=None).status == 403
    assert hand_in(served, ada, "bot.zip", code).status == 422
    assert hand_in(served, ada, "bot.py", b"").status == 422
    assert hand_in(served, ada, "bot.py", b"#" * 2_100_000).status == 413
    assert hand_in(served, ada, "bot.py", code, **{"Content-Type": "text/plain"}).status == 422
    assert not [*(served.folder / "submissions/ada").iterdir()]
    link = served.folder / "submissions/ada"
    link.rmdir()
    link.symlink_to(served.folder / "bots")
    assert hand_in(served, ada, "bot.py", code).status == 422
    assert not (served.folder / "bots/bot.py").exists()


@pytest.mark.slow
def test_the_next_round_plays_what_was_handed_in(
    served: PagesServer, tokens: dict[str, str], arena: Arena
) -> None:
    for token in tokens.values():
        assert hand_in(served, token, "bot.py", BOT.encode()).status == 303
    arena("league class.yaml --quiet")
    cookie = f"arena-league-{served.port}={tokens['ada']}"
    page = served.get("/league/class/index.html", Cookie=cookie)
    assert page.status == 200 and "class" in page.text
    assert page.headers["content-security-policy"].startswith("sandbox")
    assert ">class</a>" in served.get("/league").text


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PagesServer]:
    """A server whose league has one round behind it, as its files are: nothing is played here."""
    folder = tmp_path_factory.mktemp("league")
    public = folder / "results/class/public"
    public.mkdir(parents=True)
    for name in ("ada", "bob"):
        (folder / "submissions" / name).mkdir(parents=True)
    (folder / "submissions/bob/bot.py").write_text(BOT)
    rows = "".join(f"{name},token-of-{name},{folder}/submissions/{name}\n" for name in IDS)
    (folder / "results/class/tokens.csv").write_text(f"id,token,folder\n{rows}")
    (folder / "results/class/league.sqlite").touch()
    for name in ("index", "quick-fox", "brave-owl"):
        (public / f"{name}.html").write_text(f"<h1>{name}</h1>")
    step = "Correct it and hand it in again."
    bad = "Does not import: SyntaxError: expected ':' (bot.py, line 1)."
    facts = [["Score", "41.25%", "± 5.78", "against everybody"]]
    participants: dict[str, list[object]] = {
        "ada": ["quick fox 1", "quick-fox.html", "quick fox 1 is 1st of 2", facts, "It plays"],
        "bob": ["brave owl 2", "brave-owl.html", "brave owl 2 has no place yet", [], "It fails"],
    }
    keys = ("public_name", "page", "standing", "facts", "verdict")
    summary = {
        "game": "cantstop",
        "about": "Can't Stop, classic rules",
        "headline": "quick fox 1 leads",
        "bots": 2,
        "games": 1200,
        "time": 4e9,
        "participants": {
            name: {**dict(zip(keys, values, strict=True)), "reasons": [bad], "steps": [step]}
            for name, values in participants.items()
        },
    }
    (folder / "results/class/participants.json").write_text(json.dumps(summary))
    server = PagesServer(folder)
    yield server
    server.end()


IDS = ("ada", "bob")
OWNERS = ("/", "/live", "/play", "/bots", "/league", "/results/class", "/live/class", "/review")
PARTICIPANTS = ("/league/class", "/league/class/index.html", "/league/class/quick-fox.html")
VISITORS = {  # cookie, and what is added to the address: who gets the owner's, and own pages
    "owner": ("arena-{port}={owner}", "", 200, 200),
    "participant": ("arena-league-{port}=token-of-ada", "", 403, 200),
    "both": ("arena-{port}={owner}; arena-league-{port}=token-of-ada", "", 200, 200),
    "nobody": ("", "", 403, 403),
    "wrong cookie": ("arena-league-{port}=token-of-adax", "", 403, 403),
    "wrong token": ("", "?token=token-of-adax", 403, 403),
    "participant with a wrong token": (
        "arena-league-{port}=token-of-ada", "?token=token-of-adax", 403, 403,
    ),
    "owner with a wrong token": ("arena-{port}={owner}", "?token=", 403, 403),
}  # fmt: skip


@pytest.mark.parametrize("who", VISITORS)
def test_every_page_as_each_kind_of_visitor(league: PagesServer, who: str) -> None:
    """Nobody is led to a page that is closed: neither by the menu, nor by styles and scripts."""
    cookie, query, owners, own = VISITORS[who]
    cookie = cookie.format(port=league.port, owner=league.token)
    for path in (*OWNERS, *PARTICIPANTS):
        answer = league.get(f"{path}{query}", Cookie=cookie)
        expected = owners if path in OWNERS else own
        opened = 200 if answer.status in (404, 422) else answer.status  # no report, no game
        assert opened == expected, path
        assert ("Unknown token" in answer.text) == bool(query)
        assert "token-of" not in answer.text and "Traceback" not in answer.text
        links = re.findall(r'(?:href|src)="(/[^"]*)"', answer.text)
        assert len(links) >= 2 or path.endswith(".html") or path == "/results/class"
        for link in dict.fromkeys(links):
            assert league.get(link, Cookie=cookie).status == 200, (path, link)
    for path in ("/league/class/tokens.csv", "/league/other", "/league/other/index.html"):
        assert league.get(path, Cookie=cookie).status in (403, 404)


def test_a_participants_page_says_what_is_wrong_and_what_to_do(league: PagesServer) -> None:
    page = league.get("/league/class", Cookie=f"arena-league-{league.port}=token-of-bob")
    assert page.heading == "brave owl 2 has no place yet" and "you are bob" in page.text
    for text in ("(bot.py, line 1)", "Correct it", 'href="/league/class/brave-owl.html"'):
        assert text in page.text
    assert "waits for its check" not in page.text
    ada = league.get("/league/class", Cookie=f"arena-league-{league.port}=token-of-ada").text
    assert "41.25%" in ada and "± 5.78" in ada and "bob" not in ada
    file = league.folder / "submissions/bob/bot.py"
    os.utime(file, (5e9, 5e9))  # handed in after the run
    later = league.get("/league/class", Cookie=f"arena-league-{league.port}=token-of-bob")
    os.utime(file)
    assert "bot.py waits for its check" in later.text
    assert "quick fox 1 leads" in league.get("/").text and "1,200" in league.get("/").text


FOREIGN: list[dict[str, str | None]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Referer": "http://{host}/"},
    {"Referer": "http://evil.example/"},
    {"Referer": "http://{host}.evil.example/"},
]


@pytest.mark.parametrize(
    ("before", "headers"),
    [
        *(("", headers) for headers in FOREIGN),
        ("arena-league-{port}=token-of-ada", {}),
        ("arena-league-{port}=token-of-ada", FOREIGN[0]),
        ("arena-{port}={owner}", {}),
        ("arena-league-{port}=of-another-league", {}),
    ],
)
def test_no_link_changes_who_i_am(
    league: PagesServer, before: str, headers: dict[str, str | None]
) -> None:
    cookie = before.format(port=league.port, owner=league.token)
    given = {name: (value or "").format(host=league.host) for name, value in headers.items()}
    for method in ("GET", "HEAD"):
        asked = league.ask(method, "/league/class?token=token-of-bob", Cookie=cookie, **given)
        assert asked.status == 200 and "set-cookie" not in asked.headers
    asked = league.get("/league/class?token=token-of-bob", Cookie=cookie, **given)
    assert asked.heading == "Go on as bob?" and 'method="post"' in asked.text
    form = {"token": "token-of-bob", "path": "/league/class"}
    assert league.post("/enter", form, Origin="http://evil.example").status == 403
    entered = league.post("/enter", form, Cookie=cookie)
    assert entered.status == 303 and entered.headers["location"] == "/league/class"
    assert "token-of-bob" in entered.headers["set-cookie"]


def test_a_link_enters_where_nobody_is_replaced(league: PagesServer) -> None:
    for cookie in ("", f"arena-league-{league.port}=token-of-ada", f"arena-{league.port}=old"):
        for site in ({}, {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin"}):
            path = "/league/class?token=token-of-ada"
            assert league.get(path, Cookie=cookie, **site).status == 303
    for path, token in (("/league/class", "wrong"), ("/", "token-of-ada"), ("//evil", "wrong")):
        assert league.post("/enter", {"token": token, "path": path}, Cookie=None).status == 403
    assert league.get("/enter").status == 404


def form_data(*parts: bytes, boundary: bytes = b"B", end: bytes = b"--\r\n") -> bytes:
    lines = b"".join(b"--" + boundary + b"\r\n" + part + b"\r\n" for part in parts)
    return lines + b"--" + boundary + end


PART = b'Content-Disposition: form-data; name="file"; filename="a.py"'
KIND = "multipart/form-data; boundary=B"
BODIES = {
    "semicolons": (KIND, form_data(PART + b";" * 32_000 + b"\r\n\r\nx")),
    "brackets": (KIND, form_data(b"X: " + b"(" * 2_000 + b"\r\n" + PART + b"\r\n\r\nx")),
    "headers": (KIND, form_data(b"X: y\r\n" * 300_000 + PART + b"\r\n\r\nx")),
    "two parts": (KIND, form_data(PART + b"\r\n\r\nx", PART + b"\r\n\r\ny")),
    "20,000 parts": (KIND, form_data(*[PART + b"\r\n\r\nx"] * 20_000)),
    "parts in parts": (KIND, form_data(*[b"Content-Type: multipart/mixed; boundary=B"] * 999)),
    "continued names": (KIND, form_data(b'X: form-data; filename*0="b.py"\r\n\r\nx')),
    "no name": (KIND, form_data(b'X: form-data; filename=""\r\n\r\nx')),
    "no end": (KIND, form_data(PART + b"\r\n\r\nx", end=b"\r\n")),
    "no content": (KIND, form_data(PART + b"\r\n\r\n")),
    "nothing": (KIND, b""),
    "another boundary": (KIND, form_data(PART + b"\r\n\r\nx", boundary=b"C")),
    "semicolons in the request": (f"multipart/form-data{';' * 16_000}; boundary=B", b"--B--"),
    "spaces in the request": (f"multipart/form-data;{' ' * 16_000}boundary=B", b"--B--"),
    "no boundary": ("multipart/form-data", b"--B--"),
    "a long boundary": (f"multipart/form-data; boundary={'-' * 71}", b"--B--"),
    "text": ("text/plain", form_data(PART + b"\r\n\r\nx")),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_form_that_no_browser_sends_is_refused(league: PagesServer, name: str) -> None:
    kind, body = BODIES[name]
    cookie = f"arena-league-{league.port}=token-of-ada"
    answer = league.ask("POST", "/league/class/submissions", body, Cookie=cookie, Content_Type=kind)
    assert answer.status == 422 and "file" in answer.heading
    assert not [*(league.folder / "submissions/ada").iterdir()]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (KIND, "bot.py"),
        ('multipart/form-data; boundary="B"', "a;b (1).py"),
        ("multipart/form-data;boundary=B", "größer.py"),
    ],
)
def test_what_browsers_send_is_stored(league: PagesServer, kind: str, name: str) -> None:
    part = f'Content-Disposition: form-data; name="file"; filename="{name}"'.encode()
    for content in (b"# x", b"\r\n\r\n--b\r\n--", b"\r\n" * 90_000):
        body = form_data(part + b"\r\nContent-Type: text/x-python\r\n\r\n" + content)
        cookie = f"arena-league-{league.port}=token-of-ada"
        answer = league.ask(
            "POST", "/league/class/submissions", body, Cookie=cookie, Content_Type=kind
        )
        stored = league.folder / "submissions/ada/bot.py"
        assert answer.status == 303 and stored.read_bytes() == content
        stored.unlink()


def test_two_files_at_once_leave_one(tmp_path: Path) -> None:
    """Each removes a file of the other kind: without a lock both could go."""
    folder = tmp_path / "ada"
    for _ in range(20):
        with ThreadPoolExecutor(2) as threads:
            [*threads.map(lambda ending: _store(folder, ending, b"x"), [".py", ".onnx"])]
        assert len([*folder.iterdir()]) == 1
