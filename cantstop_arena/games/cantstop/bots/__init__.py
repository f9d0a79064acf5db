"""The built-in bots: published strategies and simple references, one file each.

They enter through the same hooks as anybody's.
"""
