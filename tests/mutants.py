"""Small changes of the package, one at a time: do its quick tests notice? `make mutants`.

    python tests/mutants.py [--count 20] [--seed 1] [--since COMMIT] [--below FOLDER] [--list]

A change swaps an operator or a comparison, negates a condition, or adds one to a number. Changes
are drawn from the whole package, from what differs from a commit (`--since`), or from a folder of
the package (`--below`). For each, the quick tests run that mention the module, in a copy of the
repository (see trees.py), until one fails. Survivors are listed, with how many were killed in
each folder; exit code 1 if there are survivors.
"""

import argparse
import ast
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from trees import BIN, NAMES, ROOT, TREE, write_tree

PACKAGE = "cantstop_arena"
MAX_SECONDS = 600.0  # of the tests of a change; a loop without an end counts as noticed
MAX_FILES = 12  # of tests for a change
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


class Change(NamedTuple):
    """A module, relative to the repository, and the number of the change among all of it."""

    module: str
    number: int


def changed_trees(source: str) -> Iterator[tuple[ast.AST, str, ast.Module]]:
    """Each change of a module: the expression as it was, as text what it is, and the new module.

    The module is the same object each time, and is restored afterwards.
    """
    module = ast.parse(source)
    for node in ast.walk(module):
        if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED:
            fields: tuple[object, str, object] = node, "op", SWAPPED[type(node.op)]()
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED:
            fields = node, "ops", [SWAPPED[type(node.ops[0])]()]
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            fields = node, "test", ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            fields = node, "value", node.value + 1
        else:
            continue
        holder, field, value = fields
        shown = node if isinstance(node, ast.expr) else getattr(node, "test", node)
        before, old = ast.unparse(shown), getattr(holder, field)
        setattr(holder, field, value)
        shown = node if isinstance(node, ast.expr) else getattr(node, "test", node)
        yield node, f"{before}  ->  {ast.unparse(shown)}", module
        setattr(holder, field, old)


def tests_of(module: Path) -> list[str]:
    """The files of tests that mention a module, those of its own folder first."""
    parts = module.with_suffix("").parts[1:]
    dotted = ".".join(parts)
    rows = []
    for file in (ROOT / "tests").rglob("test_*.py"):
        text, folders = file.read_text("utf-8"), file.relative_to(ROOT / "tests").parts[:-1]
        pairs = zip(folders, parts, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        mentions = (dotted in text) * 4 + (parts[-1] in file.stem) * 4 + (parts[-1] in text)
        if mentions or shared == len(parts) - 1:
            rows.append((-(mentions + shared), len(text), str(file.relative_to(ROOT))))
    return [file for _, _, file in sorted(rows)[:MAX_FILES]]


def is_noticed(change: Change) -> tuple[bool, str]:
    """Whether a test fails after a change, and where and what it is."""
    path = TREE / change.module
    source, status = path.read_text("utf-8"), path.stat()
    node, text, tree = next(
        changed for at, changed in enumerate(changed_trees(source)) if at == change.number
    )
    where = f"{change.module}:{getattr(node, 'lineno', 0)}: {text}"
    files = tests_of(Path(change.module))
    command = [str(BIN / "pytest"), "-x", "-q", "-m", "not slow and not long", *files]
    path.write_text(ast.unparse(tree), "utf-8")
    try:
        done = subprocess.run(
            command,
            cwd=TREE,
            env={**os.environ, "PYTHONPATH": str(TREE)},
            capture_output=True,
            timeout=MAX_SECONDS,
        )
        return bool(files) and done.returncode not in (0, 5), where
    except subprocess.TimeoutExpired:
        return True, where
    finally:
        path.write_text(source, "utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def main() -> None:
    """Draw changes, and try each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--since", help="only modules that differ from this commit")
    parser.add_argument("--below", default="", help="only a folder, such as ratings")
    parser.add_argument("--list", action="store_true", help="print the changes only")
    options = parser.parse_args()
    modules = sorted((ROOT / PACKAGE / options.below).rglob("*.py"))
    if options.since:
        words = ["git", "diff", "--name-only", options.since, "--", PACKAGE]
        names = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        modules = [path for path in modules if str(path.relative_to(ROOT)) in names.split()]
    changes = [
        Change(str(path.relative_to(ROOT)), number)
        for path in modules
        for number, _ in enumerate(changed_trees(path.read_text("utf-8")))
    ]
    drawn = random.Random(options.seed).sample(changes, min(options.count, len(changes)))
    print(f"{len(drawn)} of {len(changes):,} changes", flush=True)
    write_tree(NAMES, NAMES)
    tried: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    for change in drawn:
        if options.list:
            print(change.module, change.number)
            continue
        noticed, where = is_noticed(change)
        print("killed  " if noticed else "SURVIVED", where, flush=True)
        folder = str(Path(change.module).parent)
        tried[folder] += 1
        killed[folder] += noticed
    for folder in sorted(tried):
        print(f"{killed[folder]:4} of {tried[folder]:4} killed in {folder}")
    sys.exit(killed.total() < tried.total())


if __name__ == "__main__":
    main()
