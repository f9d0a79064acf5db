"""The seam between the core and its extensions, and an extension of another package."""

import ast
import importlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.game_packages import described, install_example, on_path
from helpers.paths import ROOT

import cantstop_arena as ca
from cantstop_arena import extension_registry as registry

PACKAGE = ROOT / "cantstop_arena"
CACHED = [value for value in vars(registry).values() if hasattr(value, "cache_clear")]


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    """Extensions are looked for once in a process; here they change."""
    for function in CACHED:
        function.cache_clear()
    yield
    for function in CACHED:
        function.cache_clear()


def test_no_text_of_the_core_is_the_location_of_an_extension() -> None:
    """import-linter does not see what strings name."""
    for path in PACKAGE.rglob("*.py"):
        if path.is_relative_to(PACKAGE / "extensions"):
            continue
        texts = (
            node.value
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        assert not [text for text in texts if "cantstop_arena.extensions." in text], path


def test_declarations_import_nothing_but_the_hooks() -> None:
    for name in registry.built_in():
        tree = ast.parse((PACKAGE / "extensions" / name / "extension.py").read_text("utf-8"))
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert modules <= {"collections.abc", "cantstop_arena.extension_hooks"}, name


def test_what_extensions_declare_is_there() -> None:
    registry._loaded()[0].check_pending()  # no misspelt hook
    assert not registry.broken_extensions()
    for module in registry.modules_of_names().values():
        importlib.import_module(module)
    for command in registry.commands().values():
        assert registry._resolved(command.location).name
    for kind in registry.result_kinds():
        for location in filter(None, (kind.rows, kind.page, kind.sections)):
            assert callable(registry._resolved(location))


def test_an_extension_of_a_package_adds_a_command_a_name_a_section_and_a_bot(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    install_example(site, "upsets")
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    with on_path(site):
        assert "upsets 1.0" in arena("extensions").text
        assert "upsets" in arena("--help").text
        folder = "results/three-rolls-vs-random"
        from cantstop_arena.games.cantstop.game import CantStop

        game = CantStop()  # that of the process has its list of bots already
        assert game.bots["three-rolls"] == "upsets.three_rolls"
        arena("match rule28 random --games 40 --seed 1 --no-page")
        folder = "results/rule28-vs-random"
        assert arena(f"upsets {folder}").text == "0 upsets\n"
        assert ca.upsets(folder) == []  # type: ignore[attr-defined]
        arena(f"report {folder}")
        assert ">Upsets<" in Path(folder, "report.html").read_text("utf-8")
    vars(ca).pop("upsets", None)


def test_a_broken_extension_is_left_out_and_named(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "broken_one.py").write_text("import a_package_that_is_not_there\n")
    described(tmp_path, "broken", "[cantstop_arena.extensions]\nbroken = broken_one\n")
    with on_path(tmp_path):
        result = arena("extensions")
    assert "No module named 'a_package_that_is_not_there'" in result.text
    assert all(f"\n{name} " in result.text for name in registry.built_in())


def test_what_nobody_has_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_parts", lambda: [])
    with pytest.raises(ca.UsageError, match=r"^--people needs an extension that is not installed"):
        registry.needed("people", "--people")


def test_a_missing_package_of_an_extension_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An extension in the arena's folder, for which another folder stands here."""
    home = tmp_path / "own_extensions" / "dicing"
    home.mkdir(parents=True)
    (home / "extension.py").touch()
    (home / "command.py").write_text("import a_package_that_is_not_there.inner\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "FOLDER", home.parent)
    assert registry.built_in() == ["dicing"]
    with pytest.raises(ca.UsageError) as refused:
        registry._resolved("own_extensions.dicing.command:command")
    assert str(refused.value) == (
        "arena's extension dicing needs a_package_that_is_not_there, which is not installed: "
        "python -m pip install 'cantstop-arena[dicing]'"
    )


def test_every_extension_has_a_place_in_the_contract_and_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = " ".join(contracts[1]["layers"])
    for name in registry.built_in():
        assert f"(cantstop_arena.extensions.{name})" in layers
        assert name in project["project"]["optional-dependencies"]


def test_a_module_with_a_public_name_is_one_module() -> None:
    for name, holder in registry.modules_of_names().items():
        spec = importlib.util.find_spec(holder)
        if spec is None or spec.submodule_search_locations is None:
            continue
        module = importlib.import_module(f"cantstop_arena.{name}")
        assert module is importlib.import_module(f"{holder}.{name}") is getattr(ca, name)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("cantstop_arena.nothing_of_this_name")
