"""The names that `__init__.py` offers, for tools that read types."""

from cantstop_arena.deals.counting import COUNT as COUNT
from cantstop_arena.deals.counting import SHARE as SHARE
from cantstop_arena.deals.counting import Counts as Counts
from cantstop_arena.deals.counting import Highlight as Highlight
from cantstop_arena.deals.counting import Measure as Measure
from cantstop_arena.deals.counting import Rate as Rate
from cantstop_arena.deals.payoff import Payoff as Payoff
from cantstop_arena.deals.seatings import Orders as Orders
from cantstop_arena.deals.seatings import all_orders as all_orders
from cantstop_arena.deals.seatings import balanced_orders as balanced_orders
from cantstop_arena.deals.seatings import rotations as rotations
from cantstop_arena.deals.seatings import standard_orders as standard_orders
from cantstop_arena.game_api.bot_options import FilePath as FilePath
from cantstop_arena.game_api.bot_options import Search as Search
from cantstop_arena.game_api.codec import Codec as Codec
from cantstop_arena.game_api.decisions import decision as decision
from cantstop_arena.game_api.game import CheckGame as CheckGame
from cantstop_arena.game_api.game import Game as Game
from cantstop_arena.game_api.kernel_spec import Kernel as Kernel
from cantstop_arena.game_api.rulebook import Named as Named
from cantstop_arena.game_api.rulebook import RuleBook as RuleBook
from cantstop_arena.game_api.rulebook import choice as choice
from cantstop_arena.game_api.rulebook import flag as flag
from cantstop_arena.game_api.rulebook import whole as whole
from cantstop_arena.game_api.rulebook import wholes as wholes
from cantstop_arena.game_api.state import Chance as Chance
from cantstop_arena.game_api.state import Deal as Deal
from cantstop_arena.game_api.state import Event as Event
from cantstop_arena.game_api.state import Question as Question
from cantstop_arena.game_api.state import Result as Result
from cantstop_arena.game_api.state import State as State
from cantstop_arena.game_api.streams import Stream as Stream
from cantstop_arena.game_api.view import View as View
from cantstop_arena.table.recording import record as record
from cantstop_arena.views.default_view import GameView as GameView
from cantstop_arena.views.default_view import Scene as Scene

__all__: list[str]
