"""Comparisons of rule sets: the same bots play the same deals under each of them."""
