"""Maximises its points minus the expected bound on the next player's points."""

from cantstop_arena.extensions.cubus.bots import greedy
from cantstop_arena.hookspecs import compiled


@compiled
def build(view):
    """A random target with most points minus what it leaves to the next player."""
    if view.owner is None:  # the pool: nobody comes next
        return greedy.build(view)
    cards = max(1, view.deck)
    best, is_first = 0, True
    for option in view.options():
        gain = option.points * cards
        if not is_first and gain < best:
            break
        worth = gain - left_to_next(view, option)
        if is_first or worth >= best:
            best, is_first = worth, False
            view.keep(option, worth)
    return view.choose()


@compiled
def left_to_next(view, option):
    """The bound on the next player's points after an option, summed over the cards of the deck."""
    hand, unseen = view.hands[(view.seat + 1) % view.players], view.unseen
    tops, left, right = hand.lids + hand.open, hand.left, hand.right
    if not view.deck:
        return view.bound_after(option, tops, left, right)
    return (
        (unseen.lids + unseen.open) * view.bound_after(option, tops + 1, left, right)
        + unseen.left * view.bound_after(option, tops, left + 1, right)
        + unseen.right * view.bound_after(option, tops, left, right + 1)
    )


knock = greedy.build
