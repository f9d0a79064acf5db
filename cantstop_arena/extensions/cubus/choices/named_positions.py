"""Views of positions given as text: a pile, a hand, open cells, a rule set."""

from collections.abc import Sequence

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.cubus.builds.build import Build, named_table
from cantstop_arena.extensions.cubus.builds.cards import NONE, Cards, cards_from_text
from cantstop_arena.extensions.cubus.builds.piles import Cell, IllegalBuild
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.extensions.cubus.rules import NAMED, RuleSet
from cantstop_arena.game_api.bot_options import did_you_mean


def view_of(pile: str, hand: str, opened: Sequence[Cell], name: str) -> CubusBotView:
    """The view of a bot with this hand. Raises UsageError when an argument is invalid."""
    rules, cards = _rules(name), _cards(hand)
    try:
        table = named_table(Build(pile, tuple(opened)))
    except IllegalBuild as error:
        raise UsageError(str(error)) from error
    _check_material(table.cards().plus(cards), rules)
    return CubusBotView(
        seat=0,
        players=2,
        turn=1,
        asked="build",
        owner=0,
        hand=cards,
        hands=(cards, NONE),
        drawn=None,
        table=table,
        scores=(0, 0),
        won=(0, 0),
        deck=0,
        unseen=NONE,
        passes=0,
        rules=rules,
        random=float,
        kept=[],
    )


def _rules(name: str) -> RuleSet:
    if name not in NAMED:
        raise UsageError(f"unknown rules {name!r:.60}{did_you_mean(name, NAMED)}")
    return NAMED[name][0]


def _cards(hand: str) -> Cards:
    try:
        return cards_from_text(hand)
    except ValueError as error:
        raise UsageError(f"HAND: {error}") from error


def _check_material(cards: Cards, rules: RuleSet) -> None:
    available = Cards(rules.lids, rules.open, rules.left, rules.right)
    for sign, number, limit in zip("TOLR", cards, available, strict=True):
        if number > limit:
            raise UsageError(
                f"pile and hand have {number} {sign}; the rules {rules.name} allow {limit}"
            )
