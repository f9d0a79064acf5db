"""`arena solve` and `arena judge` as any command: wrong use, outputs, bots in the sandbox."""

from pathlib import Path

import pytest
from helpers.arena import Arena, refuses_blocked
from helpers.isolated import marking

ISOLATED = "judge marks --rules 2,2 --tables tables --deals 2 --isolate"


@pytest.mark.parametrize("command", ["judge nobody", "solve nothing", "slove"])
def test_wrong_use_is_2_and_plays_nothing(arena: Arena, command: str) -> None:
    error = arena(command, code=2).error
    assert error and ("slove" not in command or "did you mean 'solve'?" in error)
    assert not Path("results").exists()


@pytest.mark.parametrize("command", ["judge rule28", "solve classic"])
def test_commands_of_one_game_refuse_others_in_a_sentence(arena: Arena, command: str) -> None:
    message = f"arena {command.split()[0]} is for Can't Stop only\n"
    assert arena(f"{command} --game pig", code=2).error == message


@pytest.mark.parametrize(
    "command",
    [
        "judge odds --rules 3,1 --html blocked/page.html",
        "judge odds --rules 3,1 --results blocked/results",
        "solve 3,1 --tables blocked/tables",
    ],
)
def test_no_work_is_done_for_a_file_that_cannot_be_written(arena: Arena, command: str) -> None:
    assert refuses_blocked(arena(command, code=2, files={"blocked": ""}))


def test_without_a_sandbox_an_isolated_bot_is_not_opened(arena: Arena) -> None:
    done = arena(ISOLATED, code=2, bots={"marks": marking(Path.cwd() / "mark")})
    assert "--isolate needs a sandbox, and there is none here: bubblewrap" in done.error
    assert not Path("mark").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_an_isolated_bot_runs_in_the_sandbox_only(arena: Arena) -> None:
    bots = {"marks": marking(Path.cwd() / "mark")}
    assert "faults" not in arena(ISOLATED, bots=bots).text
    yaml = "games: 4\nseed: 5\nbots: [odds, {bot: marks, isolate: true}]\n"
    arena("run cup.yaml --quiet", yaml=yaml)
    arena("judge results/cup --deals 2", code=None)
    assert not Path("mark").exists()
