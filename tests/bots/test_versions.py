"""Edit a bot, run again, ask whether it got better: versions and options on the command line."""

import json
import os
import shutil
from pathlib import Path

import pytest
from helpers.arena import Arena

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.versions import VersionReference, stored_versions, version_in
from cantstop_arena.errors import BotError
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference, reference_to

PATIENT = """\"\"\"Stops after some rolls.\"\"\"
from cantstop_arena import hookimpl

@hookimpl
def choose_move(turn, moves):
    return 0

@hookimpl
def roll_again(turn, rolls=4):
    return turn.rolls < rolls
"""
BETTER = PATIENT.replace("return 0", "return len(moves) - 1").replace("rolls=4", "rolls=5")


@pytest.fixture
def played(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run with a bot that was edited since; the digest of what has played is known."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("mine.yaml").write_text("games: 4\nseed: 1\nbots: [patient, cautious]\n")
    write(PATIENT)
    arena("run", "mine.yaml", "--quiet")
    write(BETTER)
    return next(Path("results/mine/bots").iterdir())


def write(text: str) -> None:
    Path("bots/patient.py").write_text(text)


@pytest.mark.slow
def test_a_run_after_an_edit_says_what_changed_and_how_to_compare(
    arena: Arena, played: Path
) -> None:
    assert arena("run", "mine.yaml").output.splitlines()[:3] == [
        f"Since the last run: patient has changed (2 lines; before: patient@{played.name[:7]}).",
        "Is patient better? arena match patient patient@previous --sprt 0 5;"
        " all its versions: arena history patient --in results/mine",
        "mine: playing 1 pairing (4 games).",
    ]


@pytest.mark.slow
def test_the_command_says_options_rules_and_folders(arena: Arena, played: Path) -> None:
    Path("mine.yaml").write_text(
        "games: 2\nname: other\nrules: jump\nbots: [{bot: patient, as: hasty, rolls: 2}, odds]\n"
    )
    words = ("run", "mine.yaml", "--quiet", "--results", "there")
    arena(*words)
    write(PATIENT)
    match = "match patient:rolls=2 patient@previous:rolls=2 --sprt 0 5"
    assert f"arena {match} --rules jump --results there;" in arena(*words[:2], *words[3:]).output
    found = arena(*match.split(), "--rules", "jump", "--results", "there", "--games", "4").output
    assert "patient:rolls=2" in found


@pytest.mark.slow
def test_both_versions_play_a_match_and_leave_what_a_run_leaves(arena: Arena, played: Path) -> None:
    arena("match", "patient", "patient@previous", "--games", "20", "--seed", "1", "--page")
    folder = Path(f"results/patient-vs-patient_{played.name[:7]}")
    told = json.loads((folder / "match.json").read_text())
    assert told["bots"] == ["patient", f"patient@{played.name[:7]}"]
    files = ("match.json", "standings.csv", "summary.json", "tournament.yaml", "report.html")
    assert all((folder / file).is_file() for file in files)
    again = json.loads((folder / "summary.json").read_text())
    Path(folder / "again.yaml").write_text((folder / "tournament.yaml").read_text())
    arena("run", str(folder / "again.yaml"), "--results", "again", "--quiet")
    found = json.loads(next(Path("again").glob("*/summary.json")).read_text())
    assert found["standings"] == again["standings"], "the file plays the version that is kept"


@pytest.mark.slow
def test_a_version_is_an_entrant_by_the_name_of_what_it_says(arena: Arena, played: Path) -> None:
    arena("run", "both.yaml", "--quiet", yaml="games: 4\nbots: [patient, patient@previous]\n")
    names = [one["bot"] for one in json.loads(summary("both"))["standings"]]
    assert sorted(names) == ["patient", f"patient@{played.name[:7]}"]


def summary(name: str) -> str:
    return Path(f"results/{name}/summary.json").read_text()


@pytest.mark.slow
def test_previous_is_the_newest_that_says_something_else(arena: Arena, played: Path) -> None:
    arena("run", "mine.yaml", "--quiet", "--fresh")
    third = PATIENT.replace("4", "3")
    write(third)
    arena("run", "mine.yaml", "--quiet", "--fresh")
    copies = [each.copies[0] for each in stored_versions(Path("results"), "patient")]
    assert len(copies) == 3
    for age, copy in enumerate(copies):
        os.utime(copy, (4e9 + age, 4e9 + age))  # as in a copy of the results
    write_history([copy.parent.name for copy in reversed(copies)])
    catalogue = Catalogue(Path("bots"))
    assert entrant_from_reference("patient@previous", catalogue).bot.path == copies[1].resolve()
    write(BETTER)  # the second again
    catalogue = Catalogue(Path("bots"))
    assert entrant_from_reference("patient@previous", catalogue).bot.path == copies[0].resolve()
    write("def broken(:")
    catalogue = Catalogue(Path("bots"))
    assert entrant_from_reference("patient@previous", catalogue).bot.path == copies[0].resolve()
    Path("bots/patient.py").unlink()
    catalogue = Catalogue(Path("bots"))
    assert entrant_from_reference("patient@previous", catalogue).bot.path == copies[0].resolve()
    assert entrant_from_reference(f"patient@{played.name[:5]}", catalogue).bot.digest == played.name


def write_history(digests: list[str]) -> None:
    """Write the history of a run on each day with one of these versions."""
    with Path("results/mine/history.jsonl").open("w") as file:
        for day, digest in enumerate(digests, 1):
            run = {"when": f"2026-11-{day:02}T12:00:00Z", "arena": "1", "games": 1, "played": 1}
            file.write(json.dumps(run | {"bots": {"patient": digest[:7]}}) + "\n")


@pytest.mark.slow
def test_the_results_at_hand_know_best_which_version_is_previous(
    arena: Arena, played: Path
) -> None:
    arena("run", "mine.yaml", "--quiet")
    second = Catalogue(Path("bots")).find("patient").digest
    write(PATIENT.replace("4", "3"))
    write_history([second, played.name])  # the history has them in another order
    arena("run", "mine.yaml", "--quiet", yaml="games: 2\nbots: [patient, patient@previous]\n")
    assert f"patient@{second[:7]}" in summary("mine")
    arena("run", "new.yaml", "--quiet", yaml="games: 2\nbots: [patient, patient@previous]\n")
    assert f"patient@{played.name[:7]}" in summary("new")


@pytest.mark.slow
def test_the_hint_names_the_version_that_it_means(arena: Arena, played: Path) -> None:
    arena("run", "mine.yaml", "--quiet")
    write(PATIENT)
    arena("run", "mine.yaml", "--quiet")  # the first again
    write(PATIENT.replace("4", "3"))
    assert f"arena match patient patient@{played.name[:7]} --sprt" in arena("run mine.yaml").error


@pytest.mark.slow
def test_what_is_not_kept_is_told(arena: Arena, played: Path) -> None:
    Path("bots/new.py").write_text(PATIENT)
    for reference, told in {
        "patient@0000": f"no version 0000 of patient.py in results; there are {played.name[:7]}",
        "new@previous": "No earlier version of new.py in results/. Each run stores the files",
        "rule28@previous": "rule28 is no file: only bots from files have earlier versions",
        "rule28@latest": "unknown bot 'rule28@latest'",
    }.items():
        assert told in arena("match", reference, "random", code=2).output


@pytest.mark.slow
def test_replaying_an_old_version_does_not_make_it_the_previous_one(
    arena: Arena, played: Path
) -> None:
    words = ("match", "patient", "random", "--games", "2", "--quiet", "--results", "results")
    arena(*words)  # BETTER, the second version
    second = Catalogue(Path("bots")).find("patient").digest
    first = f"patient@{played.name[:7]}"
    arena("match", first, "cautious", "--games", "2", "--quiet")
    both = f"games: 2\nbots: [patient, {{bot: '{first}', as: old}}]\n"
    arena("run", "both.yaml", "--quiet", yaml=both)
    write(PATIENT.replace("4", "3"))
    found = entrant_from_reference("patient@previous", Catalogue(Path("bots")))
    assert found.bot.digest == second
    shutil.rmtree(Path("results/mine"))  # where the first version was stored first
    found = entrant_from_reference("patient@previous", Catalogue(Path("bots")))
    assert found.bot.digest == second, "a copy of a copy has its time"


@pytest.mark.slow
def test_a_file_that_says_previous_is_told_the_digest(arena: Arena, played: Path) -> None:
    done = arena("run", "both.yaml", yaml="games: 4\nbots: [patient, patient@previous]\n")
    name = f"patient@{played.name[:7]}"
    assert f"patient@previous is {name}; write the digest to keep it." in done.error
    kept = f"games: 4\nseed: 1\nbots: [patient, '{name}']\n"
    assert "write the digest" not in arena("run", "kept.yaml", yaml=kept).output


@pytest.mark.slow
def test_a_copy_that_was_changed_is_not_what_has_played(played: Path) -> None:
    copy = played / "patient.py"
    copy.write_text(BETTER + "# no more\n")
    with pytest.raises(BotError, match="is not what has played"):
        entrant_from_reference("patient@previous", Catalogue(Path("bots")))


@pytest.mark.parametrize(
    ("reference", "version"),
    [
        ("a@previous", VersionReference("a", "previous")),
        ("a@08df", VersionReference("a", "08df")),
        ("a@b@08df", VersionReference("a@b", "08df")),
        ("a@08d", None),
        ("a@XYZW", None),
        ("a", None),
    ],
)
def test_versions_are_told_from_names(reference: str, version: VersionReference | None) -> None:
    assert version_in(reference) == version


# --- Options on the command line ------------------------------------------------------------------


def test_options_are_said_behind_a_colon() -> None:
    catalogue = Catalogue(Path("bots"))
    entrant = entrant_from_reference("rule28:threshold=30", catalogue)
    assert (entrant.name, entrant.options["threshold"]) == ("rule28:threshold=30", 30)
    assert reference_to("rule28", entrant) == "rule28:threshold=30"
    assert entrant_from_reference("rule28", catalogue).options == entrant.bot.defaults
    assert reference_to("rule28", entrant_from_reference("rule28", catalogue)) == "rule28"


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("rule28:treshold=30", "treshold"),
        ("rule28:threshold=many", "threshold"),
        ("rule28:threshold=1,threshold=2", "write options as NAME:OPTION=VALUE,OPTION=VALUE"),
        ("rule28:=2", "write options as NAME:OPTION=VALUE,OPTION=VALUE"),
        ("rule28:threshold", "unknown bot"),
    ],
)
def test_options_that_make_no_sense_are_told(reference: str, told: str) -> None:
    with pytest.raises(BotError, match=told):
        entrant_from_reference(reference, Catalogue(Path("bots")))
