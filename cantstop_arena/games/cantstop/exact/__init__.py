"""Exact play: turns solved exactly, boards small enough for every position to be solved, regret.

`board` numbers the positions of small boards, `turn_solver` solves a turn on them, `board_solver`
all positions, `solved_tables` stores them. `turn_board` and `three_runner_turn` solve one turn
with three runners on boards of any size, with a net for the values of its ends.
Source: Glenn, Fang and Kruskal, "A Retrograde Approximation Algorithm for One-Player (Two-Player,
Multi-Player) Can't Stop", 2007 and 2008.
"""
