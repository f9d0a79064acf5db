"""Games in step: the same as one at a time, whatever the block, and with faults row by row."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.parameters import slow_but
from msgspec.structs import replace

from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.game_api.batches import Batch
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, RULES, RuleSet
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.table_spec import bot_start

Decide = Callable[[Batch], Any]


def net(seed: int, temperature: float = 0.0, rows: int = 8) -> BatchedBot:
    """A net of one layer, with random weights."""
    generator = np.random.default_rng(seed)
    weights: dict[tuple[int, int], Any] = {}

    def decide(batch: Batch) -> Any:
        shape = batch.observations.shape[1], batch.legal.shape[1]
        if shape not in weights:
            weights[shape] = generator.standard_normal(shape).astype(np.float32)
        return batch.observations @ weights[shape]

    return BatchedBot(GAME, decide, rows, temperature)


def random_actions(batch: Batch) -> Any:
    """A legal action for each row, drawn with the row's random number."""
    shares = batch.legal / np.maximum(1, batch.legal.sum(axis=1, keepdims=True))
    return (shares.cumsum(axis=1) > batch.random[:, None]).argmax(axis=1)


def seated(bot: BatchedBot | str, number: int) -> SeatedBot:
    if isinstance(bot, str):
        found = Loader(Path()).built_in_bot(bot, GAME)
        return replace(seat_bot(bot_start(bot, found, found.defaults), Loader(Path())), name=bot)
    return SeatedBot(f"net {number}", bot, f"net {number}", bot.seated)


def table_of(bots: Sequence[BatchedBot | str], rules: RuleSet = CLASSIC) -> EngineTable:
    """A table of these bots."""
    seats = [seated(bot, number) for number, bot in enumerate(bots)]
    table: EngineTable = GAME.table(rules, seats, len(bots), 7)
    table.keeps_counts = True
    return table


def played(
    bots: Sequence[BatchedBot | str],
    deals: int,
    cuts: Sequence[int] = (),
    alone: bool = False,
    **words: Any,
) -> list[BlockResult]:
    """The results of the deals in blocks; with `alone` one game after the other."""
    table, ends = table_of(bots, **words), [*cuts, deals]
    group = tuple(range(len(bots)))
    blocks = [Block(group, a, b - a) for a, b in zip([0, *cuts], ends, strict=True)]
    return [table.play(block, alone=alone) for block in blocks]


@pytest.mark.parametrize(
    ("bots", "rules", "deals"),
    slow_but(
        [4],
        [
            ([net(1), "rule28"], "classic", 20),
            ([net(1, temperature=1.0), "rule28"], "classic", 20),
            ([net(1), net(2, rows=5)], "classic", 8),
            ([BatchedBot(GAME, random_actions), "glenn-aloi"], "classic", 20),
            ([net(1), "rule28", net(2, 0.5)], "jump", 3),
            ([net(1), net(2), "rule28", net(3)], "korean", 1),
            ([net(1)], "classic", 8),
        ],
    ),
)
def test_a_block_in_step_is_the_same_as_games_one_at_a_time(
    bots: Sequence[Any], rules: str, deals: int
) -> None:
    rule_set = RULES.named[rules][0]
    (together,) = played(bots, deals, rules=rule_set)
    (alone,) = played(bots, deals, rules=rule_set, alone=True)
    assert together == alone


@pytest.mark.slow
def test_a_compiled_bot_has_its_own_memory_again_after_games_in_step() -> None:
    names: list[BatchedBot | str] = [net(1), "rule28", "champion"]
    bots = [seated(bot, number) for number, bot in enumerate(names)]
    after, fresh = (GAME.table(CLASSIC, bots, 2, 7) for _ in range(2))
    after.play(Block((0, 2), 0, 2))
    compiled = Block((1, 2), 0, 2)
    assert after.play(compiled) == fresh.play(compiled)
    own = [memory.ctypes.data for memory in after._memories]
    assert after.games[0].memory_at.tolist() == own


def test_what_a_bot_sees_of_a_game_is_the_same_in_any_block() -> None:
    seen: list[dict[bytes, int]] = []

    def decide(batch: Batch) -> Any:
        for row in np.flatnonzero(batch.live).tolist():
            parts = (batch.observations, batch.legal, batch.seats, batch.random)
            key = b"".join(part[row].tobytes() for part in parts)
            assert seen[-1].setdefault(key, row) == row
        return random_actions(batch)

    for cuts in ([], [3, 4, 11]):
        seen.append({})
        played([BatchedBot(GAME, decide, 8), "rule28"], 16, cuts)
    assert seen[0] == seen[1]
    assert len(seen[0]) > 500


def failing(how: str) -> Decide:
    """Fails in some rows, by their random number alone."""

    def decide(batch: Batch) -> Any:
        actions = random_actions(batch)
        bad = batch.live & (batch.random * 7919 % 1 < 0.02)
        if how == "raises" and bad.any():
            raise ValueError("an unlucky number")
        if how == "shape" and bad.any():
            return actions[:-1]
        if how == "illegal":
            actions[bad] = 999
        if how == "nan":
            logits = np.zeros(batch.legal.shape)
            logits[np.arange(len(actions)), actions] = 9
            logits[bad] = np.nan
            return logits
        return actions

    return decide


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ("raises", "exception", "ValueError: an unlucky number"),
        ("shape", "illegal answer", "decide: an array (7,) of int64 is no answer"),
        ("illegal", "illegal answer", "decide: action 999 is illegal there"),
        ("nan", "illegal answer", "decide: a logit of a legal action is not a number"),
    ],
)
def test_only_rows_that_fail_lose_their_games(how: str, kind: str, message: str) -> None:
    bots: list[BatchedBot | str] = [BatchedBot(GAME, failing(how), 8), "rule28"]
    (together,) = played(bots, 30)
    (alone,) = played(bots, 30, alone=True)
    assert together == alone
    assert 5 < len(together.faults) < 30
    assert {fault.kind for fault in together.faults} == {kind}
    assert all(fault.message.startswith(message) for fault in together.faults)
    in_pieces = played(bots, 30, [7, 20])
    assert [fault for part in in_pieces for fault in part.faults] == list(together.faults)


def test_a_bot_that_fails_only_among_others_is_marked() -> None:
    def decide(batch: Batch) -> Any:
        if batch.live.sum() > 3:
            raise ValueError("too many")
        return random_actions(batch)

    (result,) = played([BatchedBot(GAME, decide, 8), "rule28"], 4)
    assert result.irreproducible == (0,)
    assert result.faults


def test_a_bot_whose_answers_depend_on_other_rows_is_marked() -> None:
    """The game that is played alone before and after the block has another winner in it."""

    def decide(batch: Batch) -> Any:
        if batch.live.sum() == 1:
            return np.full(batch.rows, -1)  # alone it loses at once
        has_free_runner = batch.observations[:, 54] > 0
        return np.where(batch.legal[:, 78], 77 + has_free_runner, batch.legal.argmax(axis=1))

    (result,) = played([BatchedBot(GAME, decide, 8), "random"], 40)
    assert result.irreproducible == (0,)


@pytest.mark.slow
def test_faults_of_compiled_bots_in_step_are_those_of_their_games(tmp_path: Path) -> None:
    path = tmp_path / "unlucky.py"
    path.write_text("""
from cantstop_arena import compiled

@compiled
def choose_move(turn, moves):
    if turn.random() < 0.01:
        return 1 // (turn.rolls - turn.rolls)
    return 99 if turn.random() < 0.01 else 0

@compiled
def roll_again(turn):
    return turn.rolls < 3
""")
    loader = Loader(tmp_path)
    bot = loader.load_file(path)
    seat = seat_bot(bot_start("unlucky", bot, bot.defaults), loader)
    results = []
    for alone in (False, True):
        table = table_of([net(1), net(2)])
        table = GAME.table(CLASSIC, [seat, table.seated_bots[0]], 2, 7)
        results.append(table.play(Block((0, 1), 0, 40), alone=alone))
    assert results[0] == results[1]
    assert {fault.kind for fault in results[0].faults} == {"exception", "illegal answer"}
    assert {fault.bot for fault in results[0].faults} == {0}
