"""Games of packages in step: the same as one at a time, whatever the block, and with faults."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.game_packages import examples
from helpers.parameters import slow_but
from helpers.sealed_game import SEALED

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.game_api.batches import Batch
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import game_named
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.plain_table import PlainTable
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.table_spec import bot_start

installed = examples("kuhn_poker", "four_in_a_row", "tandem", "orchard", modules={"sealed": SEALED})


class Net:
    """A bot that draws its actions by the row, and notes the rows with a game of each batch."""

    def __init__(self, game: Game, rows: int = 8, bad: float = 0, temperature: float = 0.0) -> None:
        self.live: list[int] = []
        self._bad = bad
        self.bot = BatchedBot(game, self.decide, rows, temperature)

    def decide(self, batch: Batch) -> Any:
        self.live.append(int(batch.live.sum()))
        shares = batch.legal / np.maximum(1, batch.legal.sum(axis=1, keepdims=True))
        random = (batch.random + 0.37 * np.arange(batch.rows)) % 1  # another game in another row
        actions = (shares.cumsum(axis=1) > random[:, None]).argmax(axis=1)
        return np.where(batch.random * 7919 % 1 < self._bad, 999, actions)


def table_of(game: Game, bots: Sequence[BatchedBot | str], players: int) -> Any:
    catalogue = Catalogue(Path(), game)
    seats = []
    for number, bot in enumerate(bots):
        if isinstance(bot, str):
            loader = Loader(Path())
            found = catalogue.find(bot)
            seats.append(seat_bot(bot_start(bot, found, found.defaults), loader))
        else:
            seats.append(SeatedBot(f"net {number}", bot, f"net {number}", bot.seated))
    table = game.table(game.rules.default, seats, players, 7)
    table.keeps_counts = True
    table.warm_up()
    return table


def played(
    game: Game,
    bots: Sequence[BatchedBot | str],
    deals: int,
    cuts: Sequence[int] = (),
    alone: bool = False,
    players: int = 2,
) -> list[BlockResult]:
    """The results of the deals in blocks; with `alone` one game after the other."""
    table, ends = table_of(game, bots, players), [*cuts, deals]
    group = tuple(range(len(bots)))
    assert isinstance(table, PlainTable)
    assert table.plays_in_step(group)
    blocks = [Block(group, a, b - a) for a, b in zip([0, *cuts], ends, strict=True)]
    return [table.play(block, alone=alone) for block in blocks]


@pytest.mark.parametrize(
    ("name", "rival", "players", "deals"),
    slow_but(
        [0, 2, 4],
        [
            ("kuhn-poker", None, 2, 60),
            ("four-in-a-row", None, 2, 12),
            ("sealed", None, 2, 40),
            ("sealed", None, 3, 12),
            ("tandem", None, 4, 10),
            ("orchard", None, 2, 30),
            ("orchard", "careful", 2, 30),
        ],
    ),
)
def test_games_in_step_are_those_that_are_played_alone(
    name: str, rival: str | None, players: int, deals: int
) -> None:
    game = game_named(name)
    nets = [Net(game), Net(game, 5), Net(game, 3)]
    own = [net.bot for net in nets[: game.lineup_size(players)]]
    bots: list[Any] = [own[0], rival] if rival else own
    (together,) = played(game, bots, deals, players=players)
    assert max(nets[0].live) > 4
    (alone,) = played(game, bots, deals, alone=True, players=players)
    assert together == alone
    cut = played(game, bots, deals, [3, deals // 2], players=players)
    masks = np.concatenate([result.masks() for result in cut])
    assert masks.tolist() == together.masks().tolist()
    assert b"".join(result.measures for result in cut) == together.measures
    assert not together.faults
    assert not together.irreproducible


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kuhn-poker", "sealed", "orchard"])
def test_only_rows_that_fail_lose_their_games(name: str) -> None:
    game = game_named(name)
    bots = [Net(game, bad=0.05).bot, Net(game, 5).bot]
    (together,), (alone,) = (played(game, bots, 40, alone=alone) for alone in (False, True))
    assert together == alone
    assert {fault.kind for fault in together.faults} == {"illegal answer"}
    assert 3 < len(together.faults) < 40
    in_pieces = played(game, bots, 40, [7, 20])
    assert [fault for part in in_pieces for fault in part.faults] == list(together.faults)
