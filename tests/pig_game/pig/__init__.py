"""The game of Pig."""
