"""What a compiled bot sees: types of numba over the record of a game."""
