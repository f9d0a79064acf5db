"""Four in a row, an example of a game without chance."""
