"""Every command that prints a table has --format, from one option and one writer."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from helpers.arena import Arena

from cantstop_arena.tables.names import FORMATS


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


COMMANDS = {
    "bots": "name",
    "rules": "name",
    "rules korean": "parameter",
    "odds": "column",
    "bench random --seconds 0.1": "bot",
    "plan rule28 cautious --difference 0.1 --seconds 0.1": "bot",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_format_is_printed(arena: Arena, command: str) -> None:
    texts = {form: arena(f"{command} --format {form}").text for form in FORMATS}
    header, *rows = csv.reader(StringIO(texts["csv"]))
    assert header[0] == COMMANDS[command] and rows
    assert all(len(row) == len(header) for row in rows)
    assert json.loads(texts["json"])
    assert texts["markdown"].startswith("|") and "\\toprule" in texts["latex"]


@pytest.mark.parametrize("command", ["bots", "rules", "odds"])
def test_json_is_the_format_json(arena: Arena, command: str) -> None:
    assert arena(f"{command} --json").text == arena(f"{command} --format json").text


@pytest.mark.parametrize("command", ["bots", "rules", "odds --runners 6,7"])
def test_tables_fit_a_narrow_terminal(
    arena: Arena, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "cantstop_arena.views.command_options.TableOutput.width", property(lambda self: 40)
    )
    text = arena(command).text
    assert all(len(line) <= 40 for line in text.partition("\n\n")[0].splitlines())


def test_one_bot_has_no_csv(arena: Arena) -> None:
    error = arena("bots rule28 --format csv", code=2).error
    assert error
    error = arena("bots --format csv rule28", code=2).error
    assert error == "--format csv is for lists; one bot is printed as text or json\n"
