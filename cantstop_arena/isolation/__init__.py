"""Bots in processes of their own, asked over a pipe: docs/protocol.md says how.

`remote` asks, `serve` answers for a bot in Python, and `describe` learns what a bot file holds
without running it here.
"""
