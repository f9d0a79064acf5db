"""Results and runs on the pages: found, watched as they grow, started, stopped, and outliving."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest
from helpers.arena import Arena
from helpers.pages_server import ARENA, PagesServer
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.extensions.serve import live_runs
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims

FORM: dict[str, list[str] | str] = {
    "game": "cantstop",
    "rules": "classic",
    "players": "2",
    "games": "4000000",
    "bot": ["rule28", "random", "odds", "daring"],
}


def wait_for(server: PagesServer, path: str, text: str) -> str:
    """The page when it has this text."""
    for _ in range(600):
        if text in (page := server.get(path).text):
            return page
        time.sleep(0.1)
    raise AssertionError(page)


@pytest.mark.slow
def test_every_kind_of_result_is_listed_with_its_finding(served: PagesServer, arena: Arena) -> None:
    os.chdir(served.folder)
    assert "Start a tournament" in served.get("/").text
    arena("run cup.yaml", yaml="name: cup\ngames: 60\nbots: [rule28, random, odds]\n")
    duel = arena("match rule28 random --games 40").folder.name
    yaml = "name: rules\ncompare: [classic, korean]\ngames: 20\nbots: [rule28, random]\n"
    arena("compare rules.yaml", yaml=yaml)
    arena("gauntlet rule28 --games 4 --no-page --quiet")
    arena("judge results/cup --deals 4")
    mine = "def choose_move(turn, moves): return 0\ndef roll_again(turn): return turn.rolls < 2\n"
    yaml = "name: own\ngames: 20\nbots: [rule28, mine]\n"
    arena("run own.yaml --no-page", yaml=yaml, bots={"mine": mine})
    arena("history mine --in results/own --page")
    (served.folder / "results/tuned").mkdir()
    tuned = '{"headline": "rule28 is best as it is", "bot": "rule28"}'
    (served.folder / "results/tuned/tuning.json").write_text(tuned)
    (served.folder / "results/broken").mkdir()
    (served.folder / "results/broken/ledger.sqlite").write_text("none")
    page = served.get("/").text
    for name, finding in (
        ("cup", "Can&#39;t Stop, classic"),
        (duel, "rule28"),
        ("rules", "korean"),
        ("gauntlet-rule28", "The rank of rule28"),
        ("cup", "percentage points a game by its decisions"),
        ("own", "Only one version of mine is rated"),
        ("tuned", "rule28 is best as it is"),
        ("broken", "cannot be read"),
    ):
        assert f">{name}</a>" in page and finding in page
    assert f">{duel}</a>" in served.get("/?kind=match").text
    assert ">cup</a>" not in served.get("/?kind=match").text
    assert ">own</a>" in (text := served.get("/?kind=history").text) and ">cup</a>" not in text
    assert ">cup</a>" in (text := served.get("/?kind=judged").text) and ">own</a>" not in text
    versions = served.get("/results/own/history-mine.html")
    assert versions.status == 200
    assert versions.headers["content-security-policy"].startswith("sandbox")
    for path in ("ledger.sqlite", "history-none.html", "history-..%2freport.html"):
        assert served.get(f"/results/own/{path}").status == 404
    assert served.get("/?kind=<x>&page=-1").status == 200
    arena("report results/cup")
    assert served.get("/results/cup").status == 200
    assert "Look at that game" not in served.get("/bots/rule28").text


@pytest.mark.slow
def test_faults_are_on_the_page_of_their_bot_with_a_replay(
    served: PagesServer, arena: Arena
) -> None:
    os.chdir(served.folder)
    wrong = "def choose_move(turn, moves): return 99\ndef roll_again(turn): return False\n"
    yaml = "name: cup\ngames: 40\nmax_faults: 1000\nbots: [rule28, wrong]\n"
    arena("run cup.yaml --no-page", yaml=yaml, bots={"wrong": wrong}, code=None)
    page = served.get("/bots/wrong").text
    assert "illegal answer" in page and "arena replay" in page and "return 99" in page
    address = page.partition('href="/review?')[2].partition('"')[0].replace("&amp;", "&")
    review = served.get(f"/review?{address}")
    assert review.status == 200


@pytest.mark.slow
def test_a_comparison_is_watched_part_by_part(served: PagesServer) -> None:
    yaml = "name: rules\ncompare: [classic, korean]\ngames: 9000000\nbots: [rule28, random]\n"
    (served.folder / "rules.yaml").write_text(yaml)
    words = [*ARENA, "compare", "rules.yaml", "--quiet", "--workers", "1"]
    run = subprocess.Popen(words, cwd=served.folder, stdout=subprocess.DEVNULL)
    page = wait_for(served, "/live/rules", "standings")
    assert "classic rules, 2 players: 1 of 2 parts has begun" in page
    assert "/live/rules" in served.get("/").text
    assert served.post("/live/rules/stop").status == 303
    run.wait(TIME_LIMIT)
    page = served.get("/").text
    assert "Not over: 1 part of 2 has begun" in page and 'href="/live/rules"' in page


@pytest.mark.slow
def test_a_run_is_started_watched_and_stopped(served: PagesServer) -> None:
    started = served.post("/runs", {**FORM, "name": "evening"})
    assert started.status == 303 and started.headers["location"] == "/live/evening"
    file = served.folder / "tournaments/evening.yaml"
    assert "rule28" in file.read_text("utf-8")
    assert "running" in wait_for(served, "/live/evening", "standings")
    again = served.post("/runs", {**FORM, "name": "evening"})
    assert again.status == 422 and "already" in again.text
    second = served.post("/runs", {**FORM, "name": "second"})
    assert second.status == 303
    assert served.post("/runs", {**FORM, "name": "third"}).status == 409
    events = streamed(served, "/live/evening/events", 2)
    assert len(events) == 2 and all("games" in event for event in events)
    assert '<span class="on">2' in served.get("/").text
    for name in ("evening", "second"):
        assert served.post(f"/live/{name}/stop").status == 303
        page = served.get(f"/live/{name}").text
        assert 'class="badge on"' not in page and "Stop this run" not in page
        analysis = Analysis(load_results_with_aims(served.folder / "results" / name))
        assert f'<span class="big">{analysis.games:,}</span>' in page  # nothing of before the stop
    assert served.post("/live/evening/stop").status == 409
    assert streamed(served, "/live/evening/events", 2)[-1].endswith("over")


@pytest.mark.slow
def test_forms_at_once_start_two_runs(served: PagesServer) -> None:
    def start(number: int) -> int:
        return served.post("/runs", {**FORM, "name": f"run{number // 2}"}).status

    with ThreadPoolExecutor(8) as threads:
        statuses = sorted(threads.map(start, range(8)))
    assert statuses[:2] == [303, 303] and set(statuses[2:]) <= {409, 422}
    running = [path.stem for path in (served.folder / "tournaments").iterdir()]
    assert len(running) == 2
    for name in running:
        assert served.post(f"/live/{name}/stop").status == 303


def test_results_are_searched_by_words(served: PagesServer) -> None:
    for name, headline in (("one", "odds is best"), ("two", "rule28 is best")):
        folder = served.folder / "results" / name
        folder.mkdir(parents=True)
        content = {"headline": headline, "game": "cantstop", "bot": "b"}
        (folder / "tuning.json").write_text(json.dumps(content))
    for query, expected in (("", ["two", "one"]), ("Odds BEST", ["one"]), ("can't", ["two", "one"]),
                            ("tuning two", ["two"]), ("<none>", [])):  # fmt: skip
        page = served.get(f"/?{urlencode({'q': query, 'kind': 'tuning'})}").text
        found = re.findall(r'rowheader"><a href="[^"]*">(\w+)<', page)
        assert sorted(found) == sorted(expected) and "<none>" not in page


def streamed(server: PagesServer, path: str, count: int) -> list[str]:
    """The first events of a stream."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=TIME_LIMIT)
    connection.request("GET", path, headers={"Cookie": server.cookie})
    answer = connection.getresponse()
    assert answer.headers["content-type"].startswith("text/event-stream")
    events: list[str] = []
    lines: list[str] = []
    while len(events) < count and (line := answer.readline().decode()):
        if line == "\n":
            events.append("\n".join(lines))
            lines = []
        else:
            lines.append(line.strip())
    connection.close()
    return events


HOLD = """
import sys
from pathlib import Path
from cantstop_arena.errors import ArenaError
from cantstop_arena.tournaments.ledger.open_ledger import locked_folder
for line in sys.stdin:
    try:
        with locked_folder(Path(sys.argv[1])):
            print("locked", flush=True)
            sys.stdin.readline()
    except ArenaError:
        print("refused", flush=True)
"""


def test_the_writer_is_named_without_a_lock_of_ones_own(tmp_path: Path) -> None:
    """Asking takes no lock from a run that has one, and refuses none to a run that begins."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    runs = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]

    def tell(run: "subprocess.Popen[str]") -> None:
        assert run.stdin
        run.stdin.write("go\n")
        run.stdin.flush()

    def said_by(run: "subprocess.Popen[str]") -> str:
        assert run.stdout
        return run.stdout.readline().strip()

    first, second = runs
    assert live_runs.writer(tmp_path) is None
    for _ in range(20):
        tell(first)
        while (process := live_runs.writer(tmp_path)) is None:
            time.sleep(0.001)
        assert process == first.pid and said_by(first) == "locked"
        tell(second)
        assert said_by(second) == "refused"
        assert live_runs.writer(tmp_path) == first.pid
        tell(first)
        while live_runs.writer(tmp_path) is not None:
            time.sleep(0.001)
    for run in runs:
        run.communicate(timeout=TIME_LIMIT)


@pytest.mark.slow
def test_runs_outlive_the_server(served: PagesServer) -> None:
    served.post("/runs", {**FORM, "name": "long"})
    wait_for(served, "/live/long", "standings")
    served.end(signal.SIGKILL)
    served.start()
    assert 'class="badge on"' in served.get("/live/long").text
    said = served.end(signal.SIGINT)
    assert "Traceback" not in said
    served.start()
    assert 'class="badge on"' in served.get("/live/long").text
    assert served.post("/live/long/stop").status == 303


@pytest.mark.slow
def test_ctrl_c_ends_the_server_while_a_page_is_watched(served: PagesServer) -> None:
    served.post("/runs", {**FORM, "name": "watched"})
    wait_for(served, "/live/watched", "standings")
    connection = HTTPConnection("127.0.0.1", served.port, timeout=TIME_LIMIT)
    connection.request("GET", "/live/watched/events", headers={"Cookie": served.cookie})
    connection.getresponse().readline()
    said = served.end(signal.SIGINT)
    assert "Traceback" not in said and "Error" not in said
    connection.close()
    served.start()
    assert served.post("/live/watched/stop").status == 303


@pytest.mark.slow
def test_nobody_leads_before_all_lineups_have_met(served: PagesServer) -> None:
    bots = ["random", "cautious", "daring", "odds", "rule28", "glenn-aloi"]
    served.post("/runs", {**FORM, "name": "early", "bot": bots, "games": "9000000"})
    heads = set()
    for _ in range(40):
        page = served.get("/live/early")
        heads.add(page.heading)
        met = "lineups have met" in page.heading
        assert met or "who leads" not in page.text
        if not met and "standings" in page.text:
            break
    assert served.post("/live/early/stop").status == 303
    for head in heads:
        assert "leads," not in head or "lineups" not in head


@pytest.mark.slow
def test_a_run_that_cannot_begin_says_why(served: PagesServer) -> None:
    form = {**FORM, "name": "solo", "players": "9"}
    assert served.post("/runs", form).status == 422
    assert served.post("/runs", {**FORM, "name": "one", "bot": ["rule28"]}).status == 422
    assert served.post("/runs", {**FORM, "name": "no", "bot": ["rule28", "./x.py"]}).status == 422
    assert not (served.folder / "tournaments").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["none", "people"])
def test_what_is_not_there_is_said(server: PagesServer, name: str) -> None:
    for path in (f"/live/{name}", f"/live/{name}/events", f"/results/{name}", f"/bots/{name}"):
        assert server.get(path).status == 404
    assert server.post(f"/live/{name}/stop").status == 404
    assert server.get(f"/review?result={name}").status == 404


@pytest.mark.slow
def test_games_can_be_begun_while_a_gauntlet_has_only_begun(
    served: PagesServer, arena: Arena
) -> None:
    os.chdir(served.folder)
    file = "games: 2\ngauntlet: rule28\nbots: [rule28, cautious, random]\n"
    arena("run early.yaml --quiet", files={"early.yaml": file})
    with sqlite3.connect(served.folder / "results/early/ledger.sqlite") as ledger:
        ledger.executescript("delete from blocks; delete from seals")
    assert served.get("/play").status == 200
