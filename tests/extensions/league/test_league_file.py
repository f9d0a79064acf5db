"""League files: what they say, and where they are wrong."""

from pathlib import Path

import pytest

from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import ConfigError
from cantstop_arena.extensions.league.league_file import CheckRules, League, Level, MarkRules, read
from cantstop_arena.extensions.league.rounds import RoundRules
from cantstop_arena.processes.system import seconds_of

FILE = """league: class-2026
participants: submissions
names: roster.csv
hide: false
staff: [random, {bot: cautious, as: level-2}]
isolate: processes
decision_limit: 0.1
check: {games: 100, limit: 1m, mean: 5ms}
rounds: {games: 50, base: 2, most: 9}
precision: 0.02
budget: 1e6
season: 3
seed: autumn
marks:
  rule: estimate
  levels: [{against: random, score: 0.9, points: 3}, {against: level-2, score: 0.5, points: 4}]
arrows: 14d
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("s01", "s02", ".git", "_old"):
        (tmp_path / "submissions" / name).mkdir(parents=True)
    (tmp_path / "roster.csv").write_text("id,name\ns02,Zoe\ns03,=Ada\n")


def league(text: str) -> League:
    path = Path("league.yaml")
    path.write_text(text)
    return read(path, Catalogue(Path("bots")))


def complaints(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        league(text)
    return str(caught.value).splitlines()


def test_a_file_is_read() -> None:
    found = league(FILE)
    assert found.name == "class-2026"
    assert [(each.id, each.name) for each in found.participants] == [
        ("s01", ""),
        ("s02", "Zoe"),
        ("s03", "=Ada"),
    ]
    assert [each.name for each in found.staff] == ["random", "level-2"]
    assert (found.isolate, found.hide) == (Isolation.PROCESSES, False)
    assert (found.policy.decision_limit, found.policy.max_faults) == (0.1, 10**9)
    assert found.check == CheckRules(100, 60.0, 0.005)
    assert found.rounds == RoundRules(50, 2, 9, 0.02, 1_000_000)
    assert (found.season, found.seed, found.arrows) == (3, "autumn", 14)
    levels = (Level("random", 0.9, 3.0), Level("level-2", 0.5, 4.0))
    assert found.marks == MarkRules("estimate", levels)


def test_a_short_file_has_the_defaults() -> None:
    found = league("staff: [random]\n")
    assert found.name == "league"
    assert found.isolate is Isolation.SANDBOX
    assert found.hide
    assert (found.check, found.rounds, found.marks) == (CheckRules(), RoundRules(), MarkRules())
    assert (found.season, found.seed, found.arrows, found.entry) == (1, None, 7, "bot.py")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "against: random",
            "against: s07",
            "16:22: marks need a staff bot; 's07' is not one (staff: random, level-2)",
        ),
        ("most: 9", "most: 1", "9:36: rounds.most must be at least rounds.base"),
        ("processes", "false", "6:10: isolate must be true or processes: participants' bots"),
        ("mean: 5ms", "mean: soon", "8:38: check.mean must be a time such as 5ms, 60s or 7d"),
        ("arrows: 14d", "arrows: 3h", "17:9: arrows must be a day or more, as in 7d"),
        ("roster.csv", "none.csv", "3:8: none.csv cannot be read: No such file or directory"),
        ("participants: s", "participants: x", "2:15: there is no folder xubmissions"),
        (", points: 3", "", "16:12: a level must be like {against: rule28, score: 0.45"),
        ("score: 0.9", "score: 90", "16:37: score must be a number from 0 to 1, not 90"),
        ("season: 3", "seasons: 3", "12:1: unknown key 'seasons' (did you mean 'season'?)"),
        ("as: level-2", "as: s01", "submissions/s01: a bot of the staff has this name; rename one"),
        ("rule: estimate", "rule: best", "15:9: marks.rule must be lower or estimate"),
        ("hide: false", "hide: 3", "4:7: hide must be true or false, not 3"),
    ],
)
def test_what_is_wrong_is_located(old: str, new: str, message: str) -> None:
    assert old in FILE
    assert any(message in line for line in complaints(FILE.replace(old, new)))


@pytest.mark.parametrize(("first", "second"), [("S01", "s01"), ("a b", "a-b"), ("A b", "a-B")])
def test_folders_with_one_page_are_refused(first: str, second: str) -> None:
    for name in (first, second):
        Path("submissions", name).mkdir(exist_ok=True)
    (line,) = complaints(FILE)
    assert line == (
        f"league.yaml:2:15: submissions/{first} and submissions/{second}"
        " differ only in case, accents, or spaces and hyphens; rename one"
    )


def test_a_roster_needs_ids() -> None:
    Path("roster.csv").write_text("id,name\n../up,Eve\ns02,Zoe\ns02,Zoe\n")
    assert [line.partition(": ")[2] for line in complaints(FILE)] == [
        "roster.csv, line 2: id must be a folder's name",
        "roster.csv, line 4: s02 stands here again",
    ]
    for first, cure in {
        "who": "needs a first line with id,name, not who",
        "id;name": "not id;name: separate the columns by commas, not semicolons",
    }.items():
        Path("roster.csv").write_text(f"{first}\nZoe\n")
        (line,) = complaints(FILE)
        assert cure in line


def test_a_league_needs_bots() -> None:
    for name in ("s01", "s02"):
        Path("submissions", name).rmdir()
    assert "2 players need at least 2 bots, not 0 in submissions and 0 of the staff" in "".join(
        complaints("participants: submissions\n")
    )


def test_durations() -> None:
    texts = ("5ms", "90", "1.5s", "30m", "2 h", "7d", "1min")
    assert [*map(seconds_of, texts)] == [0.005, 90, 1.5, 1800, 7200, 604800, 60]
    for wrong in ("", "soon", "-1", "5 weeks", "1e3"):
        with pytest.raises(ValueError, match=f"^{wrong}$"):
            seconds_of(wrong)
