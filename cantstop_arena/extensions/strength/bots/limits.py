"""Where the extension's bots cannot play, and notes on them."""

from collections.abc import Mapping
from typing import Any

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import RuleSet


def policy_net_refusal(rules: RuleSet, players: int) -> str | None:
    """Why `policy-net` cannot play: for these rules it was not trained."""
    from cantstop_arena.extensions.strength.bots.policy_net import PLAYERS, RULES

    is_trained = (rules._replace(name=RULES.name), players) == (RULES, PLAYERS)
    trained = f"its net was trained for {RULES.name} and {PLAYERS} players"
    return None if is_trained else f"{trained}; this run has {rules.name} and {players}"


def optimal_refusal(rules: RuleSet, players: int) -> str | None:
    """Why `optimal` cannot play: the board is not solved."""
    from cantstop_arena.extensions.strength.exact.solved_tables import adviser_for
    from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder

    try:
        adviser_for(rules, players, tables_folder())
    except BotError as error:
        return str(error)
    return None


def champion_note(options: Mapping[str, Any], rules: RuleSet, players: int) -> str:
    """A note if there are no nets for these rules and seats."""
    from cantstop_arena.extensions.strength.bots.net_choice import nets_note

    return nets_note(options.get("nets", ""), rules, players, rolling=True)


def grandmaster_note(options: Mapping[str, Any], rules: RuleSet, players: int) -> str:
    """A note if there are no nets for these rules and seats."""
    from cantstop_arena.extensions.strength.bots.net_choice import nets_note

    return nets_note(options.get("nets", ""), rules, players, rolling=False)
