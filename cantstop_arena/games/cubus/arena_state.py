"""A game of Cubus as the arena plays it: its questions, its events, what came of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from cantstop_arena.game_api.game import DONE, LEFT, Deal, Event, Question, Result, View
from cantstop_arena.game_api.game import State as ArenaState
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.cubus import events
from cantstop_arena.games.cubus.builds.build import Build
from cantstop_arena.games.cubus.chance import CubusKeys, KeyedDecks
from cantstop_arena.games.cubus.choices.takedown import usual_take
from cantstop_arena.games.cubus.counts import GameCounts, SeatCounts, count
from cantstop_arena.games.cubus.measures import highlight_scores, per_seat
from cantstop_arena.games.cubus.rules import RuleSet
from cantstop_arena.games.cubus.state import CubusState

_HOOK_OF = {"build": "build", "ending": "build", "knock": "knock", "take": "take"}
_WORDS = 1 << 64


def keys_of(stream: Callable[[str], Stream], bots: Sequence[int] = ()) -> CubusKeys:
    """The keys of a deal, each drawn from the stream of its name."""
    deck, knocks, ending = (stream(name).below(_WORDS) for name in ("deck", "knocks", "ending"))
    return CubusKeys(deck, knocks, ending, tuple(bots))


class _DealtChance(NamedTuple):
    """The chance of a deal; bots draw from the streams that the arena has for them."""

    keyed: KeyedDecks
    streams: Sequence[Callable[[], float]]

    def deck(self, rules: RuleSet) -> Sequence[str]:
        """The deck, from its key."""
        return self.keyed.deck(rules)

    def knock_order(self, turn: int, players: int) -> Sequence[int]:
        """The order in which knockers are heard, from its key."""
        return self.keyed.knock_order(turn, players)

    def ending_order(self, players: int) -> Sequence[int]:
        """The order between equals under `ending: best`, from its key."""
        return self.keyed.ending_order(players)

    def own(self, seat: int) -> Callable[[], float]:
        """The stream of a seat's bot."""
        return self.streams[seat]


class ArenaCubusState(ArenaState):
    """One game, from its deal on."""

    def __init__(self, deal: Deal) -> None:
        streams = [deal.view(View, seat).random for seat in deal.seats]
        chance = _DealtChance(KeyedDecks(keys_of(deal.stream)), streams)
        self._state = CubusState(deal.rules, deal.players, chance)
        self._happened: list[events.Event] = []

    @property
    def turn(self) -> int:  # type: ignore[override]
        """The turn that is played."""
        return self._state.turn

    def question(self) -> Question | None:
        asked = self._state.question()
        if asked is None:
            return None
        return Question(
            _HOOK_OF[asked.decision], {seat: self._state.view(seat) for seat in asked.seats}
        )

    def check(self, seat: int, answer: Build | None) -> str | None:
        return self._state.complaint(seat, self._meant(answer))

    def answer(self, answers: Mapping[int, Build | None]) -> list[Event]:
        meant = {seat: self._meant(answer) for seat, answer in answers.items()}
        happened = self._state.answer(meant)
        self._happened += happened
        return [events.as_dict(event) for event in happened if not _is_end(event)]

    def _meant(self, answer: Build | None) -> Build | None:
        """A bot that names no take, or has no `take`, takes as is usual."""
        asked = self._state.question()
        if answer is None and asked and asked.decision == "take":
            return usual_take(self._state.table, self._state.rules.box)
        return answer

    def result(self) -> Result:
        if not (self._happened and _is_end(self._happened[-1])):
            return self._result([*self._happened, self._state.so_far()], LEFT)
        return self._result(self._happened, DONE)

    def _result(self, happened: Sequence[events.Event], reason: str) -> Result:
        end = happened[-1]
        assert isinstance(end, events.Ended)
        told = count(self._state.rules, self._state.players, happened)
        return counted_result(*told, end.winners, reason)

    def ending(self, result: Result) -> Event:
        cards = list(self._state.won) if self._state.rules.take_down else None
        return {"points": [*result.points], "cards": cards}


def counted_result(
    seats: Sequence[SeatCounts], game: GameCounts, winners: Sequence[int], reason: str = DONE
) -> Result:
    """What came of a game, by what was counted of it."""
    return Result(
        winners=winners,
        points=[int(seat.points) for seat in seats],
        counts=per_seat(seats, game),
        highlights=highlight_scores(seats, game),
        reason=reason,
    )


def _is_end(event: events.Event) -> bool:
    return isinstance(event, events.Ended)
