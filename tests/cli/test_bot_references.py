"""Bots on the command line: programs, options, two files of one name, unknown names."""

import json
import re
import time
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.comparisons import compare_at_once
from helpers.parameters import slow_but

from cantstop_arena.game_api.game import CheckGame, Game

STEPS = """import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "choose_move":
        print(json.dumps({"move": 0}), flush=True)
    elif message["type"] == "roll_again":
        print(json.dumps({"roll": message["turn"]["rolls"] < 4}), flush=True)
"""
PRINTER = """def choose_move(turn, moves): return 0
def roll_again(turn, rolls=3): return turn.rolls < rolls
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("steps.py").write_text(STEPS)
    Path("steps.sh").write_text("#!/bin/sh\nexec python3 steps.py\n")
    Path("steps.sh").chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "name"),
    slow_but([1], [("./steps.sh", "steps.sh"), ("'python3 steps.py'", "steps.py")]),
)
def test_a_program_plays(arena: Arena, program: str, name: str) -> None:
    done = arena(f"match {program} rule28 --games 8 --seed 1 --quiet")
    assert f"{name} against rule28: 8 games" in done.text
    assert "Faults" not in done.text
    assert "steps" in arena(f"gauntlet {program} --against rule28 --games 4 --quiet").text
    assert "python" in arena(f"bench {program} --seconds 0.1").text


def test_what_does_not_take_programs_says_so_in_a_sentence(arena: Arena) -> None:
    assert "arena tune plays bots in Python only" in arena("tune ./steps.sh x=1..2", code=2).output
    output = arena("run x.yaml", yaml="bots: [./steps.sh, rule28]\n", code=2).output
    assert "./steps.sh is a program, not a Python file; write {command: [./steps.sh]" in output


FAILING = {
    "echo first >&2; echo 'libx.so: no such library' >&2; exit 3": (
        "does not start: the program ended its process with exit code 3 (libx.so: no such library)"
    ),
    "echo hello": "does not start: this is not JSON: 'hello'",
    "exec sleep 1000": "does not start: no answer within 0.5 s",
}


@pytest.mark.parametrize("script", FAILING)
def test_a_program_that_cannot_start_is_refused_before_the_first_game(
    arena: Arena, script: str
) -> None:
    Path("fails.sh").write_text(f"#!/bin/sh\n{script}\n")
    Path("fails.sh").chmod(0o755)
    yaml = "bots: [{command: [./fails.sh]}, rule28]\ngames: 20\nstart_limit: 0.5\n"
    assert f"bot fails.sh {FAILING[script]}\n" in arena("run x.yaml", yaml=yaml, code=2).error
    assert not Path("results/x/standings.csv").exists()


@pytest.mark.parametrize("command", ["match ./fails.sh rule28", "bench ./fails.sh"])
def test_all_commands_refuse_a_program_that_cannot_start(arena: Arena, command: str) -> None:
    Path("fails.sh").write_text("#!/usr/bin/env nolanguage\n")
    Path("fails.sh").chmod(0o755)
    assert "nolanguage" in arena(command, code=2).error


def test_a_program_is_checked(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    def few_games(game: Game) -> list[CheckGame]:
        return [*game.check_suite()][:2]

    monkeypatch.setattr("cantstop_arena.check.program_check.suite_of", few_games)
    text = arena("bots check 'python3 steps.py'").text
    assert re.search(r"steps.py:\n  ok     start +ready within", text)
    assert re.search(r"ok     legal +\d+ decisions in 2 games", text)
    Path("steps.py").write_text(STEPS.replace('"move": 0', '"move": 99'))
    text = arena("bots check ./steps.sh", code=1).text
    assert re.search("WRONG  legal +illegal answer: choose_move returned 99", text)
    Path("steps.py").write_text("import sys\nsys.exit('no model')\n")
    text = arena("bots check ./steps.sh --json", code=1).text
    assert json.loads(text)[0]["text"].endswith("with exit code 1 (no model)")


@pytest.mark.slow
def test_plan_and_bench_take_options_and_paths(arena: Arena) -> None:
    options = "--difference 0.1 --seconds 0.1"
    bots = {"twin": PRINTER}
    assert "twin against twin:rolls=2" in arena(f"plan twin twin:rolls=2 {options}", bots=bots).text
    assert (
        "./bots/twin.py:rolls=2  python" in arena("bench ./bots/twin.py:rolls=2 --seconds 0.1").text
    )


@pytest.mark.slow
def test_two_files_of_one_name_are_two_bots(arena: Arena) -> None:
    files = {"other/printer.py": PRINTER.replace("3", "5")}
    done = arena(
        "match printer other/printer.py --games 8 --quiet", bots={"printer": PRINTER}, files=files
    )
    assert "printer against printer (other/printer.py): 8 games" in done.text
    text = arena(
        "gauntlet printer --against other/printer.py --against rule28 --games 8 --quiet"
    ).text
    assert "printer (other/printer.py)" in text
    assert "printer against printer again" in arena("match printer printer --games 8 --quiet").text


@pytest.mark.slow
def test_an_unknown_name_is_answered_at_once_among_many_files(arena: Arena) -> None:
    Path("bots").mkdir()
    for number in range(2000):
        Path(f"bots/b{number}.py").write_text(PRINTER)
    family = (
        "from cantstop_arena import Bot\n"
        "class Rare:\n    choose_move = roll_again = lambda *_: 0\n"
        "def register_bots(): return [Bot('rare', Rare)]\n"
    )
    Path("bots/family.py").write_text(family)
    start = time.process_time()
    assert "unknown bot 'b2001' (did you mean" in arena("bots b2001", code=2).output
    assert time.process_time() - start < 2
    assert "rare" in arena("bots rare").text


# --- Messages -------------------------------------------------------------------------------------


def test_a_word_that_is_no_command_of_bots_brings_one_to_mind(arena: Arena) -> None:
    output = arena("bots chek steady", code=2).output
    assert "there is no command `arena bots chek` (did you mean 'check'?)" in output


def test_run_says_what_it_takes(arena: Arena) -> None:
    assert "to let two bots play: arena match rule28 BOT" in arena("run rule28", code=2).output
    Path("folder").mkdir()
    assert "folder is a folder, not a file\n" in arena("run folder", code=2).output
    assert "--games" in arena("match a b --gaems 3", code=2).output


def test_an_option_without_a_default_and_a_class_are_explained(arena: Arena) -> None:
    risky = PRINTER.replace("rolls=3", "risk")
    output = arena("match risky rule28", bots={"risky": risky}, code=2).output
    assert "the option risk needs a default, such as risk=0" in output
    methods = PRINTER.replace("(turn", "(self, turn").replace("def", "    def")
    output = arena("match one rule28", bots={"one": f"class Mine:\n{methods}"}, code=2).output
    assert "class Mine has them: register it with def register_bots()" in output


# --- Versions -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_versions_are_listed_shown_and_compared(arena: Arena) -> None:
    play = "match printer rule28 --games 4 --quiet --fresh --no-page"
    arena(play, bots={"printer": PRINTER})
    arena(play, bots={"printer": PRINTER.replace("3", "5")})
    first, second = arena("bots printer").text.splitlines()[-2:]
    assert first.startswith("version  printer@")
    assert first.endswith("in results/printer-vs-rule28 (this one)")
    shown = arena("bots printer@previous").text
    assert "option   rolls, default 3" in shown
    assert "option   rolls, default 5" in arena("bots ./bots/printer.py").text
    old = second.partition("@")[2][:7]
    for reference in ("printer@previous", f"printer@{old}"):
        text = arena(f"bots diff {reference} printer").text
        assert "-def roll_again(turn, rolls=3)" in text
        assert "+def roll_again(turn, rolls=5)" in text
    assert "are the same" in arena("bots diff printer bots/printer.py").text
    assert "rule28 does not come from a file" in arena("bots diff rule28 printer", code=2).output
    versions = json.loads(arena("bots --json printer").text)["versions"]
    assert [version["digest"][:7] for version in versions][1] == old


FAULTY = (
    "def choose_move(turn, moves):\n    return None\n\n\ndef roll_again(turn):\n    return False\n"
)


def _hooks(functions: str) -> str:
    marked = functions.replace("def ", "@hookimpl\ndef ")
    return f'"""A bot."""\n\nfrom cantstop_arena import hookimpl\n\n\n{marked}'


@pytest.mark.slow
def test_bench_and_compile_report_a_bot_with_faults(arena: Arena) -> None:
    benched = arena("bench faulty --seconds 0.1", bots={"faulty": _hooks(FAULTY)}).text
    assert "games ended in a fault: choose_move must return an index, not None" in benched
    refused = arena("bots compile faulty", code=2).error
    assert refused.startswith("faulty plays with faults (choose_move must return an index")
    assert not Path("bots/faulty_compiled.py").exists()


@pytest.mark.slow
def test_plan_reports_the_faults_in_its_trial_games(arena: Arena) -> None:
    command = "plan rule28 faulty --difference 0.1 --seconds 0.1"
    planned = arena(command, bots={"faulty": _hooks(FAULTY)}).text
    message = "choose_move must return an index, not None"
    fault = rf"[\d,]+ of [\d,]+ games ended in a fault; the first, by faulty: {message}"
    assert re.search(fault, planned), planned


@pytest.mark.slow
def test_the_command_that_compiles_is_quoted_for_a_shell(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare_at_once(monkeypatch)
    bots = {"my bot": _hooks(FAULTY.replace("None", "0"))}
    assert "arena bots compile 'my bot'" in arena("bots", "check", "my bot", bots=bots).text
    assert "version of ./bots/my bot.py" in arena("bots", "compile", "./bots/my bot.py").text


@pytest.mark.slow
def test_compiling_is_not_advised_where_it_is_refused(arena: Arena) -> None:
    files = {"bots/fold/h.py": _hooks(FAULTY.replace("None", "0"))}
    files["bots/fold/__init__.py"] = "from .h import choose_move, roll_again\n"
    assert "compile fold" not in arena("bots check fold", files=files).text
    assert "must be defined by def" in arena("bots compile fold", code=2).error


@pytest.mark.usefixtures("second_game")
def test_bench_has_no_empty_column(arena: Arena) -> None:
    rule = arena("bench careful --game salvage --seconds 0.1").text.splitlines()[1]
    assert len(rule.split()) == 3
    assert "ns/roll" in arena("bench random --seconds 0.1").text.splitlines()[0]


def test_a_deal_that_was_not_played_is_named(arena: Arena) -> None:
    arena("match random cautious --games 4 --quiet")
    command = "replay results/random-vs-cautious random cautious --deal"
    assert "Deal 7 is not one of the tournament, 0 to 1" in arena(f"{command} 7").output
    assert "is not one of" not in arena(f"{command} 1").output


@pytest.mark.slow
def test_versions_are_checked_but_not_compiled(arena: Arena) -> None:
    arena("match mine random --games 2", bots={"mine": _hooks(FAULTY.replace("None", "0"))})
    Path("bots/mine.py").write_text("syntax error")
    assert "ok     hooks" in arena("bots check mine@previous").text
    refused = arena("bots compile mine@previous", code=2).error
    assert "mine@previous is a stored version; only the present bot can be compiled" in refused
