"""The widened heuristic family: Glenn and Aloi's champion is in it, and beaten by it."""

from collections.abc import Sequence

import numpy as np
import pytest
from conftest import Tables

from cantstop_arena.bots.bot_start import code_digest
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.bots.heuristic import (
    COUNT,
    GLENN_ALOI,
    THRESHOLD,
    TOPPED,
    family_player,
)
from cantstop_arena.games.cantstop.bots.tuned import tuned
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, derive
from cantstop_arena.table.seated_bot import SeatedBot


def table_of(tables: Tables, *others: Player) -> EngineTable:
    """Glenn and Aloi's champion, as number 0, and others at a table for two, on the same dice."""
    champion = SeatedBot(
        "champion", tables.player("glenn-aloi"), "glenn-aloi", dice_name="glenn-aloi"
    )
    rest = [
        SeatedBot(f"{i}", player, digest_of(player), dice_name="glenn-aloi")
        for i, player in enumerate(others)
    ]
    return EngineTable(GAME, CLASSIC, [champion, *rest], 2, seed=11)


def digest_of(player: Player) -> str:
    """A name for a bot's machine code, which holds its numbers."""
    held = getattr(player.choose_move, "keywords", {})
    return code_digest(repr([list(numbers) for numbers in held.values()]))


def score(table: EngineTable, pair: Sequence[int], deals: int) -> float:
    """What the second of a pair wins."""
    result = table.play(Block(tuple(pair), 0, deals))
    assert not result.faults
    winners = result.masks().ravel()
    return float(np.mean(winners[::2] == 2) + np.mean(winners[1::2] == 1)) / 2


@pytest.mark.slow
def test_with_its_numbers_the_family_plays_as_glenn_and_alois_champion(tables: Tables) -> None:
    table = table_of(tables, tuned(GLENN_ALOI), tables.player("rule28"))
    assert score(table, (0, 1), 300) == 0.5
    ours = table.play(Block((1, 2), 0, 300)).winners
    assert ours == table.play(Block((0, 2), 0, 300)).winners


@pytest.mark.slow
def test_numbers_that_can_be_written_are_played_as_they_stand(tables: Tables) -> None:
    numbers = np.array(GLENN_ALOI, np.float64)
    table = table_of(tables, family_player(numbers))
    assert score(table, (0, 1), 300) == 0.5
    numbers[[THRESHOLD, TOPPED]] = 35, 20
    assert score(table, (0, 1), 2000) > 0.6


@pytest.mark.slow
def test_it_wins_at_least_69_percent_against_glenn_and_alois_champion(tables: Tables) -> None:
    assert score(table_of(tables, tuned()), (0, 1), 20_000) > 0.69


@pytest.mark.parametrize("sides", [2, 8])
@pytest.mark.parametrize("players", [1, 3, 4])
def test_it_plays_any_board_with_any_number_of_seats(sides: int, players: int) -> None:
    rules = derive(CLASSIC, {"sides": sides, "landing": "leave", "stop": "after-all-runners"})
    seated = [SeatedBot(f"tuned {seat}", tuned(), "tuned") for seat in range(players)]
    assert (
        not EngineTable(GAME, rules, seated, players, 1)
        .play(Block(tuple(range(players)), 0, 5))
        .faults
    )


def test_too_few_numbers_are_refused_with_their_count(tables: Tables) -> None:
    with pytest.raises(BotError, match=f"numbers must be {COUNT} numbers, not 2"):
        tables.catalogue.find("tuned", GAME).build({"numbers": [1, 2]})
