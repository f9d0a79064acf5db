"""The public name of a module of the extension `learn`: the same module."""

import sys
from importlib import import_module

from cantstop_arena.extension_registry import needed

_environments = needed("environments", "cantstop_arena.environments", "learn")
sys.modules[__name__] = import_module(f"{_environments.__name__}.pettingzoo_env")
