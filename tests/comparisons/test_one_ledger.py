"""A comparison has one ledger: what edits play, what the other commands read, and older folders."""

import json
import re
import shutil
from pathlib import Path

import pytest
from helpers.arena import Arena

import cantstop_arena as ca

FILES = ("comparison.csv", "comparison.md", "comparison.json", "comparison.yaml")
PLAIN = """import random
def choose_move(turn, moves, last=True):
    return len(moves) - 1 if last else 0
def roll_again(turn):
    return random.random() < 0.6
"""
FILE = "compare: {rules}\ngames: {games}\n{more}bots: [rule28, plain]\n"
LEDGER = Path("results/rules/ledger.sqlite")
PARTS = {rules: Path("results/rules/2-players", rules) for rules in ("jump", "classic")}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of our own, with a bot."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("bots/plain.py").write_text(PLAIN)


def text_of(rules: str = "[jump, classic]", games: int = 40, more: str = "seed: 1\n") -> str:
    """A comparison file."""
    return FILE.format(rules=rules, games=games, more=more)


def compare(arena: Arena, text: str, *words: str) -> str:
    """What a comparison prints about what it plays."""
    return arena("compare", "rules.yaml", "--no-page", *words, yaml=text).output


def assert_as_fresh(arena: Arena, text: str) -> None:
    """Assert that the results are those of a comparison in an empty folder."""
    compare(arena, text, "--results", "fresh")
    for name in FILES:
        fresh = Path("fresh/rules", name).read_bytes()
        assert Path("results/rules", name).read_bytes() == fresh, name
    parts = {path.relative_to("fresh") for path in Path("fresh").glob("*/*/*/tournament.yaml")}
    assert {
        p.relative_to("results") for p in Path("results").glob("*/*/*/tournament.yaml")
    } == parts
    shutil.rmtree("fresh")


def games_in(name: str) -> int:
    """The number of games that `arena results` counts."""
    rows = json.loads(Arena()("results --json").text)["results"]["rows"]
    (games,) = (row["games"] for row in rows if row["name"] == name)
    return int(games)


@pytest.mark.slow
def test_a_rule_set_that_is_added_plays_its_games_only(arena: Arena) -> None:
    compare(arena, text_of())
    assert [path.parent.name for path in Path("results").rglob("ledger.sqlite")] == ["rules"]
    text = text_of("[jump, leave, classic]")
    planned = compare(arena, text, "--dry-run")
    printed = compare(arena, text)
    for output in (planned, printed):
        assert output.count("nothing to play") == 2
        assert "rules, leave, 2 players: playing 1 pairing (40 games)" in output
    assert_as_fresh(arena, text)


@pytest.mark.slow
def test_a_rule_set_that_is_removed_and_put_back_plays_nothing(arena: Arena) -> None:
    text = text_of("[jump, leave, classic]")
    compare(arena, text)
    assert compare(arena, text_of()).count("nothing to play") == 2
    assert_as_fresh(arena, text_of())
    assert compare(arena, text, "--dry-run").count("nothing to play") == 3


@pytest.mark.slow
def test_equal_rules_of_another_name_share_their_games(arena: Arena) -> None:
    compare(arena, text_of())
    again = text_of("[jump, {base: classic, name: again}]")
    assert compare(arena, again).count("nothing to play") == 2
    assert_as_fresh(arena, again)


@pytest.mark.slow
def test_more_and_fewer_games_and_another_seed_and_back(arena: Arena) -> None:
    compare(arena, text_of())
    assert compare(arena, text_of(games=60)).count("in part; playing 20 games") == 2
    assert compare(arena, text_of()).count("nothing to play") == 2
    assert_as_fresh(arena, text_of())
    compare(arena, text_of(more="seed: 2\n"))
    assert compare(arena, text_of()).count("nothing to play") == 2
    assert games_in("rules") == 2 * 60 + 2 * 40


@pytest.mark.slow
def test_the_seed_of_the_ledger_is_taken_where_none_is_named(arena: Arena) -> None:
    unseeded = text_of(more="")
    compare(arena, text_of(more="seed: tuesday\n"))
    assert compare(arena, unseeded).count("nothing to play") == 2
    assert compare(arena, unseeded, "--fresh").count("playing 1 pairing (40 games)") == 2
    assert LEDGER.with_name("ledger.old.sqlite").is_file() and games_in("rules") == 80


@pytest.mark.slow
def test_an_edited_bot_plays_again_and_its_last_version_is_found(arena: Arena) -> None:
    compare(arena, text_of())
    Path("bots/plain.py").write_text(PLAIN.replace("0.6", "0.5"))
    assert "Since the last run: plain has changed (1 line" in compare(arena, text_of())
    assert "plain@" in arena("match plain@previous plain --games 20 --no-page").text
    versions = "name: two\ncompare: [jump, classic]\ngames: 20\nbots: [plain@previous, plain]\n"
    printed = arena("compare", "two.yaml", "--no-page", yaml=versions).output
    assert printed.count("; write the digest to keep it.") == 1
    table = arena("history", "plain", "--in", PARTS["jump"]).text
    assert (
        len(re.findall(r"^[0-9a-f]{7} .* \d+\.\d\d ", table, re.MULTILINE)) == 2
        and "2 versions" in table
    )
    forgotten = arena("results prune rules").text
    assert "forgot plain@" in forgotten and "(80 games)" in forgotten
    assert all(len([*path.glob("bots/*")]) == 1 for path in PARTS.values())
    assert compare(arena, text_of(), "--dry-run").count("nothing to play") == 2
    assert arena("results check rules").text == (
        "results/rules: all 80 games are as they were written.\n"
    )
    arena("results forget rules plain")
    assert compare(arena, text_of(), "--dry-run").count("playing 1 pairing (40 games)") == 2


@pytest.mark.slow
def test_commands_for_tournaments_take_the_folders_of_a_comparison_s_parts(arena: Arena) -> None:
    compare(arena, text_of())
    part = PARTS["classic"]
    assert "rule28" in arena("rate", part).text
    arena("replay", part, "--lost", "plain")
    arena("replay", part / "tournament.yaml", "rule28", "plain", "--deal", "3")
    assert "40 rows" in arena("export", part, "--games", "games.csv").text
    arena("report", part)
    for command in (["rate"], ["history", "plain", "--in"]):
        error = arena(*command, "results/rules", code=2).error
        assert "is a comparison; name a tournament of it: results/rules/2-players/classic" in error
    assert "is not in the last comparison" in arena("rate", part.with_name("leave"), code=2).error


@pytest.mark.slow
def test_guests_play_into_the_ledger_of_the_comparison(arena: Arena) -> None:
    compare(arena, text_of())
    part = PARTS["jump"]
    words = ("match", "plain", "cautious", "--in", part, "--games", "40")
    assert "playing 1 pairing (40 games)" in arena(*words).output
    assert "nothing to play" in arena(*words, "--dry-run").output
    assert [*Path("results/rules").rglob("ledger.sqlite")] == [LEDGER]
    more = text_of().replace("plain]", "plain, cautious]")
    planned = compare(arena, more, "--dry-run")
    assert "rules, jump, 2 players: 2 of 3 pairings are in the ledger" in planned
    assert "rules, classic, 2 players: 1 of 3 pairings are in the ledger" in planned
    compare(arena, more)
    assert_as_fresh(arena, more)


@pytest.mark.slow
def test_a_run_of_the_same_name_keeps_its_own_query(arena: Arena) -> None:
    run = "name: rules\ngames: 20\nseed: 1\nbots: [rule28, plain]\n"
    arena("run", "run.yaml", "--no-page", yaml=run)
    compare(arena, text_of())
    assert "nothing to play" in arena("run", "run.yaml", "--no-page", yaml=run).output
    assert compare(arena, text_of()).count("nothing to play") == 2


@pytest.mark.slow
def test_in_python_an_edited_class_finds_its_ledger() -> None:
    def played(probability: float) -> ca.ComparisonResults:
        class Mine:
            def choose_move(self, turn: object, moves: object) -> int:
                return 0

            def roll_again(self, turn: object) -> bool:
                return probability > 0.5

        return ca.compare([Mine, "rule28"], rules=["classic", "jump"], games=20, page=False)

    first, second = played(0.4), played(0.6)
    assert first.folder == second.folder
    other = ca.compare(["odds", "rule28"], rules=["classic", "jump"], games=20, page=False)
    assert other.folder != first.folder
