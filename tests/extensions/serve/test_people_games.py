"""People's games: resumed after any end, several at once, recorded and rated like those of bots."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from helpers.arena import Arena
from helpers.game_packages import install_example, on_path
from helpers.pages_server import Answer, PagesServer

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.extensions.serve import people_games
from cantstop_arena.extensions.serve.people_games import PeopleGames
from cantstop_arena.extensions.serve.people_store import (
    OVER,
    RATED,
    PeopleGame,
    PeopleStore,
    SeatRow,
    new_id,
)
from cantstop_arena.extensions.serve.site import Site

SLEEPY = """
import contextlib, pathlib, time
def fall_asleep():
    with contextlib.suppress(OSError):  # in the sandbox
        pathlib.Path({asleep!r}).touch()
    time.sleep(60)
def choose_move(turn, moves):
    fall_asleep()
def roll_again(turn):  # where dice leave no choice, it is the first that is asked
    fall_asleep()
"""
STEADY = """
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < {rolls}
"""


def play_on(server: PagesServer, game: str, rng: Random, answers: int = 10**6) -> Answer:
    """Play a game of Can't Stop by chance, to its end or for so many answers."""
    page = server.get(game)
    while page.n and answers:
        choice = rng.choice(page.options)
        page = server.answer(game, page, choice)
        assert page.status == 200, page.text
        answers -= 1
    return page


def record_of(server: PagesServer, game: str) -> list[dict[str, object]]:
    path = server.folder / "results/people/games" / f"{game.rpartition('/')[2]}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def body_of(page: Answer) -> str:
    """A page's game, without what happened since the last look."""
    return page.text[page.text.index('<div class="stage">') : page.text.index("</main>")]


@pytest.mark.slow
def test_a_game_goes_on_after_kill_9(served: PagesServer) -> None:
    game = served.begin("rule28", "random", seat="1")
    rng = Random(3)
    play_on(served, game, rng, answers=12)
    before = body_of(served.get(game))
    served.end(signal.SIGKILL)
    served.start()
    assert body_of(served.get(game)) == before
    assert played_out(served, game).heading.startswith(("Ada wins", "rule28 wins", "random wins"))
    events = record_of(served, game)
    assert events[0]["seats"] == ["rule28", "person:Ada", "random"]
    assert events[-1]["event"] == "end"


def played_out(server: PagesServer, game: str) -> Answer:
    """Play a game to its end: stop at once, which busts seldom."""
    page = server.get(game)
    while page.n:
        choice = "false" if "false" in page.options else page.options[0]
        page = server.answer(game, page, choice)
        assert page.status == 200, page.text
    return page


@pytest.mark.slow
def test_what_people_play_is_replayed_like_any_record(served: PagesServer, arena: Arena) -> None:
    game = served.begin("rule28", mode="rated")
    page = played_out(served, game)
    assert not page.n and "Review this game" in page.text
    record = served.folder / "results/people/games" / f"{game.rpartition('/')[2]}.jsonl"
    assert "person:Ada" in arena("replay", record).text
    assert "turn" in arena("draw", record).text
    (events,) = ([json.loads(line) for line in record.read_text().splitlines()],)
    again = [json.loads(line) for line in arena("replay", record, "--json").text.splitlines()]
    assert again == events
    served.end()
    served.start()
    assert served.get(game).heading == page.heading


@pytest.mark.slow
def test_answers_are_taken_back_in_practice_only(server: PagesServer) -> None:
    game = server.begin("rule28", mode="practice")
    pages = [server.get(game)]
    for _ in range(4):
        pages.append(server.answer(game, pages[-1], pages[-1].options[0]))
    undone = server.post(f"{game}/undo", X_Fragment="1")
    assert undone.n == pages[-2].n
    side = undone.text[undone.text.index('<div class="stage">') :]
    assert side == pages[-2].text[pages[-2].text.index('<div class="stage">') :]
    rated = server.begin("rule28", mode="rated")
    page = server.get(rated)
    page = server.answer(rated, page, page.options[0])
    assert "Take back" not in page.text
    assert server.post(f"{rated}/undo").status == 409 and server.get(rated).n == "1"


@pytest.mark.slow
def test_hints_are_shown_where_they_are_chosen(server: PagesServer) -> None:
    with_hints, without = server.begin("rule28", mode="hints"), server.begin("rule28", mode="rated")
    assert 'class="worth' in server.get(with_hints).text
    text = server.get(without).text
    assert 'class="worth' not in text and 'class="win"' not in text


@pytest.mark.slow
def test_hints_are_the_same_for_many_at_once(server: PagesServer) -> None:
    """An evaluator has one workspace: two positions at once must not meet in it."""
    games = [server.begin("rule28", mode="hints", name=f"p{number}") for number in range(4)]
    for number, game in enumerate(games):
        play_on(server, game, Random(number), answers=2 * number)
    alone = {game: body_of(server.get(game)) for game in games}
    assert all('class="worth' in body for body in alone.values())
    with ThreadPoolExecutor(8) as threads:
        pages = [*threads.map(server.get, games * 8)]
    for game, page in zip(games * 8, pages, strict=True):
        assert body_of(page) == alone[game]


def test_a_game_changes_nothing_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table restores the process after each bot, but not that of a server."""
    catalogue = Catalogue(tmp_path / "bots", results=tmp_path)
    games = PeopleGames(PeopleStore(tmp_path), lambda: catalogue, tmp_path)
    key = games.begin("cantstop", "classic", "Ada", 0, ["random"], "rated")
    own_hook = lambda *_: None  # noqa: E731
    monkeypatch.setattr(sys, "excepthook", own_hook)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 7)
    try:
        for n in range(3):  # whatever the drawn deal asks for: a single move is made unasked
            at_table = games.open(key)
            assert at_table is not None and at_table.pending is not None
            games.answer(key, n, 0 if at_table.pending.moves else False)
        assert (sys.excepthook, sys.getrecursionlimit()) == (own_hook, limit + 7)
    finally:
        sys.setrecursionlimit(limit)
        games.close()


@pytest.mark.slow
def test_several_people_play_their_own_games(served: PagesServer) -> None:
    names = [f"p{number}" for number in range(12)]
    games = {name: served.begin("rule28", name=name) for name in names}

    def play(name: str) -> str:
        return play_on(served, games[name], Random(name), answers=15).n

    with ThreadPoolExecutor(12) as threads:
        numbers = [*threads.map(play, names)]
    for name, n in zip(names, numbers, strict=True):
        page = served.get(games[name])
        assert page.n == n and f"<bdi>{name}" in page.text


@pytest.mark.slow
def test_an_answer_sent_twice_at_once_counts_once(server: PagesServer) -> None:
    game = server.begin("rule28")
    page = server.get(game)
    with ThreadPoolExecutor(8) as threads:
        first = page.options[0]
        answers = [*threads.map(lambda _: server.answer(game, page, first), range(8))]
    assert {answer.n for answer in answers} == {"1"}
    database = sqlite3.connect(server.folder / "results/people/people.sqlite")
    query = "SELECT count(*) FROM answer WHERE game = ?"
    assert database.execute(query, (game.rpartition("/")[2],)).fetchone() == (1,)


@pytest.mark.slow
def test_a_bot_that_hangs_ends_its_game_and_no_other(served: PagesServer) -> None:
    bots = served.folder / "bots"
    bots.mkdir()
    asleep = served.folder / "asleep"
    (bots / "sleepy.py").write_text(SLEEPY.format(asleep=str(asleep)))
    other = served.begin("rule28")
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(served.begin, "sleepy", seat="1")
        while not (asleep.exists() or slow.done()):
            time.sleep(0.01)
        is_asleep = asleep.exists()  # not where a busy machine takes ten seconds to call the bot
        # One answer takes milliseconds, and the bot has ten seconds.
        assert play_on(served, other, Random(1), answers=1).status == 200
        assert not (is_asleep and slow.done())
        page = served.get(slow.result())
    assert not page.n and "sleepy" in page.text and "no answer within 10 s" in page.text


@pytest.mark.slow
def test_an_edited_bot_plays_on_as_it_was(served: PagesServer) -> None:
    bots = served.folder / "bots"
    bots.mkdir()
    (bots / "mine.py").write_text(STEADY.format(rolls=2))
    game = served.begin("mine")
    play_on(served, game, Random(2), answers=6)
    before = body_of(served.get(game))
    (bots / "mine.py").write_text(STEADY.format(rolls=1))
    served.end(signal.SIGKILL)
    served.start()
    assert body_of(served.get(game)) == before
    (bots / "mine.py").unlink()
    served.end(signal.SIGKILL)
    served.start()
    assert body_of(served.get(game)) == before


@pytest.mark.slow
def test_a_game_that_goes_on_differently_ends_with_the_reason(served: PagesServer) -> None:
    game = served.begin("rule28")
    play_on(served, game, Random(2), answers=6)
    served.end(signal.SIGKILL)
    database = sqlite3.connect(served.folder / "results/people/people.sqlite")
    database.execute("UPDATE answer SET events = 'other' WHERE n = 4")
    database.commit()
    database.close()
    served.start()
    page = served.get(game)
    assert page.status == 200 and "left before its end" in page.heading
    assert "went on differently" in page.text
    assert record_of(served, game)[-1]["reason"] == "left"


@pytest.mark.slow
def test_few_games_stay_at_tables(served: PagesServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """More games than tables: each goes on where it was."""
    assert people_games.MAX_AT_TABLES == 64
    games = [served.begin("random", mode="rated") for _ in range(66)]
    pages = [served.get(games[n]) for n in (0, 1, 65)]
    pages = [
        served.answer(games[n], page, page.options[0])
        for n, page in zip((0, 1, 65), pages, strict=True)
    ]
    assert [page.n for page in pages] == ["1", "1", "1"]


@pytest.mark.slow
def test_the_server_ends_at_ctrl_c_without_a_traceback(served: PagesServer) -> None:
    served.begin("rule28")
    said = served.end(signal.SIGINT)
    assert served.process.returncode == 130 and "Traceback" not in said


@pytest.mark.slow
def test_people_are_rated_against_the_bots_of_a_result(served: PagesServer, arena: Arena) -> None:
    os.chdir(served.folder)
    arena("run cup.yaml --no-page", yaml="name: cup\ngames: 200\nbots: [rule28, random, odds]\n")
    for number in range(3):
        played_out(served, served.begin("random", mode="rated", seat=str(number % 2)))
    played_out(served, served.begin("cautious", mode="rated"))
    played_out(served, served.begin("random", mode="practice"))
    text = arena("rate results/cup --people").text
    assert "Ada" in text and "3 games against equals give ± 393 Elo" in text
    assert "1 against bots that are not in this result" in text
    assert "1 with hints or practice" in text
    (row,) = json.loads(arena("rate results/cup --people --format json").text)["people"]["rows"]
    assert (row["name"], row["games"]) == ("Ada", 3)
    assert "one folder" in arena("rate results/cup results/cup --people", code=2).error


def test_nothing_is_rated_where_nobody_has_played(arena: Arena, tmp_path: Path) -> None:
    os.chdir(tmp_path)
    arena("run cup.yaml --no-page", yaml="name: cup\ngames: 20\nbots: [rule28, random]\n")
    assert "No game of people counts here" in arena("rate results/cup --people").output
    assert not (tmp_path / "results/people").exists()


@pytest.mark.slow
def test_a_game_with_a_partner_does_not_count(arena: Arena, tmp_path: Path) -> None:
    os.chdir(tmp_path)
    Path("packages").mkdir()
    install_example(tmp_path / "packages", "tandem")
    with on_path(tmp_path / "packages"):
        cup = "name: cup\ngame: tandem\ngames: 8\nbots: [closer, saver]\n"
        done = arena("run cup.yaml --no-page", yaml=cup)
        bots = [SeatRow(bot=bot) for bot in ("saver", "closer", "saver")]
        game = PeopleGame(
            id="1",
            made=1.0,
            game="tandem",
            rules=done.json["rules"]["name"],
            seats=(SeatRow(person="Ada"), *bots),
            seed="1",
            deal=0,
            mode=RATED,
            version="1",
        )
        store = PeopleStore(Path("results"))
        store.begin(game)
        store.finish("1", [{"event": "end", "winners": [0, 2]}], OVER, "")
        store.close()
        output = arena("rate results/cup --people").output
    assert "Games that do not count: 1 with a partner" in output


def test_the_threads_of_tables_last_as_long_as_the_server(tmp_path: Path) -> None:
    """A bot's process ends with the thread that has started it."""
    site = Site(tmp_path / "results", tmp_path / "bots")
    with ThreadPoolExecutor() as elsewhere:  # the browser of other tests has a loop in this thread
        thread = elsewhere.submit(asyncio.run, site.at_table(threading.current_thread)).result()
    assert thread.is_alive() and thread is not threading.current_thread()
    site.close()
    assert not thread.is_alive()


@pytest.mark.slow
def test_an_id_is_no_option_of_a_command() -> None:
    assert all(re.fullmatch("[0-9a-f]{16}", new_id()) for _ in range(100))
