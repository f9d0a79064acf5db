"""Pages of bots: all of a game, and one with its source, versions, ratings and faults."""

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.bots.origins import Origin
from cantstop_arena.bots.versions import StoredVersion, short_digest, stored_versions
from cantstop_arena.deals.outcomes import FaultReport
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.serve.results_index import ResultRow
from cantstop_arena.extensions.serve.run_routes import game_of
from cantstop_arena.extensions.serve.site import RequestRefused, Site
from cantstop_arena.games.registry import all_games, game_named
from cantstop_arena.ratings.estimate import Estimate

_MAX_RESULTS = 2  # columns of ratings
_MAX_SOURCE = 200_000  # characters of a source that are shown


class BotRow(msgspec.Struct, frozen=True):
    """A bot in the list: its version, ratings by result, and faults."""

    bot: BotDescription
    version: str
    ratings: tuple[Estimate | None, ...]
    faults: int
    can_play: bool

    @property
    def link(self) -> str:
        """The query of its page."""
        return urlencode({"game": self.bot.game})


class LinkedFault(NamedTuple):
    """A fault in a result, with the command and the address that replay its game."""

    result: str
    fault: FaultReport
    address: str


class ListedBots(NamedTuple):
    """The bots of one origin."""

    origin: Origin
    rows: list[BotRow]


async def bots(site: Site, request: Request) -> Response:
    """All bots of a game."""
    game = game_of(request)
    groups, rated, broken = await site.read(_groups, site, game)
    return site.page(
        "bots.html",
        "/bots",
        game=game_named(game),
        games=all_games(),
        groups=groups,
        rated=rated,
        broken=broken,
        count=sum(len(group.rows) for group in groups),
        place=str(site.bots),
    )


def _groups(site: Site, game: str) -> tuple[list[ListedBots], list[str], list[str]]:
    rows, groups = site.index.rows(), []
    described, offered = site.bots_of(game), {bot.name for bot in site.bots_to_play(game)}
    rated = site.index.with_ratings(game, [bot.name for bot in described])[:_MAX_RESULTS]
    for origin in Origin:
        bots = [
            _row(bot, rated, rows, bot.name in offered) for bot in described if bot.origin is origin
        ]
        if bots:
            groups.append(ListedBots(origin, bots))
    broken = site.catalogue().playing(game_named(game)).everything()[1]
    return groups, [row.name for row in rated], [f"{each.name}: {each.reason}" for each in broken]


def _row(
    bot: BotDescription, rated: list[ResultRow], rows: list[ResultRow], can_play: bool
) -> BotRow:
    return BotRow(
        bot=bot,
        version=short_digest(bot.digest) if bot.path else "",
        ratings=tuple(row.ratings.get(bot.name) for row in rated),
        faults=sum(f.count for row in rows for f in row.faults if f.bot == bot.name),
        can_play=can_play,
    )


async def bot_page(site: Site, request: Request) -> Response:
    """One bot."""
    game, name = game_of(request), request.path_params["name"]
    bot = next((b for b in await site.read(site.bots_of, game) if b.name == name), None)
    if bot is None:
        raise RequestRefused("There is no such bot.", 404)
    rows = await site.read(site.index.rows)
    return site.page(
        "bot.html",
        "/bots",
        bot=bot,
        game=game_named(game),
        can_play=bot in await site.read(site.bots_to_play, game),
        version=short_digest(bot.digest) if bot.path else "",
        versions=[
            (short_digest(each.digest), f"{each.time:%Y-%m-%d}", [run.name for run in each.runs])
            for each in await site.read(_versions, site, bot)
        ],
        sources=await site.read(_sources, bot),
        ratings=[
            (row, row.ratings[name]) for row in rows if name in row.ratings and row.game == game
        ],
        faults=[_reported(row, fault) for row in rows for fault in row.faults if fault.bot == name],
    )


def _versions(site: Site, bot: BotDescription) -> list[StoredVersion]:
    return stored_versions(site.results, bot.name) if bot.path else []


def _reported(row: ResultRow, fault: FaultReport) -> LinkedFault:
    query = [("result", row.name), *(("bots", name) for name in fault.seats)]
    return LinkedFault(row.name, fault, f"/review?{urlencode([*query, ('deal', fault.deal)])}")


def _sources(bot: BotDescription) -> list[tuple[str, str]]:
    """The files of a bot with their texts."""
    if bot.source:
        try:
            texts = bot.source.texts()
        except BotError as error:
            return [(bot.source.name, str(error))]
        return [
            (name, text.decode("utf-8", "replace")[:_MAX_SOURCE]) for name, text in texts.items()
        ]
    module = game_named(bot.game).bots.get(bot.name)
    spec = find_spec(module) if module else None
    if spec is None or spec.origin is None:
        return []
    path = Path(spec.origin)
    return [(path.name, path.read_text("utf-8")[:_MAX_SOURCE])]


ROUTES = (
    ("/bots", ("GET",), bots),
    ("/bots/{name}", ("GET",), bot_page),
)
