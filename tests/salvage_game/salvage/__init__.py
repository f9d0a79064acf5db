"""A game that moved in by a hook: see tests/games/test_third_game.py."""
