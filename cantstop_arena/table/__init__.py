"""Tables, at which bots play any game: blocks of deals, faults, records.

`table` has the base class of all tables, `plain_table` the table for games in plain Python.
"""
