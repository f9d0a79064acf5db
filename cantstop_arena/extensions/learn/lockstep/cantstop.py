"""Games of Can't Stop in lockstep: in machine code where the bots allow it."""

from cantstop_arena.extensions.learn.lockstep.lockstep_games import (
    CantStopLockstep,
    plays_in_lockstep,
)
from cantstop_arena.extensions.learn.lockstep.lockstep_positions import LockstepPositions
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.lockstep import LockstepGames, LockstepSetting


def lockstep_games(game: Game, setting: LockstepSetting) -> LockstepGames:
    """Games in lockstep for a setting."""
    if plays_in_lockstep(setting.bots):
        encoding = game.encoding(setting.rules, setting.players)
        assert encoding  # the game has one for all rules
        return CantStopLockstep(setting, encoding)
    return LockstepPositions(game, setting)
