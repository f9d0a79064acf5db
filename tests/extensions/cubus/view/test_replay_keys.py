"""The page of a game of Cubus in a browser: keys step through it, the last build is outlined."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.cubus.seats import contestant

from cantstop_arena.extensions.cubus.game import GAME
from cantstop_arena.extensions.cubus.kernel_table import KernelTable
from cantstop_arena.extensions.cubus.rules import LEAFLET
from cantstop_arena.table.recording import record


@pytest.mark.slow
def test_keys_step_and_builds_are_outlined(
    arena: Arena, opened: Callable[..., Any], tmp_path: Path
) -> None:
    table = KernelTable(GAME, LEAFLET, [contestant("greedy"), contestant("hasty")], 2, 1987)
    events = list(record(table, (0, 1), 0))
    game, html = tmp_path / "game.jsonl", tmp_path / "game.html"
    game.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    arena("replay", str(game), "--html", str(html))
    page, last = opened(html.read_text()), len(events) - 1
    built = next(place for place, event in enumerate(events) if event["event"] == "build")
    for keys, place in [
        *(("ArrowRight", step) for step in range(1, built + 1)),
        ("ArrowLeft", built - 1),
        ("End", last),
        ("ArrowRight", last),
        ("Control+ArrowLeft", last),
        ("Home", 0),
        ("ArrowLeft", 0),
    ]:
        page.keyboard.press(keys)
        assert page.locator(".place").text_content() == f"{place} of {last}", keys
        assert bool(page.locator(".new").count()) == (place == built), keys
    page.keyboard.press("Space")
    assert page.locator("[data-does=play]").get_attribute("aria-label") == "Pause"
    page.locator("[data-does=forth]").focus()
    page.keyboard.press("Space")
    assert page.locator(".place").text_content() != f"0 of {last}"
    for keys in ("End", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(keys)
    page.get_by_label("Speed").select_option("very fast")
    page.get_by_role("button", name="Play").click()
    page.get_by_text(f"{last} of {last}").wait_for()
    assert page.locator("[data-does=play]").get_attribute("aria-label") == "Play"
    assert page.locator("[data-does=last]").get_attribute("aria-disabled") == "true"
