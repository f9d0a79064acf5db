"""Bots of strangers on the pages: what they do ends their own game at most."""

import time
from pathlib import Path

import pytest
from helpers.pages_server import PagesServer

BODY = """
import os, sys, time
def choose_move(turn, moves):
    {act}
    return 0
def roll_again(turn):
    return False
"""
DIES = "os._exit(3)"
FLOODS = """for _ in range(200):
        os.write(1, b'x' * 100_000 + b'\\n')
        os.write(2, b'<b>y</b>' * 9999)
    print('z' * 1_000_000)"""
RAISES = "raise ValueError('<img src=x onerror=alert(1)>\\x1b[2J' * 999)"
FORKS = "time.sleep(3600) if not os.fork() else None"
EXHAUSTS = "x = b'1' * (1 << 40)"
READS = "raise ValueError(open({path!r}, 'rb').read(16))"


def with_bot(served: PagesServer, act: str) -> None:
    bots = served.folder / "bots"
    bots.mkdir(exist_ok=True)
    (bots / "stranger.py").write_text(BODY.format(act=act))


def children(process: int) -> list[str]:
    """The processes below another one."""
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [child for thread in threads for child in thread.read_text().split()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("act", "fault"),
    [
        (DIES, "Fault: stranger"),
        (RAISES, "Fault: stranger"),
        (EXHAUSTS, "Fault: stranger"),
        (FLOODS, ""),
        (FORKS, None),  # a sandbox does not let it
    ],
)
def test_what_a_bot_does_ends_its_own_game_at_most(
    served: PagesServer, act: str, fault: str | None
) -> None:
    with_bot(served, act)
    other = served.begin("rule28")
    game = served.begin("stranger", seat="1")
    page = served.get(game)
    for _ in range(60):  # the bot's move comes when it can move, which may not be at once
        if not page.n or "Fault" in page.text:
            break
        choice = "false" if "false" in page.options else page.options[0]
        page = served.answer(game, page, choice)
    text = served.get(game).text
    assert fault is None or ((fault in text) if fault else ("Fault" not in text))
    assert "<img" not in text and "\x1b" not in text and len(text) < 100_000
    page = served.get(other)
    assert served.answer(other, page, page.options[0]).n == "1"
    for path in (game, other):
        served.post(f"{path}/leave")
    for _ in range(600):
        if not children(served.process.pid):
            break
        time.sleep(0.1)
    assert not children(served.process.pid)


@pytest.mark.slow
def test_files_are_hidden_where_there_is_a_sandbox(served: PagesServer) -> None:
    problem = "There is no sandbox" in served.get("/play").text
    database = served.folder / "results/people/people.sqlite"
    served.begin("rule28")
    assert database.read_bytes()[:6] == b"SQLite"
    with_bot(served, READS.format(path=str(database)))
    game = served.begin("stranger", seat="1")
    page = served.get(game)
    while page.n:
        choice = "false" if "false" in page.options else page.options[0]
        page = served.answer(game, page, choice)
    assert ("SQLite" in page.text) == problem
    assert "Fault: stranger" in page.text


@pytest.mark.slow
def test_a_bot_that_hangs_while_it_is_loaded_does_not_stop_the_pages(served: PagesServer) -> None:
    bots = served.folder / "bots"
    bots.mkdir()
    (bots / "stranger.py").write_text(f"import time\ntime.sleep(3600)\n{BODY.format(act='pass')}")
    answer = served.post(
        "/play",
        {
            "name": "Ada", "game": "cantstop", "rules": "classic", "seat": "1", "mode": "rated",
            "bot": "stranger",
        },
    )  # fmt: skip
    assert answer.status == 422 and "stranger" in answer.text
    assert served.get("/").status == 200
    assert Path(f"/proc/{served.process.pid}").exists()
