"""How much to play: intervals and tests that may be looked at while games go on, and planning."""
