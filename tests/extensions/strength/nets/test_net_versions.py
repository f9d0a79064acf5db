"""The nets that ship belong to the versions of the bots that play with them."""

from pathlib import Path

import pytest

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.game_api import bot_options
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.changes import changes
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.table_spec import bot_start


def test_the_shipped_nets_belong_to_the_bots_that_play_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.yaml").write_text("seed: 1\nbots: [grandmaster, rule28]\n")
    catalogue = Catalogue(Path("bots"))
    stored = read(Path("two.yaml"), catalogue).query
    assert [[*bot.version.files] for bot in stored.bots] == [["nets"], []]
    champion = catalogue.find("champion")
    start = bot_start("champion", champion, champion.defaults)

    monkeypatch.setattr(bot_options, "digest_of_file", lambda path: f"other nets than {path}")
    now = read(Path("two.yaml"), catalogue)
    assert [*changes(stored, now, catalogue, Path("results/two/bots"))] == [
        "Since the last run: grandmaster has changed (what the arena brings as nets)."
    ]
    with pytest.raises(BotError, match=r"^nets has changed since the run started"):
        seat_bot(start, Loader(Path("bots")))
