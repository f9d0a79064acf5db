"""The arena in Python: what `import cantstop_arena as ca` offers besides the words of bots."""
