"""Compares a kernel in machine code with the game in plain Python, by random games."""

from __future__ import annotations

from typing import Any, NamedTuple

from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.kernel_spec import CHANCE, OVER, Kernel, numbers_of
from cantstop_arena.game_api.position import Position
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.hookspecs import BotFunctions, compiled
from cantstop_arena.table.compiled_table import CompiledTable
from cantstop_arena.table.plain_table import PlainTable
from cantstop_arena.table.seated_bot import SeatedBot

_SEED = 1


class KernelGame(NamedTuple):
    """What a game in plain Python comes to."""

    winners: tuple[int, ...]
    points: tuple[int, ...]
    decisions: tuple[int, ...]


@compiled
def _at_random(view, moves):  # type: ignore[no-untyped-def]  # numba takes no annotations
    return int(view.random() * len(moves))


def kernel_difference(game: Game, rules: Any, players: int, games: int = 50) -> str | None:
    """How machine code and plain Python differ in random games, as text; None if they do not.

    Also None where these rules have no kernel. A game with a `state` of its own is compared with
    its kernel step by step, too. Raises GameError and BotError.
    """
    kernel = game.kernel(rules, players)
    if kernel is None:
        return None
    if game.state is not None:
        for deal in range(games):
            if difference := _step_difference(game, kernel, rules, players, deal):
                return f"random game {deal}, {difference}"
    (decision,) = game.decisions
    bot = SeatedBot("random", BotFunctions(**{decision: _at_random}), "random")
    table = CompiledTable(game, rules, [bot], players, _SEED)
    table.warm_up()
    if not table.is_compiled((0,)):
        return None
    for deal in range(games):
        payoffs, decisions = table.played_alone((0,) * players, deal)
        plain = _played_plainly(table, deal)
        winners = (game.payoff or Payoff()).winners(payoffs)
        fast = KernelGame(winners, tuple(payoffs), tuple(decisions))
        if not plain.points:
            fast = fast._replace(points=())
        for name, of_machine, of_python in zip(KernelGame._fields, fast, plain, strict=True):
            if of_machine != of_python:
                return (
                    f"deal {deal}: {name} are {[*of_machine]} in machine code,"
                    f" {[*of_python]} in plain Python"
                )
    return None


def _played_plainly(table: PlainTable, deal: int) -> KernelGame:
    """The same game in plain Python."""
    table.start((0,) * len(table.orders[0]), deal)
    table.play_out()
    result = table.result()
    return KernelGame(table.winners(result), tuple(result.points), tuple(table.decision_counts))


def _step_difference(
    game: Game, kernel: Kernel, rules: Any, players: int, number: int
) -> str | None:
    """Where a random game of the state and of the kernel part; None if they do not."""
    position, state = game.position(rules, players, track=False), [0] * kernel.size
    kernel.setup(state, numbers_of(rules), players)
    random, step = Stream(number), 0
    while not position.is_over:
        step += 1
        if difference := _difference(position, kernel, state):
            return f"step {step}: {difference}"
        if position.is_chance:
            choice = random.below(len(position.outcomes()))
            position.give(choice)
        else:
            choice = position.legal[random.below(len(position.legal))]
            position.step(choice)
        kernel.act(state, choice)
    return None if kernel.who(state) == OVER else f"step {step}: only the state says it is over"


def _difference(position: Position, kernel: Kernel, state: list[int]) -> str | None:
    """What a position and the kernel's state do not have in common; None if there is nothing."""
    who = kernel.who(state)
    if who != position.to_move:
        return f"who() is {who}, but the state asks {position.to_move}"
    if who == CHANCE:
        count = kernel.outcomes(state) if kernel.outcomes else 0
        expected = len(position.outcomes())
        return f"outcomes() is {count}, of the state {expected}" if count != expected else None
    out = [0] * kernel.widest
    legal, expected_legal = out[: kernel.legal(state, out)], [*position.legal]
    if legal != expected_legal:
        return f"legal() has {legal}, the state {expected_legal}"
    return None
