"""Judging bots where their code may run: some deals for each errand, several at work at once."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cantstop_arena.bot_sources.complaints import complaint_of
from cantstop_arena.bot_sources.plugins import Loader
from cantstop_arena.errors import ERROR, BotError
from cantstop_arena.games.cantstop.judging.evaluators import best_evaluator
from cantstop_arena.games.cantstop.judging.regret import (
    KINDS,
    SIZES,
    Judgement,
    Mistake,
    judge,
    worst_of,
)
from cantstop_arena.runtime.errands import Errand, Failed, done
from cantstop_arena.tournament.setup.preparation import packed, unpacked
from cantstop_arena.tournament.setup.table_specs import TableSpec

WORST = 10
_AT_ONCE = 250  # deals of an errand
_LIMIT = 3600.0  # seconds that an errand may take


def judged(spec: TableSpec, deals: int, tables: Path) -> Judgement:
    """Judge the first bot of a table against the second, in errands. Raises BotError."""
    parts = [*_parts(spec, deals, tables)]
    sizes = [sum(numbers) for numbers in zip(*(part.sizes for part in parts), strict=True)]
    return Judgement(
        spec.players,
        [loss for part in parts for loss in part.losses],
        sizes,
        [missed for part in parts for missed in part.missed],
        worst_of([one for part in parts for one in part.worst], WORST),
    )


def _parts(spec: TableSpec, deals: int, tables: Path) -> Iterator[Judgement]:
    starts = range(0, deals, _AT_ONCE)
    errands = [_errand(spec, first, min(_AT_ONCE, deals - first), tables) for first in starts]
    name = spec.seats[0].name
    for told, first in zip(done(errands), starts, strict=True):
        yield _believed(told, spec.players, min(_AT_ONCE, deals - first), name)


def _errand(spec: TableSpec, first: int, deals: int, tables: Path) -> Errand:
    words = {"spec": packed(spec), "first": first, "deals": deals, "tables": str(tables)}
    return Errand(f"{__name__}:judged_here", words, _LIMIT)


def judged_here(spec: str, first: int, deals: int, tables: str) -> Mapping[str, Any]:
    """Judge some deals in this process: what an errand does."""
    try:
        found = _judged_here(unpacked(spec), range(first, first + deals), Path(tables))
    except BaseException as error:
        return {ERROR: complaint_of(error)}
    return {
        "losses": found.losses,
        "sizes": found.sizes,
        "missed": found.missed,
        "worst": [*map(_told, found.worst)],
    }


def _told(one: Mistake) -> Mapping[str, Any]:
    markers = [_pairs(spaces) for spaces in one.markers]
    return {**one.as_dict(), "markers": markers, "runners": _pairs(one.runners)}


def _pairs(spaces: Mapping[int, int]) -> Sequence[tuple[int, int]]:
    """Spaces by column, as JSON has them."""
    return list(spaces.items())


def _judged_here(spec: TableSpec, deals: range, tables: Path) -> Judgement:
    loader = Loader(spec.folder)
    evaluator = best_evaluator(spec.rules, spec.players, tables)
    bot, rival = (seat.contestant(loader) for seat in spec.seats)
    return judge(evaluator, bot, rival, deals, spec.seed, WORST)


def _believed(told: Any, players: int, deals: int, name: str) -> Judgement:
    if isinstance(told, Failed):
        raise BotError(f"{name} cannot be judged: its process {told}")
    if isinstance(told, dict) and isinstance(complaint := told.get(ERROR), str):
        raise BotError(complaint)
    try:
        losses = [[float(loss) for loss in deal] for deal in told["losses"]]
        sizes = [int(number) for number in told["sizes"]]
        missed = [float(one) for one in told["missed"]]
        worst = [_mistake(one) for one in told["worst"]]
    except (TypeError, KeyError, ValueError) as error:
        raise BotError(f"{name} cannot be judged: its process tells nonsense") from error
    right = len(losses) == len(missed) == deals and len(sizes) == len(SIZES)
    if not right or any(len(loss) != len(KINDS) for loss in losses):
        raise BotError(f"{name} cannot be judged: its process tells nonsense")
    return Judgement(players, losses, sizes, missed, worst)


def _mistake(told: Mapping[str, Any]) -> Mistake:
    markers = tuple(_spaces(pairs) for pairs in told["markers"])
    return Mistake(
        loss=float(told["loss"]),
        kind=KINDS[KINDS.index(told["kind"])],
        deal=int(told["deal"]),
        seat=int(told["seat"]),
        turn=int(told["turn"]),
        roll=int(told["roll"]),
        dice=tuple(map(int, told["dice"])),
        markers=markers,
        runners=_spaces(told["runners"]),
        taken=f"{told['taken']:.20}",
        best=f"{told['best']:.20}",
    )


def _spaces(pairs: Sequence[Sequence[int]]) -> Mapping[int, int]:
    return {int(column): int(space) for column, space in pairs}
