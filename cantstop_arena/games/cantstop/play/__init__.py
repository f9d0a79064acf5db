"""Play of Can't Stop: the game's table, calls of plain bots, tallies, and positions to step."""
