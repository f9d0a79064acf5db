"""Tandem, an example of a game of partners."""
