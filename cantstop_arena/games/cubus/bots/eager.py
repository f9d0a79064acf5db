"""Builds a target with most points, with as many new open cards as allowed."""

from cantstop_arena.games.cubus.bots import strategies

build = strategies.eager
knock = strategies.greedy
