"""Builds a target with most points."""

from cantstop_arena.games.cubus.bots import strategies

build = strategies.greedy
knock = strategies.greedy
