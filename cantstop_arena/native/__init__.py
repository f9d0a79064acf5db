"""Compiled code: what it is made from, how it is stored on disk, and how it is loaded.

Nothing here knows a game: `fingerprint` hashes what functions reach, `numba_store` stores what
numba has compiled under such a name.
"""
