"""A description is foreign data: each field with hostile values, wherever the arena uses it."""

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers.arena import Arena

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.bot_text import bot_text
from cantstop_arena.bots.describe import (
    BotData,
    FileDescribed,
    OptionData,
    PackageDescribed,
    bots_of_file,
    offer_of_package,
)
from cantstop_arena.errors import BotError
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.file.entrants import Entrant

ESCAPE = "\x1b[2J\0\u202e"


def deep(levels: int, key: str = "") -> Any:
    """A number in so many lists, or in data of so many tuples."""
    value: Any = 1
    for _ in range(levels):
        value = {key: [value]} if key else [value]
    return value


def option(**changes: Any) -> OptionData:
    """An option of a description."""
    plain = OptionData("a", 1, None, [], False)
    return msgspec.structs.replace(plain, **changes)


OPTIONS = {
    "a name for terminals": option(name=ESCAPE),
    "an endless name": option(name="a" * 10**6),
    "a number as a file": option(default=5, is_file=True),
    "a list as a file": option(default=["/dev/zero"], is_file=True),
    "a device as a file": option(default="/dev/zero", is_file=True),
    "a terminal as a file": option(default="/dev/ptmx", is_file=True),
    "no path as a file": option(default="\0", is_file=True),
    "null as a file": option(default=None, is_file=True),
    "text for terminals": option(default=ESCAPE, choices=[ESCAPE, None, True]),
    "a large default": option(default="x" * 10**6),
    "many choices": option(choices=[*range(10**5)]),
    "no number": option(default=float("nan")),
    "infinity": option(default=[float("-inf")]),
    "a large number": option(default=2**64 - 1),
    "lists in lists": option(default=deep(900)),
    "tuples in tuples": option(default=deep(300, "tuple")),
    "a tuple of a number": option(default={"tuple": 5}),
    "a tuple of nothing": option(default={"x": 5}),
    "bytes": option(default=b"x"),
    "a search of other lengths": option(default=[1.0], search=([1, 2], [])),
    "a search without numbers": option(default=[1.0], search=([float("nan")], [1])),
}
FIELDS: dict[str, dict[str, Any]] = {
    "a name for terminals": {"name": ESCAPE},
    "an endless name": {"name": "x" * 10**6},
    "no name": {"name": ""},
    "another game": {"game": ESCAPE},
    "too many options": {"options": [option(name=f"a{number}") for number in range(2000)]},
    "a reserved option": {"options": [option(name="needs")]},
    "a summary for terminals": {"summary": f"{ESCAPE}\n" * 10**4},
    "a complaint for terminals": {"complaint": f"{ESCAPE}\n" * 10**4},
    "another backend": {"backend": ESCAPE},
}
BESIDE = [["/dev/zero"], ["../x"], ["."], [""], ["a\0b"], ["x" * 5000], ["_"] * 10**5, [ESCAPE]]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BotSource:
    """A bot's file; from then on only regular files of its folder may be opened."""
    (tmp_path / "b.py").write_text("")
    identified = BotSource.at(tmp_path / "b.py").identified()
    real_open = os.open

    def open_here(path: Any, *arguments: Any, **keywords: Any) -> int:
        assert str(path).startswith(str(tmp_path)) or str(path).endswith("entry_points.txt"), path
        return real_open(path, *arguments, **keywords)

    monkeypatch.setattr(os, "open", open_here)
    return identified


def walk(source: BotSource, described: FileDescribed, folder: Path) -> None:
    """Use a description as a run, a list and a page of it do; it may be refused."""
    try:
        (bot,) = bots_of_file(source, described)
    except BotError as error:
        assert str(error).isprintable() and len(str(error)) < 9000
        return
    entrant = Entrant("b", bot, bot.defaults)
    assert entrant.files == {} and entrant.named_files == ()
    msgspec.json.encode(entrant.as_file(folder))
    assert bot.check_options({"a": object()}) and bot.check_options({ESCAPE: 1})
    text = bot_text(bot, game_named("cantstop"))
    assert all(line.isprintable() for line in text.split("\n")) and len(text) < 9000


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_refused_or_used(source: BotSource, tmp_path: Path, name: str) -> None:
    bot = BotData("b", "cantstop", [OPTIONS[name]], "", False, "plain", "")
    walk(source, FileDescribed([bot], []), tmp_path)


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_refused_or_used(source: BotSource, tmp_path: Path, name: str) -> None:
    bot = BotData("b", "cantstop", [option()], "", False, "plain", "")
    walk(source, FileDescribed([msgspec.structs.replace(bot, **FIELDS[name])], []), tmp_path)


@pytest.mark.parametrize("beside", BESIDE, ids=lambda names: repr(names[0][:9]))
def test_files_beside_are_those_of_the_folder(
    source: BotSource, tmp_path: Path, beside: list[str]
) -> None:
    bot = BotData("b", "cantstop", [option()], "", False, "plain", "")
    walk(source, FileDescribed([bot], beside), tmp_path)


RULES: list[dict[str, Any]] = [
    {},
    {"name": 5},
    {"name": ESCAPE * 1000, "columns": 3},
    {"name": "x", "colunms": 1},
    {"name": "x", "columns": 10**18},
    {"name": "x", "columns": float("nan")},
    {"name": "x", "columns": deep(500)},
    {"name": "x", ESCAPE: {}},
]


@pytest.mark.usefixtures("second_game")
@pytest.mark.parametrize("game", ["cantstop", "salvage"])
@pytest.mark.parametrize("rules", RULES, ids=repr)
def test_rules_of_a_package_are_refused_or_used(
    monkeypatch: pytest.MonkeyPatch, rules: dict[str, Any], game: str
) -> None:
    monkeypatch.setattr("cantstop_arena.bots.describe.digest_of_package", lambda point: "")
    monkeypatch.setattr("cantstop_arena.bots.describe.entry_point", lambda name: None)
    every = game_named(game).rules.parameters
    for changes in (
        rules,
        *({"name": "x", key: value} for key in every for value in rules.values()),
    ):
        try:
            offer_of_package("p", PackageDescribed([], [changes], game))
        except BotError as error:
            assert str(error).isprintable() and len(str(error)) < 9000


HIJACK = """
import cantstop_arena.bots.describe as d
d._bot_as_data = lambda bot: d.BotData(
    "b", "cantstop", [d.OptionData("net", {default!r}, None, [], True)], "", False, "plain", ""
)
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return False
"""


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("default", ["/dev/zero", "/dev/ptmx", "pipe", "secret", 5, (1, 2)])
def test_a_default_of_an_isolated_bot_is_never_opened(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, default: object
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("secret").write_text("1234")
    path = str(tmp_path / default) if default in ("pipe", "secret") else default
    Path("b.py").write_text(HIJACK.format(default=path))
    Path("t.yaml").write_text("games: 2\nbots: [random, {bot: b.py, isolate: true}]\n")
    done = arena("run", "t.yaml", "--no-page", code=2 if isinstance(path, int | tuple) else 0)
    assert "Traceback" not in done.text
    if default == "secret":
        digest = "03ac674216f3e15c761ee1a5e255f067953623c8b388b4459e13f978d7c846f4"
        assert digest not in Path("results/t/ledger.sqlite").read_bytes().decode("latin-1")
