"""A game of Cubus as a `State` of the arena: its questions, events and result."""

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
_KEY_COUNT = 1 << 64


def keys_of(stream: Callable[[str], Stream], bots: Sequence[int] = ()) -> CubusKeys:
    """The keys of a deal, each the first number of the stream of its name."""
    deck, knocks, ending = (stream(name).below(_KEY_COUNT) for name in ("deck", "knocks", "ending"))
    return CubusKeys(deck, knocks, ending, tuple(bots))


class _DealtChance(NamedTuple):
    """The chance of a deal, with the arena's streams for the bots."""

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
    """One game of a deal."""

    def __init__(self, deal: Deal) -> None:
        streams = [deal.view(View, seat).random for seat in deal.seats]
        chance = _DealtChance(KeyedDecks(keys_of(deal.stream)), streams)
        self._state = CubusState(deal.rules, deal.players, chance)
        self._events: list[events.Event] = []

    @property
    def turn(self) -> int:  # type: ignore[override]
        """The number of the current turn, from 1."""
        return self._state.turn

    def question(self) -> Question | None:
        pending = self._state.question()
        if pending is None:
            return None
        return Question(
            _HOOK_OF[pending.decision], {seat: self._state.view(seat) for seat in pending.seats}
        )

    def check(self, seat: int, answer: Build | None) -> str | None:
        return self._state.complaint(seat, self._resolved(answer))

    def answer(self, answers: Mapping[int, Build | None]) -> list[Event]:
        resolved = {seat: self._resolved(answer) for seat, answer in answers.items()}
        new_events = self._state.answer(resolved)
        self._events += new_events
        return [events.as_dict(event) for event in new_events if not _is_end(event)]

    def _resolved(self, answer: Build | None) -> Build | None:
        """The answer, or the usual take where a bot answers None to a take or has no `take`."""
        pending = self._state.question()
        if answer is None and pending and pending.decision == "take":
            return usual_take(self._state.table, self._state.rules.box)
        return answer

    def result(self) -> Result:
        if not (self._events and _is_end(self._events[-1])):
            return self._result([*self._events, self._state.so_far()], LEFT)
        return self._result(self._events, DONE)

    def _result(self, game_events: Sequence[events.Event], reason: str) -> Result:
        end = game_events[-1]
        assert isinstance(end, events.Ended)
        counts = count(self._state.rules, self._state.players, game_events)
        return counted_result(*counts, end.winners, reason)

    def ending(self, result: Result) -> Event:
        cards = list(self._state.won) if self._state.rules.take_down else None
        return {"points": [*result.points], "cards": cards}


def counted_result(
    seats: Sequence[SeatCounts], game: GameCounts, winners: Sequence[int], reason: str = DONE
) -> Result:
    """The result of a game from its counts."""
    return Result(
        winners=winners,
        points=[int(seat.points) for seat in seats],
        counts=per_seat(seats, game),
        highlights=highlight_scores(seats, game),
        reason=reason,
    )


def _is_end(event: events.Event) -> bool:
    return isinstance(event, events.Ended)
