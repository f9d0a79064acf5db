"""A tournament: what is played, and how faults of bots are handled."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict, replace

from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.deals.outcomes import (
    BY_STAKE,
    BY_VALUE,
    PAYOFF_WIDTH,
    WIDTH,
    LuckRemoved,
    Until,
)
from cantstop_arena.deals.payoff import PAYOFF
from cantstop_arena.deals.seatings import Orders, groups_with
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.game import Game, score_of
from cantstop_arena.processes.system import short_path
from cantstop_arena.tournaments.file.keys import GAMES, default_of, values_in_file
from cantstop_arena.tournaments.file.pattern_entrants import WithField
from cantstop_arena.tournaments.file.yaml_reader import range_text
from cantstop_arena.tournaments.ledger.ledger_query import (
    LUCK_BY_STAKE,
    LUCK_BY_VALUE,
    MEASURES,
    WINNERS,
    LedgerQuery,
    QueryBot,
    setting_of,
    version_of,
)

if TYPE_CHECKING:
    from cantstop_arena.deals.seatings import Group
    from cantstop_arena.tournaments.openings import Openings

RESOLVED = "tournament.yaml"  # in a results folder
RECORDS = "games"  # the folder of recorded games there
COPIES = "bots"  # that of the files of bots
BLOCKS = 512  # keep workers busy, and progress visible
_ISOLATED_TRIES = 4


class FaultPolicy(msgspec.Struct, frozen=True):
    """How faults are handled: the limits, and whether the first fault ends a run (`on_fault`).

    Time limits are in seconds: for a decision, for the start of a worker or a program, and for a
    function of the game. The last can only end a run.
    """

    decision_limit: float = default_of("decision_limit")
    start_limit: float = default_of("start_limit")
    max_faults: int = default_of("max_faults")
    on_fault: str = default_of("on_fault")
    game_limit: float = default_of("game_limit")

    @property
    def isolated_limit(self) -> float:
        """The seconds that a worker may wait for an isolated bot, whose decisions it times itself.

        It starts a program, sends a decision, and tries again if a timeout is doubtful.
        """
        return _ISOLATED_TRIES * (self.start_limit + self.decision_limit)


class Tournament(WithField, frozen=True, dict=True):
    """A tournament: every group of `players` entrants plays `games` games.

    With a `challenger` only its groups play. With `until`, `games` is the maximum: a run ends
    earlier when intervals are narrow enough. A random `seed` (`has_random_seed`) is replaced by
    that of an existing ledger. Paths that are `hidden` in the sandbox, besides the `source`, may
    contain the seed, too. A guest adds games to the ledger of another tournament, whose query and
    files stay as they are. With `luck_removed` luck is scored, by the stake of rolls (True) or by
    winning chances ("value"), and removed from the results. Deals begin with `openings`, if any.
    """

    name: str
    game: Game
    rules: Any
    players: int
    games: int
    seed: Seed
    policy: FaultPolicy
    source: Path
    anchor: Mapping[str, float] = msgspec.field(default_factory=dict)
    lineups: tuple[Group, ...] | None = None  # the groups that meet; None: all
    challenger: str = ""  # the entrant in all of them
    is_guest: bool = False
    part: str = ""  # of a comparison, by name; the ledger stores counts deal by deal
    until: Until | None = None
    score: str | None = None  # what standings are sorted by; None: what the game says
    luck_removed: LuckRemoved = False
    openings: Openings | None = None
    blocks: int = BLOCKS  # minimum number of blocks of a run
    has_random_seed: bool = False
    reseeded: bool = False  # by the command line
    hidden: tuple[Path, ...] = ()

    @property
    def keeps_counts(self) -> bool:
        """Whether the ledger stores counts deal by deal."""
        size = self.lineup_size
        followed = bool(self.game.counts.followed) and size > 2
        return bool(self.part) or bool(self.luck_removed) or followed or size == 1

    @property
    def detail(self) -> int:
        """What rows of the ledger need to have: see `ledger_query`."""
        if self.luck_removed:
            return LUCK_BY_VALUE if self.luck_removed == BY_VALUE else LUCK_BY_STAKE
        return MEASURES if self.keeps_counts else WINNERS

    @property
    def luck_measure(self) -> str:
        """How luck is measured; empty if it is not."""
        return luck_measure(self.luck_removed)

    @property
    def deals(self) -> int:
        """The number of deals of a group: its games, rounded up to complete deals."""
        return -(-self.games // len(self.orders))

    @property
    def sorted_by(self) -> str:
        """What standings are sorted by: wins or payoff."""
        return self.score or score_of(self.game)

    @property
    def lineup_size(self) -> int:
        """The number of bots that meet: one for each side of the game."""
        return self.game.lineup_size(self.players)

    @property
    def orders(self) -> Orders:
        """The orders in which bots take their seats in each deal."""
        return self.game.orders(self.players)

    def groups(self) -> Iterator[Group]:
        """Every group that meets, in the file's sequence, as the ledger writes it."""
        return iter(self.query.groups)

    @property
    def group_count(self) -> int:
        """The number of groups."""
        if self.lineups is not None:
            return len(self.lineups)
        return comb(len(self.entrants), self.lineup_size)

    @cached_property
    def opening_count(self) -> int:
        """The number of different openings, which come again in the deals after; 0 if unknown."""
        if not self.openings:
            return 0
        return self.openings.count(self.game, self.rules, self.players)

    def without_luck(self, luck_removed: LuckRemoved = True) -> Tournament:
        """A copy with luck removed. Raises UsageError when that is impossible."""
        if why := luck_refusal(self.game, [self.players], luck_removed):
            raise UsageError(why)
        return replace(self, luck_removed=luck_removed)

    def with_openings(self, openings: Openings) -> Tournament:
        """A copy whose deals begin with these openings. Raises UsageError if they cannot."""
        if why := openings.refusal(self.game, self.rules, self.players):
            raise UsageError(why)
        return replace(self, openings=openings)

    def with_own_processes(self, bots: Collection[int]) -> Tournament:
        """A copy in which these entrants play in processes of their own."""
        entrants = (
            entrant.in_own_process() if bot in bots else entrant
            for bot, entrant in enumerate(self.entrants)
        )
        return replace(self, entrants=tuple(entrants))

    def as_gauntlet(self, challenger: str) -> Tournament:
        """A copy in which one entrant plays against all others, who do not meet."""
        names = [entrant.name for entrant in self.entrants]
        lineups = groups_with(names.index(challenger), len(names), self.lineup_size)
        return replace(self, challenger=challenger, lineups=lineups)

    def as_file(self, folder: Path, copies: str = "") -> dict[str, Any]:
        """The tournament with all keys, as a file in `folder`; for `copies` see `Entrant`."""
        bots = [entrant.as_file(folder, copies) for entrant in self.entrants]
        return values_in_file("tournament", {**self._values(), "bots": bots})

    @cached_property
    def query(self) -> LedgerQuery:
        """The games of the tournament, as a ledger is asked for them."""
        bots = (
            QueryBot(
                entrant.name,
                version_of(entrant),
                entrant.bot.name,
                short_path(str(entrant.bot.path)) if entrant.bot.path else "",
                entrant.bot.learns,
            )
            for entrant in self.entrants
        )
        return LedgerQuery(
            self.name,
            setting_of(self),
            self.rules.name,
            tuple(bots),
            self.deals,
            self.detail,
            self.policy.max_faults,
            self.challenger,
            self.lineups,
        )

    def _values(self) -> dict[str, Any]:
        """The values of the keys of a file, but of `bots`, as plain data."""
        return {
            "name": self.name,
            "game": self.game.name,
            "rules": self.game.rules.as_dict(self.rules),
            "players": self.players,
            "games": self.games,
            "until": self.until.as_key if self.until else None,
            "seed": self.seed,
            **asdict(self.policy),
            "anchor": dict(self.anchor) or None,
            "gauntlet": self.challenger or None,
            "score": self.score,
            "luck_removed": self.luck_removed,
            "openings": self.openings.as_key() if self.openings else None,
            "left_out": [asdict(left_out) for left_out in self.left_out] or None,
        }


class Overrides(msgspec.Struct, frozen=True):
    """Options of the command line that override the file; `isolate` is for foreign bots."""

    games: int | None = None
    seed: Seed | None = None
    isolate: Isolation = Isolation.NONE
    luck_removed: LuckRemoved = False
    openings: Openings | None = None
    score: str | None = None

    def applied(self, tournament: Tournament) -> Tournament:
        """The tournament with these options; its bots are isolated already. Raises UsageError."""
        changed = replace(tournament, games=self.over(tournament.games))
        if self.score is not None:
            if why := score_refusal(tournament.game, self.score):
                raise UsageError(why)
            if tournament.until and {tournament.until.measure} & {WIDTH, PAYOFF_WIDTH}:
                raise UsageError(f"until: {WIDTH} is about the file's score: change it there")
            changed = replace(changed, score=self.score)
        if self.seed is not None:
            changed = replace(changed, seed=self.seed, has_random_seed=False, reseeded=True)
        if self.openings:
            changed = changed.with_openings(self.openings)
        return changed.without_luck(self.luck_removed) if self.luck_removed else changed

    def over(self, games: int) -> int:
        """The number of games: of the command line if given, else `games`. Raises UsageError."""
        if self.games is not None and self.games not in GAMES:
            raise UsageError(f"games must be {range_text(GAMES)}, not {self.games}")
        return games if self.games is None else self.games


NO_OVERRIDES = Overrides()


def score_refusal(game: Game, score: str | None) -> str:
    """Why standings of a game cannot be sorted by this; empty if they can."""
    if score != PAYOFF or game.payoff:
        return ""
    return f"score cannot be {PAYOFF}: {game.name} pays nothing, it is won or lost"


def luck_measure(luck_removed: LuckRemoved) -> str:
    """How luck is measured where it is removed; empty if it is not."""
    if luck_removed == BY_VALUE:
        return BY_VALUE
    return BY_STAKE if luck_removed else ""


def luck_refusal(game: Game, players: Collection[int], luck_removed: LuckRemoved = True) -> str:
    """Why luck cannot be removed at tables of these numbers of players; empty if it can."""
    if not game.luck:
        return f"luck cannot be removed: nothing scores it in {game.name}"
    if luck_removed == BY_VALUE and not game.estimates_chances:
        return f"luck cannot be removed by value: nothing estimates winning chances in {game.name}"
    if luck_removed == BY_VALUE and max(players, default=2) > 2:
        return "luck can be removed by value at tables of two only; use luck_removed: true"
    return "luck cannot be removed from games alone: there is nothing to win" * (1 in players)
