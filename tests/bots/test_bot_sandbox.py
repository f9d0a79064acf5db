"""Isolated bots: where they play, what they see there, and where they are refused."""

import sys
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.hostile import rolling
from helpers.paths import ROOT

from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.native.code_cache import cache_root
from cantstop_arena.tournaments.file import tournament_file

CALM = rolling("turn.rolls < 3")


SIGHTS = {
    "bots/files.py": """
import os, sys
sys.path.insert(0, os.path.dirname(__file__))
import _tables
from cantstop_arena.environments import read_beside
LIMIT = int(read_beside(__file__, "limit.txt"))
def choose_move(turn, moves):
    import _later
    return _later.FIRST
def roll_again(turn):
    open("/tmp/own", "w").close()
    return turn.rolls < LIMIT + _tables.NOTHING
""",
    "bots/_tables.py": "NOTHING = 0\n",
    "bots/_later.py": "FIRST = 0\n",
    "bots/limit.txt": "3",
    "bots/folder/__init__.py": """
from pathlib import Path
from . import helper
LIMIT = int(Path(__file__).with_name("limit.txt").read_text())
def choose_move(turn, moves):
    return helper.FIRST
def roll_again(turn):
    return turn.rolls < LIMIT
""",
    "bots/folder/helper.py": "FIRST = 0\n",
    "bots/folder/limit.txt": "3",
    "bots/needy.py": """
from pathlib import Path
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < int(Path("data/limit.txt").read_text())
""",
    "data/limit.txt": "3",
    "bots/calm.py": CALM,
}


def _cup(isolate: str) -> str:
    bots = [f"{{bot: {name}, isolate: {isolate}}}" for name in ("folder", "calm")]
    bots.append(f"{{bot: files, isolate: {isolate}, needs: [bots/limit.txt]}}")
    bots.append(f"{{bot: needy, isolate: {isolate}, needs: [data]}}")
    return f"name: with-{isolate}\ngames: 4\nseed: 7\nbots: [odds, {', '.join(bots)}]\n"


@pytest.mark.usefixtures("sandbox")
@pytest.mark.slow
def test_every_kind_of_bot_plays_the_same_games_in_the_sandbox(arena: Arena) -> None:
    tables = []
    for isolate in ("processes", "true"):
        command = ("run", f"{isolate}.yaml", "--quiet")
        done = arena(*command, yaml=_cup(isolate), files=SIGHTS, process=True)
        tables.append(done.text)
        assert "faults" not in done.text
    assert tables[0] == tables[1]


def test_the_content_of_what_a_bot_needs_is_part_of_its_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("bots/calm.py").write_text(CALM)
    Path("data").mkdir()
    entry = {"bot": "bots/calm.py", "isolate": "processes", "needs": ["data"]}
    Path("cup.yaml").write_text(f"games: 2\nseed: 7\nbots: [odds, {entry}]\n")
    identities = []
    for text in ("1", "2", "1"):
        Path("data/weights").write_text(text)
        tournament = tournament_file.read(Path("cup.yaml"), Catalogue(Path("bots")))
        identities.append(tournament.query.bots[1].version.id)
        as_file = tournament.as_file(tmp_path)["bots"][1]
        assert {key: as_file.get(key) for key in entry} == entry
    assert identities[0] == identities[2] != identities[1]


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_program_that_misses_a_file_is_told_of_needs(arena: Arena) -> None:
    steps = (ROOT / "bots/programs/steps.sh").read_text().partition("\n")
    program = f"{steps[0]}\n. data/settings.sh || exit 1\n{steps[2]}"
    files = {"steps.sh": program, "data/settings.sh": ""}
    yaml = "games: 2\nbots: [odds, {command: [sh, steps.sh], as: steps}]\n"
    done = arena("run", "cup.yaml", "--quiet", yaml=yaml, files=files, code=2)
    assert "No such file); in the sandbox it sees only the files that its command" in done.error
    granted = yaml.replace("as: steps", "as: steps, needs: [data]")
    done = arena("run", "cup.yaml", "--quiet", "--fresh", yaml=granted, files=files)
    assert "in the sandbox" not in done.text


LOOKS = """
import glob, os, sys
FILES = [path for path in glob.glob(f"{LAB}/**", recursive=True) if os.path.isfile(path)]
READ = [path for path in FILES if os.path.getsize(path)]
print(*READ, file=sys.stderr, flush=True)
if any("weights" not in path for path in READ):  # also where it is described
    raise ValueError(READ)
"""
LOOKS += CALM


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_in_a_folder_that_it_needs_no_bots_results_and_tournaments_are_seen(
    arena: Arena, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)  # so that root's bots in the sandbox, which are not root, can read it
    arena("match odds rule28 --games 2 --quiet")  # so that there are results
    files = {"data/weights": "1", "bots/rival.py": CALM}
    files["bots/looks.py"] = LOOKS.replace("{LAB}", str(tmp_path))
    yaml = f"games: 2\nbots: [odds, {{bot: looks, isolate: true, needs: [{tmp_path}]}}]\n"
    arena("run", "cup.yaml", "--quiet", yaml=yaml, files=files)
    (log,) = Path("results/cup/logs").glob("*looks.log")
    assert set(log.read_text().split()) == {str(tmp_path / "data/weights")}


SEES_CODE = """
import os
from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
FOLDERS = " ".join(sorted(os.listdir(os.environ["CANTSTOP_ARENA_CACHE"])))
def roll_again(turn, engine=ENGINE_CACHE.has_code("engine"), folders=FOLDERS):
    return turn.rolls < 3
def choose_move(turn, moves):
    return 0
"""


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_the_stored_code_of_games_is_seen_but_not_that_of_bots(arena: Arena) -> None:
    arena("match odds rule28 --games 2 --quiet", bots={"sees": SEES_CODE})
    assert ENGINE_CACHE.has_code("engine")
    assert any((cache_root() / "bot-code").rglob("*.code"))
    seen = Catalogue(Path("bots")).isolated(Isolation.SANDBOX).find("sees").defaults
    assert seen["engine"]
    assert set(seen["folders"].split()) <= {"cantstop", "cubus"}


GREEDY = """
import os, sys, time
sys.stdin.readline()
print('{"type":"ready"}', flush=True)
for _ in range(6):
    if os.fork() == 0:
        block = bytearray(40 << 20)
        time.sleep(60)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_the_memory_of_a_program_is_that_of_all_its_processes(arena: Arena) -> None:
    yaml = "games: 2\ndecision_limit: 20\nmax_faults: 1\n"
    yaml += f"bots: [odds, {{command: [{sys.executable}, greedy.py], as: greedy}}]\n"
    done = arena(
        *("run", "cup.yaml", "--quiet", "--memory", "150M"),
        yaml=yaml,
        files={"greedy.py": GREEDY},
        code=3,
    )
    assert "the program took more than 150 MiB" in done.text
