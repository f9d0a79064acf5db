"""The decisions of Cubus."""

from cantstop_arena.extensions.cubus.builds.build import Build
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.game_api.decisions import decision


@decision
def build(view: CubusBotView) -> Build | None:
    """Return the build to make, or None to pass. Called on each own turn, and for the pool."""


@decision(optional=True)
def knock(view: CubusBotView) -> Build | None:
    """Return a build with the cards of the seat that has passed, or None."""


@decision(optional=True)
def take(view: CubusBotView) -> Build | None:
    """Return a pile of one crate less, or None for the first of `view.takes()`."""


HOOKS = (build, knock, take)
