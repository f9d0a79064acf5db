"""The board as text and as a picture, what `arena draw` makes of games, and their records."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from helpers import boards
from helpers.arena import Arena
from helpers.boards import FOLDER, POSITIONS, by_column, drawings, scene_of

from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.records import read_record
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet, derive
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.views.cantstop.drawing import draw_board, game_text
from cantstop_arena.views.cantstop.scenes import SEATS, BoardScene, scenes
from cantstop_arena.views.cantstop.step_text import bust_chance, frame
from cantstop_arena.views.cantstop.svg import draw_svg

SIZES = [derive(CLASSIC, {"sides": n, "columns_to_win": 2}) for n in (2, 3, 4, 5, 7, 8)]
ODD = [
    derive(CLASSIC, {"column_lengths": [100, *9 * [1], 100], "turn_limit": 30}),
    derive(CLASSIC, {"runners": 1, "landing": "jump"}),
    derive(CLASSIC, {"runners": 5, "landing": "leave", "stop": "after-all-runners"}),
]
ALL_RULES = [*(rules for rules, _ in NAMED.values()), *SIZES, *ODD]
CODES = re.compile(r"\x1b\[[\d;]*m")


def test_the_drawings_are_those_that_were_looked_at() -> None:
    wanted = {path: text for name in POSITIONS for path, text in drawings(name)}
    assert {path.name for path in FOLDER.iterdir()} == {path.name for path in wanted}
    for path, text in wanted.items():
        assert path.read_text("utf-8") == text, path.name


@pytest.mark.parametrize("name", POSITIONS)
def test_colours_are_added_to_a_board_that_can_do_without(name: str) -> None:
    scene = scene_of(name)
    coloured, plain = draw_board(scene, coloured=True), draw_board(scene)
    assert CODES.sub("", coloured) == plain != coloured
    assert "\x1b" not in plain


@pytest.mark.parametrize("name", POSITIONS)
def test_a_picture_shows_every_marker_and_runs_nothing(name: str) -> None:
    scene = scene_of(name)
    root = ET.fromstring(draw_svg(scene))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "rect", "path", "text", "circle", "polygon"}
    told = [element.text for element in root.iter() if element.tag.endswith("text")]
    for seat, own in enumerate(scene.markers):
        assert told.count(SEATS[seat]) == len(own) + 1  # and the one before the name
    assert root[0].tag.endswith("title") and root[1].tag.endswith("desc")
    assert all(name in (root[1].text or "") for name in scene.names)


def test_names_do_nothing_to_a_terminal_or_a_page() -> None:
    scene = scene_of("hostile-names")
    assert "<script" not in draw_svg(scene)
    for text in (*game_text(POSITIONS["hostile-names"]), frame([scene], 0)):
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", text)


# --- Whole games ----------------------------------------------------------------------------------


def witness(seen: dict[tuple[int, int], float]) -> Player:
    """A bot that notes how likely each roll of its own is to be a bust."""

    def roll_again(turn: Turn) -> bool:
        seen[turn.number, turn.rolls + 1] = turn.bust_chance()
        return turn.rolls < 4

    return Player(lambda turn, moves: len(moves) - 1, roll_again)


@pytest.mark.parametrize(
    "players", [2, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 4))]
)
@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_any_game_on_any_board_is_drawn(rules: RuleSet, players: int) -> None:
    seen: dict[tuple[int, int], float] = {}
    contestants = [SeatedBot(name, witness(seen), "") for name in "abcd"[:players]]
    table = EngineTable(GAME, rules, contestants, players, seed=5)
    told = list(record(table, tuple(range(players)), deal=3))
    assert list(read_record(map(json.dumps, told), "here")) == told
    game = list(scenes(told))
    for scene in game:
        check_board(scene)
        if scene.event["event"] == "roll" and (scene.turn, scene.rolls) in seen:
            assert bust_chance(scene) == seen[scene.turn, scene.rolls]
    ET.fromstring(draw_svg(game[-1]))
    claims = [int(table.games[0].claims[seat]) for seat in range(players)]
    assert [[*game[-1].claimed.values()].count(seat) for seat in range(players)] == claims


def check_board(scene: BoardScene) -> None:
    """The board must show every marker and every runner, and nothing else."""
    text = draw_board(scene)
    counts = [len(own) for own in scene.markers]
    assert [text.count(SEATS[seat]) for seat in range(len(counts))] == counts
    assert text.count("*") == len(scene.runners)
    event = scene.event
    if event["event"] == "stop":
        assert by_column({**scene.markers[event["seat"]]}) == event["markers"]


# --- arena draw -----------------------------------------------------------------------------------


@pytest.fixture
def game(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The record of a game in game.jsonl, and a tournament in cup.yaml, where we stand."""
    monkeypatch.chdir(tmp_path)
    told = arena(
        "replay",
        "cup.yaml",
        "random",
        "rule28",
        "--deal",
        "2",
        "--json",
        yaml="seed: 7\nbots: [random, rule28]\n",
    ).text
    Path("game.jsonl").write_text(told)
    return told.splitlines()


@pytest.mark.slow
def test_the_board_of_a_game_is_that_of_its_record(arena: Arena, game: list[str]) -> None:
    words = ("cup.yaml", "random", "rule28", "--deal", "2")
    for more in ((), ("--turn", "0"), ("--turn", "3"), ("--turn", "3", "--roll", "1")):
        told = arena("draw", *words, *more).text
        assert told == arena("draw", "game.jsonl", *more).text
        assert told == arena("draw", "-", *more, input="\n".join(game)).text
    assert "Before the first turn" in arena("draw", "game.jsonl", "--turn", "0").text
    assert "*" in arena("draw", "game.jsonl", "--turn", "3", "--roll", "1").text


def test_a_picture_is_written(arena: Arena, game: list[str]) -> None:
    told = arena("draw", "game.jsonl", "--svg", "board.svg").text
    assert told == "Written to board.svg.\n"
    picture = Path("board.svg").read_text("utf-8")
    assert picture == arena("draw", "game.jsonl", "--svg", "-").text
    ET.fromstring(picture)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["game.jsonl", "--turn", "999"], "there is no turn 999; the game has turns 0 to"),
        (["game.jsonl", "--turn", "1", "--roll", "99"], "there is no roll 99 in turn 1"),
        (["game.jsonl", "--roll", "1"], "--roll needs a --turn"),
        (["game.jsonl", "--deal", "1"], "Missing argument 'BOT...'"),
        (["cup.yaml"], "cup.yaml:1:1: this is not a recorded game"),
        (["game.jsonl", "--svg", ""], "the path of the output file is empty"),
        (["game.jsonl", "--svg", "./game.jsonl"], "game.jsonl is the file of the game itself"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    arena: Arena, game: list[str], words: list[str], message: str
) -> None:
    assert message in arena("draw", *words, code=2).error
    assert Path("game.jsonl").read_text().splitlines() == game


@pytest.mark.parametrize("target", ["", "game.jsonl"])
def test_a_page_does_not_take_the_place_of_its_game(
    arena: Arena, game: list[str], target: str
) -> None:
    arena("replay", "game.jsonl", "--html", target, code=2)
    assert Path("game.jsonl").read_text().splitlines() == game


def test_a_stop_tells_what_it_has_claimed() -> None:
    told = [*game_text(POSITIONS["claimed"])]
    assert [line for line in told if "stops" in line] == [
        "  stops and claims 2",
        "  stops and claims 7 and 11 and 12",
    ]
    assert not any("claims" in line for line in game_text(POSITIONS["four-on-a-space"]))


# --- Records --------------------------------------------------------------------------------------


def test_a_record_is_told_like_the_game(arena: Arena, game: list[str]) -> None:
    told = arena("replay", "cup.yaml", "random", "rule28", "--deal", "2").text
    assert arena("replay", "game.jsonl").text == told
    assert arena("replay", "-", input="\n".join(game)).text == told
    assert arena("replay", "game.jsonl", "--json").text.splitlines() == game


def test_a_record_that_was_cut_off_is_told_up_to_there(arena: Arena, game: list[str]) -> None:
    done = arena("replay game.jsonl --json", files={"game.jsonl": "\n".join(game[:9])})
    assert len(done.text.splitlines()) == 9


FIRST = boards.opening("a", "b")
ROLL = boards.roll(1, 0, {7: 1}, [7])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "here: this file is empty"),
        (["[1]"], "here:1:1: this is no recorded game"),
        (["{" * 100_000], "here:1:1: this is no recorded game"),
        ([ROLL], "here:1:1: this is no recorded game, which begins"),
        ([{**FIRST, "game": "chess"}], "here:1:1: this is no recorded game, which begins"),
        ([{**FIRST, "seats": ["a"] * 5}], "seats must be 1 to 4 names"),
        ([{**FIRST, "seats": [1]}], "invalid game: Expected `str`, got `int` - at `$.seats[0]`"),
        ([{**FIRST, "seed": 1.5}], "seed must be a whole number from 0"),
        ([{**FIRST, "rules": {}}], "rules must have name, sides"),
        ([{**FIRST, "rules": {**FIRST["rules"], "sides": 9}}], "rules: sides must be"),
        ([FIRST, FIRST], "here:2:1: unknown event 'game'"),
        ([FIRST, {"event": ["roll"]}], "here:2:1: unknown event ['roll']"),
        ([FIRST, {**ROLL, "seat": 2}], "seat must be a number from 0 to 1"),
        ([FIRST, {**ROLL, "seat": True}], "invalid roll: Expected `int`, got `bool` - at `$.seat`"),
        ([FIRST, {**ROLL, "turn": 0}], "turn 0 has no place after turn 0"),
        ([FIRST, {**ROLL, "dice": [1, 2, 3, 7]}], "dice must be four numbers from 1 to 6"),
        ([FIRST, {**ROLL, "moves": [[13]]}], "moves must be lists of one or two columns"),
        ([FIRST, {**ROLL, "chosen": [8]}], "chosen must be one of the moves, or null"),
        ([FIRST, {**ROLL, "runners": {"7": 14}}], "runners must be spaces by column"),
        ([FIRST, {**ROLL, "runners": {"x": 1}}], "runners must be spaces by column"),
        ([FIRST, ROLL, boards.stop(2, 0, {7: 1})], "here:3:1: turn must be that of the last roll"),
        ([FIRST, boards.end(1, [2], "columns")], "winners must be seats from 0 to 1"),
        ([FIRST, boards.end(1, [0], "luck")], "reason must be columns or"),
        ([FIRST, boards.end(0, [], "left"), ROLL], "here:3:1: the game is over already"),
    ],
)
def test_what_is_no_record_is_refused(lines: Sequence[Any], message: str) -> None:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    with pytest.raises(UsageError) as refused:
        list(read_record(texts, "here"))
    assert message in str(refused.value)


def test_a_file_that_is_no_text_is_refused(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in arena("replay", str(file), code=2).error
    assert arena("replay", str(tmp_path / "none.jsonl"), code=2).error
