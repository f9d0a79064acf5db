"""Tournaments: from a file to the games that it asks for, played and stored in a ledger."""
