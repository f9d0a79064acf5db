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
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from helpers.arena import Arena
from helpers.edit_kits import KITS

EXEMPT = ("ledger", "history", ".lock")  # beginnings of names that may depend on history
ARENA = [sys.executable, "-u", "-c", "from cantstop_arena.cli import main; main()"]
PATTERNS = ("all", "bots/*.py", "bots/[pr]*.py")
EXEMPT_FOLDERS = ("logs", "bots", "days")


class Workshop:
    """Bots, a tournament file and its results, in the current folder; edits come from a seed."""

    def __init__(self, arena: Arena, seed: int, game: str = "cantstop") -> None:
        self.arena, self.kit = arena, KITS[game]
        self.chance = random.Random(seed)
        self.log: list[str] = []
        self.counter = 0
        self.entries: list[dict[str, Any]] = [{"bot": bot} for bot in self.kit.built_in[:2]]
        self.keys: dict[str, Any] = {"name": "cup", "game": game, "games": 40}
        self.keys |= {"seed": 1, "max_faults": 20}
        self.earlier: list[tuple[Path, str]] = []  # contents that bots have had
        Path("bots").mkdir()
        Path("bots/_beside.py").write_text("NUMBER = 1\n")
        self.add_bot()

    # --- Edits ------------------------------------------------------------------------------------

    def edits(self) -> list[Callable[[], None]]:
        """All edits; those that are likelier come several times."""
        several = [self.add_bot, self.edit, self.remove, self.games]
        others = [self.comment, self.edit_back, self.beside, self.twin, self.rename, self.move]
        others += [self.reorder, self.exchange, self.seed, self.players, self.other_key, self.limit]
        others += [self.gauntlet, self.max_faults, self.isolate, self.option, self.other_key]
        others += [self.pattern, self.exclude, self.earlier_version]
        return [*several * 3, *others, self.family, self.until, self.anchor]

    def step(self) -> None:
        """One edit."""
        edit = self.chance.choice(self.edits())
        edit()
        self.log.append(edit.__name__)

    def add_bot(self) -> None:
        kind = self.chance.choice([*self.kit.kinds, "built-in"])
        if kind in self.kit.slow and self.chance.random() < 0.5:
            kind = "plain"
        if len(self.entries) > 6:
            return
        self.counter += 1
        if kind == "built-in":
            self._add({"bot": self.chance.choice(self.kit.built_in), "as": f"built{self.counter}"})
            return
        path = Path(f"bots/{kind}{self.counter}.py")
        self._write(path, self.kit.kinds[kind].format(number=self.chance.randrange(9)))
        self._add({"bot": str(path)})

    def _add(self, entry: dict[str, Any]) -> None:
        self.entries.insert(self.chance.randrange(len(self.entries) + 1), entry)

    def _write(self, path: Path, text: str) -> None:
        if path.exists():
            self.earlier.append((path, path.read_text()))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def _files(self) -> list[Path]:
        return sorted(
            {Path(entry["bot"]) for entry in self.entries if "/" in entry["bot"]}
            - {Path(pattern) for pattern in PATTERNS}
        )

    def _some_file(self) -> Path | None:
        files = [path for path in self._files() if path.stem != "family"]
        return self.chance.choice(files) if files else None

    def edit(self) -> None:
        if path := self._some_file():
            kind = path.stem.rstrip("0123456789x")
            self._write(path, self.kit.kinds[kind].format(number=self.chance.randrange(9)))

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
        entry = self.chance.choice(self.entries)
        if entry["bot"] not in PATTERNS:
            entry["as"] = f"called {self.counter}"

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
        self.keys["games"] = self.chance.choice(self.kit.games)

    def seed(self) -> None:
        self.keys["seed"] = self.chance.choice([1, 2, "evening"])

    def players(self) -> None:
        self.keys["players"] = self.chance.choice(self.kit.players)

    def other_key(self) -> None:
        key = self.chance.choice([*self.kit.keys])
        self.keys[key] = self.chance.choice(self.kit.keys[key])

    def limit(self) -> None:
        self.keys["decision_limit"] = self.chance.choice([5, 10])

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
        option, values = self.kit.tuned
        for entry in self.entries:
            if option and entry["bot"] == self.kit.built_in[0]:
                entry[option] = self.chance.choice(values)

    def pattern(self) -> None:
        """Let a pattern, or `all`, enter bots; or no longer."""
        there = [entry for entry in self.entries if entry["bot"] in PATTERNS]
        if there:
            self.entries.remove(there[0])
            self.keys.pop("exclude", None)
            return
        pattern = {"bot": self.chance.choice(PATTERNS)}
        if pattern["bot"] != "all" and self.chance.random() < 0.3:
            pattern["isolate"] = "processes"
        for entry in self.entries[3:]:
            if self.chance.random() < 0.5 and entry["bot"].startswith("bots/"):
                self.entries.remove(entry)  # the pattern enters it now
        self._add(pattern)

    def exclude(self) -> None:
        self.keys.pop("exclude", None)
        if any(entry["bot"] in PATTERNS for entry in self.entries) and self.chance.random() < 0.6:
            self.keys["exclude"] = ["bots/learner*.py", "bots/*x.py"]

    def earlier_version(self) -> None:
        """Enter what a bot has been, by its digest."""
        copies = sorted(
            copy
            for copy in Path("results/cup/bots").glob("*/*.py")
            if Path("bots", copy.name).exists() and copy.stem != "family"
        )
        if copies and len(self.entries) < 7:
            copy = self.chance.choice(copies)
            if copy.read_text() != Path("bots", copy.name).read_text():
                self.counter += 1
                version = f"{copy.stem}@{copy.parent.name[:7]}"
                self._add({"bot": version, "as": f"old{self.counter}"})

    def family(self) -> None:
        path = Path("bots/family.py")
        self._write(path, self.kit.family.format(number=self.chance.randrange(9)))
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
        named = [entry for entry in self._distinct() if entry["bot"] not in PATTERNS]
        keys = {key: value for key, value in self.keys.items() if value is not False}
        if keys.get("players", 2) > len(named):
            keys["players"] = 2
        if keys.get("gauntlet") == "*":
            keys["gauntlet"] = self._name(named[0])
        if keys.get("players", 2) == 3 and keys.get("luck_removed") == "value":
            keys["luck_removed"] = True
        if "until" in keys:
            keys["games"] = min(keys["games"], 300)
        named_files = [entry["bot"] for entry in named]
        if len(named) == len(self.entries) or any(
            fnmatch(file, pattern) for pattern in keys.get("exclude", ()) for file in named_files
        ):
            keys.pop("exclude", None)  # of patterns only, and nothing that an entry names
        Path("cup.yaml").write_text(json.dumps({**keys, "bots": self._distinct()}))

    def _name(self, entry: dict[str, Any]) -> str:
        if entry["bot"] in PATTERNS:
            return str(entry["bot"])
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
        entries = [entry for entry in self._distinct() if entry["bot"] not in PATTERNS]
        names = [self._name(entry) for entry in entries]
        into = ("--in", "results/cup", "--workers", "1", "--quiet")
        one, other = self.chance.sample(names, 2)
        words = self.chance.choice(
            [[], ["--games", "34"], ["--games", "300"], ["--sprt", "0", "90"]]
        )
        command = self.chance.choice([["match", one, other, *words], ["history", one, "--play"]])
        done = self.arena(*command, *into, code=None)
        assert done.code in (0, 2, 3), done.output  # 2: tables of three; bots that never played
        self.log.append(f"{' '.join(command)}: {done.code}")

    def meet(self) -> None:
        """Two runs at once: one of them is refused, also when it has played and is to write, or
        comes later and has nothing to play."""
        both = [
            subprocess.Popen([*ARENA, "run", "cup.yaml", "--workers", "1"], stdout=-1, stderr=-2)
            for _ in range(2)
        ]
        printed = [process.communicate()[0].decode() for process in both]
        codes = sorted(process.returncode for process in both)
        refused = [text for text in printed if "another run is writing" in text]
        played = [process.returncode for process in both if process.returncode in (0, 3)]
        assert played and len(played) + len(refused) == 2, (printed, self.log)
        self.log.append(f"two at once: {codes}")

    def kill(self) -> str:
        """Begin a run, and kill it somewhere; what it has printed until then."""
        words = [*ARENA, "run", "cup.yaml", "--workers", "2"]
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
            if Path("lived/cup/bots").exists():  # the file may name them
                shutil.copytree("lived/cup/bots", "results/earlier/bots")
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
