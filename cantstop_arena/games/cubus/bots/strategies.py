"""The built-in bots: search the whole box, search near the pile, or look ahead one turn or two.

All but `champion` choose uniformly among equal targets and put the open cards that they need on
uniformly random cells. All pass without a target. `engine.plans` has the same bots compiled; both
versions play the same games.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple, TypeVar

from cantstop_arena.games.cubus.builds.build import Build
from cantstop_arena.games.cubus.builds.cards import ORDER, single
from cantstop_arena.games.cubus.choices.bot_view import CubusBotView
from cantstop_arena.games.cubus.choices.searched_build import searched_build
from cantstop_arena.games.cubus.choices.takedown import usual_take
from cantstop_arena.games.cubus.choices.targets import Target
from cantstop_arena.games.cubus.nets.cubus_net_files import CubusNet, nets_with

Item = TypeVar("Item")
Decide = Callable[[CubusBotView], Build | None]


class Strategy(NamedTuple):
    """A bot's functions. Without `knock` it never knocks, without `take` it uses `usual_take`."""

    name: str
    build: Decide
    knock: Decide | None = None
    take: Decide | None = None


def decide(bot: Strategy, view: CubusBotView) -> Build | None:
    """The answer of a bot to the decision of a view."""
    if view.asked == "knock":
        return bot.knock(view) if bot.knock else None
    if view.asked == "take":
        return bot.take(view) if bot.take else usual_take(view.table, view.rules.box)
    return bot.build(view)


def greedy(view: CubusBotView) -> Build | None:
    """A build of a target with most points."""
    return _random_build(view, next(view.levels(), []) if view.bound() else [])


def eager(view: CubusBotView) -> Build | None:
    """As `greedy`, with as many new open cards as allowed."""
    equals = next(view.levels(), []) if view.bound() else []
    return _random_build(view, equals, attrgetter("most"))


def frugal(view: CubusBotView) -> Build | None:
    """A build of a target with fewest points."""
    return _random_build(view, next(view.levels(rising=True), []) if view.bound() else [])


def random(view: CubusBotView) -> Build | None:
    """A build of a uniformly random target."""
    return _random_build(view, view.targets() if view.bound() else [])


def hasty(view: CubusBotView) -> Build | None:
    """As `greedy`, over the targets that differ little from the pile."""
    nearby = view.nearby() if view.bound() else []
    return _random_build(view, [target for target in nearby if target.points == nearby[0].points])


def deny(view: CubusBotView) -> Build | None:
    """A build of a target with most points minus the expected bound on the next player's."""
    if view.asked == "ending":
        return greedy(view)
    best, equals = None, []
    for level in view.levels():
        gain = level[0].points * _weight(view)
        if best is not None and gain < best:
            break
        for target in level:
            value = gain - _left_to_next(view, target)
            if best is None or value > best:
                best, equals = value, [target]
            elif value == best:
                equals.append(target)
    return _random_build(view, equals)


def champion(view: CubusBotView, nets: Mapping[int, CubusNet] | None = None) -> Build | None:
    """The build that a search of two turns likes best, with the net for the number of seats.

    `nets` are nets by number of seats; without them those that come with the project.
    """
    if view.asked == "ending":
        return greedy(view)
    return searched_build(view, (nets or nets_with(None))[view.players].net)


def _weight(view: CubusBotView) -> int:
    return max(1, view.deck)


def _left_to_next(view: CubusBotView, target: Target) -> int:
    """The bound on the next player's points after a target, summed over the cards of the deck."""
    hand = view.hands[(view.seat + 1) % view.players]
    if not view.deck:
        return view.bound(target.pile, hand)
    return sum(
        number * view.bound(target.pile, hand.plus(single(kind)))
        for kind, number in zip(ORDER, view.unseen, strict=True)
        if number
    )


def _random_build(
    view: CubusBotView,
    equals: Sequence[Target],
    number: Callable[[Target], int] = attrgetter("least"),
) -> Build | None:
    """A build of a random one of the targets, with `number(target)` open cards on random cells."""
    if not equals:
        return None
    target = equals[int(view.random() * len(equals))]
    new = _sampled(view.places(target.pile), number(target), view.random) if number(target) else ()
    return view.build(target.pile, tuple(new))


def _sampled(items: list[Item], number: int, random: Callable[[], float]) -> list[Item]:
    """A uniform sample of the items, without replacement."""
    for index in range(number):
        other = index + int(random() * (len(items) - index))
        items[index], items[other] = items[other], items[index]
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
        Strategy("champion", champion, greedy),
    )
}
