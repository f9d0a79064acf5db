"""The definition of Can't Stop for the arena: rules, bots, decisions and views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib import resources
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cantstop_arena.deals.outcomes import SharedWindow
from cantstop_arena.extension_registry import game_bots
from cantstop_arena.game_api.adviser import adviser_of
from cantstop_arena.game_api.game import CheckGame, Game
from cantstop_arena.game_api.state import Event
from cantstop_arena.games.cantstop.dice_odds import hit_table
from cantstop_arena.games.cantstop.hooks import HOOKS, game_over
from cantstop_arena.games.cantstop.measures import COUNTED
from cantstop_arena.games.cantstop.rules import (
    CLASSIC,
    PLAYERS,
    RULES,
    RuleSet,
    derive,
    small_board,
)

if TYPE_CHECKING:
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.game_api.batches import Encoding
    from cantstop_arena.game_api.position import Position
    from cantstop_arena.games.cantstop.codec import CantStopCodec
    from cantstop_arena.games.cantstop.play.step_position import CantStopPosition
    from cantstop_arena.games.cantstop.turn import Move, Turn
    from cantstop_arena.table.seated_bot import SeatedBot


_UNUSUAL_RULES: Sequence[Mapping[str, Any]] = (
    {"sides": 2, "columns_to_win": 2},  # a board of three columns has no more than three to win
    {"sides": 8},
    {"runners": 1},
    {"runners": 5},
    {"landing": "jump", "stop": "after-all-runners"},
    {"landing": "leave", "stop": "after-all-runners"},
    {"columns_to_win": 1},
)


_BOTS = (
    "random",
    "cautious",
    "daring",
    "odds",
    "fifty-percent",
    "five-columns",
    "rule28",
    "glenn-aloi",
    "synthesised",
    "tuned",
)


class CantStop(Game):
    """Sid Sackson's game."""

    name = "cantstop"
    title = "Can't Stop"
    players = PLAYERS
    rules = RULES
    hooks = HOOKS
    listener = staticmethod(game_over)
    counts = COUNTED
    usual_bots = ("rule28", "glenn-aloi", "odds", "cautious")
    view = "cantstop_arena.views.cantstop.view:CantStopView"
    has_rolls = True
    perfect_information = True
    luck = "busts, by their exact odds and the progress at stake"
    estimates_chances = True
    rules_pattern = "write a small board as N,K: dice with N sides, shortest columns of K spaces"
    table_class = "cantstop_arena.games.cantstop.play.engine_table:EngineTable"

    @cached_property
    def bots(self) -> Mapping[str, str]:  # type: ignore[override]
        """The core's bots, and those of extensions."""
        own = {name: f"{__package__}.bots.{name.replace('-', '_')}" for name in _BOTS}
        return {**own, **{name: bot.module for name, bot in game_bots(self.name).items()}}

    @cached_property
    def editions(self) -> Mapping[str, int]:  # type: ignore[override]
        """The editions of the bots of extensions."""
        return {name: bot.edition for name, bot in game_bots(self.name).items()}

    @cached_property
    def codec(self) -> CantStopCodec:
        from cantstop_arena.games.cantstop.codec import CantStopCodec

        return CantStopCodec()

    @property
    def window(self) -> SharedWindow:
        from cantstop_arena.games.cantstop.play.engine_table import SIZE, snapshot_reader

        return SharedWindow(SIZE, snapshot_reader, self.title)

    def check_suite(self) -> Iterable[CheckGame]:
        """All named rule sets and some unusual ones, with every number of seats."""
        yield from super().check_suite()
        for changes in _UNUSUAL_RULES:
            rules = derive(CLASSIC, changes)
            yield from (CheckGame(rules, players) for players in self.players)

    def refusal(self, bot: str, rules: RuleSet, players: int) -> str | None:
        """Why a bot of an extension cannot play: boards that are not solved, or not learnt."""
        added = game_bots(self.name).get(bot)
        why: str | None = added and added.refusal and resolve_name(added.refusal)(rules, players)
        return why or None

    def bot_note(self, bot: str, options: Mapping[str, Any], rules: RuleSet, players: int) -> str:
        """A note if a bot with nets has none that were trained for these rules and seats."""
        added = game_bots(self.name).get(bot)
        if not (added and added.note):
            return ""
        note: str = resolve_name(added.note)(options, rules, players)
        return note

    def rules_of_pattern(self, name: str, changes: Mapping[str, Any]) -> RuleSet | None:
        """The rules of a small board N,K."""
        return small_board(name, changes)

    def best_alone(self, rules: RuleSet) -> float | None:
        """The mean turns of a solo game with perfect play; None if the board is not solved."""
        adviser = adviser_of(self.name)
        return adviser.solved_value(rules) if adviser else None

    def action_text(self, event: Event) -> str:
        if event["event"] == "stop":
            return "stops"
        if event["event"] != "roll":
            return ""
        chosen = event["chosen"]
        return "takes " + " and ".join(map(str, chosen)) if chosen else "busts"

    def bot_template(self, compiled: bool) -> str:
        file = "compiled.py.txt" if compiled else "plain.py.txt"
        return resources.files(__package__).joinpath("bots", "templates", file).read_text("utf-8")

    def missing_code(self, bots: Mapping[str, str], in_step: bool = False) -> list[str]:
        from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
        from cantstop_arena.games.cantstop.engine.entry_points import STEPS

        engine = [] if ENGINE_CACHE.has_code("engine") else ["the engine"]
        if in_step and not ENGINE_CACHE.has_code(STEPS):
            engine.append("games in step")
        return engine + [name for digest, name in bots.items() if not ENGINE_CACHE.has_bot(digest)]

    def position(
        self,
        rules: RuleSet,
        players: int,
        seed: Seed | None = None,
        deal: int = 0,
        bots: Mapping[int, SeatedBot] = MappingProxyType({}),
        track: bool = True,
    ) -> CantStopPosition:
        from cantstop_arena.games.cantstop.play.step_opponents import start_with_bots
        from cantstop_arena.games.cantstop.play.step_position import start

        if not bots:
            return start(rules, players, seed, deal)
        return start_with_bots(rules, players, seed, deal, bots)

    def play_on(
        self, position: Position, seed: Seed, bots: Sequence[SeatedBot]
    ) -> CantStopPosition:
        from cantstop_arena.games.cantstop.play.step_opponents import play_on

        return play_on(position, seed, bots)

    def position_of(self, view: Turn, moves: Sequence[Move] | None = None) -> CantStopPosition:
        from cantstop_arena.games.cantstop.play.step_position import position_of

        return position_of(view, moves)

    def encoding(self, rules: RuleSet, players: int) -> Encoding:
        from cantstop_arena.games.cantstop.play.actions import encoding_under

        return encoding_under(self.name, self.encoding_version, rules, players)

    def prepare(self, rules: RuleSet, players: int) -> None:
        hit_table(rules.sides)


GAME = CantStop()
