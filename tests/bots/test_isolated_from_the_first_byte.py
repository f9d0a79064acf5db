"""Isolated bots run nowhere but in the sandbox: also when they are described, checked and judged.

A bot's file leaves a mark when it is imported; in the sandbox it cannot.
"""

from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import described, on_path
from helpers.isolated import marking

from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.tuning import tuner

MISSING = "bubblewrap (bwrap) is not installed"
CUP = "games: 4\nseed: 5\nbots: [odds, {bot: marks, isolate: true}]\n"
BOTH_WAYS = """
games: 2
seed: 5
bots: [odds, {bot: marks, as: plain}, {bot: bots/marks.py, as: walled, isolate: true}]
"""
COMPARISON = "games: 2\ncompare: [classic, jump]\nbots: [odds, {bot: marks, isolate: true}]\n"


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the bot writes when it is imported outside of the sandbox."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("bots/marks.py").write_text(marking(tmp_path / "mark"))
    Path("cup.yaml").write_text(CUP)
    Path("both.yaml").write_text(BOTH_WAYS)
    Path("rules.yaml").write_text(COMPARISON)
    return tmp_path / "mark"


COMMANDS = [
    "match marks odds --games 2 --quiet --isolate",
    "gauntlet marks --against odds --games 2 --quiet --isolate",
    "tune marks level=2..4 --games 100 --against odds --quiet --isolate",
    "bench marks --seconds 0.1 --isolate",
    "bots check marks --isolate",
    "play marks --isolate",
    "compare rules.yaml --quiet",
]


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_runs_an_isolated_bot_outside_of_the_sandbox(
    arena: Arena, mark: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuner, "_LOOK_DEALS", 20)
    done = arena(command, input="q\n")
    assert "faults" not in done.text
    assert not mark.exists()


@pytest.mark.usefixtures("sandbox")
@pytest.mark.slow
def test_nor_does_what_is_done_with_its_run_afterwards(arena: Arena, mark: Path) -> None:
    arena("run cup.yaml --quiet --page")
    arena("replay results/cup marks odds")
    arena("replay results/cup --lost marks --json")
    arena("export results/cup --decisions decisions.csv --games games.csv")
    arena("report results/cup")
    assert not mark.exists()


@pytest.mark.usefixtures("sandbox")
def test_lists_and_searches_run_nothing_with_the_rights_of_the_user(
    arena: Arena, mark: Path
) -> None:
    family = marking(mark) + "def register_bots():\n    return []\n"
    Path("bots/family.py").write_text(family)
    done = arena("bots")
    assert "bots/marks.py" in done.text
    assert not done.error
    assert "unknown bot 'nobody'" in arena("bots nobody", code=2).error
    assert not mark.exists()
    arena("bots marks")  # it is named
    assert mark.exists()


def test_without_a_sandbox_a_list_says_with_what_rights_it_runs_files(
    arena: Arena, mark: Path
) -> None:
    done = arena("bots")
    assert f"with your rights: there is no sandbox here ({MISSING})" in done.error
    assert mark.exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_sandbox_no_command_opens_a_file(arena: Arena, mark: Path, command: str) -> None:
    done = arena(command, input="q\n", code=2)
    told = "bot marks is isolated, and there is no sandbox here"
    if "--isolate" in command:
        told = "--isolate needs a sandbox, and there is none here"
    assert f"{told}: {MISSING}" in done.error
    assert not mark.exists()
    assert not Path("results").exists()


PLAYS = "games: 2\nseed: 5\n"
CUPS = [
    f"{PLAYS}bots: [odds, {{bot: marks, isolate: true}}]",
    f"{PLAYS}isolate: true\nbots: [marks, odds]",
    f"{PLAYS}isolate: false\nbots: [odds, {{bot: bots/marks.py, as: marks, isolate: true}}]",
    f"{PLAYS}bots: [odds, {{bot: marks, as: plain}}, {{bot: marks, isolate: true}}]",
    f"{PLAYS}bots: [odds, {{command: [sh, x.sh], as: marks, isolate: true}}]",
]


@pytest.mark.parametrize("yaml", CUPS)
def test_without_a_sandbox_no_tournament_opens_a_file(arena: Arena, mark: Path, yaml: str) -> None:
    done = arena("run cup.yaml", yaml=yaml, code=2)
    told = f"bot marks is isolated, and there is no sandbox here: {MISSING}"
    assert f"{told}. Install it, or write isolate:" in done.error
    assert not mark.exists()
    assert not Path("results").exists()


@pytest.mark.usefixtures("sandbox")
@pytest.mark.slow
def test_a_file_that_is_named_both_ways_is_described_in_the_sandbox(
    arena: Arena, mark: Path
) -> None:
    source = Path("bots/marks.py").read_text()
    Path("bots/marks.py").write_text(
        f"import os\nIS_IN = os.path.isdir('/bot')\n{source}".replace(
            "level=3", "is_in=IS_IN, level=3"
        )
    )
    arena("run both.yaml --quiet --games 2", code=None)
    catalogue = Catalogue(Path("bots"))
    isolated = catalogue.isolated(Isolation.SANDBOX).find("marks")
    assert isolated.defaults["is_in"]
    assert catalogue.find("marks") == isolated


@pytest.mark.usefixtures("sandbox")
@pytest.mark.slow
def test_what_the_sandbox_does_not_show_becomes_no_part_of_the_bot(
    arena: Arena, mark: Path
) -> None:
    reads = "from cantstop_arena.environments import read_beside\nread_beside(__file__, {!r})\n"
    Path("seed.txt").write_text("5")
    for name in ("../cup.yaml", "marks.py", "weights.txt"):
        Path("bots/weights.txt").write_text("3")
        Path("bots/reads.py").write_text(reads.format(name) + marking(mark))
        yaml = "games: 2\nbots: [odds, {bot: reads, isolate: true}]\n"
        done = arena("run reads.yaml --quiet", yaml=yaml, code=2)
        assert (
            "in the sandbox a bot sees the files beside it whose names begin with _" in done.error
        )
    granted = "games: 2\nbots: [odds, {bot: reads, isolate: true, needs: [bots/weights.txt]}]\n"
    arena("run reads.yaml --quiet", yaml=granted)
    Path("bots/_weights.txt").write_text("3")
    Path("bots/reads.py").write_text(reads.format("_weights.txt") + marking(mark))
    arena("run other.yaml --quiet", yaml=yaml)


LINGERS = """
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
os.makedirs("/tmp/left/behind")
open("/dev/shm/left", "w").close()
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return False
"""
FINDS = """
import glob, os
def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
pids = [pid for pid in range(1, 200) if is_there(pid)]
raise ValueError(len(pids), glob.glob("/tmp/left") + glob.glob("/dev/shm/*") + os.listdir("/bot"))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_file_of_a_list_leaves_nothing_for_the_next(arena: Arena, mark: Path) -> None:
    kills = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
    exits = "import os\nos._exit(3)\n"
    done = arena("bots", bots={"a": LINGERS, "b": FINDS, "c": kills, "d": exits, "e": FINDS})
    assert done.output.count("ValueError: (3, [])") == 2
    assert "it ended its process with exit code 3" in done.text
    assert "bots/marks.py" in done.text


@pytest.mark.usefixtures("sandbox")
@pytest.mark.slow
def test_a_package_is_described_in_the_sandbox_unless_it_is_named_as_plain(
    arena: Arena, mark: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "packed.py").write_text(marking(mark))
    described(folder, "packed", "[cantstop_arena]\npacked = packed\n")
    with on_path(folder):
        assert "package" in arena("bots").text
        arena("match packed odds --games 2 --quiet --isolate")
        arena("match odds rule28 --games 2 --quiet")
        assert not mark.exists()
        arena("match packed odds --games 2 --quiet --fresh")
        assert mark.exists()


HONEST = """
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < 3 {trick}
"""
TRICKS = """
import glob, os, sys
SEED = b"%d" % (20260100 + 1)
NOTES = ("/tmp/note", "/dev/shm/note", "/bot/note", "/var/tmp/note")
def found():
    places = [*{places}, "/tmp/*", "/dev/shm/*", "/bot/*", "/proc/[0-9]*/cmdline"]
    paths = [path for place in places for path in glob.glob(place, recursive=True)]
    for path in [*paths, "/proc/1/environ", "/proc/self/environ", "/proc/keys"]:
        try:
            with open(path, "rb") as file:
                yield file.read()
        except OSError:
            pass
if not hasattr(sys, "knows"):  # this process is new
    sys.knows = any(SEED in text for text in found()) or any(map(os.path.exists, NOTES))
    for note in NOTES:
        try:
            open(note, "x").close()
        except OSError:
            pass
"""


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_tricks_win_nothing_against_glenn_aloi(arena: Arena, mark: Path, tmp_path: Path) -> None:
    cup = "games: 6\nseed: 20260101\nbots: [glenn-aloi, odds, {bot: sly, isolate: true}]\n"
    places = [f"{tmp_path}/**", "/proc/self/cwd/**"]
    tricky = "import sys\n" + TRICKS.replace("{places}", repr(places))
    tricky += HONEST.format(trick="+ 9 * sys.knows")
    standings = []
    for text in (HONEST.format(trick=""), tricky):
        done = arena("run cup.yaml --quiet --fresh", yaml=cup, bots={"sly": text})
        standings.append(done.table("standings"))
        done = arena("run cup.yaml --quiet --games 8")  # which goes on with these results
        standings.append(done.table("standings"))
    assert standings[:2] == standings[2:]
