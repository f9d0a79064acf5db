"""Builds a uniformly random target, and never knocks."""

from cantstop_arena.games.cubus.bots import strategies

build = strategies.random
