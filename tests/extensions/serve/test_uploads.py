"""A participant's upload: only with the participant's token, stored whole, and read by nobody."""

import os

import pytest
from helpers.arena import Arena
from helpers.pages_server import Answer, PagesServer

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
