"""Exact play: turns solved exactly, boards small enough for every position to be solved, regret.

`board` numbers the positions of small boards, `turn_solver` solves one turn on them,
`board_solver` all positions, and `solved_tables` stores the values. `turn_board` and
`three_runner_turn` solve one turn with three runners on boards of any size; a net gives the values
of the positions in which the turn can end.
Source: Glenn, Fang and Kruskal, "A Retrograde Approximation Algorithm for One-Player (Two-Player,
Multi-Player) Can't Stop", 2007 and 2008.
"""
