"""A game that moved in by a hook: see tests/test_third_game.py."""
