"""What each decision of a bot loses, by an evaluator of the positions in which it is taken."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import asdict

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.exact.evaluator import Evaluator
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.turn import Move, Turn
from cantstop_arena.table.seated_bot import SeatedBot

CHOOSING, STOPPING, ROLLING = "choosing", "stopping too soon", "rolling too long"
KINDS = (CHOOSING, STOPPING, ROLLING)
SIZES = (0.0, 0.005, 0.02, 0.05)
"""What a mistake loses at least, to be counted with those of its size."""
_WIDTH = 1.96  # standard errors on either side of an interval that covers 95 %


class Mistake(msgspec.Struct, frozen=True):
    """A decision that loses something: a chance to win or, alone, turns.

    `markers` are those of each seat by column, `runners` where they stood when it was taken. Alone
    there is no `rival`.
    """

    loss: float
    kind: str
    deal: int
    seat: int
    turn: int
    roll: int
    dice: tuple[int, ...]
    markers: tuple[Mapping[int, int], ...]
    runners: Mapping[int, int]
    taken: str
    best: str
    rival: str

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)


class RegretMean(msgspec.Struct, frozen=True):
    """A mean over games, and half of its interval."""

    mean: float
    half: float


class Judgement(msgspec.Struct, frozen=True):
    """What a bot's decisions lose, deal by deal, each played once in every seat.

    `losses` are those of each deal and kind, `sizes` the numbers of mistakes of each size, and
    `missed` what results say is lost against perfect play by both.
    """

    seats: int
    losses: Sequence[Sequence[float]]
    sizes: Sequence[int]
    missed: Sequence[float]
    worst: Sequence[Mistake]

    @property
    def games(self) -> int:
        """The games that were looked at."""
        return self.seats * len(self.losses)

    def lost(self, *kinds: str) -> RegretMean:
        """The loss a game, by mistakes of these kinds, or by all."""
        positions = [KINDS.index(kind) for kind in kinds or KINDS]
        return _mean([sum(deal[index] for index in positions) / self.seats for deal in self.losses])

    def measured(self) -> RegretMean:
        """The loss a game, by results: it agrees with `lost` but for luck."""
        return _mean(self.missed)

    def mistakes(self, size: int) -> float:
        """The mistakes a game of a size, by number, and of all larger ones."""
        return sum(self.sizes[size:]) / self.games


def merge_judgements(parts: Sequence[Judgement], maximum: int) -> Judgement:
    """What was judged in parts, some deals each, with the `most` worst decisions of all."""
    return Judgement(
        parts[0].seats,
        [loss for part in parts for loss in part.losses],
        [sum(numbers) for numbers in zip(*(part.sizes for part in parts), strict=True)],
        [missed for part in parts for missed in part.missed],
        worst_of([mistake for part in parts for mistake in part.worst], maximum),
    )


def _mean(values: Sequence[float]) -> RegretMean:
    half = _WIDTH * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return RegretMean(float(np.mean(values)), half)


def judge(
    evaluator: Evaluator,
    bot: SeatedBot,
    rival: SeatedBot,
    deals: range,
    seed: Seed,
    maximum: int = 10,
) -> Judgement:
    """Judge what a bot decides against a rival (alone, where the evaluator knows one player).

    The `most` worst decisions are kept. Raises BotError where a bot commits a fault.
    """
    seats = evaluator.players
    notes = _Notes(evaluator, rival.name if seats > 1 else "")
    seated_bots = [notes.judged(bot), rival][:seats]
    table = EngineTable(GAME, evaluator.rules, seated_bots, seats, seed)
    losses, missed, sizes = [], [], np.zeros(len(SIZES), np.int64)
    worst: list[Mistake] = []
    for deal in deals:
        notes.begin(deal)
        missed.append(_missed(table, evaluator, deal))
        stored_mistakes = list(notes.mistakes.values())
        losses.append(
            [
                sum(mistake.loss for mistake in stored_mistakes if mistake.kind == kind)
                for kind in KINDS
            ]
        )
        for mistake in stored_mistakes:
            sizes[np.searchsorted(SIZES, mistake.loss, side="left") - 1] += 1
        worst = worst_of([*worst, *stored_mistakes], maximum)
    return Judgement(seats, losses, sizes.tolist(), missed, worst)


def worst_of(mistakes: Sequence[Mistake], maximum: int) -> list[Mistake]:
    """The mistakes that lose most, the worst first."""
    order = sorted(
        mistakes, key=lambda item: (-item.loss, item.deal, item.seat, item.turn, item.roll)
    )
    return order[:maximum]


def _missed(table: EngineTable, evaluator: Evaluator, deal: int) -> float:
    """Play a deal; what perfect play takes from it on average, and the bot has not."""
    players = evaluator.players
    result = table.play(Block(tuple(range(players)), deal, 1))
    if result.faults:
        fault = result.faults[0]
        name = table.seated_bots[fault.bot].name
        raise BotError(f"{name} cannot be judged: it misbehaves in deal {deal}: {fault.message}")
    if players == 1:
        return float(int(result.tallies[0].counts["turns"][0]) - evaluator.value)
    first, second = (int(mask) for mask in result.masks()[0])
    return 0.5 - ((first == 1) + (second == 2) + ((first == 3) + (second == 3)) / 2) / 2


class _Notes:
    """Writes down what the decisions of a deal lose.

    A game may be played twice, to see whether a bot answers the same: decisions are kept once.
    """

    def __init__(self, evaluator: Evaluator, rival: str) -> None:
        self.mistakes: dict[tuple[object, ...], Mistake] = {}
        self._evaluator = evaluator
        self._rival = rival
        self._deal = 0

    def begin(self, deal: int) -> None:
        """Turn to the next deal."""
        self.mistakes = {}
        self._deal = deal

    def judged(self, bot: SeatedBot) -> SeatedBot:
        """The same bot, all of whose decisions are noted; code compiled of it is not for this."""
        sit = bot.make_player
        seated = None if sit is None else lambda sitting: self._observed(sit(sitting))
        own = f"{bot.digest}, judged"
        return SeatedBot(bot.name, self._observed(bot.player), own, seated, bot.learns)

    def _observed(self, player: Any) -> Player:
        def choose_move(turn: Turn, moves: Sequence[Sequence[int]]) -> int:
            answer: int = player.choose_move(turn, moves)
            self._note_choice(turn, [tuple(move) for move in moves], answer)
            return answer

        def roll_again(turn: Turn) -> bool:
            answer: bool = player.roll_again(turn)
            self._note_roll(turn, bool(answer))
            return answer

        return Player(choose_move, roll_again)

    def _note_choice(self, turn: Turn, moves: Sequence[Move], answer: int) -> None:
        if not 0 <= answer < len(moves):
            return  # a fault, which ends it all
        values = self._evaluator.values(turn, moves)
        best = values.index(max(values))
        loss = values[best] - values[answer]
        self._note(turn, loss, CHOOSING, _named(moves[answer]), _named(moves[best]))

    def _note_roll(self, turn: Turn, rolls: bool) -> None:
        choice = self._evaluator.choice(turn)
        gain = choice.rolling - choice.stopping
        if rolls:
            self._note(turn, max(0.0, -gain), ROLLING, "roll", "stop")
        else:
            self._note(turn, max(0.0, gain), STOPPING, "stop", "roll")

    def _note(self, turn: Turn, loss: float, kind: str, taken: str, best: str) -> None:
        if loss <= 0.0:
            return
        self.mistakes[turn.seat, turn.number, turn.rolls, kind] = Mistake(
            loss=loss,
            kind=kind,
            deal=self._deal,
            seat=turn.seat,
            turn=turn.number,
            roll=turn.rolls,
            dice=turn.dice,
            markers=_markers(turn),
            runners={column: turn.runners[column] for column in turn.placed},
            taken=taken,
            best=best,
            rival=self._rival,
        )


def _named(move: Move) -> str:
    return "+".join(map(str, move))


def _markers(turn: Turn) -> tuple[Mapping[int, int], ...]:
    """The markers of every seat, by column."""
    in_order = [turn.markers, *turn.rivals]
    by_seat = [in_order[(seat - turn.seat) % turn.players] for seat in range(turn.players)]
    return tuple(
        {column: space for column, space in enumerate(spaces) if space} for spaces in by_seat
    )
