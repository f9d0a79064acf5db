"""Where bots play, whatever the game is: blocks of deals, faults, records.

`table` has what every table does, `plain_table` the one for games in plain Python.
"""
