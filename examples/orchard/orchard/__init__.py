"""Orchard, an example of a game with a kernel."""
