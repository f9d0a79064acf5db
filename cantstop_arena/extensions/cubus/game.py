"""Cubus, as a `Game` of the arena."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cantstop_arena.extensions.cubus.hooks import HOOKS
from cantstop_arena.extensions.cubus.measures import COUNTED
from cantstop_arena.extensions.cubus.rules import LEAFLET, PLAYERS, RULES, RuleSet
from cantstop_arena.game_api.game import CheckGame, Game
from cantstop_arena.game_api.state import Deal, Event

if TYPE_CHECKING:
    from cantstop_arena.extensions.cubus.codec import CubusCodec
    from cantstop_arena.extensions.cubus.state import CubusState
    from cantstop_arena.table.seated_bot import SeatedBot
    from cantstop_arena.table.table import GameTable

BOTS = ("champion", "greedy", "deny", "eager", "hasty", "frugal", "random")


class Cubus(Game):
    """Reinhold Wittig's game of crates."""

    name = "cubus"
    title = "Cubus"
    players = PLAYERS
    rules = RULES
    hooks = HOOKS
    counts = COUNTED
    bots: Mapping[str, str] = MappingProxyType(
        {name: f"cantstop_arena.extensions.cubus.bots.{name}" for name in BOTS}
    )
    compiled_bots = tuple(BOTS)
    usual_bots = ("greedy", "deny", "hasty", "eager", "frugal", "random")
    training = "cantstop_arena.extensions.cubus.nets.cubus_training:start_training"
    view = "cantstop_arena.extensions.cubus.view.view:CubusView"

    @cached_property
    def codec(self) -> CubusCodec:
        from cantstop_arena.extensions.cubus.codec import CubusCodec

        return CubusCodec()

    def begin(self, deal: Deal) -> CubusState:
        from cantstop_arena.extensions.cubus.state import CubusState

        return CubusState(deal)

    def bot_note(self, bot: str, options: Mapping[str, Any], rules: RuleSet, players: int) -> str:
        """A note if champion's net was trained for other rules, or its file for other seats."""
        if bot != "champion":
            return ""
        from cantstop_arena.extensions.cubus.nets.cubus_net_files import net_note

        return net_note(options.get("nets", ""), rules, players)

    def prepare(self, rules: RuleSet, players: int) -> None:
        """Load the library of the rules' box (built at first use), and the compiled searches."""
        from cantstop_arena.extensions.cubus.kernel_table import warm_up

        warm_up(rules)

    def check_suite(self) -> Iterable[CheckGame]:
        """All named rule sets with two and three players, and the leaflet with four and more."""
        for rules, _ in self.rules.named.values():
            yield from (CheckGame(rules, players) for players in (2, 3))
        yield from (CheckGame(LEAFLET, players) for players in self.players if players > 3)

    def action_text(self, event: Event) -> str:
        match event["event"]:
            case "pass":
                return "passes"
            case "build" | "ending":
                return f"builds {event['pile']} for {event['points']}"
            case "knock":
                return f"knocks with {event['pile']} for {event['points']}"
            case "take":
                return f"wins {event['cards'] or 'no card'}"
        return ""

    def bot_template(self, compiled: bool) -> str:
        name = "compiled" if compiled else "plain"
        return resources.files(__package__).joinpath(f"templates/{name}.py.txt").read_text("utf-8")

    def table(
        self, rules: RuleSet, seated_bots: Sequence[SeatedBot], players: int, seed: Any
    ) -> GameTable:
        from cantstop_arena.extensions.cubus.kernel_table import KernelTable

        return KernelTable(self, rules, seated_bots, players, seed)


GAME = Cubus()
