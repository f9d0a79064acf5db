"""Where bots come from: built in, from installed packages, from files in a folder.

All enter through the hooks of `hookspecs`. pluggy registers and checks them; the functions found
are then called directly, since a hook call costs more than many a decision.
"""

import importlib
import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path
from typing import Any

import pluggy

from cantstop_arena import hookspecs
from cantstop_arena.botfiles import (
    BotFile,
    bot_files,
    described,
    digest_of,
    foreign_code,
    sources_of,
)
from cantstop_arena.botspecs import DECISIONS, BotSpec, family, hook_complaint, single_bot
from cantstop_arena.errors import BotError, Interrupted
from cantstop_arena.games.cantstop.rules import NAMED, RuleSet
from cantstop_arena.hookspecs import PROJECT
from cantstop_arena.options import LONGEST_QUOTE, did_you_mean

DEFAULT_FOLDER = Path("bots")
BUILT_IN = ("random", "cautious", "daring", "odds", "rule28", "glenn_aloi")


@dataclass(frozen=True)
class Broken:
    """A plug-in that cannot be used, and why."""

    name: str
    origin: str
    reason: str


class _Manager(pluggy.PluginManager):
    """Takes a bot file's functions by their names, whether or not they carry `@hookimpl`."""

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        options = super().parse_hookimpl_opts(plugin, name)
        named = name in DECISIONS and inspect.isfunction(getattr(plugin, name, None))
        return {} if options is None and named else options


def plugin_manager() -> pluggy.PluginManager:
    """A plug-in manager that knows the hooks, with nothing registered yet."""
    manager = _Manager(PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


def is_built_in(name: str) -> bool:
    """Whether a built-in bot has this name, which then is nobody else's."""
    return name.replace("-", "_") in BUILT_IN


class Catalogue:
    """The bots and rule sets that can be used here.

    Files are read when they are asked for, so that a broken one harms only those who want it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._manager = plugin_manager()
        self._broken: list[Broken] = []
        self._files: dict[Path, list[BotSpec] | BotError] = {}
        self._built_in = {spec.name: spec for spec in self._load_built_in()}

    def find(self, name: str) -> BotSpec:
        """The bot of this name. Raises BotError where there is none, or it is broken."""
        if spec := self._installed.get(name):
            return spec
        if path := self.file_of(name):
            return self.load_file(path)
        known, broken = self.everything()
        if spec := next((spec for spec in known if spec.name == name), None):
            return spec
        if culprit := next((bad for bad in broken if bad.name == name), None):
            raise BotError(f"bot {name} is broken: {culprit.reason}")
        hint = did_you_mean(name, (spec.name for spec in known))
        raise BotError(f"unknown bot {name!r:.{LONGEST_QUOTE}}{hint}")

    def file_of(self, name: str) -> Path | None:
        """The file that `find` would run for this name, if it would run one."""
        path = self.folder / f"{name}.py"
        return path if name not in self._installed and os.path.isfile(path) else None

    def load_file(self, path: Path) -> BotSpec:
        """The one bot of a file. Raises BotError with the reason where there is none."""
        specs = self._file(path)
        if len(specs) > 1:
            names = ", ".join(spec.name for spec in specs)
            raise BotError(f"{path} holds several bots ({names}): use their names")
        if not specs:
            raise BotError(f"{path} holds no bot")
        return specs[0]

    def bots_of(self, path: Path) -> list[BotSpec]:
        """All bots of a file. Raises BotError with the reason where it cannot be used."""
        return list(self._file(path))

    def reopen(self, name: str, path: Path | None) -> BotSpec:
        """A bot found before, by its name and the file it came from."""
        if path is None:
            return self.find(name)
        spec = next((spec for spec in self._file(path) if spec.name == name), None)
        if spec is None:
            raise BotError(f"{path} no longer holds a bot {name!r}")
        return spec

    def everything(self) -> tuple[list[BotSpec], list[Broken]]:
        """All bots, built-in ones first, and all plug-ins that cannot be used."""
        known, broken = self._searched
        return list(known), list(broken)

    @cached_property
    def _searched(self) -> tuple[list[BotSpec], list[Broken]]:
        """What is found in the folder: once, as a tournament can ask for thousands of names."""
        known, broken = dict(self._installed), list(self._broken)
        for path in bot_files(self.folder):
            try:
                specs = self._file(path)
            except BotError as error:
                broken.append(Broken(path.stem, str(path), str(error)))
                continue
            for spec in specs:
                if spec.name in known:
                    taken = f"the name {spec.name} is taken by a {known[spec.name].origin} bot"
                    broken.append(Broken(spec.name, str(path), taken))
                else:
                    known[spec.name] = spec
        return list(known.values()), broken

    @cached_property
    def rules(self) -> Mapping[str, RuleSet]:
        """Rule sets by name: the published ones, then those of installed packages."""
        named = {name: rules for name, (rules, _) in NAMED.items()}
        _ = self._installed
        for offered in self._manager.hook.register_rules():
            for rules in offered:
                named.setdefault(rules.name, rules)
        return named

    @cached_property
    def _installed(self) -> Mapping[str, BotSpec]:
        installed = dict(self._built_in)
        for point in sorted(metadata.entry_points(group=PROJECT), key=lambda point: point.name):
            for spec in self._entry_point(point):
                installed.setdefault(spec.name, spec)
        return installed

    def _load_built_in(self) -> Iterator[BotSpec]:
        folder = Path(__file__).parent / "bots"
        digest = digest_of(folder.glob("*.py"))
        for name in BUILT_IN:
            module = importlib.import_module(f"cantstop_arena.bots.{name}")
            yield from self._register(module, name, "built-in", None, digest)

    def _entry_point(self, point: metadata.EntryPoint) -> list[BotSpec]:
        try:
            with foreign_code():
                plugin = point.load()
            digest = digest_of(sources_of(plugin))
            return self._register(plugin, point.name, "package", None, digest)
        except Interrupted:
            raise
        except BaseException as error:
            self._broken.append(Broken(point.name, f"package {point.value}", described(error)))
            return []

    def _file(self, path: Path) -> list[BotSpec]:
        path = path.parent.resolve() / path.name  # a link to a file is a bot of its own name
        if path not in self._files:
            try:
                self._files[path] = self._register_file(BotFile(path))
            except BotError as error:
                self._files[path] = error
        found = self._files[path]
        if isinstance(found, BotError):
            raise found
        return found

    def _register_file(self, file: BotFile) -> list[BotSpec]:
        module, path = file.load(), file.path
        return self._register(module, path.stem, "file", path, file.digest, file.run)

    def _register(
        self,
        plugin: Any,
        name: str,
        origin: str,
        path: Path | None,
        digest: str,
        run: Callable[[], Any] | None = None,
    ) -> list[BotSpec]:
        """Register a plug-in and return its bots. Raises BotError where it has none."""
        try:
            self._manager.register(plugin, f"{origin}:{path or name}")
            self._manager.check_pending()
        except pluggy.PluginValidationError as error:
            if self._manager.is_registered(plugin):
                self._manager.unregister(plugin)
            raise BotError(hook_complaint(error, plugin)) from error
        make = partial(BotSpec, origin=origin, path=path, digest=digest)
        return [*single_bot(plugin, name, make, run), *family(plugin, name, make, run)]
