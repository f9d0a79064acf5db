"""Openings: actions that are played before the bots are asked, the same for all of a deal."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import installed_game
from helpers.parameters import slow_but
from helpers.paths import ROOT

import cantstop_arena as ca
from cantstop_arena.deals.dice_keys import DiceBits
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.openings import (
    ListedOpenings,
    Openings,
    RandomOpenings,
    different_starts,
)

ANSWERS = {"first": "0", "last": "len(moves) - 1", "middle": "len(moves) // 2"}
BOTS = {
    name: f'game = "breakthrough"\ndef move(view, moves):\n    return {answer}\n'
    for name, answer in ANSWERS.items()
}
CUP = "game: breakthrough\nseed: 1\ngames: 40\nbots: [first, last, middle]\n"


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Breakthrough, as if it were installed."""
    code = (ROOT / "tests" / "helpers" / "breakthrough.py").read_text("utf-8")
    with installed_game(tmp_path_factory.mktemp("packages"), "breakthrough", code):
        yield


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def game() -> Game:
    return game_named("breakthrough")


def test_different_starts_are_those_of_the_game(game: Game) -> None:
    starts = {plies: different_starts(game, game.rules.default, 2, plies) for plies in (0, 1, 2, 3)}
    assert {plies: len(found or ()) for plies, found in starts.items()} == {
        **{0: 1, 1: 13, 2: 156, 3: 1188}
    }


def test_each_start_comes_once_before_any_comes_again(game: Game) -> None:
    openings = Openings(plies=1).by_deal(game, game.rules.default, 2)
    assert isinstance(openings, ListedOpenings)
    bits = DiceBits(1, 5)
    first, second = (
        [openings.of_deal(bits, 13 * time + deal) for deal in range(13)] for time in (0, 1)
    )
    assert sorted(first) == sorted(second) and len({*first}) == 13
    assert first != second, "every time in a new order"


def test_longer_openings_depend_on_dice_and_deal_alone(game: Game) -> None:
    rules = game.rules.default
    once, again = (RandomOpenings(game, rules, 2, 6) for _ in range(2))
    dice, other = DiceBits(3, 0), DiceBits(4, 0)
    drawn = [once.of_deal(dice, deal) for deal in range(20)]
    assert drawn == [again.of_deal(dice, deal) for deal in reversed(range(20))][::-1]
    assert drawn != [again.of_deal(other, deal) for deal in range(20)]
    assert all(len(opening) == 6 for opening in drawn)


def test_who_asks_for_too_many_plies_is_told(arena: Arena) -> None:
    words = "match first last --game breakthrough --openings 500 --games 2"
    done = arena(words, bots=BOTS, code=2)
    assert "openings of 500 plies: Breakthrough is over before" in done.output


@pytest.mark.usefixtures("second_game")
def test_games_that_have_no_openings_say_why(arena: Arena) -> None:
    reasons = {
        "cantstop rule28 random": "need a game in plain Python; Can't Stop is played by an engine",
        "salvage careful drunk": "need a game with numbered actions, which Salvage has not",
    }
    for words, reason in reasons.items():
        game, *bots = words.split()
        done = arena("match", *bots, "--game", game, *["--openings", "2", "--games", "2"], code=2)
        assert f"openings {reason}" in done.output


def _openings(files: Iterable[Path]) -> list[tuple[int, ...]]:
    """The openings of recorded games, which must begin with their moves."""
    found = []
    for file in files:
        first, *events = map(json.loads, file.read_text("utf-8").splitlines())
        moves = [event["move"] for event in events if event["event"] == "move"]
        assert moves[: len(first["opening"])] == first["opening"]
        found.append(tuple(first["opening"]))
    return found


@pytest.mark.slow
def test_a_lineup_has_one_opening_in_every_seating(arena: Arena, tmp_path: Path) -> None:
    done = arena("run cup.yaml", bots=BOTS, yaml=CUP + "openings: {plies: 2}\n")
    resolved = (done.folder / "tournament.yaml").read_text()
    assert "openings: {plies: 2}" in resolved
    lineups = [(a, b) for a in BOTS for b in BOTS if a != b]
    for number, lineup in enumerate(lineups):
        record = f"out{number}.jsonl"
        shown = arena("replay", done.folder, *lineup, "--deal", "7", "--json")
        (tmp_path / record).write_text(shown.text)
    openings = _openings(tmp_path.glob("out*.jsonl"))
    assert len(openings) == len(lineups) == 6
    assert max(map(openings.count, openings)) == 2, "those of the two seatings"


@pytest.mark.slow
def test_a_file_is_played_line_by_line(arena: Arena, tmp_path: Path) -> None:
    lines = "# two pieces\n16, 47\n\nmove 19, move 50\n"
    words = "match first last --game breakthrough --openings book.txt --games 8 --seed 1 --no-page"
    done = arena(words, bots=BOTS, files={"book.txt": lines})
    assert "2 openings, 4 deals: each is played 2 times." in done.output
    assert (done.folder / "openings.txt").read_text() == "16, 47\nmove 19, move 50\n"
    assert {*_openings(done.folder.glob("games/*.jsonl"))} <= {(16, 47), (19, 50)}
    (tmp_path / "book.txt").unlink()
    again = arena("run", done.folder / "tournament.yaml")
    assert "0 games" in again.output or "playing" not in again.output


@pytest.mark.slow
def test_the_copy_of_a_file_is_deleted_when_it_is_no_longer_played(arena: Arena) -> None:
    book = {"book.txt": "16, 47\n"}
    keys = "seed: 1\ngame: breakthrough\ngames: 8\nbots: [first, last]\n"
    done = arena("run cup.yaml", bots=BOTS, files=book, yaml=f"{keys}openings: {{file: book.txt}}")
    assert (done.folder / "openings.txt").exists()
    arena("run cup.yaml", yaml=f"{keys}openings: {{plies: 1}}\n")
    assert not (done.folder / "openings.txt").exists()


@pytest.mark.parametrize(
    ("line", "why"),
    slow_but(
        [0],
        [
            ("16, 16", "opening 1: action 16 is illegal here"),
            ("sideways", "opening 1: there is no action 'sideways'"),
            ("{}", "opening 1: this is no position of Breakthrough"),
            ("", "book.txt has no openings"),
        ],
    ),
)
def test_a_wrong_line_is_named(arena: Arena, line: str, why: str) -> None:
    done = arena(
        "run cup.yaml",
        yaml=CUP + "openings: {file: book.txt}\n",
        bots=BOTS,
        code=2,
        files={"book.txt": line},
    )
    assert why in done.output and "cup.yaml:5:" in done.output


@pytest.mark.slow
def test_openings_are_of_three_kinds(arena: Arena) -> None:
    for value in ("4", "{plies: 0}", "{plies: 2, file: x}", "games", "{file: nowhere.txt}"):
        done = arena("run cup.yaml", yaml=CUP + f"openings: {value}\n", bots=BOTS, code=2)
        assert "openings must be" in done.output or "cannot be read" in done.output


def test_a_position_is_an_opening(game: Game) -> None:
    position = game.position(game.rules.default, 2)
    for action in (16, 47):
        position.step(action)
    openings = Openings(path=Path("book"), lines=(position.dumps(),))
    assert openings.listed(game, game.rules.default, 2) == [(16, 47)]
    large = game.rules.named["large"].rules
    assert "one of other rules" in openings.refusal(game, large, 2)


@pytest.mark.slow
def test_settings_with_other_openings_are_others(arena: Arena) -> None:
    arena("bots", bots=BOTS, code=None)
    planned = [
        ca.tournament(["first", "last"], game="breakthrough", seed=1, openings=openings)
        for openings in (None, "game", {"plies": 2}, {"plies": 3})
    ]
    keys = [each.tournament.query.setting.key for each in planned]
    assert len({*keys}) == 4 and "openings" not in keys[0]


@pytest.mark.slow
def test_guests_and_comparisons_have_them_too(arena: Arena) -> None:
    arena("run cup.yaml --games 8 --openings game --no-page", bots=BOTS, yaml=CUP)
    guest = arena("match first last --in results/cup --games 12")
    assert "4 games (of 12 alike), 2 deals in both seatings" in guest.text
    rules = "game: breakthrough\ncompare: [standard, large]\nbots: [first, last]\ngames: 8\n"
    done = arena("compare rules.yaml --openings 2 --no-page", yaml=rules)
    assert "openings: {plies: 2}" in (done.folder / "comparison.yaml").read_text()
    refused = arena("compare rules.yaml --openings game --no-page", code=2)
    assert "Breakthrough has no openings of its own" in refused.output
