"""Paths to which nothing can be written: noticed before there is work, in every command."""

from pathlib import Path

import pytest
from helpers.arena import Arena, refuses_blocked

from cantstop_arena.atomic_files import check_output_file, check_output_folder
from cantstop_arena.errors import UsageError

CUP = "games: 20\nseed: 1\nbots: [rule28, odds]\n"
COMMANDS = (
    "run cup.yaml --results blocked/results",
    "match rule28 odds --games 20 --results blocked/results",
    "gauntlet rule28 --against odds --games 20 --results blocked/results",
    "compare rules.yaml --results blocked/results",
    "tune rule28 threshold=24..34 --html blocked/page.html",
    "export results/cup --games blocked/games.csv",
    "export results/cup --games games.csv --decisions blocked/decisions.csv",
    "export results/cup --rolls blocked/rolls.csv",
    "rate results/cup --output blocked/rated",
    "replay game.jsonl --html blocked/page.html",
    "draw game.jsonl --svg blocked/board.svg",
    "play odds --save blocked/game.jsonl",
    "bots new mine --bots blocked/bots",
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a file `blocked`, below which no user can write, not even root."""
    monkeypatch.chdir(tmp_path)
    Path("blocked").write_text("")
    Path("cup.yaml").write_text(CUP)
    Path("rules.yaml").write_text("compare: [classic, jump]\ngames: 20\nbots: [rule28, odds]\n")
    Path("game.jsonl").write_text("")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_work_is_done_for_a_file_that_cannot_be_written(command: str, arena: Arena) -> None:
    if "results/cup" in command:
        arena("run cup.yaml --quiet --no-page")
    done = arena(command, code=2)
    assert refuses_blocked(done)
    assert not Path("games.csv").exists()


def test_shell_completion_goes_to_the_home_folder(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(Path("blocked").absolute()))
    assert "cannot be written" in arena("completion bash", code=2).error
    monkeypatch.setenv("HOME", str(Path("home").absolute()))
    arena("completion bash")
    assert Path("home/.local/share/bash-completion/completions/arena").is_file()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("no/games.csv", "there is no folder no"),
        (".", "it is a folder"),
        ("n" * 300, "File name too long"),
        ("blocked/x", "Not a directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_with_the_reason(path: str, reason: str) -> None:
    with pytest.raises(UsageError, match=f"cannot be written: {reason}"):
        check_output_file(Path(path))


def test_what_can_be_written_passes_and_is_left_as_it_is() -> None:
    Path("old.csv").write_text("old")
    Path("old.csv").chmod(0o444)  # it is replaced, not opened
    before = sorted(Path().iterdir())
    for path in ("new.csv", "old.csv", "/dev/null"):
        check_output_file(Path(path))
    check_output_folder(Path("some/new/folder"))
    assert sorted(Path().iterdir()) == before
    assert Path("old.csv").read_text() == "old"
