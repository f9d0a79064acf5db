"""The tables of a tournament, one module each."""
