"""Bots that sit at a table more than once, where they are fewer than the seats."""

from collections import Counter
from itertools import combinations_with_replacement

from msgspec.structs import replace

from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournament.files.entrants import LONGEST_NAME, Entrant


def seated(
    entrants: tuple[Entrant, ...], players: int
) -> tuple[tuple[Entrant, ...], tuple[Group, ...] | None]:
    """The bots at tables of `players` seats, and the groups that meet; None for all groups.

    Where the bots are fewer than the seats, they sit at a table more than once, each of them at
    least once, in all ways to choose which: copies enter behind the bots, under names of their
    own. Copy k of bot i is number k * bots + i.
    """
    bots = len(entrants)
    if bots >= players:
        return entrants, None
    names = {entrant.name for entrant in entrants}
    copies = [
        replace(entrant, name=_free_name(entrant.name, copy, names))
        for copy in range(1, players - bots + 1)
        for entrant in entrants
    ]
    lineups = tuple(
        tuple(sorted(copy * bots + bot for bot in counted for copy in range(counted[bot])))
        for counted in map(Counter, combinations_with_replacement(range(bots), players))
        if len(counted) == bots
    )
    return (*entrants, *copies), lineups


def _free_name(name: str, copy: int, taken: set[str]) -> str:
    """A name for a copy of a bot: "rule28 #2" for the first copy."""
    number = copy + 1
    while True:
        suffix = f" #{number}"
        free = f"{name[: LONGEST_NAME - len(suffix)]}{suffix}"
        if free not in taken:
            taken.add(free)
            return free
        number += 1
