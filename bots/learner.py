"""Learns from the games that it plays how much risk pays, against whoever sits there.

A bandit: before each game one of several limits of risk is chosen, the one with the greatest upper
confidence bound of its score (UCB1; Auer, Cesa-Bianchi and Fischer, Machine Learning 47, 2002).
"""

from math import inf, log, sqrt

from cantstop_arena import hookimpl

learns = True  # the file is loaded once for 256 games in a row, not for each game

RISKS = (0.02, 0.1, 0.3, 0.6, 1.0, 2.0, 4.0)
games = dict.fromkeys(RISKS, 0)
points = dict.fromkeys(RISKS, 0.0)
chosen = RISKS[0]


def bound(risk, trust):
    """The upper confidence bound of a limit's score; infinite for one that was never tried."""
    if not games[risk]:
        return inf
    return points[risk] / games[risk] + trust * sqrt(log(sum(games.values())) / games[risk])


@hookimpl
def choose_move(turn, moves):
    return max(range(len(moves)), key=lambda index: sum(map(turn.chance, moves[index])))


@hookimpl
def roll_again(turn):
    return turn.rolls * turn.bust_chance() < chosen


@hookimpl
def game_over(turn, result, trust=0.3):
    """Add the result to the limit's points, and choose the limit of the next game."""
    global chosen
    games[chosen] += 1
    points[chosen] += result.share
    chosen = max(RISKS, key=lambda risk: bound(risk, trust))
