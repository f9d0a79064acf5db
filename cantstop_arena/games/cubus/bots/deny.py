"""Weighs its points against what counts of cards leave to the next player."""

from cantstop_arena.games.cubus.bots import strategies

build = strategies.deny
knock = strategies.greedy
