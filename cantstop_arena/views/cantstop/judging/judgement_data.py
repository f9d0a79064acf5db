"""Conversion of judgements to and from JSON, for messages between processes and for files."""

from collections.abc import Mapping, Sequence
from typing import Any

from cantstop_arena.games.cantstop.exact.regret import KINDS, SIZES, Judgement, Mistake


def as_data(judgement: Judgement) -> Mapping[str, Any]:
    """A judgement as values for JSON."""
    return {
        "losses": judgement.losses,
        "sizes": judgement.sizes,
        "missed": judgement.missed,
        "worst": [*map(_mistake_as_data, judgement.worst)],
    }


def _mistake_as_data(mistake: Mistake) -> Mapping[str, Any]:
    markers = [_pairs(spaces) for spaces in mistake.markers]
    return {**mistake.as_dict(), "markers": markers, "runners": _pairs(mistake.runners)}


def _pairs(spaces: Mapping[int, int]) -> Sequence[tuple[int, int]]:
    """Spaces by column as pairs, as JSON has no integer keys."""
    return list(spaces.items())


def from_data(data: Any, players: int) -> Judgement:
    """The judgement of parsed JSON. Raises ValueError, TypeError or KeyError when it is invalid."""
    losses = [[float(loss) for loss in deal] for deal in data["losses"]]
    sizes = [int(number) for number in data["sizes"]]
    missed = [float(item) for item in data["missed"]]
    worst = [_mistake(item) for item in data["worst"]]
    if not losses or len(losses) != len(missed) or len(sizes) != len(SIZES):
        raise ValueError("deals or sizes are missing")
    if any(len(loss) != len(KINDS) for loss in losses):
        raise ValueError("kinds of losses are missing")
    return Judgement(players, losses, sizes, missed, worst)


def _mistake(data: Mapping[str, Any]) -> Mistake:
    return Mistake(
        loss=float(data["loss"]),
        kind=KINDS[KINDS.index(data["kind"])],
        deal=int(data["deal"]),
        seat=int(data["seat"]),
        turn=int(data["turn"]),
        roll=int(data["roll"]),
        dice=tuple(map(int, data["dice"])),
        markers=tuple(_spaces(pairs) for pairs in data["markers"]),
        runners=_spaces(data["runners"]),
        taken=f"{data['taken']:.20}",
        best=f"{data['best']:.20}",
        rival=str(data["rival"]),
    )


def _spaces(pairs: Sequence[Sequence[int]]) -> Mapping[int, int]:
    return {int(column): int(space) for column, space in pairs}
