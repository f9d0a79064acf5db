"""Patterns of bots: what they match, under which names it plays, and what is left out."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.api.tournaments import from_file
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import ConfigError, UsageError
from cantstop_arena.tournaments.file.pattern_entrants import Matcher, is_pattern
from cantstop_arena.tournaments.tournament import Tournament

BOT = """
def choose_move(turn, moves):
    return 0

def roll_again(turn):
    return False
"""
BROKEN = "def choose_move(turn, moves):\n    return (0\n"
WRITTEN = (".csv", ".md", ".json", ".yaml")
REASON = "does not import: SyntaxError: '(' was never closed (broken.py, line 2)"
FAMILY = """
from cantstop_arena import Bot

class First:
    def choose_move(self, turn, moves):
        return 0

    def roll_again(self, turn):
        return False

def register_bots():
    return [Bot("ant", First), Bot("bee", First)]
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(*paths: str, text: str = BOT) -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def read(text: str, **options: Any) -> Tournament:
    Path("mine.yaml").write_text(text)
    return from_file("mine.yaml", **options).tournament


def names(tournament: Tournament) -> list[str]:
    return [entrant.name for entrant in tournament.entrants]


def complaints(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return str(caught.value).splitlines()


def matched(pattern: str, exclude: Sequence[str] = ()) -> list[str]:
    matcher = Matcher(Path(), Catalogue(Path("bots")), exclude)
    return [match.name for match in matcher.matches(pattern)]


# What a pattern matches ---------------------------------------------------------------------------


def test_files_play_in_the_place_of_their_pattern_sorted_by_name() -> None:
    write("bots/b.py", "bots/C.py", "bots/a.py", "bots/_helper.py", "bots/.hidden.py")
    write("bots/tree/__init__.py")
    cup = read("bots: [rule28, bots/*.py, random]\n")
    assert names(cup) == ["rule28", "a", "b", "C", "random"]
    assert names(read("bots: [bots/*]\n")) == ["a", "b", "C", "tree"]
    assert names(read("bots: ['bots/[ab].py']\n")) == ["a", "b"]
    assert names(read("bots: [rule28, bots/_*.py]\n")) == ["rule28", "_helper"]


@pytest.mark.parametrize(
    ("files", "pattern", "expected"),
    [
        (["s07/bot.py", "s12/bot.py"], "*/bot.py", ["s07", "s12"]),
        (["s07/bot.py"], "*/bot.py", ["s07"]),
        (["s07/final/bot.py", "s12/final/bot.py"], "*/final/bot.py", ["s07", "s12"]),
        (["s07/bot.py", "s12/bot.py", "s12/late.py"], "*/*.py", ["late", "s07", "s12"]),
        (["a/x/bot.py", "b/x/bot.py"], "*/x/*.py", ["a", "b"]),
        (["a/b/bot.py", "b/a/bot.py", "b/b/bot.py"], "**/bot.py", ["a/b/bot", "b", "b/a/bot"]),
        (["s07/__init__.py", "s12/__init__.py"], "*/__init__.py", ["s07", "s12"]),
    ],
)
def test_files_of_one_name_are_called_by_their_folders(
    files: list[str], pattern: str, expected: list[str]
) -> None:
    write(*files)
    assert matched(pattern) == expected


def test_names_are_those_that_arena_bots_lists() -> None:
    write("bots/rule29.py", "bots/other.py")
    write("bots/insects.py", text=FAMILY)
    assert matched("rule2*") == ["rule28", "rule29"]
    assert matched("[ab]*e*") == ["bee"]
    assert matched("insects*") == []
    assert names(read("bots: ['rule2?', ant*]\n")) == ["rule28", "rule29", "ant"]


@pytest.mark.slow
def test_all_are_the_bots_of_the_folder_but_not_the_built_in_ones() -> None:
    write("bots/b.py", "bots/a.py", "bots/rule28.py")
    write("bots/insects.py", text=FAMILY)
    cup = read("bots: all\n")
    assert names(cup) == ["a", "b", "ant", "bee"]
    assert [left.bot for left in cup.left_out] == ["bots/rule28.py"]
    assert names(read("bots: [all, random]\n")) == ["a", "b", "ant", "bee", "random"]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file() -> None:
    write("bots/a[1].py", "bots/a1.py")
    assert not is_pattern("bots/a[1].py", Path(), Catalogue(Path("bots")))
    assert names(read("bots: ['bots/a[1].py', random]\n")) == ["a[1]", "random"]


def test_what_an_entry_names_is_not_matched_as_well() -> None:
    write("bots/a.py", "bots/b.py")
    cup = read("bots: [{bot: a, as: mine}, bots/*.py, all]\n")
    assert names(cup) == ["mine", "b"]
    assert not cup.messages


def test_the_strongest_isolation_has_its_files_first(sandbox: object) -> None:
    write("bots/a.py", "bots/b.py")
    cup = read("bots: [bots/*.py, {bot: bots/b*.py, isolate: true}]\n")
    assert [(each.name, each.isolate.key) for each in cup.entrants] == [("a", None), ("b", True)]


def test_stored_copies_do_not_play_unless_the_pattern_says_so() -> None:
    write("mine/a.py", "results/cup/bots/digest/b.py")
    assert matched("**/*.py") == ["a"]
    assert matched("results/*/bots/*/*.py") == ["b"]


# What is excluded ---------------------------------------------------------------------------------


def test_exclude_takes_names_paths_and_patterns() -> None:
    write("bots/a.py", "bots/b.py", "bots/old1.py", "bots/old2.py")
    assert matched("bots/*.py", ["a", "bots/old*.py"]) == ["b"]
    assert matched("all", ["bots/b.py", "old?"]) == ["a"]
    cup = read("bots: [rule28, rule*, all]\nexclude: [rule*, old*]\n")
    assert names(cup) == ["rule28", "a", "b"]


def test_what_is_excluded_is_not_opened() -> None:
    write("bots/a.py", "bots/b.py")
    write("bots/bad.py", text="open('opened', 'w')\n")
    read("bots: all\nexclude: [bad]\n")
    assert not Path("opened").exists()


@pytest.mark.parametrize("text", ["rule28", "bots/a.py", "own"])
def test_a_bot_that_an_entry_names_is_not_excluded(text: str) -> None:
    write("bots/a.py")
    (complaint,) = complaints(
        "bots:\n  - bots/*.py\n  - random\n  - rule28\n  - bots/a.py\n"
        f"  - {{bot: odds, as: own}}\nexclude:\n  - {text}\n"
    )
    line = {"rule28": 4, "bots/a.py": 5, "own": 6}[text]
    because = f"{text} is excluded, but line {line} names it; leave out one of the two"
    assert complaint == f"mine.yaml:8:5: {because}"


# What cannot play ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("second_game")
def test_what_cannot_play_is_left_out(arena: Arena) -> None:
    write("bots/a.py", "bots/b.py", "bots/net.onnx")
    write("bots/broken.py", text=BROKEN)
    write("more/a.py")
    write("bots/cards.py", text="GAME = 'salvage'\n")
    yaml = "games: 4\nbots: [random, bots/*.py, more/*.py, bots/*.onnx]\n"
    done = arena("run mine.yaml --page", yaml=yaml)
    reasons = {each["bot"]: each["reason"] for each in done.json["left_out"]}
    assert reasons == {
        "bots/broken.py": REASON,
        "bots/cards.py": reasons["bots/cards.py"],
        "more/a.py": "the name a is taken",
        "bots/net.onnx": "it is no file in the format ONNX, or it is damaged (bots/net.onnx)",
    }
    line = f"bots/broken.py is left out: {REASON}."
    assert line in done.error and line in done.text
    assert line.replace("_", "\\_") in (done.folder / "standings.md").read_text()
    assert "bots/broken.py is left out" in done.page
    again = arena("rate", done.folder)
    assert line in again.text
    page = done.page
    arena("report", done.folder)
    assert done.page == page


@pytest.mark.usefixtures("second_game")
def test_a_bot_of_another_game_says_which(arena: Arena) -> None:
    write("bots/a.py", "bots/b.py")
    arena("bots new card --game salvage")
    cup = read("bots: all\n")
    assert [(each.bot, each.reason) for each in cup.left_out] == [
        ("bots/card.py", "it plays salvage, not cantstop")
    ]


def test_a_bot_that_an_entry_names_must_work() -> None:
    write("bots/a.py", "bots/b.py")
    write("bots/broken.py", text=BROKEN)
    assert complaints("bots: [bots/*.py, broken]\n")[0] == f"mine.yaml:1:19: {REASON}"


@pytest.mark.slow
def test_what_is_left_out_changes_no_results(arena: Arena) -> None:
    write("bots/a.py", "bots/b.py")
    yaml = "seed: 1\ngames: 4\nbots: all\n"
    first = arena("run mine.yaml", yaml=yaml)
    before = {path.name: path.read_bytes() for path in first.folder.glob("*.csv")}
    write("bots/broken.py", text=BROKEN)
    done = arena("run mine.yaml")
    assert {path.name: path.read_bytes() for path in done.folder.glob("*.csv")} == before
    assert (done.json.pop("left_out") and "left_out" not in first.json) or True


@pytest.mark.slow
def test_the_resolved_file_lists_what_plays_and_what_does_not(arena: Arena) -> None:
    write("bots/a.py", "submissions/s07/bot.py")
    write("bots/broken.py", text=BROKEN)
    yaml = "seed: 1\ngames: 4\nbots: [all, {bot: submissions/*/bot.py, isolate: processes}]\n"
    done = arena("run mine.yaml", yaml=yaml)
    resolved = from_file(done.folder / "tournament.yaml").tournament
    assert names(resolved) == ["a", "s07"]
    assert [(left.bot, left.reason) for left in resolved.left_out] == [("bots/broken.py", REASON)]
    summary = (done.folder / "summary.json").read_bytes()
    again = arena("run", done.folder / "tournament.yaml", "--results", "again")
    assert (again.folder / "summary.json").read_bytes().replace(b"tournament", b"mine") == summary


@pytest.mark.slow
def test_a_file_that_has_gone_has_its_last_version(arena: Arena) -> None:
    write("bots/a.py")
    arena("run mine.yaml", yaml="games: 4\nbots: [rule28, a]\n")
    Path("bots/a.py").unlink()
    (stored,) = (each.name for each in Path("results/mine/bots").iterdir())
    done = arena("run mine.yaml", code=2)
    last = f"its last version is stored: a@{stored[:7]}"
    assert done.error == f"mine.yaml:2:16: unknown bot 'a'; {last}\n"
    arena("run mine.yaml", yaml=f"games: 4\nbots: [rule28, a@{stored[:7]}]\n")


@pytest.mark.slow
def test_edits_leave_what_a_fresh_run_does(arena: Arena) -> None:
    yaml = "seed: 1\ngames: 4\nbots: [all, random, {bot: more/*/bot.py, isolate: processes}]\n"
    yaml += "exclude: [old*]\n"
    write("bots/a.py", "bots/b.py", "more/s07/bot.py")
    arena("run mine.yaml", yaml=yaml)
    write("bots/old1.py", "bots/c.py", "more/s12/bot.py")
    write("bots/b.py", text=BROKEN.replace("broken", "b"))
    arena("run mine.yaml")
    write("bots/b.py", text=BOT.replace("return False", "return turn.rolls < 3"))
    Path("more/s07/bot.py").rename("bots/s07.py")
    write("bots/broken.py", text=BROKEN)
    living, fresh = arena("run mine.yaml"), arena("run mine.yaml --results fresh")
    assert [row["bot"] for row in living.table("lengths")]
    files = {path.name: path for path in fresh.folder.iterdir() if path.suffix in WRITTEN}
    assert {"summary.json", "standings.csv", "tournament.yaml"} <= {*files}
    for name, path in files.items():
        assert (living.folder / name).read_text() == path.read_text(), name


# Bad input ----------------------------------------------------------------------------------------


def test_a_pattern_without_matches_is_reported(arena: Arena) -> None:
    yaml = "games: 4\nbots:\n  - new/*.py\n  - rule28\n  - random\n  - odd*x\n"
    done = arena("run mine.yaml", yaml=yaml)
    assert "mine.yaml:3:5: new/*.py matches no bot yet.\n" in done.error
    assert "mine.yaml:6:5: odd*x matches no bot yet.\n" in done.error
    assert "left_out" not in done.json


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("{bot: a/*.py, threshold: 3}", "1:22: a pattern takes isolate only, not 'threshold'"),
        ("{bot: all, as: mine}", "1:19: a pattern takes isolate only, not 'as'"),
        ("{bot: 'r*', needs: a}", "1:20: a pattern takes isolate only, not 'needs'"),
    ],
)
def test_a_pattern_takes_isolate_only(entry: str, problem: str) -> None:
    expected = f"mine.yaml:{problem}; list the bots that need it by name"
    assert expected in complaints(f"bots: [{entry}, rule28, random]\n")


def test_a_bot_called_all_needs_its_path() -> None:
    write("bots/all.py", "bots/b.py")
    means = "'all' means every bot of bots/; for the bot of that name write bots/all.py"
    assert complaints("bots: all\n") == [f"mine.yaml:1:7: {means}"]
    assert names(read("bots: [bots/all.py, b]\n")) == ["all", "b"]


def test_too_few_bots_say_what_was_left_out() -> None:
    write("bots/broken.py", text=BROKEN)
    assert complaints("bots: [random, bots/*.py, 'x*x']\n") == [
        "mine.yaml:1:1: 2 players need at least 2 bots, not 1",
        f"mine.yaml:1:7: bots/broken.py is left out: {REASON}.",
        "mine.yaml:1:27: x*x matches no bot yet.",
    ]


# Python, and other commands -----------------------------------------------------------------------


@pytest.mark.slow
def test_python_takes_patterns() -> None:
    write("bots/a.py", "bots/b.py", "more/c.py")
    write("bots/broken.py", text=BROKEN)
    planned = ca.tournament("all", games=4, exclude=["b"], players=1)
    assert names(planned.tournament) == ["a"]
    isolated = ca.bot("more/*.py", isolate="processes")
    cup = ca.tournament(["rule28", "bots/*.py", isolated], games=4).tournament
    assert names(cup) == ["rule28", "a", "b", "c"]
    assert [each.isolate.key for each in cup.entrants] == [None, None, None, "processes"]
    assert [left.bot for left in cup.left_out] == ["bots/broken.py"]
    results = ca.tournament("all", games=4).run()
    assert results.summary["left_out"] == [{"bot": "bots/broken.py", "reason": REASON}]


def test_python_has_the_same_messages() -> None:
    write("bots/a.py", "bots/all.py")
    with pytest.raises(UsageError, match="'all' means every bot of bots/"):
        ca.tournament("all")
    with pytest.raises(UsageError, match="a pattern takes isolate only, not 'threshold'"):
        ca.tournament([ca.bot("bots/*.py", threshold=3), "rule28"])
    with pytest.raises(UsageError, match="rule28 is excluded, but bots name it"):
        ca.tournament(["bots/*.py", "rule28"], exclude=["rule28"])
    with pytest.raises(UsageError, match="exclude must be a list"):
        ca.tournament(["bots/*.py", "rule28"], exclude="rule28")


@pytest.mark.slow
def test_a_gauntlet_is_played_against_patterns(arena: Arena) -> None:
    write("bots/a.py", "bots/b.py")
    write("bots/broken.py", text=BROKEN)
    done = arena("gauntlet", "rule28", "--against", "bots/*.py", "--games", "4")
    assert {row["bot"] for row in done.table("standings")} == {"rule28", "a", "b"}
    assert f"bots/broken.py is left out: {REASON}." in done.error


@pytest.mark.slow
def test_a_comparison_takes_patterns(arena: Arena) -> None:
    write("bots/a.py", "bots/b.py")
    write("bots/broken.py", text=BROKEN)
    yaml = "games: 4\ncompare: [classic, jump]\nbots: all\nexclude: [b]\n"
    done = arena("compare rules.yaml", yaml=yaml)
    line = f"bots/broken.py is left out: {REASON}."
    assert done.error.count(line) == done.text.count(line) == 1
    content = json.loads((done.folder / "comparison.json").read_text())
    assert content["bots"] == ["a"] and line in content["notes"]


# The border ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_isolated_pattern_opens_its_files_in_the_sandbox_only(sandbox: object) -> None:
    spy = BOT + "\ntry:\n    open('{}', 'w')\nexcept OSError:\n    pass\n"
    write("submissions/s07/bot.py", text=spy.format(Path("opened").absolute()))
    write("submissions/s12/bot.py", text=spy.format(Path("opened").absolute()))
    cup = read("bots: [submissions/s12/bot.py, {bot: submissions/*/bot.py, isolate: true}]\n")
    assert [each.isolate.key for each in cup.entrants] == [None, True]
    assert not Path("opened").exists()


def test_an_isolated_pattern_needs_the_sandbox() -> None:
    write("bots/a.py", "bots/b.py")
    with pytest.raises(UsageError, match=r"bot bots/\*.py is isolated, and there is no sandbox"):
        read("bots: [{bot: bots/*.py, isolate: true}]\n")
