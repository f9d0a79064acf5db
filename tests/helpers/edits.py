"""A folder with a tournament that somebody edits, step by step, from a seed.

After any edits a run must leave the results of a fresh run in an empty folder, to the byte.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from helpers.arena import Arena

EXEMPT = ("ledger", "history", ".lock")  # beginnings of names that may depend on history
EXEMPT_FOLDERS = ("logs", "bots", "days")
PLAIN = """
import random
KEEP = {number}
def choose_move(turn, moves):
    return int(random.random() * len(moves))
def roll_again(turn):
    return turn.rolls < 1 + KEEP % 4
"""
READER = """
import os, sys
sys.path.insert(0, os.path.dirname(__file__))
import _beside
def choose_move(turn, moves):
    return _beside.NUMBER % len(moves)
def roll_again(turn):
    return turn.rolls < 1 + {number} % 3
"""
FAULTY = """
def choose_move(turn, moves):
    if turn.number > 3 + {number} % 5:
        raise ValueError("no more")
    return 0
def roll_again(turn):
    return turn.rolls < 2
"""
LEARNER = """
learns = True
SEEN = [{number}]
def choose_move(turn, moves):
    SEEN.append(turn.number)
    return len(SEEN) % len(moves)
def roll_again(turn):
    return turn.rolls < 1 + len(SEEN) % 3
"""
FAMILY = """
from cantstop_arena import Bot
def eager(limit: int = {number} % 4):
    class Player:
        def choose_move(self, turn, moves):
            return 0
        def roll_again(self, turn):
            return turn.rolls < limit
    return Player()
def lazy():
    return eager(1)
def register_bots():
    return [Bot("eager", eager), Bot("lazy", lazy)]
"""
KINDS = {"plain": PLAIN, "reader": READER, "faulty": FAULTY, "learner": LEARNER}
BUILT_IN = ("random", "cautious", "rule28", "daring", "odds")


class Workshop:
    """Bots, a tournament file and its results, in the current folder; edits come from a seed."""

    def __init__(self, arena: Arena, seed: int) -> None:
        self.arena = arena
        self.chance = random.Random(seed)
        self.log: list[str] = []
        self.counter = 0
        self.entries: list[dict[str, Any]] = [{"bot": "rule28"}, {"bot": "cautious"}]
        self.keys: dict[str, Any] = {"name": "cup", "games": 40, "seed": 1, "max_faults": 20}
        self.earlier: list[tuple[Path, str]] = []  # contents that bots have had
        Path("bots").mkdir()
        Path("bots/_beside.py").write_text("NUMBER = 1\n")
        self.add_bot()

    # --- Edits ------------------------------------------------------------------------------------

    def edits(self) -> list[Callable[[], None]]:
        """All edits; those that are likelier come several times."""
        several = [self.add_bot, self.edit, self.remove, self.games]
        others = [self.comment, self.edit_back, self.beside, self.twin, self.rename, self.move]
        others += [self.reorder, self.exchange, self.seed, self.players, self.rules, self.limit]
        others += [self.luck, self.gauntlet, self.max_faults, self.isolate, self.option]
        return [*several * 3, *others, self.family, self.until, self.anchor]

    def step(self) -> None:
        """One edit."""
        edit = self.chance.choice(self.edits())
        edit()
        self.log.append(edit.__name__)

    def add_bot(self) -> None:
        kind = self.chance.choice([*KINDS, "built-in"])
        if len(self.entries) > 6:
            return
        self.counter += 1
        if kind == "built-in":
            self._add({"bot": self.chance.choice(BUILT_IN), "as": f"built{self.counter}"})
            return
        path = Path(f"bots/{kind}{self.counter}.py")
        self._write(path, KINDS[kind].format(number=self.chance.randrange(9)))
        self._add({"bot": str(path)})

    def _add(self, entry: dict[str, Any]) -> None:
        self.entries.insert(self.chance.randrange(len(self.entries) + 1), entry)

    def _write(self, path: Path, text: str) -> None:
        if path.exists():
            self.earlier.append((path, path.read_text()))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def _files(self) -> list[Path]:
        return sorted({Path(entry["bot"]) for entry in self.entries if "/" in entry["bot"]})

    def _some_file(self) -> Path | None:
        files = [path for path in self._files() if path.stem != "family"]
        return self.chance.choice(files) if files else None

    def edit(self) -> None:
        if path := self._some_file():
            kind = path.stem.rstrip("0123456789x")
            self._write(path, KINDS[kind].format(number=self.chance.randrange(9)))

    def comment(self) -> None:
        if path := self._some_file():
            self._write(path, f"{path.read_text()}# {self.chance.randrange(9)}\n")

    def edit_back(self) -> None:
        if self.earlier:
            path, text = self.chance.choice(self.earlier)
            if path.exists():
                self._write(path, text)

    def beside(self) -> None:
        for folder in ("bots", "more"):
            if Path(folder).exists():
                Path(folder, "_beside.py").write_text(f"NUMBER = {self.chance.randrange(4)}\n")

    def twin(self) -> None:
        path = self._some_file()
        if path and len(self.entries) < 7:
            self.counter += 1
            copy = path.with_name(f"{path.stem.rstrip('x')}{'x' * self.counter}.py")
            self._write(copy, path.read_text())
            self._add({"bot": str(copy)})

    def rename(self) -> None:
        self.counter += 1
        self.chance.choice(self.entries)["as"] = f"called {self.counter}"

    def move(self) -> None:
        if path := self._some_file():
            folder = "more" if path.parent.name == "bots" else "bots"
            Path(folder).mkdir(exist_ok=True)
            beside = Path(folder, "_beside.py")
            if not beside.exists():
                beside.write_text(path.with_name("_beside.py").read_text())
            if Path(folder, path.name).exists():
                return
            path.rename(Path(folder, path.name))
            for entry in self.entries:
                if entry["bot"] == str(path):
                    entry["bot"] = f"{folder}/{path.name}"

    def reorder(self) -> None:
        self.chance.shuffle(self.entries)

    def exchange(self) -> None:
        files = [path for path in self._files() if path.parent.name == "bots"]
        files = [path for path in files if path.stem != "family"]
        if len(files) > 1:
            one, other = self.chance.sample(files, 2)
            texts = one.read_text(), other.read_text()
            kinds = [path.stem.rstrip("0123456789x") for path in (one, other)]
            if kinds[0] == kinds[1]:
                self._write(one, texts[1])
                self._write(other, texts[0])

    def remove(self) -> None:
        if len(self.entries) > 3:
            gone = self.entries.pop(self.chance.randrange(len(self.entries)))
            self.keys.pop("gauntlet", None)
            self.log.append(f"({gone['bot']})")

    def games(self) -> None:
        self.keys["games"] = self.chance.choice([2, 10, 40, 41, 100, 128, 256, 300, 301, 520, 600])

    def seed(self) -> None:
        self.keys["seed"] = self.chance.choice([1, 2, "evening"])

    def players(self) -> None:
        self.keys["players"] = self.chance.choice([2, 3]) if len(self.entries) > 2 else 2

    def rules(self) -> None:
        self.keys["rules"] = self.chance.choice(["classic", "jump"])

    def limit(self) -> None:
        self.keys["decision_limit"] = self.chance.choice([5, 10])

    def luck(self) -> None:
        self.keys["luck_removed"] = self.chance.choice([False, False, True, "value"])

    def gauntlet(self) -> None:
        self.keys.pop("gauntlet", None)
        if self.chance.random() < 0.6:
            self.keys["gauntlet"] = "*"

    def max_faults(self) -> None:
        self.keys["max_faults"] = self.chance.choice([1, 5, 20, 100, 1000])

    def isolate(self) -> None:
        if path := self._some_file():
            for entry in self.entries:
                if entry["bot"] == str(path) and not entry.pop("isolate", None):
                    entry["isolate"] = "processes"

    def option(self) -> None:
        for entry in self.entries:
            if entry["bot"] == "rule28":
                entry["threshold"] = self.chance.choice([20, 28])

    def family(self) -> None:
        path = Path("bots/family.py")
        self._write(path, FAMILY.format(number=self.chance.randrange(9)))
        names = {entry["bot"] for entry in self.entries}
        for name in ("eager", "lazy"):
            if name not in names and self.chance.random() < 0.5 and len(self.entries) < 7:
                self._add({"bot": name})

    def until(self) -> None:
        if self.keys.pop("until", None) is None and self.chance.random() < 0.4:
            self.keys["until"] = {"width": self.chance.choice([0.2, 0.4])}

    def anchor(self) -> None:
        self.keys.pop("anchor", None)

    # --- Runs -------------------------------------------------------------------------------------

    def write_file(self) -> None:
        """Write the tournament file."""
        names = [self._name(entry) for entry in self.entries]
        keys = {key: value for key, value in self.keys.items() if value is not False}
        if keys.get("players", 2) > min(len(names), 3) or len(set(names)) < len(names):
            keys["players"] = 2
        if keys.get("gauntlet") == "*":
            keys["gauntlet"] = names[0]
        if keys.get("players", 2) == 3 and keys.get("luck_removed") == "value":
            keys["luck_removed"] = True
        if "until" in keys:
            keys["games"] = min(keys["games"], 300)
        Path("cup.yaml").write_text(json.dumps({**keys, "bots": self._distinct()}))

    def _name(self, entry: dict[str, Any]) -> str:
        return str(entry.get("as", Path(entry["bot"]).stem))

    def _distinct(self) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for entry in self.entries:
            found.setdefault(self._name(entry).casefold(), entry)
        return list(found.values())

    def run(self, *words: str) -> str:
        """Play, with one worker or two; what it printed."""
        workers = self.chance.choice(["1", "1", "2"])
        done = self.arena("run", "cup.yaml", "--workers", workers, *words, code=None)
        assert done.code in (0, 3), (done.output, self.log, Path("cup.yaml").read_text())
        return done.output

    def visit(self) -> None:
        """Let guests play into the ledger: two bots, or the versions of one."""
        names = [self._name(entry) for entry in self._distinct()]
        into = ("--in", "results/cup", "--workers", "1", "--quiet")
        one, other = self.chance.sample(names, 2)
        words = self.chance.choice(
            [[], ["--games", "34"], ["--games", "300"], ["--sprt", "0", "90"]]
        )
        command = self.chance.choice([["match", one, other, *words], ["history", one, "--play"]])
        done = self.arena(*command, *into, code=None)
        assert done.code in (0, 2, 3), done.output  # 2: tables of three; bots that never played
        self.log.append(f"{' '.join(command)}: {done.code}")

    def kill(self) -> str:
        """Begin a run, and kill it somewhere; what it has printed until then."""
        code = "from cantstop_arena.cli import main; main()"
        words = [sys.executable, "-u", "-c", code, "run", "cup.yaml", "--workers", "2"]
        with TemporaryFile() as printed:
            process = subprocess.Popen(
                words, start_new_session=True, stdout=printed, stderr=subprocess.STDOUT
            )
            time.sleep(self.chance.uniform(0.3, 3))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.log.append("kill -9")
            printed.seek(0)
            return printed.read().decode(errors="replace")

    def differences(self, *words: str) -> dict[str, tuple[str, str]]:
        """What a fresh run in an empty folder writes otherwise: the beginnings of both files."""
        here = contents(Path("results/cup"))
        Path("results").rename("lived")
        try:
            done = self.arena("run", "cup.yaml", "--workers", "1", *words, code=None)
            assert done.code in (0, 3), (done.output, self.log, Path("cup.yaml").read_text())
            fresh = contents(Path("results/cup"))
        finally:
            shutil.rmtree("results", ignore_errors=True)
            Path("lived").rename("results")
        return {
            name: (here.get(name, b"-").decode()[:600], fresh.get(name, b"-").decode()[:600])
            for name in sorted(here.keys() | fresh.keys())
            if here.get(name) != fresh.get(name)
        }


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a results folder that must not depend on history."""
    return dict(_contents(folder))


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        is_exempt = name.name.startswith(EXEMPT) or name.parts[0] in EXEMPT_FOLDERS
        if path.is_file() and not is_exempt:
            yield str(name), path.read_bytes()


def overlapping_deals(folder: Path) -> int:
    """How many stored deals the ledger has more than once with one detail."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        rows = connection.execute("SELECT grp, detail, first, deals FROM blocks").fetchall()
    deals = [(*key, deal) for *key, first, count in rows for deal in range(first, first + count)]
    return len(deals) - len(set(deals))
