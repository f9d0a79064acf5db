"""Help that is not cut, bots one by one, completion, and what points elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click import Context, Group
from helpers.arena import Arena, completed
from helpers.paths import ROOT

from cantstop_arena.cli import main

CONTEXT = Context(main)
GROUPS = [
    name
    for name in main.list_commands(CONTEXT)
    if isinstance(main.get_command(CONTEXT, name), Group)
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    Path("bots").mkdir()
    Path("bots/mine.py").write_text("raise SystemExit('was run')\n")
    kept = Path("results/cup/bots/0123456789abcdef/mine.py")
    kept.parent.mkdir(parents=True)
    kept.write_text("")
    Path("results/cup/ledger.sqlite").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("gaunt", ["gauntlet"]),
        ("match rule", ["rule28"]),
        ("match mine mi", ["mine"]),
        ("match mine@", ["mine@previous", "mine@0123456"]),
        ("gauntlet mine --against gl", ["glenn-aloi"]),
        ("match --game cantstop gl", ["glenn-aloi"]),
        ("match --rules ko", ["korean"]),
        ("rules jum", ["jump"]),
        ("rules --game salvage pe", ["peaceful"]),
        ("plan --game ca", ["cantstop"]),
        ("rate res", ["results/cup"]),
        ("report results/c", ["results/cup"]),
        ("bots che", ["check"]),
        ("bots rul", ["rule28"]),
        ("bots check mi", ["mine"]),
        ("bench mi", ["mine"]),
        ("play mi", ["mine"]),
        ("replay x.yaml mi", ["mine"]),
        ("bots check ./", ["./"]),
    ],
)
@pytest.mark.usefixtures("second_game")
def test_what_is_completed(arena: Arena, here: Path, words: str, found: list[str]) -> None:
    assert completed(arena, words) == found


@pytest.mark.parametrize(
    ("shell", "path"),
    [
        ("bash", ".local/share/bash-completion/completions/arena"),
        ("zsh", ".zfunc/_arena"),
        ("fish", ".config/fish/completions/arena.fish"),
    ],
)
def test_completion_is_installed_for_the_shell_that_is_used(
    arena: Arena, here: Path, shell: str, path: str
) -> None:
    told = arena("completion", env={"SHELL": f"/bin/{shell}"}).output
    assert told.startswith(f"Written: {here / path}\n")
    script = (here / path).read_text()
    assert "_ARENA_COMPLETE" in script
    assert arena("completion", shell, "--print").output.rstrip() == script.rstrip()


def test_without_a_shell_that_is_known_one_is_asked_for(arena: Arena, here: Path) -> None:
    assert (
        "unknown shell 'odd'; name one of: bash, zsh, fish"
        in arena("completion", env={"SHELL": "/bin/odd"}, code=2).output
    )


def test_the_help_lists_all_commands_in_sections(arena: Arena) -> None:
    """Each command of the sections exists, and stands in one of them."""
    summaries = arena("--help").output.partition("Play and rate:")[2]
    listed = re.findall(r"^  (\w+)  ", summaries, re.MULTILINE)
    assert sorted(listed) == main.list_commands(CONTEXT)
    assert all(f"\n{title}:\n" in summaries for title in ("Bots", "The games", "One game"))


def test_no_summary_of_a_command_is_cut(arena: Arena) -> None:
    summaries = arena("--help").output.partition("Play and rate:")[2]
    assert summaries and "..." not in summaries


@pytest.mark.parametrize("group", GROUPS)
def test_no_summary_in_the_help_is_cut(arena: Arena, group: str) -> None:
    commands = arena(group, "--help").output.partition("Commands:")[2]
    assert commands and "..." not in commands
    lines = [line for line in commands.splitlines() if line.startswith("  ")]
    assert lines and all(line.endswith(".") for line in lines)


@pytest.mark.usefixtures("second_game")
def test_a_bot_is_shown_with_options_defaults_and_source(arena: Arena, here: Path) -> None:
    told = arena("bots", "rule28").output
    assert "option   threshold, default 28\n" in told
    assert "one of 'first', 'random'" in told
    assert "source   built in, cantstop_arena.games.cantstop.bots.rule28" in told
    assert "plays    Salvage" in arena("bots", "careful").output
    assert "unknown bot 'carefull'" in arena("bots", "carefull", code=2).output


def test_a_bot_of_a_file_is_shown_with_what_the_file_says(arena: Arena) -> None:
    told = arena("bots", "--bots", str(ROOT / "bots"), "learner").output
    assert "learns   yes" in told and "Machine Learning 47, 2002" in told


def test_rules_are_listed_with_what_their_sources_are(arena: Arena) -> None:
    table, _, legend = arena("rules").output.partition("\n\n")
    letters = {
        letter
        for source in re.findall(r"[\d]  (.*)", table)
        for letter in re.findall(r"\b[A-Z]\b", re.sub("variant [A-Z]", "", source))
    }
    assert letters == {line[0] for line in legend.splitlines()}


def test_the_program_is_a_module_too(arena: Arena) -> None:
    assert arena("games --help", process=True).text.startswith("Usage: arena games")


@pytest.mark.slow
def test_what_a_new_bot_points_to_is_there_wherever_it_is_written(arena: Arena, here: Path) -> None:
    for words in (["fresh"], ["fast", "--compiled"]):
        arena("bots", "new", *words)
        text = Path(f"bots/{words[0]}.py").read_text()
        assert "README" not in text
        (page,) = re.findall(r"# python -m pydoc (\S+)", text)
        env = {**os.environ, "PAGER": "cat"}
        command = [sys.executable, "-m", "pydoc", page]
        told = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        assert "bust_chance" in told.stdout
