"""Tables say which bots have no nets for the rules that were played."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from cantstop_arena.bots.origins import Origin
from cantstop_arena.extensions.strength.nets.net_files import as_bytes, shipped_nets
from cantstop_arena.games.cantstop.rules import CLASSIC, RULES, derive
from cantstop_arena.tournaments.ledger.aggregation import bot_notes
from cantstop_arena.tournaments.ledger.ledger_query import (
    BotVersion,
    GameSetting,
    LedgerQuery,
    QueryBot,
)

NONE = "has no nets for these rules with {} seats, and plays as tuned."


def query(players: int = 2, nets: str = "", **changes: Any) -> LedgerQuery:
    """The query of a tournament of bots with nets, and one of the same name."""
    own = [
        QueryBot(f"my {bot}", BotVersion(Origin.BUILT_IN, options={"nets": nets}, bot=bot), bot)
        for bot in ("champion", "grandmaster")
    ]
    others = [
        QueryBot("other", BotVersion(Origin.FILE), "champion"),
        QueryBot("rule28", BotVersion(Origin.BUILT_IN, bot="rule28"), "rule28"),
    ]
    rules = RULES.as_dict(derive(CLASSIC, changes))
    setting = GameSetting("cantstop", "1", rules, players, 1, 1.0)
    return LedgerQuery("cup", setting, "classic", (*own, *others), 1, 0, 100)


def test_bots_with_nets_for_the_rules_are_as_they_say() -> None:
    assert bot_notes(query()) == ()
    assert bot_notes(query(turn_limit=50)) == ()
    assert bot_notes(query(stop="after-all-runners")) == ()
    assert len(bot_notes(query(3, stop="after-all-runners"))) == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"landing": "jump"},
        {"columns_to_win": 2},
        {"stop": "after-all-runners", "columns_to_win": 4},
    ],
)
def test_bots_without_play_as_tuned(changes: dict[str, Any]) -> None:
    assert bot_notes(query(**changes)) == (
        f"my champion {NONE.format(2)}",
        f"my grandmaster {NONE.format(2)}",
    )


def test_nets_of_ones_own_are_for_their_rules_and_seats(tmp_path: Path) -> None:
    file, nets = tmp_path / "own.nets", shipped_nets()[1]
    file.write_bytes(as_bytes(replace(nets, rules=derive(CLASSIC, {"columns_to_win": 4}))))
    assert bot_notes(query(nets=str(file), columns_to_win=4)) == ()
    assert len(bot_notes(query(nets=str(file)))) == 2
    assert len(bot_notes(query(3, nets=str(file), columns_to_win=4))) == 2
    file.write_bytes(as_bytes(replace(nets, rolls=np.zeros_like(nets.rolls).view(np.recarray))))
    assert bot_notes(query(nets=str(file))) == (f"my champion {NONE.format(2)}",)
    file.write_bytes(b"damaged")
    assert bot_notes(query(nets=str(file))) == ()
