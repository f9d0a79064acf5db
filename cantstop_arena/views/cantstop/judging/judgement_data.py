"""Judgements as JSON and back: they travel between processes, and are stored beside a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from cantstop_arena.games.cantstop.exact.regret import KINDS, SIZES, Judgement, Mistake


def as_data(one: Judgement) -> Mapping[str, Any]:
    """A judgement as plain values."""
    return {
        "losses": one.losses,
        "sizes": one.sizes,
        "missed": one.missed,
        "worst": [*map(_told, one.worst)],
    }


def _told(one: Mistake) -> Mapping[str, Any]:
    markers = [_pairs(spaces) for spaces in one.markers]
    return {**one.as_dict(), "markers": markers, "runners": _pairs(one.runners)}


def _pairs(spaces: Mapping[int, int]) -> Sequence[tuple[int, int]]:
    """Spaces by column, as JSON has them."""
    return list(spaces.items())


def from_data(told: Any, players: int) -> Judgement:
    """The judgement that was told. Raises ValueError, TypeError or KeyError where it is none."""
    losses = [[float(loss) for loss in deal] for deal in told["losses"]]
    sizes = [int(number) for number in told["sizes"]]
    missed = [float(one) for one in told["missed"]]
    worst = [_mistake(one) for one in told["worst"]]
    if not losses or len(losses) != len(missed) or len(sizes) != len(SIZES):
        raise ValueError("deals or sizes are missing")
    if any(len(loss) != len(KINDS) for loss in losses):
        raise ValueError("kinds of losses are missing")
    return Judgement(players, losses, sizes, missed, worst)


def _mistake(told: Mapping[str, Any]) -> Mistake:
    return Mistake(
        loss=float(told["loss"]),
        kind=KINDS[KINDS.index(told["kind"])],
        deal=int(told["deal"]),
        seat=int(told["seat"]),
        turn=int(told["turn"]),
        roll=int(told["roll"]),
        dice=tuple(map(int, told["dice"])),
        markers=tuple(_spaces(pairs) for pairs in told["markers"]),
        runners=_spaces(told["runners"]),
        taken=f"{told['taken']:.20}",
        best=f"{told['best']:.20}",
        rival=str(told["rival"]),
    )


def _spaces(pairs: Sequence[Sequence[int]]) -> Mapping[int, int]:
    return {int(column): int(space) for column, space in pairs}
