"""Builds a target with fewest points; knocks with a greedy build."""

from cantstop_arena.games.cubus.bots import strategies

build = strategies.frugal
knock = strategies.greedy
