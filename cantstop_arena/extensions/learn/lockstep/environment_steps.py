"""Steps of many environments at once: in each a game, of which an agent has a seat or all seats.

What an environment does next is its stage. The other seats are those of compiled bots, which play
inside the engine, or of rivals, whose decisions come from outside like the agent's.
"""

import numpy as np

from cantstop_arena.extensions.learn.compiled import njit_entry, njit_inline
from cantstop_arena.games.cantstop.engine.bot_calls import game_at
from cantstop_arena.games.cantstop.engine.game_array import OVER, TURN_LIMIT
from cantstop_arena.games.cantstop.engine.kernel import advance, start_game
from cantstop_arena.games.cantstop.engine.steps import (
    ILLEGAL,
    answer_to,
    mark_legal,
    write_observation,
)
from cantstop_arena.games.cantstop.engine.waiting_games import place_head

NEXT_DEAL, AGENT, RIVAL = range(3)
"""The stages: a deal begins, the agent decides, a rival decides."""

_NO_ANSWER = np.int64(-1)  # of the type of an answer, so that numba compiles for one type only


@njit_inline
def _begin_deal(handle, game, env, count, deals, agents, fixed_seat, codes, memory_sizes):
    """Begin the next deal of an environment; returns what it waits for."""
    deals[env] += count
    # Environments begin in different seats, and each changes its seat from deal to deal.
    in_turn = (deals[env] // count + env) % game.players
    agents[env] = in_turn if fixed_seat < 0 else fixed_seat
    bot = env % len(codes)
    for seat in range(game.players):
        is_bots = seat != agents[env]
        game.turn_at[seat] = codes[bot] if is_bots else 0
        game.memory_sizes[seat] = memory_sizes[bot] if is_bots else 0
    start_game(handle, deals[env])
    return advance(handle, _NO_ANSWER)


@njit_inline
def _observe(game, seat, observation):
    observation[:] = 0
    write_observation(game, game.waiting, seat, observation)


@njit_inline
def _set_returns(returns, winners, players):
    """Set the return of each seat, as `position.returns_of`."""
    count = 0
    for seat in range(players):
        count += winners >> seat & 1
    for seat in range(players):
        if players == 1:
            returns[seat] = count
        elif count:
            share = players / (count * (players - 1)) if winners >> seat & 1 else 0.0
            returns[seat] = share - 1.0 / (players - 1)


@njit_entry
def step_environments(
    handle,
    record,
    heads,
    fixed_seat,
    codes,
    memory_sizes,
    is_self_play,
    same_step,
    only_rivals,
    stages,
    is_new,
    deals,
    agents,
    actions,
    observations,
    legal,
    rewards,
    terminations,
    truncations,
    deciders,
    returns,
    illegal,
    last_observations,
):
    """Step every environment, or only those that wait for a rival's action.

    `actions` has the action of whoever decides. Environment i has the opponent i % k of k, with its
    code (0 for a rival) and the size of its memory; `fixed_seat` is the agent's, or -1. `is_new`
    marks games in which the agent has not decided yet: if they end so, the next deal begins. At an
    end all actions are marked as legal, as the action of the next step is ignored. With `same_step`
    the next deal begins at once, and `last_observations` has what the agent observes at the end.
    """
    game = game_at(handle)
    players, count = game.players, len(heads)
    for env in range(count):
        if only_rivals and stages[env] != RIVAL:
            continue
        if not only_rivals:
            rewards[env] = 0.0
            returns[env] = 0.0
            terminations[env] = truncations[env] = illegal[env] = False
        head = heads[env]
        place_head(head, record, players)
        waiting = np.int64(OVER)
        actor = game.seat
        if stages[env] == NEXT_DEAL:
            is_new[env] = True
        else:
            answer = np.int64(answer_to(game, actions[env]))
            if answer == ILLEGAL:
                illegal[env] = True
            else:
                waiting = advance(handle, answer)
        while waiting == OVER:
            if not is_new[env]:
                if illegal[env]:
                    _set_returns(returns[env], ((1 << players) - 1) & ~(1 << actor), players)
                    rewards[env] = -1.0
                    terminations[env] = True
                else:
                    _set_returns(returns[env], game.winners, players)
                    rewards[env] = returns[env, actor if is_self_play else agents[env]]
                    truncations[env] = game.ending == TURN_LIMIT
                    terminations[env] = not truncations[env]
                if not same_step:
                    break
                _observe(game, game.seat if is_self_play else agents[env], last_observations[env])
            is_new[env] = True
            waiting = _begin_deal(
                handle, game, env, count, deals, agents, fixed_seat, codes, memory_sizes
            )
        place_head(record, head, players)
        if waiting != OVER and not is_self_play and game.seat != agents[env]:
            stages[env] = RIVAL
            continue
        stages[env] = NEXT_DEAL if waiting == OVER else AGENT
        is_new[env] = False
        deciders[env] = game.seat if is_self_play else agents[env]
        _observe(game, deciders[env], observations[env])
        if waiting == OVER:
            legal[env] = True
        else:
            legal[env] = False
            mark_legal(game, waiting, legal[env])
