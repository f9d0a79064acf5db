"""Nets in a check play the rules, with the number of players, that they were trained for."""

from math import inf
from typing import Any, NamedTuple

from cantstop_arena.bots.bot_paths import NET
from cantstop_arena.bots.known_bot import KnownBot
from cantstop_arena.bots.onnx_bots import net_refusal, players_text, trained_for
from cantstop_arena.bots.onnx_files import METADATA, NetFile, read_net
from cantstop_arena.check.findings import NOTE, OK, WRONG, Finding
from cantstop_arena.check.suite import CheckedRules
from cantstop_arena.game_api.game import Game
from cantstop_arena.tournaments.file.tournament_file import usual_players

_SUBJECT = "trained for"


class CheckedSetting(NamedTuple):
    """The one setting in which a bot is checked, None for all of them; and what a net says of it.

    The bot `plays` unless its net cannot in that setting.
    """

    rules: CheckedRules | None
    finding: Finding | None = None
    net: NetFile | None = None
    plays: bool = True


def checked_setting(bot: KnownBot, game: Game, only: CheckedRules | None) -> CheckedSetting:
    """The setting in which a bot is checked: `only`, or for a net what its file says.

    A net whose file names no rules that are known is checked under those of the game, with a number
    of players that its observations fit. Raises BotError when the file cannot be read.
    """
    source = bot.source
    if source is None or source.path.suffix != NET:
        return CheckedSetting(only)
    net = read_net(source.texts()[source.name])
    if only is not None:
        rules, players = game.rules.from_dict(only.rules), only.players
    else:
        named = game.rules.named.get(net.metadata.get(f"{METADATA}rules", ""))
        rules = named.rules if named else game.rules.default
        players = _players(game, net, rules)
        only = CheckedRules(game.rules.as_dict(rules), players, inf)
        if (said := trained_for(net.metadata)) and not named:
            plays = _fits(game, net, rules, players)
            text = f"it is checked for {rules.name}" if plays else "so it is not played"
            finding = Finding(NOTE, _SUBJECT, f"{said}; no rules have this name here, {text}")
            return CheckedSetting(only, finding, net, plays)
    finding = _finding(net, game, rules, players)
    return CheckedSetting(only, finding, net, finding.mark != WRONG)


def _fits(game: Game, net: NetFile, rules: Any, players: int) -> bool:
    encoding = game.encoding(rules, players)
    return encoding is not None and net.observation_size in (None, encoding.size)


def _players(game: Game, net: NetFile, rules: Any) -> int:
    """The number that the file says, or the first that its observations fit, or the usual one."""
    said, usual = net.metadata.get(f"{METADATA}players", ""), usual_players(game)
    possible: list[int] = [usual, *game.players]
    fitting = [players for players in possible if _fits(game, net, rules, players)]
    return next((players for players in possible if str(players) == said), [*fitting, usual][0])


def _finding(net: NetFile, game: Game, rules: Any, players: int) -> Finding:
    """What the file of a net says beside the rules and players of the check."""
    if refusal := net_refusal(net, game, rules, players):
        return Finding(WRONG, _SUBJECT, f"the net {refusal}")
    if said := trained_for(net.metadata):
        return Finding(OK, _SUBJECT, said)
    text = f"the file does not say; it is checked for {rules.name} and {players_text(players)}"
    return Finding(NOTE, _SUBJECT, text)
