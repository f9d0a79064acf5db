"""Every origin of a bot, every change of it, every command that looks one up: what it does.

A tournament of the bot and `cautious` has been run; then the bot changes. Each cell of the tables
below says what a command plays and prints then.
"""

import importlib
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import described, install_example, on_path
from helpers.nets import random_net, write_net
from helpers.parameters import slow_but
from helpers.paths import ROOT

import cantstop_arena as ca
from cantstop_arena.bots.bot_paths import bot_path
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.game import GAME

PLAIN = """
def choose_move(turn, moves):
    return {number} if len(moves) > {number} else 0
def roll_again(turn):
    return False
"""
FAMILY = """
from cantstop_arena import Bot, Player
def quiet():
    return Player(lambda turn, moves: 0 * {number}, lambda turn: False)
def register_bots():
    return [Bot("mine", quiet)]
"""
OTHER_GAME = 'game = "kuhn-poker"\ndef bet(view):\n    return False\n'
OTHER_FAMILY = """
from cantstop_arena import Bot
game = "kuhn-poker"
class Quiet:
    def bet(self, view):
        return False
def register_bots():
    return [Bot("mine", Quiet)]
"""
PROGRAM = (ROOT / "bots/programs/steps.sh").read_text()

FILES = {
    "file": "bots/mine.py",
    "folder": "bots/mine/__init__.py",
    "net": "bots/mine.onnx",
    "package": "packages/mine_module.py",
    "program": "mine.sh",
}
ORIGINS = ("built-in", *FILES)
CHANGES = ("new", "edited", "removed", "renamed", "of another game", "shadowed")
VERSIONED = ("file", "folder", "net")  # copies of these are stored
ENTRY = {"program": "{{command: [./{}.sh]}}"}

Cells = Mapping[str, str]
"""By command a pattern of what it prints, after its exit code if that is not 0."""

PLAYED = {
    "run cup.yaml --no-page": "playing 1 pairing (4 games)",
    "match {bot} cautious --dry-run": "{name}-vs-cautious: playing 1 pairing",
    "gauntlet {bot} --against cautious --dry-run": "gauntlet-{name}: playing 1 pairing",
    "bots": "^{called}\\b",
    "bots {bot}": "^{name}\\b",
    "play {bot}": "1:Seats: A you, B {name}",
    "history {name} --in results/cup": "Only one version of {name}",
    "replay results/cup {name} cautious": "Seats: A {name}, B cautious",
    "replay results/cup --lost {name}": "Seats: .*{name}",
    "rate results/cup": "{name}",
    "match {bot} {bot}@previous --dry-run": "2:No earlier version of {file}",
}
NO_VERSIONS = {
    "match {bot} {bot}@previous --dry-run": "2:{bot} is .*only bots from files have earlier ver",
}
REFUSED = dict.fromkeys(PLAYED, "2:{reason}") | {
    "bots": "",
    "bots check {bot}": "2:{reason}",
    "compare rules.yaml --dry-run": "2:{reason}",
    "history {name} --in results/cup": "Only one version of {name}",  # as the ledger has it
    "rate results/cup": "{name}",
}
REASONS = {
    ("removed", "built-in"): "unknown bot 'rule28'",
    ("removed", "package"): "unknown bot 'mine'",
    ("removed", "program"): "there is no file .*mine.sh|'.*mine.sh' is no program that can be star",
    (
        "removed",
        "",
    ): "(unknown bot 'mine'|there is no file .*mine.*); its last version is stored: m",
    ("of another game", ""): "mine.* plays kuhn-poker, not cantstop",
    ("shadowed", "built-in"): "'rule28' is the name of a built-in bot and of .*bots/rule28.py",
    ("shadowed", ""): "'mine' is the name of a bot of the package mine and of .*bots/mine",
}


def cells(origin: str, change: str) -> Cells:
    """The commands and what they print; the first is the run of the changed tournament."""
    versions = {} if origin in VERSIONED else NO_VERSIONS
    stored = {"program": {"bots": ""}, "built-in": {"bots": "rule28"}}.get(origin, {})
    played = PLAYED | versions | stored
    run = "run cup.yaml --no-page"
    match change:
        case "new":
            return played | {run: "{name} is new; random was removed.*playing 1 pairing"}
        case "edited":
            edits = {run: "{name} has changed.*playing 1 pairing"}
            edits["history {name} --in results/cup"] = "2 versions against the field"
            if origin in VERSIONED:
                edits[run] = "mine has changed .*Is mine better.*playing 1 pairing"
                edits["match {bot} {bot}@previous --dry-run"] = "playing 1 pairing"
            return played | edits
        case "renamed" if origin == "built-in":  # by the tournament file
            return (
                played
                | {
                    run: "rule28 was renamed to yours.*nothing to play",
                    "replay results/cup {name} cautious": "Seats: A rule28",
                    "replay results/cup --lost {name}": "2:unknown bot 'rule28'",
                    "rate results/cup": "yours",
                }
                | {"bots diff rule28 cautious": "2:rule28 does not come from a file"}
            )
        case "renamed":  # dice follow from the name in the source
            return played | {run: "{name} is new; mine.* was removed.*playing 1 pairing"}
        case "of another game" if origin == "program":  # nobody knows what it plays
            return {run: "mine.sh has changed.*mine.sh: illegal answer: roll_again"}
        case "of another game":
            return REFUSED | {"bots": "mine +kuhn-poker", "bots {bot}": "plays +Kuhn poker"}
        case "shadowed" if origin == "program":  # a path is no name
            return played | {run: "nothing to play", "bots": "mine +cantstop +package"}
        case "shadowed":
            by_path = {
                command: text for command, text in PLAYED.items() if "results/cup" in command
            }
            broken = {"bots": "Cannot be used: {name}"}
            return REFUSED | broken | (by_path if origin in VERSIONED else {})
    return REFUSED


def write(origin: str, number: int = 0) -> None:
    """Write the bot, whose games are others with another number."""
    path = Path(FILES.get(origin, "none"))
    path.parent.mkdir(parents=True, exist_ok=True)
    if origin in ("file", "folder"):
        path.write_text(PLAIN.format(number=number))
    elif origin == "package":
        path.write_text(FAMILY.format(number=number))
        if not Path("packages/mine_bots-1.0.dist-info").exists():
            described(path.parent, "mine-bots", "[cantstop_arena]\nmine = mine_module\n")
    elif origin == "program":
        path.write_text(f"{PROGRAM}# {number}\n")
        path.chmod(0o755)
    elif origin == "net":
        pytest.importorskip("onnxruntime", reason="needs pip install -e '.[onnx]'")
        write_net(str(path), random_net(seed=number + 1))


def enter(entry: str) -> None:
    keys = f"games: 4\nseed: 1\nbots: [{entry}, cautious]\n"
    Path("cup.yaml").write_text(keys)
    Path("rules.yaml").write_text(f"{keys}compare: [classic, korean]\n")


def change_bot(origin: str, change: str, patch: pytest.MonkeyPatch) -> None:
    path = Path(FILES.get(origin, "none"))
    if change in ("new", "edited"):
        write(origin, 1)
        if origin == "built-in" and change == "edited":
            patch.setitem(vars(GAME), "editions", {"rule28": 2})
    elif change == "removed" and origin == "built-in":
        left = {name: module for name, module in GAME.bots.items() if name != "rule28"}
        patch.setitem(vars(GAME), "bots", left)
    elif change == "removed":
        shutil.rmtree("packages/mine_bots-1.0.dist-info", ignore_errors=True)
        path.unlink()
        if origin == "folder":
            path.parent.rmdir()
    elif change == "renamed" and origin == "built-in":
        enter("{bot: rule28, as: yours}")
    elif change == "renamed" and origin == "package":
        path.write_text(path.read_text().replace("mine", "yours"))
    elif change == "renamed":
        own = bot_path(path)
        own.rename(own.with_name(own.name.replace("mine", "yours")))
    elif change == "of another game":
        if origin == "net":
            write_net(str(path), game="kuhn-poker")
        elif origin == "program":
            path.write_text("""#!/bin/sh\nwhile read -r x; do echo '{"type":"ready"}'; done\n""")
        else:
            path.write_text(OTHER_FAMILY if origin == "package" else OTHER_GAME)
    elif change == "shadowed" and origin in ("built-in", "package"):
        Path("bots/rule28.py" if origin == "built-in" else FILES["file"]).write_text(
            PLAIN.format(number=0)
        )
    elif change == "shadowed":
        write("package")


CASES = [
    (origin, change)
    for origin in ORIGINS
    for change in CHANGES
    if (origin, change) != ("built-in", "of another game")  # each game has its own
]
QUICK = [
    CASES.index(case)
    for case in [
        ("built-in", "edited"),
        ("file", "removed"),
        ("folder", "of another game"),
        ("package", "edited"),
        ("program", "edited"),
        ("program", "shadowed"),
    ]
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    for folder in ("bots", "packages"):
        Path(folder).mkdir()
    install_example(tmp_path / "packages", "kuhn_poker")
    with on_path(tmp_path / "packages"):
        yield tmp_path


@pytest.mark.parametrize(("origin", "change"), slow_but(QUICK, CASES))
def test_each_command_after_each_change_of_a_bot_of_each_origin(
    arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch, origin: str, change: str
) -> None:
    called = "yours" if change == "renamed" and origin != "built-in" else "mine"
    name = {"built-in": "rule28", "program": f"{called}.sh"}.get(origin, called)
    entry = ENTRY.get(origin, "{}" if origin != "built-in" else "rule28")
    if change != "new":
        write(origin)
    enter("random" if change == "new" else entry.format("mine"))
    arena("run cup.yaml --no-page --quiet")
    enter(entry.format(called))
    change_bot(origin, change, monkeypatch)
    texts = {
        "name": name,
        "called": called,
        "bot": f"./{name}" if origin == "program" else name,
        "file": bot_path(Path(FILES.get(origin, "none"))).name.replace("mine", called),
        "reason": REASONS.get((change, origin)) or REASONS.get((change, ""), ""),
    }
    Path("after").mkdir()
    with on_path(place / "after"):  # packages are found anew: see `packages_asked_once`
        for command, cell in cells(origin, change).items():
            code, pattern = (int(cell[0]), cell[2:]) if cell[1:2] == ":" else (0, cell)
            done = arena(command.format(**texts), code=code, input="")
            expected = pattern.format(**texts)
            assert re.search(expected, done.output, re.S | re.M), (command, done.output)


# --- Classes --------------------------------------------------------------------------------------

CLASS = """
class {name}:
    def choose_move(self, turn, moves):
        return {number} if len(moves) > {number} else 0
    def roll_again(self, turn):
        return False
"""


def class_named(name: str, number: int, text: str = CLASS) -> type:
    """A class of the caller in a module of its own."""
    module = f"caller_{name}{number}"
    Path("packages", f"{module}.py").write_text(text.format(name=name, number=number))
    importlib.invalidate_caches()
    found: type = getattr(importlib.import_module(module), name)
    return found


@pytest.mark.slow
def test_a_class_of_the_caller_after_each_change(arena: Arena, place: Path) -> None:
    """A class has no name for commands, which play the stored source of the last run."""

    def played(bot: type) -> list[str]:
        results = ca.tournament([bot, "cautious"], games=4, seed=1, name="cup").run()
        assert len(results.faults) == 0
        name = bot.__name__
        assert f"Seats: A {name}" in arena(f"replay results/cup {name} cautious").text
        assert name in arena("rate results/cup").text
        history = arena(f"history {name} --in results/cup").text
        return re.findall(r"[2-9] versions|Only one version", history)[:1]

    assert played(class_named("mine", 0)) == ["Only one version"]
    assert played(class_named("mine", 1)) == ["2 versions"]
    assert played(class_named("yours", 1)) == ["Only one version"]  # with dice of its own
    assert played(class_named("random", 0)) == ["Only one version"]  # it is not the built-in bot
    error = arena("match mine cautious", code=2).error
    assert "unknown bot 'mine'; its last version is stored: mine@" in error
    with pytest.raises(BotError, match="has no choose_move and no roll_again"):
        ca.tournament([class_named("mine", 3, OTHER_CLASS), "cautious"], games=4).run()


OTHER_CLASS = "class {name}:\n    def bet(self, view):\n        return {number} > 5\n"
