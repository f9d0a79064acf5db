"""`arena league`, from submissions to published pages, on a real ledger."""

import csv
from datetime import datetime
from pathlib import Path

import pytest
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.bots import bot_start
from cantstop_arena.errors import BotError, PageError
from cantstop_arena.extensions.league import submission_check
from cantstop_arena.extensions.league.api import LeagueResults
from cantstop_arena.extensions.league.league_files import PUBLIC, TOKENS, stored_tokens
from cantstop_arena.tournaments.speed import SpeedTrial
from cantstop_arena.tournaments.table_spec import TableSpec

BOT = """def choose_move(turn, moves):
    return {move}


def roll_again(turn):
    return turn.rolls < {rolls}
"""
FAULTY = BOT.format(move="moves[9]", rolls=2)
FILE = """league: class
staff: [random, rule28]
names: roster.csv
isolate: processes
seed: autumn leaves
check: {games: 8}
rounds: {games: 20, base: 2, most: 3}
marks:
  levels: [{against: random, score: 0.5, points: 3}, {against: rule28, score: 0.9, points: 4}]
"""


def submit(name: str, text: str) -> None:
    folder = Path("submissions", name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(text)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roster.csv").write_text("id,name\ns01,=Ada\ns09,Zoe\n")
    Path("class.yaml").write_text(FILE)
    submit("s01", BOT.format(move="0", rolls=3))
    submit("s02", BOT.format(move="len(moves) - 1", rolls=6))


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def text_of(folder: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in Path(folder).glob("*.html")}


@pytest.mark.slow
def test_a_league_from_day_to_day(arena: Arena) -> None:
    dry = arena("league class.yaml --dry-run").text
    assert "class: to check: s01, s02." in dry
    assert "class: playing the base rounds of 6 pairings (240 games)." in dry
    assert not Path("results").exists()

    first = arena("league class.yaml").text
    assert "3 participants, 2 staff. 2 new versions: s01 and s02 passed." in first
    assert "Left out: s09 (no submission)." in first
    assert "Written to results/class: public/, standings.csv, marks.csv, days/" in first
    again = arena("league class.yaml").text
    assert "all 6 pairings have the base rounds in the ledger" in again
    assert again.partition("Standings")[2] == first.partition("Standings")[2]

    submit("s01", FAULTY)
    submit("s03", Path("submissions/s02/bot.py").read_text())
    (Path("submissions/s04")).mkdir()
    Path("submissions/s04/bot.py").symlink_to(Path("class.yaml").absolute())
    second = arena("league class.yaml").text
    assert "s03 passed" in second
    assert "s01 failed: exception: IndexError" in second
    marks = {row["id"]: row for row in rows("results/class/marks.csv")}
    assert marks["s01"]["remark"].startswith("check failed: exception: IndexError")
    assert "an earlier version counts" in marks["s01"]["remark"]
    assert marks["s01"]["name"] == "'=Ada"
    assert "same file as s02" in marks["s03"]["remark"]
    assert marks["s04"]["remark"] == "bot.py is a link, and links are not allowed"
    assert (marks["s09"]["remark"], marks["s09"]["mark"]) == ("no submission", "0")
    assert marks["s01"]["random_points"] in ("0", "3")

    submit("s01", BOT.format(move="0", rolls=3))
    living = arena("league class.yaml").text
    fresh = arena("league class.yaml --results fresh").text
    assert (
        living.partition("Standings")[2].partition("Written")[0]
        == (fresh.partition("Standings")[2].partition("Written")[0])
    )
    for name in ("standings.csv", "marks.csv"):
        assert rows(f"results/class/{name}") == rows(f"fresh/class/{name}")

    pages = text_of("results/class/public")
    assert len(pages) == 6
    for secret in ("autumn leaves", "s01", "s02", "Ada", "--seed", "submissions"):
        assert not any(secret in page for page in pages.values()), secret
    names = [row["pseudonym"] for row in rows("results/class/marks.csv")]
    assert {f"{name.replace(' ', '-')}.html" for name in names} <= {*pages}
    assert all(name in pages["index.html"] for name in names[:3])


def test_without_a_sandbox_nothing_is_opened(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_start, "sandbox_problem", lambda: "bubblewrap is not installed")
    submit("s01", "open('opened', 'w')")
    walled = FILE.replace("isolate: processes\n", "")
    done = arena("league class.yaml", yaml=walled, code=2)
    assert done.error == (
        "bot s01 is isolated, and there is no sandbox here: bubblewrap is not installed. Install"
        " it, or write isolate: processes, which does not protect your files.\n"
    )
    assert not Path("results").exists()
    assert not any(Path().rglob("opened"))


@pytest.mark.slow
def test_no_page_names_who_handed_in_a_bot_that_cannot_be_built(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_built(spec: TableSpec, names: str, *_: object) -> SpeedTrial:
        raise BotError(f"bot {spec.seats[0].name} cannot be built; {names}")

    monkeypatch.setattr(submission_check, "run_trial", not_built)
    Path("roster.csv").unlink()
    submit("Ada Lovelace", "import no_such_module\n")
    arena("league class.yaml --for 0s", yaml=FILE.replace("names: roster.csv\n", ""))
    remarks = {row["id"]: row["remark"] for row in rows("results/class/marks.csv")}
    what = "bot submission 1 cannot be built; submission and random"
    assert remarks["s01"] == f"check failed: {what}"
    pages = text_of("results/class/public")
    assert sum(what in page for page in pages.values()) == 2
    assert not any(name in page for name in ("s01", "Ada", "Lovelace") for page in pages.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "keys"), [("budget: 40", "budget"), ("", "rounds.games or rounds.most")]
)
def test_a_league_of_few_deals_says_which_key_gives_intervals(
    arena: Arena, limits: str, keys: str
) -> None:
    yaml = f"isolate: processes\nstaff: [random]\nrounds: {{games: 20, base: 1, most: 2}}\n{limits}"
    done = arena("league class.yaml", yaml=yaml)
    assert (
        "Scores have no intervals, and marks are undecided, before a pairing has 100 deals: raise"
        f" {keys}.\n" in done.text
    )


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_dry_run_writes_nothing(arena: Arena) -> None:
    staff = "isolate: processes\nstaff: [random, rule28]\nrounds: {games: 20, base: 2, most: 2}\n"
    before = contents() | {Path("class.yaml"): staff.encode()}
    assert "class: to check: s01, s02." in arena("league class.yaml --dry-run", yaml=staff).text
    assert contents() == before
    Path("results/class").mkdir(parents=True)
    arena("league class.yaml --dry-run")
    assert contents() == before
    submit("s01", "import no_such_module\n")
    submit("s02", "import no_such_module\n")
    arena("league class.yaml")
    played = contents()
    done = arena("league class.yaml --dry-run")
    assert "all 1 pairing have the base rounds in the ledger" in done.text
    assert contents() == played
    Path("results/class/league.sqlite").unlink()
    arena("league class.yaml --dry-run")
    assert contents() == {path: played[path] for path in played if path.name != "league.sqlite"}


def test_the_plan_has_the_base_rounds_that_the_budget_allows(arena: Arena) -> None:
    for name in ("s01", "s02"):
        Path("submissions", name, "bot.py").unlink()
    yaml = "isolate: processes\nstaff: [random, rule28]\nrounds: {games: 20}\nbudget: 40\n"
    dry = arena("league class.yaml --dry-run", yaml=yaml).text
    assert "class: playing the base rounds of 1 pairing (40 games)." in dry
    arena("league class.yaml")
    assert "all 1 pairing have the base rounds" in arena("league class.yaml --dry-run").text


@pytest.mark.slow
def test_pages_have_points_and_thresholds_as_they_are(arena: Arena) -> None:
    for old, new in {
        "0.5, points: 3": "0.455, points: 2.5",
        "roster.csv": "roster.csv\nhide: no",
    }.items():
        Path("class.yaml").write_text(Path("class.yaml").read_text().replace(old, new))
    Path("submissions/s01").rename("submissions/50% Ada")
    Path("submissions/s02/bot.py").unlink()
    arena("league class.yaml --for 0s")
    pages = text_of("results/class/public")
    assert "2.5 points for 45.5% against random" in pages["index.html"]
    assert 'href="50%25-Ada.html"' in pages["index.html"]
    assert "0 of 6.5 points" in pages["50%-Ada.html"]
    assert {row["pseudonym"] for row in rows("results/class/standings.csv")} == {""}
    decided = {row["id"]: row["decided"] for row in rows("results/class/marks.csv")}
    assert decided["s02"] == "no"


@pytest.mark.parametrize("option", ["--dry-run", "--tokens"])
def test_a_watch_plays(arena: Arena, option: str) -> None:
    done = arena(f"league class.yaml --watch {option}", code=2)
    assert f"{option} and --watch cannot be used together: one plays, one does not" in done.error


@pytest.mark.slow
def test_pages_that_are_not_written_are_not_told(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: object) -> None:
        raise PageError("The pages cannot be written: x is missing.")

    monkeypatch.setattr(LeagueResults, "write_pages", missing)
    done = arena("league class.yaml --for 0s")
    assert "Written to results/class: standings.csv" in done.text


def test_tokens_stay(arena: Arena) -> None:
    arena("league class.yaml --tokens")
    path = Path("results/class", TOKENS)
    before = rows(str(path))
    assert [row["id"] for row in before] == ["s01", "s02", "s09"]
    assert len({row["token"] for row in before}) == 3
    assert path.stat().st_mode & 0o777 == 0o600
    Path("submissions/s05").mkdir()
    arena("league class.yaml --tokens")
    assert [row for row in rows(str(path)) if row["id"] != "s05"] == before
    assert not Path("results/class", PUBLIC).exists()
    Path("submissions/s05").rmdir()
    arena("league class.yaml --tokens")
    assert rows(str(path)) == before


@pytest.mark.slow
def test_without_time_all_are_provisional(arena: Arena) -> None:
    Path("class.yaml").write_text(
        "isolate: processes\nstaff: [random, rule28, cautious]\nrounds: {games: 20}\n"
    )
    Path("submissions/s01/bot.py").unlink()
    Path("submissions/s02/bot.py").unlink()
    done = arena("league class.yaml --for 0s --format csv")
    assert "Round 0: the time is up" in done.error
    assert "provisional" in done.text
    assert arena("league class.yaml --format csv").text.count("provisional") == 0
    done = arena("league class.yaml --for ever", code=2)
    assert "invalid time 'ever': use 90s, 30m or 2h" in done.error


@pytest.mark.slow
def test_a_short_run_takes_nothing_from_who_was_established(arena: Arena) -> None:
    yaml = FILE.replace("{games: 20, base: 2, most: 3}", "{games: 100, base: 2, most: 3}")
    arena("league class.yaml", yaml=yaml)

    def points() -> dict[str, str]:
        return {row["id"]: row["mark"] for row in rows("results/class/marks.csv")}

    def notes() -> dict[str, str]:
        return {row["id"]: row["note"] for row in rows("results/class/standings.csv")}

    before = points()
    assert before["s01"] == "3" and not any("provisional" in note for note in notes().values())
    submit("s03", BOT.format(move="0", rolls=2))  # a newcomer, and another version of s02
    submit("s02", BOT.format(move="0", rolls=4))
    assert "3 of 10 pairings" in arena("league class.yaml --dry-run").text
    arena("league class.yaml --for 0s")
    assert {name for name, note in notes().items() if "provisional" in note} == {"s03"}
    assert points() == before | {"s03": "0"}
    marks = {row["id"]: row for row in rows("results/class/marks.csv")}
    assert "has not played the base rounds yet; an earlier version counts" in marks["s02"]["remark"]
    elo = {row["id"]: row["elo"] for row in rows("results/class/standings.csv")}
    assert {name for name, value in elo.items() if not value} == {"s03"}
    assert "No standings yet" not in text_of("results/class/public")["index.html"]


def test_a_league_in_python() -> None:
    Path("class.yaml").write_text(
        "isolate: processes\nstaff: [random, rule28]\nrounds: {games: 20, base: 1, most: 2}\n"
    )
    for name in ("s01", "s02"):
        Path("submissions", name, "bot.py").unlink()
    results = ca.league("class.yaml", workers=1)
    assert results.standings["id"] == ["rule28", "random"]
    assert results.standings["note"] == ["staff", "staff"]
    assert results.marks["remark"] == ["no bot.py", "no bot.py"]
    assert results.played == 40
    assert (results.folder / PUBLIC / "index.html").is_file()
    day = datetime.now().astimezone().date().isoformat()
    assert (results.folder / "days" / f"{day}.csv").is_file()
    assert ca.league("class.yaml", workers=1).played == 0


@pytest.mark.slow
def test_a_bot_that_hangs_is_named_as_from_here(arena: Arena) -> None:
    text = BOT.replace("    return {move}", "    while True:\n        pass").format(rolls=2)
    submit("s02", text)
    done = arena("league class.yaml", yaml=f"{FILE}decision_limit: 0.2\n", process=True)
    place = "in choose_move (submissions/s02/bot.py:"
    assert place in done.text
    assert place in {row["id"]: row for row in rows("results/class/marks.csv")}["s02"]["remark"]
    pages = text_of("results/class/public").values()
    assert any("in choose_move (bot.py:" in page for page in pages)


def test_time_in_which_others_compute_is_no_time_of_a_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, used = 0.0, 0.0
    monkeypatch.setattr(
        "cantstop_arena.extensions.league.submission_check.time.monotonic", lambda: now
    )
    monkeypatch.setattr(
        "cantstop_arena.extensions.league.submission_check.os.times",
        lambda: (0.0, 0.0, used, 0.0, now),
    )
    clock = submission_check.Clock(60)
    now, used = 150.0, 50.0
    assert not clock.is_over() and clock.wall_seconds() == 30
    used = 61.0
    assert clock.is_over()
    now, used = 181.0, 0.0
    assert clock.is_over()


@pytest.mark.parametrize("name", ["ada", "zoë"])
def test_tokens_open_in_spreadsheets_and_scripts(arena: Arena, name: str) -> None:
    """A spreadsheet needs a byte order mark for other letters than ASCII's."""
    league = "league: spring\nparticipants: entries\nstaff: [random]\n"
    files = {"spring.yaml": league, f"entries/{name}/bot.py": ""}
    arena("league spring.yaml --tokens", files=files)
    path = Path("results/spring", TOKENS)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf") is (name == "zoë")
    (before,) = stored_tokens(path.parent)
    arena("league spring.yaml --tokens")
    assert stored_tokens(path.parent) == [before] and before.id == name
