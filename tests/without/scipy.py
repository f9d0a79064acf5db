"""Stands in for scipy in the processes that tests start, as on the machine of most users.

numba imports scipy where there is one, which takes as long as all else together.
"""

raise ImportError("scipy is for the tests alone")
