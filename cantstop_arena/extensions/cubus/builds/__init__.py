"""Cards, the piles they make, and builds: authors of bots import `Build` from here."""

from cantstop_arena.extensions.cubus.builds.build import Build

__all__ = ["Build"]
