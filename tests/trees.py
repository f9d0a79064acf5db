"""Runs quick tests on trees that lack extensions.

    python tests/trees.py without [PATH ...]  the core's, with no extension
    python tests/trees.py alone [NAME ...]    those of each extension, with what it may import

A tree is a copy of the files of the repository, in which an extension that is left out has neither
its folder nor its tests. Exit code 1 if any of the tests fail.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).parents[1]
# In one place, where Python finds again the bytecode that it stored for another tree.
TREE = ROOT / "build" / "tree"
LEFT_OUT = {".git", ".venv", ".hypothesis", "build", "dist", "results"}
BIN = Path(sys.executable).parent
EXTENSIONS = Path("cantstop_arena", "extensions")
NAMES = sorted(path.parent.name for path in (ROOT / EXTENSIONS).glob("*/extension.py"))


def imported_by(name: str) -> list[str]:
    """The extensions that an extension may import, by the contract in pyproject.toml."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = contracts["tool"]["importlinter"]["contracts"][1]["layers"]
    rows = [re.findall(r"(\w+)\)", layer) for layer in layers]
    (place,) = (number for number, row in enumerate(rows) if name in row)
    return [other for row in rows[place + 1 :] for other in row]


def write_tree(names: Collection[str], tests: Collection[str]) -> None:
    """Copy the repository to TREE, with these extensions and the tests of some."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy2(path, TREE)
        elif path.name not in LEFT_OUT and not path.name.endswith("_cache"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(path, TREE / path.name, ignore=ignored)
    if not tests:
        shutil.rmtree(TREE / "tests" / "extensions")
    for name in NAMES:
        if name not in names:
            shutil.rmtree(TREE / EXTENSIONS / name)
        if name not in tests:
            shutil.rmtree(TREE / "tests" / "extensions" / name, ignore_errors=True)


def run_tests(title: str, names: Collection[str], tests: Collection[str], *paths: str) -> bool:
    """Whether the quick tests below these paths pass on a tree with these extensions."""
    print(f"== {title}", flush=True)
    processes = str((os.cpu_count() or 1) + 2)  # tests wait a third of their time
    quick = ["-n", processes, "--dist", "worksteal", "-m", "not slow and not long", "-rs"]
    again = ["--last-failed", "--last-failed-no-failures", "none"]
    environment = {**os.environ, "PYTHONPATH": str(TREE)}

    def succeeds(program: str, *words: str) -> bool:
        return not subprocess.run([BIN / program, *words], cwd=TREE, env=environment).returncode

    write_tree(names, tests)
    return (
        succeeds("python", "docs/reference/generate.py")  # make reference
        and succeeds("ruff", "check", "--quiet", "--no-respect-gitignore")
        and succeeds("lint-imports", "--no-logo")
        # Those that fail, once more and alone, as in .ci/run.
        and (succeeds("pytest", *quick, *paths) or succeeds("pytest", *again, *paths))
    )


def main() -> None:
    """Run what the command line says."""
    kind, *chosen = sys.argv[1:]
    if kind == "without":
        passed = [run_tests("the core, without extensions", (), (), *(chosen or ["tests"]))]
    else:
        passed = [
            run_tests(
                f"{name} alone", [name, *imported_by(name)], [name], f"tests/extensions/{name}"
            )
            for name in chosen or NAMES
        ]
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
