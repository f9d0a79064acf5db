"""A public name, for tools that read types."""

from cantstop_arena.extensions.learn.environments.ppo import *
