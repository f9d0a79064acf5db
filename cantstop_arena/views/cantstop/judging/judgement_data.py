"""Conversion of judgements to and from JSON, for files, and checks of those that others wrote."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from math import isfinite
from typing import Any

import msgspec

from cantstop_arena.games.cantstop.exact.regret import KINDS, SIZES, Judgement, Mistake

_MAX_MOVE_LENGTH = 20  # characters


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


def from_data(data: Any, players: int, rivals: Collection[str]) -> Judgement:
    """The judgement of parsed JSON. Raises ValueError, TypeError or KeyError when it is invalid."""
    worst = [*map(_with_spaces, data["worst"])]
    judgement = msgspec.convert({**data, "worst": worst, "seats": players}, Judgement)
    if not is_consistent(judgement, players, rivals):
        raise ValueError("its parts do not belong together")
    return judgement


def _with_spaces(mistake: Mapping[str, Any]) -> Mapping[str, Any]:
    """A mistake with spaces by column in place of pairs."""
    markers = [*map(dict, mistake["markers"])]
    return {**mistake, "markers": markers, "runners": dict(mistake["runners"])}


def is_consistent(judgement: Judgement, players: int, rivals: Collection[str]) -> bool:
    """Whether a judgement of others has all its parts, finite numbers and printable texts."""
    losses, missed, worst = judgement.losses, judgement.missed, judgement.worst
    return (
        judgement.seats == players
        and 0 < len(losses) == len(missed)
        and len(judgement.sizes) == len(SIZES)
        and all(len(loss) == len(KINDS) for loss in losses)
        and all(map(isfinite, chain(missed, *losses)))
        and all(_is_consistent_mistake(mistake, rivals) for mistake in worst)
    )


def _is_consistent_mistake(mistake: Mistake, rivals: Collection[str]) -> bool:
    texts = (mistake.taken, mistake.best)
    return (
        isfinite(mistake.loss)
        and mistake.kind in KINDS
        and mistake.rival in rivals
        and all(len(text) <= _MAX_MOVE_LENGTH and text.isprintable() for text in texts)
    )
