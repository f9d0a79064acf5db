"""`arena compare`: from a file to answers, once and again, with any number of workers."""

import csv
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena, Done
from helpers.edits import contents
from helpers.ledgers import blocks_in
from helpers.parameters import slow_but
from helpers.story import told
from helpers.time_limit import TIME_LIMIT

FILES = ("comparison.csv", "comparison.md", "comparison.json")
SHORTER = "{base: classic, name: shorter, column_lengths: [3, 5, 7, 9, 11, 12, 11, 9, 7, 5, 3]}"
AGAIN = "{base: classic, name: again}"
MOODY = '''"""Fails where it must not land on others."""
def choose_move(turn, moves):
    return 1 // (turn.rules.landing != "leave") - 1
def roll_again(turn):
    return turn.rolls < 3
'''


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of our own, where we stand."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(arena: Arena, text: str, *words: str, code: int = 0) -> Done:
    """Run the command on a file with this text."""
    Path("test.yaml").write_text(f"{text}\nseed: 1\n")
    result = arena("compare", "test.yaml", *words, code=None)
    assert result.code == code, (result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def answers(results: str = "results") -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(Path(results, "test/comparison.json").read_text())[
        "answers"
    ]
    return told


def question(answer: dict[str, Any], measure: str) -> dict[str, Any]:
    found: dict[str, Any]
    (found,) = [one for one in answer["questions"] if one["measure"] == measure]
    return found


def bytes_of(folder: str) -> list[bytes]:
    return [Path(folder, "test", name).read_bytes() for name in FILES]


@pytest.mark.slow
def test_rules_against_themselves_make_no_difference(arena: Arena) -> None:
    compare(
        arena,
        f"compare: [classic, {AGAIN}]\nplayers: [1, 2, 3]\ngames: 12\nbots: [rule28, random]\n",
    )
    for answer in answers():
        assert answer["sentence"].startswith("again changes nothing in a ")
        for one in answer["questions"]:
            assert one["verdict"] in ("the same in every deal", "nothing to compare")
            assert one["difference"] in (0, None) and one["p"] in (1, None)
    assert not any(question(answer, "turns")["difference"] for answer in answers())
    assert "1.0000" not in Path("results/test/comparison.md").read_text()  # a p as on the page


def test_a_single_deal_is_one(arena: Arena) -> None:
    compare(arena, "compare: [classic, jump]\nplayers: 1\ngames: 1\nbots: [rule28]\n")
    assert "1 deal, 1 game of each." in Path("results/test/comparison.md").read_text()


@pytest.mark.slow
def test_a_column_one_space_shorter_makes_the_game_shorter(arena: Arena) -> None:
    bots = "bots: [rule28, cautious]"
    compare(arena, f"compare: [classic, {SHORTER}]\ngames: 20000\nignore_below: 0\n{bots}\n")
    (answer,) = answers()
    turns = question(answer, "turns")
    assert turns["difference"] < 0 and turns["difference_high"] < 0
    assert turns["verdict"] == "different" and turns["p_corrected"] < 0.001
    assert re.search(r"makes (a 2-player|the) game \d\.\d+% shorter \(", answer["sentence"])


def records(
    arena: Arena, players: int, rules: str, lineups: list[list[str]], deals: int
) -> Iterator[list[str]]:
    file = f"results/test/{players}-players/{rules}/tournament.yaml"
    for seats in lineups:
        for deal in range(deals):
            words = ["replay", file, *seats, "--deal", str(deal), "--json"]
            result = arena(*words)
            yield result.text.splitlines()


@pytest.mark.slow
def test_the_values_are_those_of_the_recorded_games(arena: Arena) -> None:
    compare(arena, "compare: [classic, long4]\ngames: 16\nbots: [rule28, random]\n")
    (answer,) = answers()
    lineups = [["rule28", "random"], ["random", "rule28"]]
    for rules, key in (("classic", "baseline_value"), ("long4", "value")):
        games = list(records(arena, 2, rules, lineups, 8))
        counted = [told(game) for game in games]

        def total(name: str, counted: Any = counted) -> int:
            return sum(sum(one[name]) for one in counted)

        ends = [json.loads(game[-1])["winners"] for game in games]
        expected = {
            "turns": total("turns") / 16,
            "rolls": total("rolls") / 16,
            "decisions": total("decisions") / 16,
            "bust_rate": total("busts") / total("turns"),
            "lead_changes": total("leads") / 16,
            "margin": total("margin") / 16,
            "half_time": total("half_wins") / (60 * total("half_leads")),
            "first_seat": ends.count([0]) / 16,
            "last_seat": ends.count([1]) / 16,
            "unfinished": 0,
            "bot rule28": (ends[:8].count([0]) + ends[8:].count([1])) / 16,
        }
        for measure, value in expected.items():
            assert question(answer, measure)[key] == pytest.approx(value), measure


@pytest.mark.slow
def test_any_number_of_workers_and_more_games_later_give_the_same_bytes(arena: Arena) -> None:
    text = (
        "compare: [classic, jump]\nplayers: [2, 3]\ngames: 60\n"
        "bots: [rule28, {bot: rule28, as: other, threshold: 20}]\n"
    )
    compare(arena, text, "--workers", "1", "--results", "1")
    compare(arena, text, "--workers", "2", "--results", "2")
    compare(arena, text, "--games", "12", "--results", "later")
    again = compare(arena, text, "--results", "later").text
    assert "test, jump, 2 players: the pairing is in the ledger in part; playing 48 games." in again
    assert bytes_of("1") == bytes_of("2") == bytes_of("later")
    complete = compare(arena, text, "--results", "later").text
    assert "test, classic, 3 players: all 2 lineups of 3 are in the ledger" in complete


@pytest.mark.slow
def test_an_interrupted_comparison_says_how_to_go_on_and_does(arena: Arena) -> None:
    text = "compare: [classic, jump]\ngames: 60000\nbots: [random, rule28]\n"
    Path("test.yaml").write_text(f"{text}\nseed: 1\n")
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from cantstop_arena.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "compare", "test.yaml"], stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + TIME_LIMIT
    while not blocks_in(Path("results/test/ledger.sqlite")):
        assert time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    messages = process.communicate(timeout=TIME_LIMIT)[1].decode()
    assert process.returncode == 130
    assert "go on with:\n  arena compare test.yaml" in messages and "Traceback" not in messages
    assert (
        "test, classic, 2 players: the pairing is in the ledger in part"
        in compare(arena, text).text
    )
    compare(arena, text, "--results", "whole")
    assert bytes_of("results") == bytes_of("whole")


@pytest.mark.slow
def test_a_bot_that_is_out_under_one_rule_set_is_left_out_under_all(arena: Arena) -> None:
    Path("bots").mkdir()
    Path("bots/moody.py").write_text(MOODY)
    text = "compare: [classic, leave]\ngames: 20\nmax_faults: 3\nbots: [random, rule28, moody]\n"
    output = compare(arena, text, code=3).text
    note = (
        "leave, 2 players: moody was disqualified. Lineups with it are left out under all rule sets"
    )
    assert note in output
    (answer,) = answers()
    assert (answer["deals"], answer["games"]) == (10, 20)
    compare(arena, text.replace("rule28, ", ""), "--fresh", code=3)
    (answer,) = answers()
    assert answer["sentence"] == (
        "leave cannot be compared in a 2-player game: there is no lineup that played on under all"
        " rule sets."
    )
    replay = re.search(
        r"See arena (replay results/.*)", compare(arena, text, "--fresh", code=3).text
    )
    assert replay
    result = arena(*replay[1].split(), code=None)
    assert "moody" in result.output and result.code == 0


@pytest.mark.slow
def test_on_fault_abort_names_a_replay_that_works(arena: Arena) -> None:
    Path("bots").mkdir()
    Path("bots/moody.py").write_text(MOODY)
    text = "compare: [leave, classic]\ngames: 20\nbots: [random, moody]\n"
    compare(arena, text)
    error = compare(arena, f"on_fault: abort\n{text}", code=1).error
    # nothing of the run before
    assert [*contents(Path("results/test"))] == ["2-players/leave/tournament.yaml"]
    command = error.splitlines()[-1].split()[1:]
    assert command[:2] == ["replay", "results/test/2-players/leave/tournament.yaml"]
    assert "misbehaves" in arena(*command, code=None).output


@pytest.mark.slow
def test_bots_that_sit_more_than_once(arena: Arena) -> None:
    compare(arena, "compare: [classic, jump]\nplayers: 4\ngames: 24\nbots: [rule28, random]\n")
    (answer,) = answers()
    assert (answer["deals"], answer["games"]) == (1, 3 * 24)
    compare(arena, "compare: [classic, jump]\nplayers: 3\ngames: 24\nbots: [rule28]\n", "--fresh")
    (answer,) = answers()
    assert "better_bot" not in {one["measure"] for one in answer["questions"]}
    assert "order" not in {one["measure"] for one in answer["questions"]}


@pytest.mark.slow
def test_alone_nothing_is_asked_about_rivals(arena: Arena) -> None:
    compare(arena, "compare: [classic, korean]\nplayers: 1\ngames: 200\nbots: [rule28, cautious]\n")
    (answer,) = answers()
    asked = [one["measure"] for one in answer["questions"]]
    assert asked == ["turns", "rolls", "decisions", "bust_rate", "unfinished"]
    assert "a game alone" in answer["sentence"]


def test_games_that_never_end_are_compared_all_the_same(arena: Arena) -> None:
    cut = "{base: classic, name: cut, turn_limit: 2}"
    compare(arena, f"compare: [{cut}, classic]\ngames: 20\nbots: [rule28, random]\n")
    (answer,) = answers()
    assert question(answer, "unfinished")["baseline_value"] == 1
    assert question(answer, "margin")["verdict"] == "nothing to compare"
    assert "there is nothing to compare of the margin at the end" in answer["sentence"]


@pytest.mark.parametrize("form", slow_but((3,), ["text", "markdown", "csv", "json", "latex"]))
def test_formats(arena: Arena, form: str) -> None:
    text = "compare: [classic, jump]\ngames: 200\nbots: [rule28, random]\n"
    result = compare(arena, text, "--format", form)
    if form == "json":
        assert json.loads(result.text)["answers"] == answers()
    elif form == "csv":
        rows = list(csv.DictReader(StringIO(result.text)))
        assert [row["measure"] for row in rows][-1] == "order" and len(rows) == 14
        assert float(rows[0]["value"]) == question(answers()[0], "turns")["value"]
        assert result.text == Path("results/test/comparison.csv").read_text()
    else:
        sentence = answers()[0]["sentence"]
        assert sentence.split("%")[0] in result.text
        assert "p and intervals are corrected for all 14 questions of the file" in result.text
    assert result.text.endswith("\nWritten to results/test\n") == (form == "text")


def test_nothing_but_the_tables_is_printed_when_quiet(arena: Arena) -> None:
    text = "compare: [classic, jump]\ngames: 20\nbots: [rule28, random]\n"
    first, _, tables = compare(arena, text, "--quiet").text.partition("\n\n")
    assert first == "No change is significant: 1 rule set against classic."
    assert tables.startswith("jump against classic, 2 players\n")


def test_problems_of_the_file_end_with_code_2(arena: Arena) -> None:
    error = compare(arena, "compare: [classic, jmp]\nbots: [rule29]\n", code=2).error
    assert "test.yaml:1:20: unknown rules 'jmp' (did you mean 'jump'?)" in error
    assert "test.yaml:2:8: unknown bot 'rule29'" in error


@pytest.mark.slow
def test_other_bots_have_the_results_of_a_fresh_comparison(arena: Arena) -> None:
    text = "compare: [classic, jump]\ngames: 2\nbots: [{}, random]\n"
    compare(arena, text.format("rule28"))
    assert "Since the last run: odds is new" in compare(arena, text.format("odds")).error
    compare(arena, text.format("odds"), "--results", "fresh")
    assert bytes_of("results") == bytes_of("fresh")
