"""The public name of the environments, which are in the extension `learn`."""

from typing import Any

from cantstop_arena.extension_registry import needed

_environments = needed("environments", "cantstop_arena.environments", "learn")
__all__ = _environments.__all__


def __getattr__(name: str) -> Any:
    """What the extension has under this name."""
    return getattr(_environments, name)
