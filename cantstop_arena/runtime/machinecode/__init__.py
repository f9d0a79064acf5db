"""Machine code that is whole and fresh: what it was made from, and how it is kept on disk.

Knows of no game. `fingerprint` says what functions and modules come to, with all that they reach;
`store` keeps what numba has made of a function under such a name.
"""
