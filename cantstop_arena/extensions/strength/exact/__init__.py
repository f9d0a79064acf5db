"""Exact play: turns solved exactly, boards small enough for every position to be solved, regret.

`board` has the menus and outcomes of rolls, and numbers the positions of small boards;
`turn_solver` solves one turn on them, `board_solver` all positions, and `solved_tables` stores the
values. `three_runner_turn` solves one turn with three runners on boards up to the classic one, with
`three_runner_sets` and `two_runner_sets` for the states with so many runners placed; a
net gives the values of the positions in which the turn can end. Where both solvers can solve a
turn, they agree. An `Evaluator` has the values of one of them for decisions.
Source: Glenn, Fang and Kruskal, "A Retrograde Approximation Algorithm for One-Player (Two-Player,
Multi-Player) Can't Stop", 2007 and 2008.
"""
