"""Games on a page: what the script is given, and what a browser makes of it."""

import fcntl
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers import boards
from helpers.arena import Arena
from helpers.boards import POSITIONS
from helpers.pages import DATA, HOSTILE, SERIOUS, Page, checked

from cantstop_arena.errors import PageError
from cantstop_arena.games.cantstop.dice_odds import pairings
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.rules import CLASSIC, RULES, RuleSet, derive
from cantstop_arena.pages.document import Document, GameFigure, Section, as_html
from cantstop_arena.reports.page.games_section import document
from cantstop_arena.reports.write_page import replay_page
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.views.cantstop.animated_board import draw_stage
from cantstop_arena.views.cantstop.page_replay import TEMPLATES, game
from cantstop_arena.views.cantstop.scenes import BoardScene, scenes
from cantstop_arena.views.cantstop.step_text import bust_chance
from cantstop_arena.views.cantstop.svg import beginning, board_description, heading

ORDINARY = 40_000  # bytes that a game of two may cost
A_THOUSAND_TURNS = 700_000
COLOUR = re.compile(r"--([\w-]+): (?:light-dark\()?#(\w{6})(?:, #(\w{6}))?")

# What is seen at each step on a walk with a button.
WALK = """([way, steps]) => {
  const region = document.querySelector(".game");
  const seen = () => region.outerHTML + region.querySelector("input").value;
  const told = [seen()];
  for (let step = 0; step < steps; step += 1) {
    region.querySelector(`[data-does=${way}]`).click();
    told.push(seen());
  }
  return told;
}"""

# What stands on the board at every step, and on boards that were drawn for them.
BOARDS = """([key, texts]) => texts.map((text) => {
  const region = document.getElementById(key);
  const drawn = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
  const pair = [region.querySelector(".stage svg"), drawn].map((board) =>
    [...board.querySelectorAll("desc, use, .claims rect, .trails, .trails rect")].map((element) =>
      [element.textContent, ...[...element.attributes].map(({ name, value }) =>
        `${name}=${value}`).sort()].join(" ")));
  region.querySelector("[data-does=forth]").click();
  return pair;
})"""


def played(rules: RuleSet, players: int, rolls: int = 3, deal: int = 3) -> list[Event]:
    """A game of bots that stop after so many rolls."""

    def bot() -> Player:
        return Player(lambda turn, moves: len(moves) - 1, lambda turn: turn.rolls < rolls)

    contestants = [SeatedBot(name, bot(), "") for name in "abcd"[:players]]
    table = GAME.table(rules, contestants, players, seed=5)
    return list(record(table, tuple(range(players)), deal=deal))


TWO = played(CLASSIC, 2)
TIMID = played(derive(CLASSIC, {"sides": 4, "columns_to_win": 2}), 4, 2)
GAMES: dict[str, Sequence[Event]] = {
    **POSITIONS,
    "two": TWO,
    "timid": TIMID,
    "solitaire": played(derive(CLASSIC, {"sides": 2, "columns_to_win": 2}), 1),
    "limited": played(derive(CLASSIC, {"sides": 8, "turn_limit": 7, "landing": "jump"}), 3),
    "cut-off": TWO[:9],
    "fault": [*TWO[:7], boards.end(2, [1], "fault")],
    "nothing-played": [TWO[0], boards.end(0, [], "left")],
}


def data_of(events: Sequence[Event]) -> Any:
    """What the script is given, as it stands in the page."""
    [text] = scripts(as_html(document(events)), DATA)
    return json.loads(text)


def scripts(html: str, kind: str) -> list[str]:
    parts = html.split(f'<script type="{kind}">')[1:]
    return [part.partition("</script>")[0] for part in parts]


def page_of(*games: GameFigure) -> str:
    return as_html(Document("Cup", "Games.", ["Won."], [Section("games", "Games", games=games)]))


VARIED = ("timid", "hostile-names", "eight-sides", "two-sides", "nothing-played")


# What the page is given ---------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_the_steps_are_the_scenes_of_the_game(name: str) -> None:
    told, given = list(scenes(GAMES[name])), data_of(GAMES[name])
    assert len(given["steps"]) == len(told)
    for step, scene in zip(given["steps"], told, strict=True):
        event, turn, seat, standing, runners, said, *roll = step
        assert (event, turn, seat) == (scene.event["event"], scene.turn, scene.seat)
        assert [by_column(own) for own in given["standings"][standing]] == list(scene.markers)
        assert by_column(runners) == scene.runners
        assert f"{beginning(scene)}{said}".startswith(heading(scene))
        assert not said.startswith("Turn "), "the script says it"
        if event == "roll":
            check_roll(roll, scene, given["rolls"])
        else:
            assert roll == []


def by_column(flat: Sequence[int]) -> dict[int, int]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def check_roll(roll: Sequence[Any], scene: BoardScene, rolls: int) -> None:
    number, busts, dice, moves, chosen = roll
    assert number == scene.rolls
    assert busts / rolls == pytest.approx(bust_chance(scene), abs=1e-12)
    assert (dice, moves) == (scene.event["dice"], scene.event["moves"])
    assert (None if chosen < 0 else moves[chosen]) == scene.event["chosen"]


@pytest.mark.parametrize("name", GAMES)
def test_games_of_all_kinds_have_good_pages_and_are_told_in_words(name: str) -> None:
    page = checked(replay_page(GAMES[name]))
    last = list(scenes(GAMES[name]))[-1]
    over = last.event["event"] == "end"
    assert (f"{heading(last)}." if over else "The record has no end.") in page.text
    rolls = [event for event in GAMES[name] if event["event"] == "roll"]
    assert len(page.all("li")) == len(rolls) + len(last.names)


def test_columns_that_a_stop_claims_are_named() -> None:
    said = [step[5] for step in data_of(POSITIONS["claimed"])["steps"]]
    assert said[1] == "stops, claims 2"
    assert sum("claims" in text for text in said) == 2


def test_names_are_harmless() -> None:
    events = [{**TWO[0], "seats": [*HOSTILE[:3], "\u202eevil\udcff"]}, *TWO[1:]]
    html = page_of(game("g", HOSTILE[1], HOSTILE, events))
    page = checked(html)
    assert "<script>alert(1)</script>" in page.text and "<script>alert" not in html
    assert "\u202e" not in html and "\udcff" not in html
    [given] = scripts(html, DATA)
    assert json.loads(given)["names"][0] == "A <script>alert(1)</script>"
    assert "<" not in given


def test_long_names_are_cut() -> None:
    rules = {**TWO[0]["rules"], "name": "r" * 10_000}
    html = replay_page([{**TWO[0], "seats": ["a" * 10_000, "b"], "rules": rules}, *TWO[1:]])
    assert "a" * 101 not in html and "r" * 201 not in html
    assert "a... against b" in checked(html).text


def test_one_turn_is_no_plural() -> None:
    assert "After 1 turn A wins" in replay_page([*TWO[:2], boards.end(1, [0], "columns")])


def test_a_page_without_games_has_nothing_of_theirs() -> None:
    html = as_html(Document("Cup", "No games.", ["Nobody."], [Section("none", "None")]))
    assert len(checked(html).all("script")) == 1
    assert "--seat-1" not in html and "class Replay" not in html


@pytest.mark.slow
def test_a_game_is_small() -> None:
    assert size(TWO) < ORDINARY
    assert size([TWO[0], *long_game(1000)]) < A_THOUSAND_TURNS


def size(events: Sequence[Event]) -> int:
    """The bytes that a game adds to a page that has one already."""
    one, two = (page_of(*[game(f"g{n}", "", (), events) for n in range(n)]) for n in (1, 2))
    return len(two.encode()) - len(one.encode())


def long_game(turns: int) -> list[Event]:
    """Turns of four rolls each, which are all bust."""
    told: list[Event] = []
    for turn in range(1, turns + 1):
        told += [boards.roll(turn, turn % 2, {7: n}, [7, 9], [8, 8]) for n in (1, 2, 3)]
        told += [
            boards.roll(turn, turn % 2, {7: 3}),
            {"event": "bust", "turn": turn, "seat": turn % 2},
        ]
    return told


def test_what_writes_the_page_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_pages(monkeypatch)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(PageError, match="page of a game cannot be written: jinja2 is missing"):
        replay_page(TWO)


def forget_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = (
        "cantstop_arena.pages.document",
        "cantstop_arena.reports.page.",
        "cantstop_arena.views.cantstop.page_replay",
    )
    for name in [*sys.modules]:
        if name.startswith(pages):
            monkeypatch.delitem(sys.modules, name)


# From the command line ----------------------------------------------------------------------


@pytest.fixture
def cup(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How to replay a game of the tournament where we stand; game.jsonl is its record."""
    monkeypatch.chdir(tmp_path)
    Path("cup.yaml").write_text("seed: 7\nbots: [random, rule28]\n")
    words = ["replay", "cup.yaml", "random", "rule28", "--deal", "2"]
    Path("game.jsonl").write_text(arena(*words, "--json").text)
    return words


def test_a_page_is_written_of_a_game_and_of_its_record(arena: Arena, cup: list[str]) -> None:
    assert arena(*cup, "--html", "game.html").text == "Written to game.html.\n"
    written = Path("game.html").read_text("utf-8")
    assert "random against rule28" in checked(written).text
    assert arena("replay", "game.jsonl", "--html", "-").text == written


def test_what_cannot_be_written_is_refused(arena: Arena, cup: list[str]) -> None:
    for other in ("--json", "--step"):
        told = arena(*cup, "--html", "x.html", other, code=2).error
        assert "--html cannot be combined with --json or --step" in told
    told = arena("replay", "game.jsonl", "--html", "nowhere/x.html", code=2).error
    assert told.startswith("nowhere/x.html cannot be written: there is no folder nowhere")
    assert "is a directory" in arena("replay", "game.jsonl", "--html", ".", code=2).error
    told = arena("replay", "game.jsonl", "--html", "cup.yaml/x.html", code=2).error
    assert told.startswith("cup.yaml/x.html cannot be written: Not a directory")
    told = arena("replay", "game.jsonl", "--html", "", code=2).error
    assert told == "the path of the output file is empty; give it a name\n"
    told = arena("replay", "game.jsonl", "--html", 300 * "x", code=1).error
    assert told == f"{300 * 'x'}: File name too long\n"
    assert {path.name for path in Path().iterdir()} == {"cup.yaml", "game.jsonl"}


def test_what_is_no_ordinary_file_is_written_to_and_not_replaced(
    arena: Arena, cup: list[str]
) -> None:
    os.mkfifo("pipe")
    descriptor = os.open("pipe", os.O_RDWR)
    fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, 1 << 20)
    arena("replay", "game.jsonl", "--html", "pipe")
    assert os.read(descriptor, 15) == b"<!DOCTYPE html>"
    os.close(descriptor)
    assert Path("pipe").is_fifo()


# In a browser -------------------------------------------------------------------------------


Opened = Callable[..., Any]


def walk(page: Any, way: str, steps: int) -> list[str]:
    """What is seen at each step, walking this way with the buttons."""
    seen = page.evaluate(WALK, [way, steps])
    assert len(seen) == steps + 1
    return list(seen)


def said(page: Any, number: int = 0) -> str:
    return str(page.locator(".said").nth(number).text_content())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "two",
        *(
            pytest.param(other, marks=pytest.mark.slow)
            for other in ("timid", "uneven", "limited", "cut-off")
        ),
    ],
)
def test_going_back_shows_what_was_there_before(opened: Opened, name: str) -> None:
    steps = len(GAMES[name]) - 1
    page = opened(replay_page(GAMES[name]))
    forth = walk(page, "forth", steps)
    assert walk(page, "back", steps) == forth[::-1]
    assert len(set(forth)) == len(forth)
    page.locator("[data-does=last]").click()
    page.locator("[data-does=first]").click()
    assert walk(page, "forth", steps) == forth


@pytest.mark.slow
def test_every_step_shows_the_board_that_python_draws(opened: Opened) -> None:
    page = opened(page_of(*(game(key, "A game", (), events) for key, events in GAMES.items())))
    for key, events in GAMES.items():
        told = list(scenes(events))
        pairs = page.evaluate(BOARDS, [key, [draw_stage(scene, key) for scene in told]])
        for scene, (shown, drawn) in zip(told, pairs, strict=True):
            assert shown == drawn, (key, heading(scene))
            assert shown[0].startswith(" ".join(board_description(scene)))


@pytest.mark.slow
def test_without_scripts_the_end_is_shown_and_the_game_told(opened: Opened) -> None:
    page = opened(replay_page(TWO), java_script_enabled=False)
    assert page.locator(".stage svg").is_visible()
    assert not page.locator(".controls").is_visible()
    page.locator("summary").click()
    assert page.locator("table").is_visible()
    assert page.locator("noscript").is_visible()
    live = opened(replay_page(TWO))
    live.keyboard.press("End")
    assert live.locator(".seats").inner_text() == page.locator(".seats").inner_text()


@pytest.mark.slow
def test_each_roll_shows_its_dice_its_pairings_and_its_chance(opened: Opened) -> None:
    page = opened(replay_page(TIMID))
    assert page.locator(".when").text_content() == "No roll yet"
    for scene in scenes(TIMID):
        if scene.event["event"] == "roll":
            check_shown(page, scene)
        page.keyboard.press("ArrowRight")


def check_shown(page: Any, scene: BoardScene) -> None:
    dice, moves, chosen = (scene.event[name] for name in ("dice", "moves", "chosen"))
    told = page.locator(".dice").get_attribute("aria-label")
    assert told == f"Dice: {', '.join(map(str, dice))}"
    rows = page.locator(".pairings li").all()
    sums = sorted(sorted(map(int, row.locator("b").all_text_contents())) for row in rows)
    assert sums == sorted(map(list, pairings(tuple(dice))))
    states = [str(row.locator(".state").text_content()) for row in rows]
    taken = [] if chosen is None else [f"takes {'+'.join(map(str, chosen))}"]
    assert [state for state in states if "takes" in state] == taken
    assert ("not possible" in states) <= (len(moves) < len(states))
    assert f"{100 * bust_chance(scene):.1f}%" in page.locator(".risk").text_content()


@pytest.mark.slow
def test_what_lapses_of_a_double_is_crossed_out(opened: Opened) -> None:
    one = {**boards.roll(1, 0, {2: 3}, [2], [3, 3]), "dice": [1, 1, 1, 1]}
    page = opened(replay_page([TWO[0], boards.stop(0, 0, {2: 2}), one]))
    page.keyboard.press("End")
    looks = page.locator(".pairings b").evaluate_all("all => all.map((one) => one.className)")
    assert looks == ["taken", ""]


@pytest.mark.slow
def test_a_turn_that_does_not_end_is_shown_nevertheless(opened: Opened) -> None:
    """A record that was written by hand can have as many busts in a turn as it likes."""
    bust = {"event": "bust", "turn": 1, "seat": 0}
    page = opened(replay_page([TWO[0], boards.roll(1, 0, {7: 1}, [7]), *20_000 * [bust]]))
    page.keyboard.press("End")
    assert page.locator(".when").text_content() == "Roll 1 of turn 1"


@pytest.mark.slow
def test_a_board_of_long_columns_is_seen_whole(opened: Opened) -> None:
    tall = derive(CLASSIC, {"column_lengths": [100] * 11})
    opening = {**TWO[0], "rules": RULES.as_dict(tall)}
    page = opened(replay_page([opening]), viewport={"width": 1200, "height": 800})
    assert page.locator(".stage svg").bounding_box()["height"] <= 640


@pytest.mark.slow
def test_the_slider_goes_to_the_end_of_a_turn(opened: Opened) -> None:
    page = opened(replay_page(TWO))
    slider = page.locator("input[type=range]")
    assert slider.get_attribute("aria-valuetext") == "Before the first turn"
    last = TWO[-1]["turns"]
    slider.fill("3")
    assert said(page).startswith("Turn 3: A ") and ("stops" in said(page) or "bust" in said(page))
    assert slider.get_attribute("aria-valuetext") == f"Turn 3 of {last}, A a"
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert said(page).startswith("Turn 4: B ")
    slider.fill(str(last))
    assert said(page) == heading(list(scenes(TWO))[-1])


@pytest.mark.slow
def test_keys_go_where_the_page_says(opened: Opened) -> None:
    page = opened(replay_page(TWO))
    told = [heading(scene) for scene in scenes(TWO)]
    turns = [number for number, event in enumerate(TWO) if event["event"] in ("stop", "bust")]
    for keys, place in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("Shift+ArrowRight", turns[0]),
        ("Shift+ArrowRight", turns[1]),
        ("ArrowLeft", turns[1] - 1),
        ("Shift+ArrowLeft", turns[0]),
        ("Shift+ArrowLeft", 0),
        ("Shift+ArrowLeft", 0),
        ("End", len(TWO) - 1),
        ("ArrowRight", len(TWO) - 1),
        ("Control+ArrowLeft", len(TWO) - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
    ]:
        page.keyboard.press(keys)
        assert said(page).startswith(told[place]), keys
    for selector in ("select", "summary"):
        page.locator(selector).focus()
        page.keyboard.press("ArrowRight")
        assert said(page) == told[0]
    page.locator("[data-does=forth]").focus()
    page.keyboard.press("Space")
    assert said(page) == told[1]
    assert page.locator(".play").get_attribute("title") == "Play"


@pytest.mark.slow
def test_games_on_a_page_do_not_fight_over_keys(opened: Opened) -> None:
    page = opened(page_of(*(game(f"g{number}", "A game", (), TWO) for number in range(3))))
    start = said(page)
    page.keyboard.press("ArrowRight")
    assert [said(page, number) for number in range(3)] == 3 * [start]
    page.locator("details.told").evaluate_all("all => all.forEach((one) => (one.open = true))")
    page.locator("#g1 .stage").click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.locator("#g2 [data-does=last]").click()
    page.keyboard.press("ArrowLeft")
    told = [heading(scene) for scene in scenes(TWO)]
    assert [said(page, number) for number in range(2)] == [start, told[2]]
    assert said(page, 2).startswith(told[-2])
    page.locator("#g0 .play").click()
    page.locator("#g1 .play").click()
    plays = page.locator(".play").evaluate_all("all => all.map((one) => one.title)")
    assert plays == ["Play", "Pause", "Play"]


@pytest.mark.slow
def test_playing_goes_on_by_itself_until_it_is_paused(opened: Opened) -> None:
    page = opened(replay_page(TWO))
    live = page.locator(".said")
    page.locator("select").select_option("400")
    page.locator(".play").focus()
    page.keyboard.press("Space")
    page.locator(".said", has_text=re.compile("^Turn")).wait_for()
    assert live.get_attribute("aria-live") == "off"
    assert page.locator(".play").get_attribute("aria-label") == "Pause"
    page.keyboard.press("Space")
    paused = said(page)
    assert live.get_attribute("aria-live") == "polite"
    page.wait_for_timeout(900)
    assert said(page) == paused
    page.locator("#game").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    page.locator(".play[title=Play]").wait_for()
    assert said(page) == heading(list(scenes(TWO))[-1])
    page.keyboard.press("Space")
    assert said(page) == "Before the first turn"


@pytest.mark.slow
def test_slow_play_is_read_out(opened: Opened) -> None:
    page = opened(replay_page(TWO))
    page.keyboard.press("Space")
    assert page.locator(".said").get_attribute("aria-live") == "polite"
    assert page.locator(".play").get_attribute("aria-label") == "Pause"


@pytest.mark.slow
def test_who_wants_no_motion_gets_none(opened: Opened) -> None:
    script = "getComputedStyle(document.querySelector('.stage use')).transitionDuration"
    assert opened(replay_page(TWO)).evaluate(script) == "0.25s"
    assert opened(replay_page(TWO), reduced_motion="reduce").evaluate(script) == "0s"


def test_pieces_can_be_told_from_the_board_and_their_letters_read() -> None:
    style = (TEMPLATES / "replay.css").read_text("utf-8")
    screen, paper = (COLOUR.findall(block) for block in style.split(":root")[1:])
    light, dark = ({name: both[place] for name, *both in screen} for place in (0, 1))
    for theme in (light, dark, {name: colour for name, colour, _ in paper}):
        for seat in range(1, 5):
            mine = theme[f"seat-{seat}"]
            assert contrast(mine, theme["on-seat"]) > 4.5
            assert min(contrast(mine, theme[name]) for name in ("column", "summit")) > 3


def contrast(one: str, other: str) -> float:
    """The ratio that the guidelines for accessible pages reckon with."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("dark", 320),
        *(
            pytest.param(*other, marks=pytest.mark.slow)
            for other in (("dark", 1200), ("light", 320), ("light", 1200))
        ),
    ],
)
def test_the_page_fits_the_screen_and_everybody_can_use_it(
    opened: Opened, scheme: str, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    games = [game(f"g{n}", "A game", (), GAMES[name]) for n, name in enumerate(VARIED)]
    page = opened(
        page_of(*games),
        viewport={"width": width, "height": 700},
        color_scheme=scheme,
        reduced_motion="reduce",
        bypass_csp=True,  # for axe's own script
    )
    for place in ("first", "back", "last"):
        page.locator(f"[data-does={place}]").evaluate_all(
            "all => all.forEach((one) => one.click())"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page).response["violations"]
        assert [one["id"] for one in found if one["impact"] in SERIOUS] == []


@pytest.mark.slow
def test_colours_and_paper_change_what_is_seen(opened: Opened) -> None:
    page = opened(replay_page(TWO), color_scheme="light", reduced_motion="reduce")
    page.keyboard.press("End")
    seen = [page.screenshot(full_page=True)]
    page.emulate_media(color_scheme="dark")
    seen.append(page.screenshot(full_page=True))
    page.set_viewport_size({"width": 360, "height": 740})
    seen.append(page.screenshot(full_page=True))
    page.emulate_media(media="print", color_scheme="light")
    seen.append(page.screenshot(full_page=True))
    assert len(set(seen)) == 4
    assert all(len(picture) > 20_000 for picture in seen)
    assert page.locator("table").is_visible()  # the account is unfolded on paper
    assert not page.locator(".controls").is_visible()


def test_hostile_names_do_nothing(opened: Opened) -> None:
    page = opened(replay_page(POSITIONS["hostile-names"]))
    page.keyboard.press("End")
    assert page.locator(".seats bdi").first.text_content() == "A <script>alert(1)</script>"
    assert Page(page.content()).all("img") == []
