"""Maximises its points minus the expected bound on the next player's points."""

from cantstop_arena.games.cubus.bots import strategies

build = strategies.deny
knock = strategies.greedy
