"""Write the parts of the reference that follow from declarations: `make reference`.

A part stands in a page between `<!-- generated: NAME -->` and `<!-- end of generated -->`. With
`--check` nothing is written, and the exit code is 1 if a page is not up to date.
"""

import ast
import inspect
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

import cantstop_arena
from cantstop_arena.cli import main, sections_of
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.extension_registry import built_in
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.schemas import stored_schema
from cantstop_arena.tournaments.file.keys import KEYS, Key

FOLDER = Path(__file__).parent
PACKAGE = Path(cantstop_arena.__file__).parent
PART = re.compile(r"(<!-- generated: ([\w -]+) -->\n).*?(\n<!-- end of generated -->)", re.DOTALL)
MANY = 4  # commands with the same option, which is then listed once
TYPES = {
    "int": "number",
    "float": "number",
    "tuple[int, ...]": "numbers",
    "Spaces": "number by column",
    "tuple[Spaces, ...]": "number by column, for each rival",
    "Columns": "columns, ascending",
    "RuleSet": "rule set",
    "NDArray[np.float64]": "array of numbers",
}


def cell(text: str) -> str:
    """A text as the cell of a table, in one line."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(heads: Sequence[str], rows: Collection[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [" | ".join(row) for row in (heads, ["---"] * len(heads), *rows)]
    return "\n".join(f"| {line} |" for line in lines)


# The commands


def commands(
    command: click.Command = main, path: tuple[str, ...] = ("arena",)
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    """A command and those below it, each with its words and its context."""
    context = click.Context(command, info_name=path[-1])
    yield path, command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below and not below.hidden:
                yield from commands(below, (*path, name))


def option_rows(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    """The options of a command as rows of a table: how each is written, and what it means."""
    options = [item for item in command.params if isinstance(item, click.Option)]
    records = [option.get_help_record(context) for option in options if not option.hidden]
    return [
        (f"`{' '.join(names.split())}`".replace("|", "\\|"), cell(text))
        for names, text in filter(None, records)
    ]


@cache
def shared_options() -> tuple[tuple[str, str], ...]:
    """The rows that many commands have, which stand in the page once."""
    by_path = {path: (command, context) for path, command, context in commands()}
    paths = [path for _, paths in in_groups() for path in paths]
    rows = Counter(row for path in paths for row in option_rows(*by_path[path]))
    frequent = [row for row, number in rows.items() if number >= MANY]
    names = Counter(name for name, _ in frequent)
    return tuple(row for row in frequent if names[row[0]] == 1)  # --json has two meanings


def options_of_many_commands() -> str:
    """The table of the shared options."""
    return table(("option", "meaning"), shared_options())


def command_section(path: tuple[str, ...], command: click.Command, context: click.Context) -> str:
    """What `--help` of a command says, as a section."""
    arguments = [item for item in command.params if isinstance(item, click.Argument)]
    options = [item for item in command.params if isinstance(item, click.Option)]
    words = [*path, *(["[OPTIONS]"] if options else [])]
    words += [argument.make_metavar(context) for argument in arguments]
    parts = [f"### {' '.join(path)}", f"`{' '.join(words)}`"]
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.lstrip(" ").startswith("\b"):
            lines = [line.strip() for line in paragraph.splitlines()[1:]]
            parts.append("\n".join(["```text", *lines, "```"]))
        else:
            parts.append(" ".join(paragraph.split()).replace("<", "&lt;"))
    rows, shared = option_rows(command, context), shared_options()
    own = [row for row in rows if row not in shared]
    if own:
        parts.append(table(("option", "meaning"), own))
    names = [f"`{row[0].strip('`').partition(' ')[0]}`" for row in rows if row in shared]
    if names:
        also = "Also" if own else "Its options are"
        parts.append(
            f"{also} [options of many commands](#options-of-many-commands): {', '.join(names)}."
        )
    return "\n\n".join(parts)


def in_groups() -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The commands of each group of `arena --help`, in its order."""
    paths = [path for path, _, _ in commands()]
    names = [path[1] for path in paths if len(path) == 2]
    for title, section in sections_of(names).items():
        yield title, [path for name in section for path in paths if path[1:2] == (name,)]


def all_commands() -> str:
    """A section for every command."""
    found = {path: (command, context) for path, command, context in commands()}
    parts = []
    for title, paths in in_groups():
        parts.append(f"## {title}")
        parts += [command_section(path, *found[path]) for path in paths]
    return "\n\n".join(parts)


def list_of_commands() -> str:
    """A line for every command."""
    found = {path: command for path, command, _ in commands()}
    rows = []
    for title, paths in in_groups():
        rows.append((f"**{title}**", ""))
        for path in paths:
            words = " ".join(path)
            link = f"[`{words}`](#{words.replace(' ', '-')})"
            rows.append((link, cell(found[path].get_short_help_str(200))))
    return table(("command", "what it does"), rows)


# The keys of files


def key_row(key: Key, files: Sequence[str], order: Sequence[str]) -> list[str]:
    """The line about a key that several kinds of files have, or no file."""
    return [
        f"`{key.name}`" if key.files or key.functions else "",
        _names(key.files, files),
        f"`{key.cli[0]}`" if key.cli else "",
        _names(key.commands, order),
        _names(key.functions, [*order, "tournament"]),
        cell(key.help),
    ]


def _names(chosen: Collection[str], names: Sequence[str]) -> str:
    missing = [name for name in names if name not in chosen]
    if not missing:
        return "all"
    if len(missing) <= 2 < len(names) - 2:
        return f"all but {' and '.join(missing)}"
    return ", ".join(name for name in names if name in chosen)


def keys() -> str:
    """The keys of tournaments and of runs."""
    files = ("tournament", "comparison")
    names = [name for key in KEYS for name in key.commands]
    order = [name for group in sections_of(()).values() for name in group if name in names]
    rows = [key_row(key, files, order) for key in KEYS]
    heads = ("key", "in files", "option", "of commands", "of functions", "what it is")
    return table(heads, rows)


def _default(key: Key) -> str:
    if isinstance(key.default, bool):
        return f"`{str(key.default).lower()}`"
    if isinstance(key.default, int):
        return f"{key.default:,}"
    return "" if key.default is None else f"`{key.default}`"


def keys_of(page: Path) -> str:
    """The keys of the files of an extension, whose page this is."""
    module = import_module(f"cantstop_arena.extensions.{page.stem}.keys")
    own = [key for key in module.IN_FILE if key not in KEYS]
    shared = ", ".join(f"`{key.name}`" for key in module.IN_FILE if key in KEYS)
    rows = [(f"`{key.name}`", _default(key), cell(key.help)) for key in own]
    also = f"As in [tournaments](../reference/tournament-file.md#keys-and-options): {shared}."
    return f"{table(('key', 'default', 'what it is'), rows)}\n\n{also}"


# What a bot is shown


def documented(cls: type) -> dict[str, tuple[str, str]]:
    """The annotation and the text of each field of a class, as its source has them."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(body, ast.ClassDef)
    fields = {}
    for item, following in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            assert isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            fields[item.target.id] = ast.unparse(item.annotation), str(following.value.value)
    return fields


def turn() -> str:
    """The fields and methods of `turn`."""
    rows = []
    for name, (kind, text) in documented(Turn).items():
        if name == "random":
            rows.append((f"`turn.{name}()`", "number in [0, 1)", cell(text)))
        else:
            rows.append((f"`turn.{name}`", TYPES[kind], cell(text)))
    for name, method in vars(Turn).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            words = ", ".join([*inspect.signature(method).parameters][1:])
            rows.append((f"`turn.{name}({words})`", "number", cell(inspect.getdoc(method) or "")))
    return table(("field", "type", "meaning"), rows)


def exit_codes() -> str:
    """The exit codes of all commands."""
    rows = [(str(int(ExitCode[name])), cell(text)) for name, text in _codes().items()]
    signals = "Stopped: 130 by Ctrl-C, 143 by SIGTERM. A run prints the command that continues it."
    return table(("code", "meaning"), [*rows, ("128 + signal", signals)])


def _codes() -> dict[str, str]:
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(ExitCode))).body
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for item, following in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
            assert isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            texts[item.targets[0].id] = str(following.value.value)
    return texts


def columns(rows: str) -> str:
    """The columns of exported rows, from their schema."""
    items = stored_schema(rows)["items"]
    named = {**items["properties"], **items.get("patternProperties", {})}
    return table(
        ("column", "content"),
        [(_column(name), cell(about["description"])) for name, about in named.items()],
    )


def _column(name: str) -> str:
    if not name.startswith("^"):
        return f"`{name}`"
    stem = re.match(r"\^(\w+?)_\[", name)
    return f"`{stem[1]}_0`, `{stem[1]}_1`, …" if stem else "others"


PARTS: dict[str, Callable[[], str]] = {
    "list of commands": list_of_commands,
    "options of many commands": options_of_many_commands,
    "commands": all_commands,
    "keys": keys,
    "turn": turn,
    "exit codes": exit_codes,
    "columns of games": lambda: columns("games"),
    "columns of rolls": lambda: columns("rolls"),
    "columns of decisions": lambda: columns("decisions"),
}


def generated(page: Path) -> str:
    """The text of a page with all its generated parts as they have to be."""

    def with_part(part: re.Match[str]) -> str:
        name = part[2]
        text = keys_of(page) if name == "keys of the file" else PARTS[name]()
        return f"{part[1]}\n{text}\n{part[3]}"

    return PART.sub(with_part, page.read_text("utf-8"))


def pages() -> Iterator[Path]:
    """The pages with generated parts: the reference, and those of extensions that are there."""
    yield from sorted(FOLDER.glob("*.md"))
    for name in built_in():
        if (page := FOLDER.parent / "extensions" / f"{name}.md").exists():
            yield page


# The types of the names of `cantstop_arena`


def stubs() -> dict[Path, str]:
    """The stub files of the package: what type checkers read in place of imports on first use."""
    names = sorted((module, name) for name, module in cantstop_arena.all_modules().items())
    lines = ['"""The names that `__init__.py` hands on, for tools that read types."""', ""]
    files: dict[Path, str] = {}
    for module, name in names:
        lines.append(f"from {module} import {name} as {name}")
        spec = find_spec(module)
        for folder in (spec and spec.submodule_search_locations) or ():
            files |= _stubs_of_package(f"{module}.{name}", Path(folder) / name, PACKAGE / name)
    lines += ["", "__all__: list[str]", "__version__: str", ""]
    lines += ["def all_modules() -> dict[str, str]: ...", ""]
    return {PACKAGE / "__init__.pyi": "\n".join(lines), **files}


def _stubs_of_package(module: str, folder: Path, public: Path) -> dict[Path, str]:
    """Stubs of a package of an extension under its public name."""
    files = {}
    for path in sorted(folder.glob("*.py")):
        full = module if path.stem == "__init__" else f"{module}.{path.stem}"
        text = f'"""A public name, for tools that read types."""\n\nfrom {full} import *\n'
        files[public / f"{path.stem}.pyi"] = text
    return files


if __name__ == "__main__":
    files = {page: generated(page) for page in pages()}
    files |= stubs()
    folders = (file.parent for file in PACKAGE.glob("*/__init__.pyi"))
    of_extensions = (each for each in folders if not (each / "__init__.py").exists())
    stale = {path for each in of_extensions for path in each.glob("*.pyi")} - {*files}
    late = [
        path.name
        for path, text in files.items()
        if not path.is_file() or path.read_text("utf-8") != text
    ]
    late += sorted(path.name for path in stale)
    if "--check" not in sys.argv:
        for path, text in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        for path in stale:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
    if late and "--check" in sys.argv:
        sys.exit(f"not up to date: {', '.join(late)}; run make reference")
