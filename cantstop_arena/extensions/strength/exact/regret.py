"""Regret: the loss of each decision of a bot, by the values of an evaluator."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import asdict, replace

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.strength.exact.evaluator import Evaluator
from cantstop_arena.extensions.strength.exact.situations import (
    Situation,
    SituationKey,
    joined_situations,
    situation_keys,
    situations_of_deal,
)
from cantstop_arena.game_api.answers import IllegalAnswer, checked_bool, index_among
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.turn import Move, Turn, move_text
from cantstop_arena.ratings.mean_error import mean_error
from cantstop_arena.table.seated_bot import SeatedBot

CHOOSING, STOPPING, ROLLING = "choosing", "stopping too soon", "rolling too long"
KINDS = (CHOOSING, STOPPING, ROLLING)
SIZES = (0.0, 0.005, 0.02, 0.05)
"""The lower bounds of the loss of mistakes, one for each size class."""


class Mistake(msgspec.Struct, frozen=True):
    """A decision with a loss: in probability of winning or, with one player, in turns.

    `markers` holds the space of each marker by column, seat by seat, and `runners` the spaces of
    the runners when the decision was made. `rival` is empty with one player. `options` has the
    value of each answer that was possible: the probability of winning, or the turns, less than 0.
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
    options: tuple[tuple[str, float], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The mistake as a dictionary of plain values."""
        return asdict(self)


class RegretMean(msgspec.Struct, frozen=True):
    """A mean per game over some deals, its standard error, and half its 95% interval."""

    mean: float
    error: float
    deals: int
    half_width: float


class Judgement(msgspec.Struct, frozen=True):
    """The losses of a bot's decisions, deal by deal; each deal is played once in every seat.

    `losses` holds the loss by deal and kind, `sizes` the number of mistakes in each size class, and
    `missed` by deal the loss that follows from the results, against perfect play by both; there
    were so many `decisions`, made in these `situations`.
    """

    seats: int
    losses: Sequence[Sequence[float]]
    sizes: Sequence[int]
    missed: Sequence[float]
    worst: Sequence[Mistake]
    decisions: int = 0
    situations: Sequence[Situation] = ()

    @property
    def games(self) -> int:
        """The number of games judged."""
        return self.seats * len(self.losses)

    def lost(self, *kinds: str) -> RegretMean:
        """The mean loss per game from mistakes of these kinds, or of all kinds."""
        indexes = [KINDS.index(kind) for kind in kinds or KINDS]
        return _mean([sum(deal[index] for index in indexes) / self.seats for deal in self.losses])

    def measured(self) -> RegretMean:
        """The mean loss per game by the results; its expected value is that of `lost`."""
        return _mean(self.missed)

    @property
    def share_best(self) -> float | None:
        """The share of the decisions that lost nothing; None where they were not counted."""
        return 1 - sum(self.sizes) / self.decisions if self.decisions else None

    def mistakes(self, size: int) -> float:
        """The mistakes per game in a size class, by its index, and in all larger ones."""
        return sum(self.sizes[size:]) / self.games


def merge_judgements(parts: Sequence[Judgement], max_mistakes: int) -> Judgement:
    """The judgement of all deals of the parts, with the `max_mistakes` worst decisions."""
    return Judgement(
        parts[0].seats,
        [loss for part in parts for loss in part.losses],
        [sum(numbers) for numbers in zip(*(part.sizes for part in parts), strict=True)],
        [missed for part in parts for missed in part.missed],
        worst_of([mistake for part in parts for mistake in part.worst], max_mistakes),
        sum(part.decisions for part in parts),
        joined_situations(each for part in parts for each in part.situations),
    )


def _mean(values: Sequence[float]) -> RegretMean:
    error = mean_error(float(np.mean(values)), np.array(values))
    return RegretMean(error.mean, error.standard_error, len(values), error.half_width)


def judge(
    evaluator: Evaluator,
    bot: SeatedBot,
    rival: SeatedBot,
    deals: range,
    seed: Seed,
    max_mistakes: int = 10,
) -> Judgement:
    """Judge a bot's decisions in games against a rival (alone if the evaluator is for one player).

    The result holds the `max_mistakes` worst decisions. Raises BotError when a bot commits a fault.
    """
    seats = evaluator.players
    notes = _Notes(evaluator, rival.name if seats > 1 else "")
    bots = [notes.with_notes(bot), rival][:seats]
    table = EngineTable(GAME, evaluator.rules, bots, seats, seed)
    losses, missed, sizes = [], [], np.zeros(len(SIZES), np.int64)
    worst: list[Mistake] = []
    decisions, situations = 0, list[Situation]()
    for deal in deals:
        notes.begin(deal)
        missed.append(_missed(table, evaluator, deal))
        mistakes = list(notes.mistakes.values())
        decisions += len(notes.decisions)
        situations = joined_situations([*situations, *situations_of_deal(notes.decisions.values())])
        losses.append(
            [sum(mistake.loss for mistake in mistakes if mistake.kind == kind) for kind in KINDS]
        )
        for mistake in mistakes:
            sizes[np.searchsorted(SIZES, mistake.loss, side="left") - 1] += 1
        worst = worst_of([*worst, *mistakes], max_mistakes)
    return Judgement(seats, losses, sizes.tolist(), missed, worst, decisions, situations)


def worst_of(mistakes: Sequence[Mistake], max_mistakes: int) -> list[Mistake]:
    """The mistakes with the largest losses, the worst first."""
    order = sorted(
        mistakes,
        key=lambda mistake: (-mistake.loss, mistake.deal, mistake.seat, mistake.turn, mistake.roll),
    )
    return order[:max_mistakes]


def _missed(table: EngineTable, evaluator: Evaluator, deal: int) -> float:
    """Play a deal; returns the bot's loss, by the results, against perfect play."""
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
    """The mistakes of one deal, and of all its decisions the situations and the losses.

    A game may be played twice, to check that a bot answers the same; each decision is stored once.
    """

    def __init__(self, evaluator: Evaluator, rival: str) -> None:
        self.mistakes: dict[tuple[object, ...], Mistake] = {}
        self.decisions: dict[tuple[object, ...], tuple[Sequence[SituationKey], float]] = {}
        self._evaluator = evaluator
        self._rival = rival
        self._deal = 0

    def begin(self, deal: int) -> None:
        """Begin the next deal, without mistakes."""
        self.mistakes, self.decisions = {}, {}
        self._deal = deal

    def with_notes(self, bot: SeatedBot) -> SeatedBot:
        """A copy of the bot whose decisions are noted, as plain Python.

        Its digest is its own, so that code compiled for the bot is not used.
        """
        make_player = bot.make_player
        maker = make_player and (lambda start: self._observed(make_player(start)))
        player = self._observed(bot.player)
        return replace(bot, player=player, digest=f"{bot.digest}, judged", make_player=maker)

    def _observed(self, player: Any) -> Player:
        def choose_move(turn: Turn, moves: Sequence[Sequence[int]]) -> int:
            answer: int = player.choose_move(turn, moves)
            with suppress(IllegalAnswer):  # the table reports it: it ends the judgement
                index = index_among("choose_move", answer, len(moves))
                self._note_choice(turn, [tuple(move) for move in moves], index)
            return answer

        def roll_again(turn: Turn) -> bool:
            answer: bool = player.roll_again(turn)
            with suppress(IllegalAnswer):
                self._note_roll(turn, checked_bool("roll_again", answer))
            return answer

        return Player(choose_move, roll_again)

    def _note_choice(self, turn: Turn, moves: Sequence[Move], answer: int) -> None:
        values = self._evaluator.values(turn, moves)
        best = values.index(max(values))
        loss = values[best] - values[answer]
        taken, preferred = move_text(moves[answer]), move_text(moves[best])
        texts = {move_text(move): float(value) for move, value in zip(moves, values, strict=True)}
        self._note(turn, loss, CHOOSING, taken, preferred, texts)

    def _note_roll(self, turn: Turn, rolls: bool) -> None:
        choice = self._evaluator.choice(turn)
        gain = choice.rolling - choice.stopping
        values = {"roll": float(choice.rolling), "stop": float(choice.stopping)}
        if rolls:
            self._note(turn, max(0.0, -gain), ROLLING, "roll", "stop", values)
        else:
            self._note(turn, max(0.0, gain), STOPPING, "stop", "roll", values)

    def _note(
        self,
        turn: Turn,
        loss: float,
        kind: str,
        taken: str,
        best: str,
        options: Mapping[str, float],
    ) -> None:
        decision = turn.seat, turn.number, turn.rolls, kind == CHOOSING
        self.decisions[decision] = situation_keys(turn), loss
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
            options=tuple(options.items()),
        )


def _markers(turn: Turn) -> tuple[Mapping[int, int], ...]:
    """The markers of every seat, by column."""
    in_order = [turn.markers, *turn.rivals]
    by_seat = [in_order[(seat - turn.seat) % turn.players] for seat in range(turn.players)]
    return tuple(
        {column: space for column, space in enumerate(spaces) if space} for spaces in by_seat
    )
