"""Steps of many environments at once: in each a game, of which an agent has a seat or all seats.

What an environment does next is its stage. The other seats are those of compiled bots, which play
inside the engine, or of rivals, whose decisions come from outside like the agent's.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry, njit_inline
from cantstop_arena.games.cantstop.engine.game_array import OVER, TURN_LIMIT, slot
from cantstop_arena.games.cantstop.engine.kernel import start_game
from cantstop_arena.games.cantstop.engine.waiting_games import (
    ILLEGAL,
    answer_to,
    mark_legal,
    observe_head,
    place_head,
    play_on,
)

NEXT_DEAL, AGENT, RIVAL = range(3)
"""The stages: a deal begins, the agent decides, a rival decides."""

_SEAT, _TURN_AT, _MEMORY_SIZES = slot("seat"), slot("turn_at"), slot("memory_sizes")
_ENDING, _WINNERS = slot("ending"), slot("winners")
_NO_ANSWER = np.int64(-1)  # of the type of an answer, so that numba compiles for one type only


@njit_inline
def _begin_deal(handle, game_head, head, env, count, deals, agents, seats, codes, memory_sizes):
    """Begin the next deal of an environment; returns what it waits for.

    `seats` are the players, and the agent's seat if it is always the same, else -1.
    """
    players, fixed_seat = seats
    deals[env] += count
    # Environments begin in different seats, and each changes its seat from deal to deal.
    agents[env] = (deals[env] // count + env) % players if fixed_seat < 0 else fixed_seat
    bot = env % len(codes)
    for seat in range(players):
        is_bots = seat != agents[env]
        head[_TURN_AT + seat] = codes[bot] if is_bots else 0
        head[_MEMORY_SIZES + seat] = memory_sizes[bot] if is_bots else 0
    place_head(head, game_head, players)
    start_game(handle, deals[env])
    place_head(game_head, head, players)
    return play_on(handle, game_head, head, _NO_ANSWER, players)


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
    game_head,
    heads,
    board,
    numbers,
    shares,
    chances,
    seats,
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
    code (0 for a rival) and the size of its memory. `is_new` marks games in which the agent has not
    decided yet: if they end so, the next deal begins. At an end all actions are marked as legal, as
    the action of the next step is ignored. With `same_step` the next deal begins at once, and
    `last_observations` has what the agent observes at the end.
    """
    players, stop_action = board[0], board[6]
    count = len(heads)
    for env in range(count):
        if only_rivals and stages[env] != RIVAL:
            continue
        head = heads[env]
        if not only_rivals:
            rewards[env] = 0.0
            returns[env] = 0.0
            terminations[env] = truncations[env] = illegal[env] = False
        waiting = np.int64(OVER)
        actor = head[_SEAT]
        if stages[env] == NEXT_DEAL:
            is_new[env] = True
        else:
            answer = np.int64(answer_to(head, actions[env], numbers, stop_action))
            if answer == ILLEGAL:
                illegal[env] = True
            else:
                waiting = play_on(handle, game_head, head, answer, players)
        while waiting == OVER:
            if not is_new[env]:
                if illegal[env]:
                    _set_returns(returns[env], ((1 << players) - 1) & ~(1 << actor), players)
                    rewards[env] = -1.0
                    terminations[env] = True
                else:
                    _set_returns(returns[env], head[_WINNERS], players)
                    rewards[env] = returns[env, actor if is_self_play else agents[env]]
                    truncations[env] = head[_ENDING] == TURN_LIMIT
                    terminations[env] = not truncations[env]
                if not same_step:
                    break
                decider = head[_SEAT] if is_self_play else agents[env]
                observe_head(head, decider, board, shares, chances, last_observations[env])
            is_new[env] = True
            waiting = _begin_deal(
                handle, game_head, head, env, count, deals, agents, seats, codes, memory_sizes
            )
        if waiting != OVER and not is_self_play and head[_SEAT] != agents[env]:
            stages[env] = RIVAL
            continue
        stages[env] = NEXT_DEAL if waiting == OVER else AGENT
        is_new[env] = False
        decider = head[_SEAT] if is_self_play else agents[env]
        deciders[env] = decider
        observe_head(head, decider, board, shares, chances, observations[env])
        if waiting == OVER:
            legal[env] = True
        else:
            mark_legal(head, numbers, stop_action, legal[env])
