"""Processes, signals, and the state of the interpreter: what nothing here knows a game by."""
