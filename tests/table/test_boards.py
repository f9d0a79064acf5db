"""Boards in records: of a game with hidden cards, each seat sees its own."""

from collections.abc import Iterator

from helpers import bad_games

from cantstop_arena.game_api.state import event_of
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.views.default_view import view_of


class _Drawn(bad_games.Tricks):
    def draw(self, seat: int | None = None) -> str:
        hands = self.hands if seat is None else [self.hands[seat]]
        return " / ".join(" ".join(map(str, hand)) for hand in hands)


class DrawnGame(bad_games.TrickGame):
    """The game with a drawing of its hands."""

    state = _Drawn


class First:
    """Plays its first card."""

    def play(self, view: object, moves: object) -> int:
        return 0


def boards_of(seat: int | None) -> Iterator[str]:
    game = DrawnGame()
    seated = [SeatedBot(name, First(), name) for name in "ab"]
    for event in record(game.table(game.rules.default, seated, 2, 5), (0, 1), 0):
        seen = event if seat is None else event_of(seat, event)
        if seen and seen["event"] == "board":
            yield seen["board"]


def test_each_seat_sees_its_own_board() -> None:
    whole = [board for board in boards_of(None) if " / " in board]
    assert len(whole) == 6
    for seat in (0, 1):
        assert [*boards_of(seat)] == [board.split(" / ")[seat] for board in whole]


def test_a_scene_shows_the_whole_board_once() -> None:
    game = DrawnGame()
    seated = [SeatedBot(name, First(), name) for name in "ab"]
    events = [*record(game.table(game.rules.default, seated, 2, 5), (0, 1), 0)]
    view = view_of(game)
    scenes = view.scenes(events)
    assert len(scenes) == sum(event["event"] != "board" for event in events)
    assert view.draw(scenes[-2]).count(" / ") == 1
