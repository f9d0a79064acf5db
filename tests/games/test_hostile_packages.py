"""Packages whose declarations are no text, no sense, or the end of whoever loads them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.game_packages import METADATA, on_path

from cantstop_arena.errors import BotError
from cantstop_arena.games import registry
from cantstop_arena.games.packages import entry_points_of, load_entry_point
from cantstop_arena.hookspecs import PROJECT

HARMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (os.mkfifo, "no regular file"),
    "a folder": (Path.mkdir, "no regular file"),
    "without an end": (lambda path: path.symlink_to("/dev/zero"), "no regular file"),
    "not UTF-8": (lambda path: path.write_bytes(b"[cantstop_arena]\n\xff = x\n"), "codec"),
    "no header": (lambda path: path.write_text("cantstop_arena\n=\n"), "no section headers"),
    "no name": (lambda path: path.write_text("[cantstop_arena]\n = x\n"), "parsing errors"),
    "no value": (lambda path: path.write_text("[cantstop_arena]\nx\n"), "parsing errors"),
    "far too long": (lambda path: path.write_text("#" * (1 << 21)), "larger than"),
}


def installed(folder: Path, make: Callable[[Path], object]) -> None:
    about = folder / "evil-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(METADATA.format(name="evil"))
    make(about / "entry_points.txt")


@pytest.mark.parametrize("harm", HARMS)
def test_a_package_whose_declarations_cannot_be_read_is_named(tmp_path: Path, harm: str) -> None:
    make, reason = HARMS[harm]
    installed(tmp_path, make)
    with on_path(tmp_path):
        points, malformed = entry_points_of(PROJECT)
        ((name, why),) = [one for one in malformed if one[0].startswith("evil")]
        assert "evil" not in {point.name for point in points}
        assert name == "evil-1.0.dist-info" and why.startswith("its entry_points.txt cannot")
        assert reason in why
        registry.command_names()  # what `arena --help` asks


@pytest.mark.parametrize(
    "value", ["", ":x", "os path", "this is nonsense!", "os:a b", "os..path", "5", "os:x:y"]
)
def test_an_entry_point_that_names_nothing_is_said_to(tmp_path: Path, value: str) -> None:
    installed(tmp_path, lambda path: path.write_text(f"[{PROJECT}]\nevil_one = {value}\n"))
    with on_path(tmp_path):
        (point,) = (point for point in entry_points_of(PROJECT)[0] if point.name == "evil_one")
        with pytest.raises(BotError, match="names no module, nor module:object"):
            load_entry_point(point)


def test_a_game_that_exits_ends_nothing(tmp_path: Path) -> None:
    installed(tmp_path, lambda path: path.write_text("[cantstop_arena.games]\nevil = evil_exit\n"))
    (tmp_path / "evil_exit.py").write_text("raise SystemExit(0)\n")
    with on_path(tmp_path):
        assert "SystemExit" in registry.broken_games()["evil"]


def test_a_game_under_the_name_of_another_is_refused(tmp_path: Path) -> None:
    installed(tmp_path, lambda path: path.write_text("[cantstop_arena.games]\nmine = mine_cubus\n"))
    (tmp_path / "mine_cubus.py").write_text(
        "from cantstop_arena import hookimpl\nfrom cantstop_arena.games.cubus.game import Cubus\n"
        "@hookimpl\ndef register_games():\n    return [Cubus()]\n"
    )
    with on_path(tmp_path):
        reason = "a game called cubus is already here (built in); choose another name"
        assert registry.broken_games()["mine"] == reason
