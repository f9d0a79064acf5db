"""Where bots come from: built in, from installed packages, from files in a folder.

All enter through the hooks of `hookspecs`. pluggy registers and checks them; the functions found
are then called directly, since a hook call costs more than many a decision.
"""

import contextlib
import hashlib
import importlib
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path
from typing import Any

import pluggy

from cantstop_arena import hookspecs
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import NAMED, RuleSet
from cantstop_arena.hookspecs import PROJECT, Bot, Player, compile_options
from cantstop_arena.options import Option, did_you_mean, find_faults, options_of

BUILT_IN = ("random", "cautious", "daring", "odds", "rule28", "glenn_aloi")
_DECISIONS: Mapping[str, tuple[str, ...]] = {
    "choose_move": ("turn", "moves"),
    "roll_again": ("turn",),
}


@dataclass(frozen=True)
class BotSpec:
    """A bot that can be built: where it comes from, and its options.

    `origin` is "built-in", "package" or "file"; `digest` a hash of its source texts.
    """

    name: str
    origin: str
    path: Path | None
    digest: str
    options: Mapping[str, Option]
    summary: str
    maker: Callable[..., Player]

    @property
    def defaults(self) -> dict[str, Any]:
        """Every option with its default."""
        return {name: option.default for name, option in self.options.items()}

    def check_options(self, given: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What is wrong with given options, as (option, message) pairs."""
        return find_faults(self.options, given)

    def build(self, options: Mapping[str, Any]) -> Player:
        """The bot with these options. Raises BotError where its own code fails to build it."""
        try:
            player = self.maker(**{**self.defaults, **options})
        except BotError:
            raise
        except (Exception, SystemExit) as error:
            raise BotError(f"bot {self.name} cannot be built: {_in_a_line(error)}") from error
        _check_lanes(player, self.name)
        return player

    @cached_property
    def lane(self) -> str:
        """ "compiled" or "plain", with default options. Raises BotError like `build`."""
        player = self.build({})
        return "plain" if compile_options(_inner(player.choose_move)) is None else "compiled"


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
        named = name in _DECISIONS and inspect.isfunction(getattr(plugin, name, None))
        return {} if options is None and named else options


def plugin_manager() -> pluggy.PluginManager:
    """A plug-in manager that knows the hooks, with nothing registered yet."""
    manager = _Manager(PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


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
        path = self.folder / f"{name}.py"
        if os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises on names that are too long
            return self.load_file(path)
        known, broken = self.everything()
        if spec := next((spec for spec in known if spec.name == name), None):
            return spec
        if culprit := next((bad for bad in broken if bad.name == name), None):
            raise BotError(f"bot {name} is broken: {culprit.reason}")
        raise BotError(f"unknown bot {name!r}{did_you_mean(name, (spec.name for spec in known))}")

    def load_file(self, path: Path) -> BotSpec:
        """The one bot of a file. Raises BotError with the reason where there is none."""
        specs = self._file(path)
        if len(specs) > 1:
            names = ", ".join(spec.name for spec in specs)
            raise BotError(f"{path} holds several bots ({names}): use their names")
        return specs[0]

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
        digest = _digest(folder.glob("*.py"))
        for name in BUILT_IN:
            module = importlib.import_module(f"cantstop_arena.bots.{name}")
            yield from self._register(module, name, "built-in", None, digest)

    def _entry_point(self, point: metadata.EntryPoint) -> list[BotSpec]:
        try:
            with _output_aside():
                plugin = point.load()
            digest = _digest(_sources(plugin))
            return self._register(plugin, point.name, "package", None, digest)
        except (Exception, SystemExit) as error:
            self._broken.append(Broken(point.name, f"package {point.value}", _in_a_line(error)))
            return []

    def _file(self, path: Path) -> list[BotSpec]:
        path = path.parent.resolve() / path.name  # a link to a file is a bot of its own name
        if path not in self._files:
            try:
                module, digest = _import_file(path)
                self._files[path] = self._register(module, path.stem, "file", path, digest)
            except BotError as error:
                self._files[path] = error
        found = self._files[path]
        if isinstance(found, BotError):
            raise found
        return found

    def _register(
        self, plugin: Any, name: str, origin: str, path: Path | None, digest: str
    ) -> list[BotSpec]:
        """Register a plug-in and return its bots. Raises BotError where it has none."""
        try:
            self._manager.register(plugin, f"{origin}:{path or name}")
            self._manager.check_pending()
        except pluggy.PluginValidationError as error:
            self._manager.unregister(plugin)
            raise BotError(_hook_complaint(error, plugin)) from error
        make = partial(BotSpec, origin=origin, path=path, digest=digest)
        return [*_single_bot(plugin, name, make), *_family(self._manager, plugin, name, make)]


# Bots of a plug-in --------------------------------------------------------------------------


def _single_bot(plugin: Any, name: str, make: Callable[..., BotSpec]) -> Iterator[BotSpec]:
    functions = {hook: getattr(plugin, hook, None) for hook in _DECISIONS}
    missing = [hook for hook, function in functions.items() if function is None]
    if len(missing) == 2 and hasattr(plugin, "register_bots"):
        return
    if len(missing) == 2 and hasattr(plugin, "register_rules"):
        return
    if missing:
        raise BotError(_missing(missing, plugin))
    for hook, function in functions.items():
        _check_arguments(hook, function)
    options = {
        key: option
        for hook, function in functions.items()
        for key, option in options_of(function, len(_DECISIONS[hook])).items()
    }
    spec = make(
        name=name,
        options=options,
        summary=_first_line(plugin.__doc__),
        maker=partial(_bound, functions),
    )
    _check_lanes(spec.build({}), name)
    yield spec


def _bound(functions: Mapping[str, Callable[..., Any]], **options: Any) -> Player:
    """A bot file's functions with its options filled in, each with those it takes."""
    bound = {}
    for hook, function in functions.items():
        names = options_of(function, len(_DECISIONS[hook]))
        mine = {name: options[name] for name in names}
        bound[hook] = partial(function, **mine) if mine else function
    return Player(**bound)


def _family(
    manager: pluggy.PluginManager, plugin: Any, name: str, make: Callable[..., BotSpec]
) -> Iterator[BotSpec]:
    if not hasattr(plugin, "register_bots"):
        return
    try:
        bots = list(plugin.register_bots())
    except (Exception, SystemExit) as error:
        raise BotError(f"register_bots of {name} fails: {_in_a_line(error)}") from error
    for bot in bots:
        if not isinstance(bot, Bot) or not isinstance(bot.name, str) or not callable(bot.build):
            raise BotError(f"register_bots of {name} must return Bot(name, build), not {bot!r:.80}")
        yield make(
            name=bot.name,
            options=options_of(bot.build),
            summary=_first_line(bot.build.__doc__),
            maker=partial(_built, bot),
        )


def _built(bot: Bot, **options: Any) -> Player:
    built = bot.build(**options)
    missing = [hook for hook in _DECISIONS if not callable(getattr(built, hook, None))]
    if missing:
        raise BotError(f"bot {bot.name} has no {' and no '.join(missing)}")
    return Player(built.choose_move, built.roll_again)


def _inner(function: Callable[..., Any]) -> Callable[..., Any]:
    return function.func if isinstance(function, partial) else function


def _check_lanes(player: Player, name: str) -> None:
    marked = {
        hook: compile_options(_inner(getattr(player, hook))) is not None for hook in _DECISIONS
    }
    if len(set(marked.values())) == 2:
        only = next(hook for hook, compiled in marked.items() if compiled)
        raise BotError(f"{name}: only {only} is @compiled; mark both functions, or neither")


def _check_arguments(hook: str, function: Any) -> None:
    if not callable(function):
        raise BotError(f"{hook} is no function")
    wanted = _DECISIONS[hook]
    parameters = list(inspect.signature(function).parameters.values())
    required = tuple(item.name for item in parameters if item.default is item.empty)
    first = tuple(item.name for item in parameters[: len(wanted)])
    if required != wanted or first != wanted:
        told = ", ".join(item.name for item in parameters)
        raise BotError(f"{hook} must take ({', '.join(wanted)}), then options; it takes ({told})")


def _missing(hooks: list[str], plugin: Any) -> str:
    names = [name for name in vars(plugin) if inspect.isfunction(vars(plugin)[name])]
    told = [f"{hook}{did_you_mean(hook, names)}".replace("did you mean", "is it") for hook in hooks]
    return f"lacks {' and '.join(told)}"


def _hook_complaint(error: pluggy.PluginValidationError, plugin: Any) -> str:
    """pluggy's complaint about a misspelled hook or a wrong argument, in one sentence."""
    for name, function in list(vars(plugin).items()):
        if hasattr(function, f"{PROJECT}_impl") and not hasattr(hookspecs, name):
            hooks = [*_DECISIONS, "register_bots", "register_rules"]
            return f"there is no hook {name!r}{did_you_mean(name, hooks)}"
        if name in _DECISIONS and inspect.isfunction(function):
            with contextlib.suppress(BotError):
                _check_arguments(name, function)
                continue
            return f"{name} must take ({', '.join(_DECISIONS[name])}), then options with defaults"
    return " ".join(str(error).split())


# Files --------------------------------------------------------------------------------------


def bot_files(folder: Path) -> list[Path]:
    """The files of a folder that are bots: *.py, sorted, but for names that begin with _ or dot."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.glob("*.py") if path.name[0] not in "._")


def _import_file(path: Path) -> tuple[types.ModuleType, str]:
    """Run a file as a module of its own; the digest is that of the text which ran.

    Python's own import would trust a stale bytecode file whose source kept size and second.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise BotError(f"{path} cannot be read: {error.strerror}") from error
    digest = hashlib.sha256(source).hexdigest()
    place = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    module = types.ModuleType(f"cantstop_arena_bot_{path.stem}_{place}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        with _output_aside():
            exec(compile(source, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise BotError(f"does not import: {_in_a_line(error)}") from error
    return module, digest


@contextlib.contextmanager
def _output_aside() -> Iterator[None]:
    """What a plug-in prints while it is imported must not mix with what a command prints."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def _sources(plugin: Any) -> Iterable[Path]:
    """The source files of a plug-in: all of its package, or its one module."""
    module = plugin if inspect.ismodule(plugin) else inspect.getmodule(plugin)
    file = Path(getattr(module, "__file__", None) or __file__)
    return file.parent.rglob("*.py") if file.name == "__init__.py" else [file]


def _digest(sources: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _first_line(doc: str | None) -> str:
    return inspect.cleandoc(doc).partition("\n")[0] if doc else ""


def _in_a_line(error: BaseException) -> str:
    """An exception in one line, with the file and line it came from where it is known."""
    message = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if isinstance(error, SyntaxError):
        return message
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return message
    return f"{message} ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"
