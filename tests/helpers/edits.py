"""A folder with a tournament that somebody edits, step by step, from a seed.

After any edits a run must leave the results of a fresh run in an empty folder, to the byte.
"""

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from helpers.arena import Arena, Done
from helpers.edit_kits import KITS

EXEMPT = ("ledger", "history", ".lock")  # beginnings of names that may depend on history
ARENA = [sys.executable, "-u", "-c", "from cantstop_arena.cli import main; main()"]
PATTERNS = ("all", "bots/*.py", "bots/[pr]*.py")
DURATION = r"(?m)^(\w+: )?(About .* by a second of play|How long that takes cannot .*)\.\n"
"""The line about a duration at the end of a dry run."""
EXEMPT_FOLDERS = {"logs", "bots", "days"}


class Workshop:
    """Bots, a tournament file and its results, in the current folder; edits come from a seed."""

    def __init__(self, arena: Arena, seed: int, kit: str = "cantstop") -> None:
        self.arena, self.kit = arena, KITS[kit]
        self.chance = random.Random(seed)
        self.log: list[str] = []
        self.counter = 0
        self.entries: list[dict[str, Any]] = [{"bot": bot} for bot in self.kit.built_in[:2]]
        self.keys: dict[str, Any] = {"name": "cup", "game": self.kit.game, "games": 40}
        self.keys |= {"seed": 1, "max_faults": 20}
        if self.kit.command == "compare":
            self.keys["compare"] = self.kit.keys["compare"][0]
        self.earlier: list[tuple[Path, str]] = []  # contents that bots have had
        Path("bots").mkdir()
        Path("bots/_beside.py").write_text("NUMBER = 1\n")
        self.add_bot()

    @property
    def folder(self) -> Path:
        """The folder of results."""
        return Path("results", self.keys["name"])

    # --- Edits ------------------------------------------------------------------------------------

    def edits(self) -> list[Callable[[], None]]:
        """All edits; those that are likelier come several times."""
        several = [self.add_bot, self.edit, self.remove, self.games]
        others = [self.comment, self.edit_back, self.beside, self.twin, self.rename, self.move]
        others += [self.reorder, self.exchange, self.seed, self.players, self.other_key, self.limit]
        others += [self.gauntlet, self.max_faults, self.isolate, self.option, self.other_key]
        others += [self.pattern, self.exclude, self.earlier_version, self.family, self.own_option]
        others += [self.folder_bot, self.abort, self.forget, self.lose, self.anchor]
        if self.kit.command == "compare":
            return [*several * 3, *(edit for edit in others if edit not in self._in_tournaments())]
        return [*several * 3, *others, self.until, self.other_name]

    def _in_tournaments(self) -> list[Callable[[], None]]:
        """Edits of keys that comparisons do not have."""
        return [self.gauntlet, self.anchor]

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
        files = [path for path in self._files() if path.suffix and path.stem != "family"]
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
        files = [path for path in files if path.suffix and path.stem != "family"]
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
        is_long = self.chance.random() < 0.15
        self.keys["games"] = self.chance.choice(self.kit.many_games if is_long else self.kit.games)

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
            for copy in Path(self.folder, "bots").glob("*/*.py")
            if Path("bots", copy.name).exists() and copy.stem not in ("family", "_beside")
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
        for name in ("restless", "lazy"):
            if name not in names and self.chance.random() < 0.5 and len(self.entries) < 7:
                self._add({"bot": name})

    def until(self) -> None:
        if self.keys.pop("until", None) is None and self.chance.random() < 0.4:
            self.keys["until"] = {"width": self.chance.choice([0.2, 0.4])}

    def anchor(self) -> None:
        if self.keys.pop("anchor", None) is None:
            self.keys["anchor"] = "*"

    def own_option(self) -> None:
        """Give a bot from a file another value of its option."""
        for entry in self.entries:
            if entry["bot"] == "restless":
                entry["limit"] = self.chance.randrange(4)

    def folder_bot(self) -> None:
        """Enter a bot that is a folder, or edit its code, the module it imports or its data."""
        folder = Path("bots/deep")
        (folder / "parts").mkdir(parents=True, exist_ok=True)
        text = self.kit.kinds["plain"].format(number=self.chance.randrange(3))
        read = "from cantstop_arena.environments import read_beside\nfrom .parts import number\n"
        read += "KEEP = KEEP + number.NUMBER + len(read_beside(__file__, 'data.txt'))\n"
        texts = {"__init__.py": re.sub(r"(?m)^(KEEP = .*\n)", rf"\1{read}", text)}
        texts["parts/number.py"] = f"NUMBER = {self.chance.randrange(3)}\n"
        texts["data.txt"] = "x" * self.chance.randrange(1, 3)
        for name, content in texts.items():
            if not (folder / name).exists() or self.chance.random() < 0.4:
                (folder / name).write_text(content)
        if "./bots/deep" not in [entry["bot"] for entry in self.entries]:
            self._add({"bot": "./bots/deep"})

    def abort(self) -> None:
        self.keys["on_fault"] = self.chance.choice(["forfeit", "forfeit", "abort"])

    def forget(self) -> None:
        """Forget the games of a bot, of all bots that are gone, or all games."""
        if not self.folder.exists():
            return
        name = self._name(self.chance.choice(self.entries))
        words = self.chance.choice([["prune", "cup"], ["forget", "cup", name]])
        done = self.arena("results", words[0], self.folder.name, *words[2:], code=None)
        assert done.code in (0, 2), done.output  # 2: it has not played yet

    def lose(self) -> None:
        """Delete a file of the results, or write another text into it."""
        files = [self.folder / name for name in contents(self.folder)]
        if files:
            path = self.chance.choice(files)
            if self.chance.random() < 0.5:
                path.unlink()
            else:
                path.write_text("something else\n")
            self.log.append(f"({path})")

    def other_name(self) -> None:
        """Rename the tournament and its folder."""
        name = {"cup": "mug", "mug": "cup"}[self.keys["name"]]
        if self.folder.exists():
            self.folder.rename(f"results/{name}")
        self.keys["name"] = name

    # --- Runs -------------------------------------------------------------------------------------

    def write_file(self) -> None:
        """Write the tournament file."""
        named = [entry for entry in self._distinct() if entry["bot"] not in PATTERNS]
        keys = {key: value for key, value in self.keys.items() if value is not False}
        if keys.get("players", 2) > len(named):
            keys["players"] = 2
        if keys.get("gauntlet") == "*":
            keys["gauntlet"] = self._name(named[0])
        if keys.get("anchor") == "*":
            keys["anchor"] = {self._name(named[-1]): 1700}
        if any("isolate" in entry for entry in self.entries) or keys.get("players", 2) > 3:
            keys["games"] = min(keys["games"], max(self.kit.games))  # these games are slow
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
        plan = self._planned() if self.chance.random() < 0.2 else ""
        fresh = ["--fresh"] if self.chance.random() < 0.02 else []
        done = self.play("--workers", workers, *words, *fresh)
        assert fresh or plan in done.text, (plan, done.output, self.log)
        return done.output

    def play(self, *words: str) -> Done:
        """Run the command of the file, which may end with a fault."""
        done = self.arena(self.kit.command, "cup.yaml", *words, code=None)
        codes = (0, 1, 3) if self.keys.get("on_fault") == "abort" else (0, 3)
        assert done.code in codes, (done.output, self.log, Path("cup.yaml").read_text())
        return done

    def _planned(self) -> str:
        """What a dry run says that a run will play; it changes nothing."""
        before = contents(Path("results"))
        plan = re.sub(DURATION, "", self.play("--dry-run").text)
        assert contents(Path("results")) == before, self.log
        return plan

    def visit(self) -> None:
        """Let guests play into the ledger: two bots, or the versions of one."""
        entries = [entry for entry in self._distinct() if entry["bot"] not in PATTERNS]
        names = [self._name(entry) for entry in entries]
        into = ("--in", str(self.folder), "--workers", "1", "--quiet")
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
            subprocess.Popen(
                [*ARENA, self.kit.command, "cup.yaml", "--workers", "1"], stdout=-1, stderr=-2
            )
            for _ in range(2)
        ]
        printed = [process.communicate()[0].decode() for process in both]
        codes = sorted(process.returncode for process in both)
        refused = [text for text in printed if "another run is writing" in text]
        played = [text for text in printed if text not in refused]
        assert played and set(codes) <= {0, 1, 3}, (printed, self.log)
        self.log.append(f"two at once: {codes}")

    def kill(self) -> str:
        """Begin a run, and kill or interrupt it somewhere; what it has printed until then."""
        words = [*ARENA, self.kit.command, "cup.yaml", "--workers", "2"]
        number = self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT])
        with TemporaryFile() as printed:
            process = subprocess.Popen(
                words, start_new_session=True, stdout=printed, stderr=subprocess.STDOUT
            )
            time.sleep(self.chance.uniform(0.3, 3))
            with suppress(ProcessLookupError):  # it may have ended
                os.killpg(process.pid, number)
            process.wait()
            self.log.append(number.name)
            printed.seek(0)
            return printed.read().decode(errors="replace")

    def differences(self, *words: str) -> dict[str, tuple[str, str]]:
        """What a fresh run in an empty folder writes otherwise: the beginnings of both files."""
        here = contents(self.folder)
        Path("results").rename("lived")
        try:
            for copies in Path("lived").glob("*/bots"):  # the file may name them
                shutil.copytree(copies, "results/earlier/bots")
            self.play("--workers", "1", *words)
            fresh = contents(self.folder)
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
        is_exempt = name.name.startswith(EXEMPT) or {*name.parts} & EXEMPT_FOLDERS
        if path.is_file() and not is_exempt:
            yield str(name), path.read_bytes()


def overlapping_deals(folder: Path) -> int:
    """How many stored deals the ledger has more than once with one detail."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        rows = connection.execute("SELECT grp, detail, first, deals FROM blocks").fetchall()
    deals = [(*key, deal) for *key, first, count in rows for deal in range(first, first + count)]
    return len(deals) - len(set(deals))
