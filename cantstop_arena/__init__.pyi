"""The names that `__init__.py` hands on, for tools that read types."""

from cantstop_arena.api.bot_arguments import bot as bot
from cantstop_arena.api.comparisons import ComparisonResults as ComparisonResults
from cantstop_arena.api.comparisons import compare as compare
from cantstop_arena.api.folders import open as open
from cantstop_arena.api.folders import rate as rate
from cantstop_arena.api.histories import BotHistory as BotHistory
from cantstop_arena.api.histories import history as history
from cantstop_arena.api.matches import MatchResults as MatchResults
from cantstop_arena.api.matches import match as match
from cantstop_arena.api.results import Results as Results
from cantstop_arena.api.schemas import schema as schema
from cantstop_arena.api.tournaments import gauntlet as gauntlet
from cantstop_arena.api.tournaments import run as run
from cantstop_arena.api.tournaments import tournament as tournament
from cantstop_arena.api.tuning import tune as tune
from cantstop_arena.bots.file_imports import read_beside as read_beside
from cantstop_arena.errors import ArenaError as ArenaError
from cantstop_arena.errors import BotError as BotError
from cantstop_arena.errors import ConfigError as ConfigError
from cantstop_arena.errors import FaultError as FaultError
from cantstop_arena.errors import GameError as GameError
from cantstop_arena.errors import Interrupted as Interrupted
from cantstop_arena.errors import LedgerError as LedgerError
from cantstop_arena.errors import PageError as PageError
from cantstop_arena.errors import RulesError as RulesError
from cantstop_arena.errors import UsageError as UsageError
from cantstop_arena.errors import WorkerPoolError as WorkerPoolError
from cantstop_arena.extensions.design.api import DesignResults as DesignResults
from cantstop_arena.extensions.design.api import ProfileResults as ProfileResults
from cantstop_arena.extensions.design.api import design as design
from cantstop_arena.extensions.design.api import profile as profile
from cantstop_arena.extensions.league.api import LeagueResults as LeagueResults
from cantstop_arena.extensions.league.api import league as league
from cantstop_arena.extensions.learn import environments as environments
from cantstop_arena.extensions.learn.environments.onnx_export import to_onnx as to_onnx
from cantstop_arena.extensions.learn.environments.policy_bot import PolicyBot as PolicyBot
from cantstop_arena.extensions.learn.environments.vector_env import vector_env as vector_env
from cantstop_arena.extensions.learn.train_api import train as train
from cantstop_arena.extensions.learn.training_run import TrainedNets as TrainedNets
from cantstop_arena.extensions.strength.judge_api import JudgedBots as JudgedBots
from cantstop_arena.extensions.strength.judge_api import judge as judge
from cantstop_arena.extensions.strength.solve_api import solve as solve
from cantstop_arena.game_api.batches import Batch as Batch
from cantstop_arena.games.cantstop.hooks import Player as Player
from cantstop_arena.games.cantstop.turn import Turn as Turn
from cantstop_arena.hookspecs import Bot as Bot
from cantstop_arena.hookspecs import compiled as compiled
from cantstop_arena.hookspecs import hookimpl as hookimpl

__all__: list[str]
__version__: str

def all_modules() -> dict[str, str]: ...
