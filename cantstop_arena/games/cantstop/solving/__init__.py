"""Exact play: boards small enough for every position to be solved.

`board` numbers the positions, `turns` solves a turn, `positions` all of them, `tables` keeps them.
Source: Glenn, Fang and Kruskal, "A Retrograde Approximation Algorithm for One-Player (Two-Player,
Multi-Player) Can't Stop", 2007 and 2008.
"""
