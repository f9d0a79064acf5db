"""Tournaments: from a file to its games, which are played and stored in a ledger."""
