"""Kuhn poker, an example of a game with hidden cards."""
