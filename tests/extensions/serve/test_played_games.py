"""Games on the pages with every bot and of packages: played out, recorded, and with nothing shown
that is another seat's."""

import html
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.game_packages import installed_game
from helpers.pages_server import Answer, PagesServer, serving_examples
from helpers.parameters import slow_but

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.seeds import seed_of
from cantstop_arena.game_api.state import Event
from cantstop_arena.games.registry import built_in, game_named
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference
from cantstop_arena.tournaments.table_spec import entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy
from cantstop_arena.views.default_view import view_of

# Examples with a bot of each; tandem has partners and hidden cards, kuhn-poker hidden cards.
EXAMPLES = {
    "four-in-a-row": "watchful",
    "kuhn-poker": "honest",
    "orchard": "",
    "tandem": "",
}
MAX_ANSWERS = 400


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PagesServer]:
    """A server that has the games of examples/; this process has them, too."""
    with serving_examples(tmp_path_factory, EXAMPLES) as server:
        yield server


def pickable(site: PagesServer, game: str) -> list[str]:
    """The bots among which the form for a new game lets one choose."""
    page = site.get(f"/play?game={game}").text
    return re.findall(r'type="radio" name="bot" value="([^"]+)"', page)


def begun(site: PagesServer, game: str, bot: str, **fields: str) -> str:
    return site.begin(*[bot] * (game_named(game).players[0] - 1 or 1), game=game, **fields)


def played_out(site: PagesServer, game: str) -> list[Answer]:
    """All pages of a game that is played to its end."""
    pages = [site.get(game)]
    while (page := pages[-1]).n:
        choice = "false" if "false" in page.options else html.unescape(page.options[0])
        pages.append(site.answer(game, page, choice))
        assert pages[-1].status == 200, pages[-1].text
        assert len(pages) < MAX_ANSWERS
    return pages


def record_of(site: PagesServer, game: str) -> list[Event]:
    path = site.folder / "results/people/games" / f"{game.rpartition('/')[2]}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("game", [*built_in(), *EXAMPLES])
def test_every_bot_of_the_form_plays(site: PagesServer, game: str) -> None:
    bots = pickable(site, game)
    assert len(bots) > 1
    for bot in bots:
        path = begun(site, game, bot, seat="1")
        last = played_out(site, path)[-1]
        assert "Fault" not in last.text and re.search("wins?|draw|Nobody", last.heading)
        assert record_of(site, path)[-1]["event"] == "end"
        assert site.get(f"{path}/review").status == 200


class Scripted:
    """A bot that answers what a person has answered."""

    def __init__(self, game: Any, answers: list[Any]) -> None:
        for name, decision in game.decisions.items():
            setattr(self, name, self._with_moves if decision.has_moves else self._without)
        self._answers = iter(answers)

    def _with_moves(self, view: Any, moves: Any) -> Any:
        return next(self._answers)

    def _without(self, view: Any) -> Any:
        return next(self._answers)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*built_in(), *EXAMPLES])
def test_a_record_is_that_of_bots_with_the_same_answers(
    site: PagesServer, arena: Arena, name: str
) -> None:
    bot = EXAMPLES.get(name) or pickable(site, name)[0]
    path = begun(site, name, bot, seat="1", mode="rated")
    played_out(site, path)
    events = record_of(site, path)
    database = sqlite3.connect(site.folder / "results/people/people.sqlite")
    query = "SELECT answer FROM answer WHERE game = ? ORDER BY n"
    answers = [json.loads(row[0]) for row in database.execute(query, (path.rpartition("/")[2],))]
    database.close()
    game = game_named(name)
    catalogue = Catalogue(site.folder / "bots").playing(game)
    start = entrant_start(entrant_from_reference(bot, catalogue), catalogue, FaultPolicy())
    seated = [seat_bot(start, Loader(catalogue.folder)) for _ in events[0]["seats"]]
    seated[1] = SeatedBot("person:Ada", Scripted(game, answers), "")
    rules, seed = game.rules.default, seed_of(str(events[0]["seed"]))
    assert seed is not None
    table = game.table(rules, seated, len(seated), seed)
    table.warm_up()
    again = [*record(table, tuple(range(len(seated))), 0)]
    assert json.loads(json.dumps(again)) == events
    file = site.folder / "results/people/games" / f"{path.rpartition('/')[2]}.jsonl"
    replayed = [json.loads(line) for line in arena("replay", file, "--json").text.splitlines()]
    assert replayed == events


@pytest.mark.parametrize("game", slow_but([0], ["kuhn-poker", "tandem"]))
def test_no_page_shows_the_cards_of_others(site: PagesServer, game: str) -> None:
    path = begun(site, game, pickable(site, game)[0], seat="1", mode="hints")
    while_open = [site.get(path)]
    while while_open[-1].n:
        page = while_open[-1]
        while_open += [site.answer(path, page, page.options[0]), site.get(path)]
    after = [site.get(f"{path}/review"), site.get(f"{path}/review?at=1"), site.get(path)]
    text = html.unescape("".join(page.text for page in (*while_open, *after)))
    events = record_of(site, path)
    names = [name.removeprefix("person:") for name in events[0]["seats"]]
    said = [f"{letter} {name}" for letter, name in zip("ABCD", names, strict=False)]
    hidden = shown = 0
    for event in events:
        if "seen_by" in event:
            line = " ".join(view_of(game_named(game)).event_text(event, said).split())
            is_own = 1 in event["seen_by"]
            hidden, shown = hidden + (not is_own), shown + is_own
            assert (line in text) == is_own, line
    assert hidden and shown
    assert '"seen_by"' not in text and str(events[0]["seed"]) not in while_open[0].text


@pytest.mark.slow
@pytest.mark.parametrize("game", ["cantstop", "kuhn-poker"])
def test_people_of_any_game_are_rated_and_games_of_results_reviewed(
    site: PagesServer, arena: Arena, game: str
) -> None:
    os.chdir(site.folder)
    bots = pickable(site, game)[-2:]
    yaml = f"name: cup-{game}\ngame: {game}\ngames: 20\nbots: {json.dumps(bots)}\n"
    arena("run cup.yaml --no-page", yaml=yaml)
    for seat in "01":
        played_out(site, begun(site, game, bots[0], seat=seat, mode="rated", name="Grace"))
    text = arena(f"rate results/cup-{game} --people").text
    assert "Grace" in text and re.search(r"[12] games? against equals give", text)
    page = site.get(f"/review?result=cup-{game}&bots={bots[0]}&bots={bots[1]}&deal=2")
    assert page.status == 200 and bots[0] in page.text


NIM = '''
from dataclasses import dataclass
from cantstop_arena import hookimpl
from cantstop_arena.games import Game, Question, Result, RuleBook, State, View, decision, whole

@dataclass(frozen=True)
class Rules:
    name: str = "standard"
    matches: int = whole(7, 1, 50)

class Heap(View, frozen=True):
    matches: int

@decision
def take(view: Heap, moves: tuple[int, ...]) -> int:
    """Return the index of the number of matches to take; who takes the last one wins."""

class Matches(State):
    def setup(self):
        self.left, self.turn = self.rules.matches, 0
    def question(self):
        numbers = range(1, min(3, self.left) + 1)
        return Question("take", self.turn % 2, numbers) if self.left else None
    def answer(self, answers):
        self.turn += 1
        number = answers[(self.turn - 1) % 2] + 1
        self.left -= number
        yield {"event": "take", "turn": self.turn, "seat": (self.turn - 1) % 2, "number": number}
    def view(self, seat):
        return Heap(seat, self.players, self.rules, self.left)
    def result(self):
        return Result([(self.turn - 1) % 2])

class Nim(Game):
    name, title, players = "nim", "Nim", range(2, 3)
    rules, hooks, state = RuleBook(Rules()), (take,), Matches
    perfect_information = True
    def actions(self, rules, players):
        return {"take": range(1, 4)}
    def position_of(self, view, moves=None):
        position = self.position(view.rules, view.players)
        for number in self.way_to(view):
            position.step(position.legal[number - 1])
        return position
    def way_to(self, view):
        gone, seat = view.rules.matches - view.matches, view.seat
        steps = [1] * gone  # any way with the same seat on turn
        if len(steps) % 2 != seat:
            steps = [2, *steps[2:]]
        return steps
    def value(self, position):
        left, seat = position.state.left, position.state.turn % 2
        wins = left % 4 != 0
        return [float(wins == (each == seat)) for each in range(2)]

@hookimpl
def register_games():
    return [Nim()]
'''


@pytest.mark.slow
def test_hints_of_a_package_are_by_its_value(tmp_path: Any) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "one.py").write_text('game = "nim"\ndef take(view, moves): return 0\n')
    with installed_game(packages, "nim", NIM):
        server = PagesServer(tmp_path)
        try:
            form = server.get("/play?game=nim").text
            assert "by Nim&#39;s own value function" in form
            assert pickable(server, "nim") == ["one"]
            path = begun(server, "nim", "one", mode="practice")
            text = server.get(path).text
            worth = re.findall(r'<span class="worth[^>]*>(.*?)</span>', text, re.S)
            assert len(worth) >= 3 and "100.0%" in text and "0.0%" in text
            assert "\u2212100.0" in text  # who leaves a multiple of 4 loses nothing
            plain = server.get(begun(server, "nim", "one", mode="rated")).text
            assert "%" not in plain[plain.index("<main") :]
        finally:
            server.end()
