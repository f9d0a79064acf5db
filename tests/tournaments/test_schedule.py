"""Deals are played in rounds over all groups, and a run that is not over says so."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest
from helpers import ledgers
from helpers.arena import Arena
from helpers.finished import Finished
from hypothesis import given
from hypothesis import strategies as st

from cantstop_arena.deals.outcomes import Block, Span, gaps, merge_spans
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import Interrupted
from cantstop_arena.tournaments.schedule import deals_per_block, deals_per_round, missing_rounds
from cantstop_arena.tournaments.tournament import Tournament


def cup(bots: int, games: int, isolate: bool = False) -> Tournament:
    """A tournament of two."""
    return ledgers.tournament(bots, 2, games, isolate=isolate)


def lane_of(group: Group) -> str:
    """The first bot is plain, and with it its groups; the others are compiled."""
    return "plain" if 0 in group else "compiled"


spans = st.lists(st.tuples(st.integers(1, 400), st.integers(0, 400)), max_size=5)


def laid(cuts: Sequence[tuple[int, int]]) -> list[Span]:
    """Spans one after another, of these lengths and with these gaps behind them."""
    found, first = list[Span](), 0
    for length, gap in cuts:
        found.append((first, length))
        first += length + gap
    return found


@pytest.mark.slow
@given(st.lists(spans, min_size=6, max_size=6), st.integers(1, 40_000))
def test_no_round_begins_before_the_one_before_it_has_all_its_blocks(
    cuts: list[list[tuple[int, int]]], games: int
) -> None:
    tournament = cup(4, games)
    groups: list[Group] = list(combinations(range(4), 2))
    played: dict[Group, list[Span]] = dict(zip(groups, map(laid, cuts), strict=True))
    found: dict[Group, list[Block]] = {group: [] for group in groups}
    reached = -1
    for first, blocks in missing_rounds(tournament, lane_of, played.__getitem__):
        of_round = list(blocks)
        assert first > reached, "each round begins after those before it"
        assert min(block.first for block in of_round) == first
        reached = max(block.first for block in of_round)
        assert reached // deals_per_round(tournament) == first // deals_per_round(tournament)
        assert [block.group for block in of_round] == sorted(block.group for block in of_round)
        for block in of_round:
            found[block.group].append(block)
    for group in groups:
        told = merge_spans((block.first, block.deals) for block in found[group])
        assert list(told) == list(gaps(played[group], tournament.deals))


@pytest.mark.parametrize("backend", ["plain", "compiled", "batched"])
def test_a_block_ends_at_each_round_number_of_games(backend: str) -> None:
    """So that a run with so many games, after one with more, plays nothing again."""
    tournament = cup(2, 1_000_000)
    rounds = missing_rounds(tournament, lambda group: backend, lambda group: ())
    ends = {block.end for _, blocks in rounds for block in blocks}
    games = [10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]
    assert {number // 2 for number in games} <= ends


def test_bots_have_played_alike_wherever_a_run_is_stopped() -> None:
    tournament = cup(6, 100_000)
    rounds = missing_rounds(tournament, lambda group: "plain", lambda group: ())
    blocks = (block for _, of_round in rounds for block in of_round)
    size, deals = deals_per_block(tournament, "plain"), Counter[Group]()
    for number, block in enumerate(blocks, start=1):
        deals[block.group] += block.deals
        if number >= tournament.group_count:
            assert max(deals.values()) - min(deals.values()) <= size
            assert len(deals) == tournament.group_count


def test_rounds_are_longer_where_processes_are_started_for_each_group() -> None:
    assert deals_per_round(cup(9, 100)) == deals_per_block(cup(9, 100), "plain") == 4
    assert deals_per_round(cup(9, 100, isolate=True)) == 256


# --- Runs that are not over -----------------------------------------------------------------------

BOTS = ["cautious", "daring", "odds", "random"]
FILE = f"games: 40\nseed: 1\nbots: [{', '.join(BOTS)}]\n"


@pytest.fixture
def interrupted(
    finished: Finished, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Path]:
    """The folder of a run of which all blocks from the deal 10 on are missing, and one bot's."""
    monkeypatch.chdir(tmp_path)
    finished.bring({"cup.yaml": FILE}, "run", "cup.yaml", "--quiet")
    with closing(sqlite3.connect("results/cup/ledger.sqlite")) as ledger:
        for table in ("blocks", "seals"):
            groups = "SELECT id FROM groups WHERE bots LIKE '%4%'"
            ledger.execute(f"DELETE FROM {table} WHERE first >= 10 OR grp IN ({groups})")
        ledger.execute("PRAGMA user_version = 0")
        ledger.commit()
    yield Path("results/cup")


def test_a_run_that_is_not_over_says_so_and_ranks_nobody_without_games(
    arena: Arena, interrupted: Path
) -> None:
    told = arena("rate", str(interrupted)).text
    assert "The run is not over or was interrupted: 180 of 240 games are missing." in " ".join(
        told.split()
    )
    table = json.loads(arena("rate", str(interrupted), "--format", "json").text)["standings"][
        "rows"
    ]
    assert [row["rank"] for row in table] == [1, 2, 3, None]
    assert table[-1]["bot"] == "random"
    assert [table[-1][key] for key in ("elo", "games", "score", "superiority")] == [None, 0] + [
        None
    ] * 2
    assert table[-2]["superiority"] is None, "there is nobody below to be better than"


def test_the_page_of_a_run_that_is_not_over_says_so(arena: Arena, interrupted: Path) -> None:
    assert "180 of 240 games are missing" in arena("report", str(interrupted)).text
    assert "180 of 240 games are missing" in (interrupted / "report.html").read_text()


@pytest.mark.slow
def test_a_run_that_goes_on_ends_with_the_same_tables(arena: Arena, interrupted: Path) -> None:
    arena("run", "cup.yaml", "--quiet", "--results", "elsewhere")
    assert "missing" not in arena("run", "cup.yaml", "--quiet").text
    for file in Path("elsewhere/cup").glob("*.[cmjy]*"):
        if file.name != "history.jsonl":  # when they ran differs
            assert file.read_bytes() == (interrupted / file.name).read_bytes(), file.name
    assert "missing" not in arena("rate", str(interrupted)).text


def test_more_games_than_were_played_are_asked_for_as_soon_as_a_run_begins(
    arena: Arena, interrupted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise Interrupted(2)

    monkeypatch.setattr("cantstop_arena.tournaments.run._TournamentRun.play", stopped)
    arena("run", "cup.yaml", "--quiet", "--games", "1000", code=None)
    assert "5,940 of 6,000 games are missing" in " ".join(
        arena("rate", str(interrupted)).text.split()
    )
