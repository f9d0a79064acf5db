"""Compiled code: a hash of its inputs, how it is stored on disk, and how it is loaded.

Nothing here depends on a game. `code_cache` hashes functions and all values that they name;
`numba_store` stores code compiled by numba under such a hash.
"""
