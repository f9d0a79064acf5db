"""Pages on which people play: the form for a new game, and games at tables."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from cantstop_arena.errors import ArenaError
from cantstop_arena.extensions.serve.forms import Form, FormError, read_form
from cantstop_arena.extensions.serve.people_games import GameAtTable
from cantstop_arena.extensions.serve.people_store import HINTS, OPEN, PRACTICE, RATED
from cantstop_arena.extensions.serve.run_routes import game_of
from cantstop_arena.extensions.serve.site import (
    FRAGMENT,
    RequestRefused,
    Site,
    first_values,
    see_other,
)
from cantstop_arena.extensions.serve.web_seat import SeatedPerson, seat_of
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.games.registry import all_games, game_named

_MAX_ANSWERS = 1_000_000
_RANDOM_SEAT = -1  # the seat is drawn


async def new_game(site: Site, request: Request) -> Response:
    """The form for a new game."""
    name = game_of(request)
    game = game_named(name)
    bots = await site.read(site.bots_to_play, name)
    rated = await site.read(site.index.with_ratings, name, [bot.name for bot in bots])
    ratings = rated[0] if rated else None
    usual = [bot for bot in game.usual_bots if bot in {each.name for each in bots}]
    chosen = request.query_params.get("bot") or (usual[0] if usual else "")
    judge = await site.read(_judge_of, name)
    return site.page(
        "play.html",
        "/play",
        game=game,
        games=all_games(),
        bots=bots,
        chosen=chosen if chosen in {bot.name for bot in bots} else bots[0].name if bots else "",
        rules=[*game.rules.named],
        ratings=ratings.ratings if ratings else {},
        ladder=ratings.name if ratings else "",
        axis=_axis(ratings.elo) if ratings and ratings.elo else None,
        judge=judge,
        open_games=await site.read(site.people.store.games, 20, OPEN),
        sandbox_problem=site.sandbox_problem,
        min_bots=game.players[0] - 1,
        max_bots=game.players[-1] - 1,
    )


def _judge_of(name: str) -> str:
    game = game_named(name)
    return seat_of(game).judge(game.rules.default, max(2, game.players[0]))


def _axis(elo: Any) -> tuple[float, float]:
    return min(elo) - 20, max(elo) + 20


async def begin(site: Site, request: Request) -> Response:
    """Begin a game."""
    form = await read_form(request)
    game = form.get("game")
    if game not in [each.name for each in all_games()]:
        raise FormError("There is no such game.")
    bots = [bot for bot in form.all("bot") if bot]
    seat = form.number("seat", range(_RANDOM_SEAT, len(bots) + 1), 0)
    if seat == _RANDOM_SEAT:
        seat = secrets.randbelow(len(bots) + 1)
    people = site.people
    key = await site.at_table(
        people.begin, game, form.get("rules"), form.get("name"), seat, bots, _mode_of(form)
    )
    return see_other(f"/play/{key}")


def _mode_of(form: Form) -> str:
    """Whether moves can be taken back, or hints are shown: such a game is not rated."""
    mode = form.get("mode", RATED)
    if mode not in (RATED, HINTS, PRACTICE):
        raise FormError("There is no such kind of game.")
    return mode


async def game_page(site: Site, request: Request) -> Response:
    """A game as it stands."""
    return await _changed(site, request, site.people.open)


async def answer(site: Site, request: Request) -> Response:
    """Take an answer."""
    form = await read_form(request)
    n = form.number("n", range(_MAX_ANSWERS))
    fields = first_values(form.fields)
    people = site.people

    def take(key: str) -> GameAtTable | None:
        at_table = people.open(key)
        if at_table is None or at_table.pending is None or n != at_table.answered:
            return at_table
        seat = seat_of(game_named(at_table.game.game))
        return people.answer(key, n, seat.answer(at_table.pending, fields))

    return await _changed(site, request, take)


async def undo(site: Site, request: Request) -> Response:
    """Take the last answer back."""
    return await _changed(site, request, site.people.undo)


async def leave(site: Site, request: Request) -> Response:
    """End a game before its end."""
    return await _changed(site, request, site.people.leave)


async def again(site: Site, request: Request) -> Response:
    """Begin the same game again, in the next seat."""
    key = await site.at_table(site.people.again, request.path_params["key"])
    if key is None:
        raise RequestRefused("There is no such game.", 404)
    return see_other(f"/play/{key}")


async def _changed(
    site: Site, request: Request, change: Callable[[str], GameAtTable | None]
) -> Response:
    """The page of a game after a change, or the fragment of it that the script asks for."""
    key = request.path_params["key"]
    is_fragment = FRAGMENT in request.headers

    def changed() -> dict[str, Any] | None:
        before = site.people.open(key)
        events = len(before.visible_events) if before and request.method == "POST" else None
        at_table = change(key)
        return _content(at_table, events) if at_table else None

    status = 200
    async with site.people.lock(key):
        try:
            content = await site.at_table(changed)
        except IllegalAnswer as error:
            at_table = await site.at_table(site.people.open, key)
            if at_table is None:
                raise RequestRefused("There is no such game.", 404) from None
            content = await site.at_table(_content, at_table, None, f"{error}")
            status = 422
        except ArenaError as error:
            if request.method != "POST":
                raise
            raise RequestRefused(f"{error}".rstrip(".") + ".", 409) from error
    if content is None:
        raise RequestRefused("There is no such game.", 404)
    if is_fragment:
        return HTMLResponse(site.html("_game.html", **content), status)
    if request.method == "POST" and status == 200:
        return see_other(f"/play/{key}")
    return site.page("game.html", "/play", status, **content)


def _content(at_table: GameAtTable, start: int | None, problem: str = "") -> dict[str, Any]:
    """What the templates of a game need; `start` is the number of the first event to show."""
    game = game_named(at_table.game.game)
    stored = at_table.game
    hints = stored.mode in (HINTS, PRACTICE)
    visible_events = at_table.visible_events
    person = SeatedPerson(game, stored.me, visible_events, at_table.pending, hints)
    web_seat = seat_of(game)
    seat = web_seat.page(person, len(visible_events) if start is None else start)
    rules = game.rules.named
    judge = ""
    if hints and stored.rules in rules:
        judge = web_seat.judge(rules[stored.rules].rules, len(stored.seats))
    return {
        "game": stored,
        "title": game.title,
        "seat": seat,
        "steps": json.dumps(seat.steps),
        "n": at_table.answered,
        "is_over": at_table.is_over,
        "can_undo": stored.mode == PRACTICE and at_table.answered and not at_table.is_over,
        "problem": problem or (at_table.pending.problem if at_table.pending else ""),
        "fault": at_table.problem,
        "judge": judge,
    }


ROUTES = (
    ("/play", ("GET",), new_game),
    ("/play", ("POST",), begin),
    ("/play/{key}", ("GET",), game_page),
    ("/play/{key}/answer", ("POST",), answer),
    ("/play/{key}/undo", ("POST",), undo),
    ("/play/{key}/leave", ("POST",), leave),
    ("/play/{key}/again", ("POST",), again),
)
