"""The baseline bots: what a player does who sees everything in the box, or little, or looks ahead.

All choose uniformly among equals, lay the open cards that they need on uniformly random places,
and pass without a target. `kernel` has the same bots compiled; both play the same games.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import NamedTuple, TypeVar

from cantstop_arena.games.cubus.builds.build import Build
from cantstop_arena.games.cubus.builds.cards import ORDER, single
from cantstop_arena.games.cubus.choices.bot_view import CubusBotView
from cantstop_arena.games.cubus.choices.takedown import usual_take
from cantstop_arena.games.cubus.choices.targets import Target

Item = TypeVar("Item")
Decide = Callable[[CubusBotView], Build | None]


class Strategy(NamedTuple):
    """A bot's functions; without `knock` it never knocks, without `take` it takes as usual."""

    name: str
    build: Decide
    knock: Decide | None = None
    take: Decide | None = None


def decide(bot: Strategy, view: CubusBotView) -> Build | None:
    """What a bot answers to what it is asked."""
    if view.asked == "knock":
        return bot.knock(view) if bot.knock else None
    if view.asked == "take":
        return bot.take(view) if bot.take else usual_take(view.table, view.rules.box)
    return bot.build(view)


def greedy(view: CubusBotView) -> Build | None:
    """A target with most points."""
    return _laid(view, next(view.levels(), []) if view.bound() else [])


def eager(view: CubusBotView) -> Build | None:
    """As `greedy`, with as many open cards as are allowed."""
    equals = next(view.levels(), []) if view.bound() else []
    return _laid(view, equals, attrgetter("most"))


def frugal(view: CubusBotView) -> Build | None:
    """A target with fewest points."""
    return _laid(view, next(view.levels(rising=True), []) if view.bound() else [])


def random(view: CubusBotView) -> Build | None:
    """Any target."""
    return _laid(view, view.targets() if view.bound() else [])


def hasty(view: CubusBotView) -> Build | None:
    """As `greedy`, over the targets that differ little from the pile."""
    found = view.nearby() if view.bound() else []
    return _laid(view, [target for target in found if target.points == found[0].points])


def deny(view: CubusBotView) -> Build | None:
    """Most points over those that counts of cards leave to the next player, on average."""
    if view.asked == "ending":
        return greedy(view)
    best, equals = None, []
    for level in view.levels():
        own = level[0].points * _weight(view)
        if best is not None and own < best:
            break
        for target in level:
            value = own - _left_to_next(view, target)
            if best is None or value > best:
                best, equals = value, [target]
            elif value == best:
                equals.append(target)
    return _laid(view, equals)


def _weight(view: CubusBotView) -> int:
    return max(1, view.deck)


def _left_to_next(view: CubusBotView, target: Target) -> int:
    """Bounds of the next player on a target, added up over the cards that may be drawn."""
    hand = view.hands[(view.seat + 1) % view.players]
    if not view.deck:
        return view.bound(target.pile, hand)
    return sum(
        number * view.bound(target.pile, hand.plus(single(kind)))
        for kind, number in zip(ORDER, view.unseen, strict=True)
        if number
    )


def _laid(
    view: CubusBotView,
    equals: Sequence[Target],
    number: Callable[[Target], int] = attrgetter("least"),
) -> Build | None:
    """A build of any of some targets, so many open cards laid on any places."""
    if not equals:
        return None
    target = equals[int(view.random() * len(equals))]
    new = _some(view.places(target.pile), number(target), view.random) if number(target) else ()
    return view.build(target.pile, tuple(new))


def _some(items: list[Item], number: int, random: Callable[[], float]) -> list[Item]:
    """So many of the items, uniformly chosen."""
    for place in range(number):
        other = place + int(random() * (len(items) - place))
        items[place], items[other] = items[other], items[place]
    return items[:number]


BOTS = {
    bot.name: bot
    for bot in (
        Strategy("greedy", greedy, greedy),
        Strategy("frugal", frugal, greedy),
        Strategy("random", random),
        Strategy("eager", eager, greedy),
        Strategy("hasty", hasty, hasty),
        Strategy("deny", deny, greedy),
    )
}
