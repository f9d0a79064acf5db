"""Whatever a tournament has been before, its results are those of a fresh run of the final file."""

import os
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.edit_kits import KITS
from helpers.edits import Workshop, contents, overlapping_deals
from helpers.game_packages import examples

installed = examples(*(kit.package for kit in KITS.values() if kit.package))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, below which paths are printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cantstop_arena.processes.system._DISPLAY", (f"{tmp_path}{os.sep}", ""))
    return tmp_path


def check(
    arena: Arena,
    seed: int,
    steps: int,
    page: bool = False,
    kills: bool = False,
    guests: bool = False,
    kit: str = "cantstop",
) -> None:
    """Edit from a seed, and compare with a fresh run now and then."""
    shop, words = Workshop(arena, seed, kit), ["--page"] if page else []
    again = 0
    for step in range(steps):
        for _ in range(shop.chance.choice([1, 1, 2])):
            shop.step()
        shop.write_file()
        printed = shop.kill() if kills and shop.chance.random() < 0.3 else ""
        if kills and shop.chance.random() < 0.1:
            shop.meet()
        told = printed + shop.run(*words)
        trail = f"seed {seed}, step {step}: {' > '.join(shop.log)}\n{Path('cup.yaml').read_text()}"
        overlap = overlapping_deals(shop.folder)
        is_told = any(word in told + trail for word in (" again, as", "plays until", "learner"))
        assert overlap == again or is_told, f"{trail}\n{told}"
        again = overlap
        if shop.chance.random() < 0.7 or step == steps - 1:
            differences = shop.differences(*words)
            assert not differences, f"{trail}\n{told[:600]}\n{differences}"
        if guests:
            before = contents(shop.folder)
            shop.visit()
            assert contents(shop.folder) == before, shop.log
            again = overlapping_deals(shop.folder)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kit"), [*enumerate(KITS)])
def test_a_few_edits_leave_what_a_fresh_run_does(
    arena: Arena, place: Path, seed: int, kit: str
) -> None:
    check(arena, seed, steps=4, kit=kit)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_guests_leave_what_a_fresh_run_does(arena: Arena, place: Path, seed: int) -> None:
    check(arena, 50 + seed, steps=4, guests=True)


@pytest.mark.long
@pytest.mark.parametrize("kit", KITS)
@pytest.mark.parametrize("seed", range(20))
def test_many_edits_and_kills_leave_what_a_fresh_run_does(
    arena: Arena, place: Path, seed: int, kit: str
) -> None:
    page, guests = seed % 4 == 0, seed % 2 == 0
    check(arena, 100 + seed, steps=30, page=page, kills=True, guests=guests, kit=kit)
