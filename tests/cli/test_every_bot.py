"""Every kind of bot in every command and function that takes bots: all end well, or say why not.

Bots, commands and functions come from the registries, so that a new one is in it by itself; a
command that is in none of the tables below fails the first test.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from inspect import isfunction
from pathlib import Path
from typing import Any

import click
import pytest
from helpers.arena import Arena
from helpers.game_packages import described, on_path
from helpers.nets import write_net

import cantstop_arena as ca
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.cli import main
from cantstop_arena.games.registry import built_in, game_named
from cantstop_arena.tuning import tuner

RIVALS = {"cantstop": ("cautious", "random"), "cubus": ("greedy", "frugal")}
PLAIN = {
    "cantstop": """
def choose_move(turn, moves):
    return 0


def roll_again(turn, rolls: int = 3):
    return turn.rolls < rolls
""",
    "cubus": """
game = "cubus"


def build(view, points: int = 0):
    best = view.best()
    return best if best and points < 1 else None
""",
}
COMPILED = {
    "cantstop": "from cantstop_arena import compiled\n"
    + PLAIN["cantstop"].replace("def ", "@compiled\ndef ")
}
CLASS = {
    "cantstop": """
from cantstop_arena import Bot, hookimpl


class Steps:
    def __init__(self, rolls):
        self.rolls = rolls

    def choose_move(self, turn, moves):
        return 0

    def roll_again(self, turn):
        return turn.rolls < self.rolls


def steps(rolls: int = 3):
    return Steps(rolls)


@hookimpl
def register_bots():
    return [Bot("a_class", steps)]
""",
    "cubus": """
from cantstop_arena import Bot, hookimpl

game = "cubus"


class Builder:
    def __init__(self, points):
        self.points = points

    def build(self, view):
        return view.best()


def builder(points: int = 0):
    return Builder(points)


@hookimpl
def register_bots():
    return [Bot("a_class", builder)]
""",
}
BATCHED = {
    "cantstop": """
import numpy as np

WEIGHTS = np.random.default_rng(1).standard_normal((58, 79)).astype(np.float32)
WEIGHTS[:, 77:] = 0
WEIGHTS[54, 78], WEIGHTS[56, 77] = 1, 0.1  # it rolls again while a runner is free
rows = 4


def decide(batch, temperature: float = 0.0):
    return batch.observations @ WEIGHTS
"""
}
PROGRAMS = {"cantstop": "steps", "cubus": "crates"}

COMMANDS: dict[str, Callable[[str, str, str], list[str]]] = {
    "bench": lambda bot, rival, game: ["bench", bot, "--seconds", "0.1", "--game", game],
    "bots check": lambda bot, rival, game: ["bots", "check", bot, "--limit", "1", "--game", game],
    "bots compile": lambda bot, rival, game: ["bots", "compile", bot, "--game", game],
    "bots diff": lambda bot, rival, game: ["bots", "diff", bot, rival, "--game", game],
    "compare": lambda bot, rival, game: ["compare", "rules.yaml", "--no-page", "--quiet"],
    "draw": lambda bot, rival, game: ["draw", "pair.yaml", "bot", "rival", "--deal", "0"],
    "export": lambda bot, rival, game: ["export", "results/pair", "--decisions", "decisions.csv"],
    "gauntlet": lambda bot, rival, game: [
        *("gauntlet", bot, "--against", rival, "--game", game, "--games", "4", "--no-page"),
    ],
    "history": lambda bot, rival, game: ["history", "bot", "--in", "results/pair"],
    "judge": lambda bot, rival, game: ["judge", bot, "--against", rival, "--deals", "2"],
    "league": lambda bot, rival, game: ["league", "league.yaml", "--quiet"],
    "match": lambda bot, rival, game: [
        *("match", bot, rival, "--game", game, "--games", "4", "--no-page", "--quiet"),
    ],
    "plan": lambda bot, rival, game: [
        *("plan", bot, rival, "--difference", "0.1", "--game", game, "--seconds", "0.1"),
    ],
    "play": lambda bot, rival, game: ["play", bot, "--game", game],
    "rate": lambda bot, rival, game: ["rate", "results/pair"],
    "replay": lambda bot, rival, game: ["replay", "pair.yaml", "bot", "rival", "--deal", "0"],
    "report": lambda bot, rival, game: ["report", "results/pair"],
    "run": lambda bot, rival, game: ["run", "pair.yaml", "--quiet"],
    "tune": lambda bot, rival, game: [
        *("tune", bot, option_of(bot, game), "--games", "40", "--game", game, "--quiet"),
    ],
}
WITHOUT_BOTS = {
    *("bots", "bots new", "completion", "cubus", "cubus targets", "odds", "rules"),
    *("extensions", "games", "games check", "games new"),
    *("results", "results check", "results forget", "results prune", "serve", "solve", "train"),
    *("design", "profile"),  # take too long for all bots; they have tests of their own
}
AFTER_A_RUN = {"export", "history", "rate", "report"}
ONLY_CANT_STOP = {"bots compile", "judge"}

FUNCTIONS: dict[str, Callable[[str, str, str], Any]] = {
    "bot": lambda bot, rival, game: ca.tournament([ca.bot(bot), rival], games=4, game=game).run(),
    "compare": lambda bot, rival, game: ca.compare("rules.yaml"),
    "gauntlet": lambda bot, rival, game: ca.gauntlet(bot, [rival], games=4, game=game),
    "judge": lambda bot, rival, game: ca.judge(bot, against=rival, deals=2),
    "league": lambda bot, rival, game: ca.league("league.yaml"),
    "match": lambda bot, rival, game: ca.match(bot, rival, games=4, game=game),
    "run": lambda bot, rival, game: ca.run("pair.yaml"),
    "tournament": lambda bot, rival, game: ca.tournament([bot, rival], games=4, game=game).run(),
    "tune": lambda bot, rival, game: ca.tune(bot, option_of(bot, game), games=40, game=game),
}
NO_BOTS = {"compiled", "design", "history", "open", "profile", "rate", "schema", "solve"} | {
    *("read_beside", "to_onnx", "train", "vector_env"),  # of files, nets and learners
}


def commands(group: click.Group, *path: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield " ".join([*path, name])
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)


TOP_HERE = {*main.list_commands(click.Context(main))}
COMMANDS_HERE = [name for name in COMMANDS if name.split()[0] in TOP_HERE]
FUNCTIONS_HERE = [name for name in FUNCTIONS if name in ca.__all__]
"""Those of the core and of the extensions that are here."""


def option_of(bot: str, game: str) -> str:
    """An option that the bot has, else one that no bot has."""
    for entry in Catalogue(Path("bots")).playing(game_named(game)).everything()[0]:
        if entry.name == Path(bot).stem:
            return next(iter(entry.defaults), "none")
    return "rolls" if game == "cantstop" else "points"


def bots_of(game: str) -> list[str]:
    kinds = ["a_plain", "a_class", "a_package", "a_program"]
    if game == "cantstop":
        kinds += ["a_compiled", "a_batched", "a_net"]
    return [*game_named(game).bots, *kinds]


CASES = [(game, bot) for game in built_in() for bot in bots_of(game)]


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a tuned bot has found is tested on few deals."""
    monkeypatch.setattr(tuner, "_LOOK_DEALS", 20)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a bot of each kind, and a package that brings one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bots").mkdir()
    package = tmp_path / "packages"
    package.mkdir()
    described(package, "packaged", "[cantstop_arena]\na_package = a_package_module\n")
    with on_path(package):
        yield tmp_path


def lay(place: Path, game: str, bot: str) -> str:
    """Write the bot's files; returns what it is called on the command line."""
    if bot == "a_plain":
        Path("bots/a_plain.py").write_text(PLAIN[game])
    elif bot == "a_compiled":
        Path("bots/a_compiled.py").write_text(COMPILED[game])
    elif bot == "a_class":
        Path("bots/a_class.py").write_text(CLASS[game])
    elif bot == "a_batched":
        Path("bots/a_batched.py").write_text(BATCHED[game])
    elif bot == "a_net":
        pytest.importorskip("onnxruntime", reason="needs pip install -e '.[onnx]'")
        pytest.importorskip("onnx", reason="needs pip install -e '.[dev]'")
        write_net("a_net.onnx")
        return "a_net.onnx"
    elif bot == "a_package":
        module = place / "packages" / "a_package_module.py"
        module.write_text(CLASS[game].replace("a_class", "a_package"))
    elif bot == "a_program":
        source = Path(__file__).parents[2] / "bots" / "programs" / f"{PROGRAMS[game]}.sh"
        program = Path("a_program.sh")
        program.write_bytes(source.read_bytes())
        program.chmod(0o755)
        return "./a_program.sh"
    return bot


def write_files(name: str, rival: str, game: str) -> None:
    """A tournament and a comparison of the bot against a rival."""
    bot = f"{{command: [{name}], as: bot}}" if name.endswith(".sh") else f"{{bot: {name}, as: bot}}"
    bots = f"bots: [{bot}, {{bot: {rival}, as: rival}}]\n"
    head = f"game: {game}\ngames: 4\nseed: 1\n"
    Path("pair.yaml").write_text(f"{head}{bots}")
    variants = "[classic, korean]" if game == "cantstop" else "[leaflet, closed]"
    Path("rules.yaml").write_text(f"{head}compare: {variants}\n{bots}")
    Path("submissions").mkdir(exist_ok=True)
    rounds = "isolate: processes\nrounds: {games: 4, base: 1, most: 1}\n"
    Path("league.yaml").write_text(f"game: {game}\nseed: 1\n{rounds}staff{bots[len('bots') :]}")


def test_every_command_and_function_is_in_a_table() -> None:
    assert isinstance(main, click.Group)
    assert {*commands(main)} <= {*COMMANDS, *WITHOUT_BOTS}
    functions = {name for name in ca.__all__ if isfunction(getattr(ca, name))}
    assert functions <= {*FUNCTIONS, *NO_BOTS}


def rival_of(bot: str, game: str) -> str:
    return next(rival for rival in RIVALS[game] if rival != bot)


def ends_well(code: int, output: str, bot: str) -> bool:
    """Whether a command has done what it should, or else has said why not."""
    assert "Traceback" not in output and not re.search(r"^\w*Error: \w+\(", output, re.M), output
    if code in (0, 3):
        return True
    assert code in (1, 2) and output.strip(), (code, output)
    return False


REFUSED = {
    "bots check": "",  # built-in bots have no file
    "bots compile": "",
    "bots diff": "",  # two of them have none
    "tune": "option",  # without an option of numbers there is nothing to tune
}


def in_turn(words: Iterable[str]) -> list[Any]:
    """Every bot with every word: a third of them is slow, in turn, the others are long."""
    return [
        pytest.param(*case, word, marks=pytest.mark.long if (bot + at) % 3 else pytest.mark.slow)
        for bot, case in enumerate(CASES)
        for at, word in enumerate(words)
    ]


@pytest.mark.parametrize(("game", "bot", "command"), in_turn(COMMANDS_HERE))
def test_every_bot_in_every_command(
    arena: Arena, place: Path, game: str, bot: str, command: str
) -> None:
    name = lay(place, game, bot)
    rival = rival_of(bot, game)
    write_files(name, rival, game)
    if command in AFTER_A_RUN:
        arena("run", "pair.yaml", "--quiet", "--no-page", code=None)
    done = arena(*COMMANDS[command](name, rival, game), code=None, input="")
    well = ends_well(done.code, done.output, bot)
    refusals = bot in ("optimal", "policy-net") or (game == "cubus" and command in ONLY_CANT_STOP)
    refusals = refusals or (bot == "a_program" and command == "judge")
    refusals = refusals or (bot == "a_net" and command == "compare")  # trained for classic only
    if not refusals and command not in REFUSED and command != "play":
        assert well, done.output


@pytest.mark.parametrize(("game", "bot", "function"), in_turn(FUNCTIONS_HERE))
def test_every_bot_in_every_function(place: Path, game: str, bot: str, function: str) -> None:
    name = lay(place, game, bot)
    rival = rival_of(bot, game)
    write_files(name, rival, game)
    try:
        FUNCTIONS[function](name, rival, game)
    except ca.ArenaError as error:
        assert str(error).strip()
        refusals = bot in ("optimal", "policy-net") or (bot, function) == ("a_net", "compare")
        refusals = refusals or (function == "judge" and (game == "cubus" or bot == "a_program"))
        assert refusals or function == "tune", error
