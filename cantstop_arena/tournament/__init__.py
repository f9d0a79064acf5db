"""Tournaments: from a file to all the games it asks for, played and written down."""
