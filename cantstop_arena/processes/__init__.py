"""Child processes and signals: how a process is started, watched, limited and ended.

Nothing here knows a game or a bot.
"""
