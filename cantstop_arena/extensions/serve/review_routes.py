"""Pages that review a game: the judge's view of every decision, or a replay where there is none."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.serve.access import foreign_page
from cantstop_arena.extensions.serve.people_games import with_plain_names
from cantstop_arena.extensions.serve.people_store import OPEN
from cantstop_arena.extensions.serve.site import RequestRefused, Site
from cantstop_arena.extensions.serve.web_seat import Review, seat_of
from cantstop_arena.game_api.state import Event, event_of
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.system import start_arena
from cantstop_arena.reports.write_page import replay_page
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.views.default_view import read_record

_MAX_REPLAY_SECONDS = 60.0


async def review_of_people(site: Site, request: Request) -> Response:
    """The review of a game of people."""
    key = request.path_params["key"]
    game = await site.read(site.people.store.game, key)
    if game is None:
        raise RequestRefused("There is no such game.", 404)
    path = site.people.store.record(key)
    if game.state == OPEN or not path.is_file():
        raise RequestRefused("This game is not over: it can be reviewed when it is.", 409)
    source = f"/play/{key}", game.me, "Back to the game"
    if (stored := site.reviews.get(path)) is None:
        stored = await _judged(site, await site.read(_read, path), game.me)
        site.reviews.add(path, stored)
    return await _review(site, request, stored, *source)


def _read(path: Path) -> list[Event]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The record of this game cannot be read: {error}") from None
    return with_plain_names(list(read_record(lines, path.name)))


async def review_of_result(site: Site, request: Request) -> Response:
    """The review of a game of a result, which is replayed in a process of its own."""
    query = request.query_params
    folder = site.index.folder(query.get("result", ""))
    deal = query.get("deal", "0")
    if folder is None or not (folder / LEDGER).is_file():
        raise RequestRefused("There is no such result.", 404)
    if not (deal.isdecimal() and len(deal) < 10):
        raise RequestRefused("A deal is a whole number.", 422)
    bots = [name for name in query.getlist("bots") if name]
    if any(name.startswith("-") for name in bots) or len(bots) > 8:
        raise RequestRefused("These are no bots of the result.", 422)
    key = folder, tuple(bots), int(deal), (folder / LEDGER).stat().st_mtime_ns
    if (stored := site.reviews.get(key)) is None:
        stored = await _judged(site, await _replayed(site, folder, bots, int(deal)), 0)
        site.reviews.add(key, stored)
    return await _review(site, request, stored, f"/results/{folder.name}", 0, "Back to the report")


async def _replayed(site: Site, folder: Path, bots: list[str], deal: int) -> list[Event]:
    arguments = [
        "replay",
        str(folder),
        *bots,
        "--deal",
        str(deal),
        "--json",
        "--bots",
        str(site.bots),
    ]
    number, name = tempfile.mkstemp(suffix=".jsonl")
    os.close(number)
    path = Path(name)
    try:
        process = await site.read(lambda: start_arena(arguments, log=path))
        deadline = time.monotonic() + _MAX_REPLAY_SECONDS
        while (code := process.poll()) is None:
            if time.monotonic() > deadline:
                process.send_signal(15)
                raise RequestRefused("The replay takes too long here: use arena replay.", 422)
            await asyncio.sleep(0.02)
        lines = path.read_text("utf-8", "replace").splitlines()
    finally:
        path.unlink(missing_ok=True)
    events = [line for line in lines if line.startswith('{"event"')]
    if code or not events:
        last = in_a_line(lines[-1], 300) if lines else "it says nothing"
        raise RequestRefused(f"This game cannot be replayed: {last}", 422)
    return [json.loads(line) for line in events]


async def _judged(site: Site, events: list[Event], me: int) -> Review | str:
    """The review of a game; where nobody judges it, the page that replays it for a seat."""
    game = game_named(str(events[0].get("game")))
    seat = seat_of(game)
    try:
        review = await site.at_table(seat.review, events, me)
    except UsageError:
        review = None
    if review is not None and review.decisions:
        return review
    visible = [event for event in (event_of(me, each) for each in events) if event]
    return await site.read(replay_page, visible)


async def _review(
    site: Site, request: Request, review: Review | str, back: str, me: int, back_text: str
) -> Response:
    """The page of a judged game at the step of the address; else its replay."""
    if isinstance(review, str):
        return foreign_page(review)
    at = _step(request, review)
    content = await site.read(_content, review, at, _address(request), me)
    return site.page("review.html", "/play", back=back, back_text=back_text, **content)


def _step(request: Request, review: Review) -> int:
    """The number of the decision in the address; by default the worst one of the person."""
    text = request.query_params.get("at", "")
    last = len(review.decisions) - 1
    if text.isdecimal() and len(text) < 9:
        return min(int(text), last)
    own = [d for d in review.decisions if d.seat == review.me] or review.decisions
    return max(own, key=lambda decision: (decision.lost, -decision.number)).number


def _address(request: Request) -> str:
    """The address of the page up to the number of the step."""
    query = [(key, value) for key, value in request.query_params.multi_items() if key != "at"]
    return f"{request.url.path}?{urlencode([*query, ('at', '')])}"


def _content(review: Review, at: int, address: str, me: int) -> dict[str, Any]:
    decision = review.decisions[at]
    mistakes = [each for each in review.decisions if each.lost >= 1]
    mistakes.sort(key=lambda each: (each.seat != me, -each.lost))
    return {
        "review": review,
        "decision": decision,
        "at": at,
        "address": address,
        "me": me,
        "mistakes": mistakes,
        "worst": max((each.lost for each in mistakes), default=1.0),
        "next_mistake": next(
            (e.number for e in review.decisions if e.number > at and e.lost >= 1), None
        ),
        "picture": review.picture(decision),
    }


ROUTES = (
    ("/play/{key}/review", ("GET",), review_of_people),
    ("/review", ("GET",), review_of_result),
)
