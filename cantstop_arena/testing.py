"""For the tests of games: `check_game` is `arena games check` in pytest."""

from cantstop_arena.check.findings import WRONG
from cantstop_arena.check.game_check import TEST_SECONDS, GameCheck
from cantstop_arena.game_api.game import Game

__all__ = ["check_game"]


def check_game(game: Game, seconds: float = TEST_SECONDS) -> None:
    """Check that a game keeps the contract of docs/reference/game-api.md.

    Each test plays random games of all named rule sets and numbers of seats, for at most so many
    seconds of processor time. Raises AssertionError with all defects.
    """
    findings = GameCheck(game, seconds).findings()
    defects = [
        f"{finding.subject}: {finding.text}" for finding in findings if finding.mark == WRONG
    ]
    assert not defects, f"{game.title}: {'; '.join(defects)}"
