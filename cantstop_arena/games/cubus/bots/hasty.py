"""Builds a target with most points among those that differ little from the pile."""

from cantstop_arena.games.cubus.bots import strategies

build = strategies.hasty
knock = strategies.hasty
