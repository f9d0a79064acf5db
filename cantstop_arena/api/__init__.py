"""The Python API: what `import cantstop_arena as ca` offers besides the interface for bots."""
