"""Others' statistics, that ours are held against: each package is imported when it is first used.

Most tests need none of them, and some fork: a process that has them all is twice as large.
"""

import importlib
from typing import Any


class _Package:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for marks on all that a test file names
            raise AttributeError(name)
        return getattr(importlib.import_module(self._name), name)


choix = _Package("choix")
optimize = _Package("scipy.optimize")
stats = _Package("scipy.stats")
sm = _Package("statsmodels.api")
multitest = _Package("statsmodels.stats.multitest")
power_tables = _Package("statsmodels.stats.power")
weightstats = _Package("statsmodels.stats.weightstats")
