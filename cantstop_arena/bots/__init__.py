"""Sources of bots, their descriptions, and the processes in which they play."""
