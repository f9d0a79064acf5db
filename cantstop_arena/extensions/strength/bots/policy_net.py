"""A small net that chooses its actions at once, without looking ahead.

It was trained by `python -m cantstop_arena.extensions.learn.environments.ppo policy-net.npz
--opponents rule28,glenn-aloi,tuned,champion --updates 800 --every 50
--rivals rule28,glenn-aloi,tuned,champion`.
"""

from pathlib import Path

from cantstop_arena.extensions.strength import nets
from cantstop_arena.game_api.policy_net import PolicyNet
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.hookspecs import hookimpl

RULES, PLAYERS = CLASSIC, 2  # for which the net was trained

_NET = PolicyNet.load(Path(nets.__file__).with_name("shipped") / "policy-net-2.npz")


@hookimpl
def decide(batch, temperature=0.0):
    """Return the logits of the net."""
    return _NET(batch.observations)
