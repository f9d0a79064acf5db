"""The rooms of a tournament: schedule, ledger, workforce, and the sums that come out of them."""

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import combinations, pairwise
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Tables
from helpers import ledgers
from helpers.arena import Arena
from helpers.parameters import slow_but
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cantstop_arena.deals import sampling
from cantstop_arena.deals.counting import stored_measures
from cantstop_arena.deals.outcomes import (
    WIN_UNITS,
    Block,
    BlockResult,
    Fault,
    Span,
    Tally,
    join_parts,
    merge_faults,
    packed,
)
from cantstop_arena.deals.seatings import Group, all_orders, lineups
from cantstop_arena.errors import LedgerError
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.tournaments.ledger.cover import Cover, disjoint_rows
from cantstop_arena.tournaments.ledger.differences import differences
from cantstop_arena.tournaments.ledger.ledger import Ledger, RowKey
from cantstop_arena.tournaments.schedule import deals_per_block, missing_rounds
from cantstop_arena.tournaments.tournament import Tournament

# --- Schedule -------------------------------------------------------------------------------------


cup = ledgers.tournament


def missing_blocks(
    tournament: Tournament, lane: str, played: Callable[[Group], Sequence[Span]]
) -> Iterator[Block]:
    """The blocks of all rounds."""
    for _, blocks in missing_rounds(tournament, lambda group: lane, played):
        yield from blocks


def scheduled(
    tournament: Tournament, played: Callable[[Group], Sequence[Span]] = lambda group: ()
) -> dict[Group, list[int]]:
    """The deals of each group, in the order in which they come."""
    deals: dict[Group, list[int]] = {}
    for block in missing_blocks(tournament, "plain", played):
        deals.setdefault(block.group, []).extend(range(block.first, block.first + block.deals))
    return deals


@pytest.mark.parametrize("games", [1, 23, 24, 25, 5000])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_every_deal_of_every_group_is_scheduled_once(players: int, games: int) -> None:
    deals = -(-games // factorial(players))
    expected = {group: list(range(deals)) for group in combinations(range(5), players)}
    assert scheduled(cup(5, players, games)) == expected


spans = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), max_size=8)


@given(spans, st.integers(1, 60))
def test_what_has_been_played_is_left_out_and_nothing_else(
    cuts: list[tuple[int, int]], deals: int
) -> None:
    played, first = list[Span](), 0
    for length, gap in cuts:
        played.append((first, length))
        first += length + gap
    done = {deal for start, length in played for deal in range(start, start + length)}
    random.Random(deals).shuffle(played)
    missing = scheduled(cup(2, 2, 2 * deals), lambda group: played).get((0, 1), [])
    assert missing == [deal for deal in range(deals) if deal not in done]


@given(st.integers(2, 9), st.integers(1, 4), st.integers(1, 10**9), st.sampled_from(["a", "b"]))
def test_blocks_are_small_and_meet_at_multiples_of_their_size(
    bots: int, players: int, games: int, lane: str
) -> None:
    lane = {"a": "compiled", "b": "plain"}[lane]
    tournament = cup(max(bots, players), players, games)
    size = deals_per_block(tournament, lane)
    assert 1 <= size * factorial(players) <= {"compiled": 65_536, "plain": 256}[lane]
    blocks = missing_blocks(tournament, lane, lambda group: [(1, 1)])
    for block, _ in zip(blocks, range(3), strict=False):
        assert block.first // size == (block.first + block.deals - 1) // size


@pytest.mark.slow
@pytest.mark.parametrize("lane", ["compiled", "plain"])
def test_the_last_eighth_comes_in_ever_shorter_blocks(lane: str) -> None:
    tournament = cup(2, 2, 4_000_000)
    size = deals_per_block(tournament, lane)
    blocks = list(missing_blocks(tournament, lane, lambda group: ()))
    assert sum(block.deals for block in blocks) == tournament.deals
    round_games = {step * 10**power for power in range(4, 8) for step in (1, 2, 5)}
    extra = {128, *(games // 2 for games in round_games)}
    firsts = (block.first for block in blocks)
    cuts = [first for first in firsts if first not in extra or first % size == 0]
    lengths = [(cut, after - cut) for cut, after in pairwise([*cuts, tournament.deals])]
    full = tournament.deals // size
    early = (full - full // 8) * size
    assert {length for cut, length in lengths if cut < early} == {size}
    late = [(cut, length) for cut, length in lengths if early <= cut < full * size]
    parts = Counter(cut // size for cut, _ in late)
    assert sorted(parts.values()) == [*parts.values()] and {*parts.values()} == {2, 4, 8}
    halves, quarters, eighths = (list(parts.values()).count(number) for number in (2, 4, 8))
    assert 0 <= halves - quarters - eighths <= 1 and 0 <= eighths - quarters <= 1
    assert all(length <= -(-size // parts[cut // size]) for cut, length in late)


@pytest.mark.parametrize("players", [1, 2, 3])
def test_blocks_end_at_round_numbers_of_games_and_after_the_first_round(players: int) -> None:
    tournament = cup(3, players, 600_000)
    orders = factorial(players)
    ends = {block.end for block in missing_blocks(tournament, "compiled", lambda group: ())}
    numbers = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000)
    assert {128, *(-(-games // orders) for games in numbers)} <= ends


@pytest.mark.slow
def test_blocks_come_one_by_one_however_many_games_there_are() -> None:
    blocks = missing_blocks(cup(30, 4, 10**12), "plain", lambda group: ())
    assert next(blocks).group == (0, 1, 2, 3)


# --- Ledger ---------------------------------------------------------------------------------------

CUP = cup(4, 3, 6 * 50, part="2-players/classic")
OF_TWO = cup(3, 2, 2 * 50)


def result(group: Group, first: int, deals: int, faults: int = 0) -> BlockResult:
    """A block as it might have been played; the same arguments give the same result."""
    chance = random.Random(repr((group, first, deals)))
    count = factorial(len(group))
    winners = packed(bytes(chance.randrange(1, 1 << len(group)) for _ in range(count * deals)))
    measures = np.array([chance.randrange(99) for _ in range(MEASURES * deals)], "<u4").tobytes()
    tallies = tuple(
        Tally(
            games=deals,
            wins=tuple(chance.randrange(WIN_UNITS * deals) for _ in group),
            unfinished=chance.randrange(deals),
            forfeits=chance.randrange(deals),
            counts={"turns": tuple(chance.randrange(99) for _ in group)},
            squares={"turns": chance.randrange(9999)},
        )
        for _ in range(count)
    )
    fault = Fault(group[0], "exception", f"in {first}", group, first, faults)
    return BlockResult(
        Block(group, first, deals), tallies, winners, measures, (fault,) * bool(faults)
    )


MEASURES = len(stored_measures(GAME.counts, 3))
RESULTS = [
    *(result(group, first, 7) for group in combinations(range(4), 3) for first in (0, 7, 14)),
    result((0, 1, 2), 40, 3, faults=2),
    result((1, 2, 3), 30, 11, faults=1),
    result((1, 2, 3), 21, 9, faults=4),
]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Cover]:
    """A ledger with all RESULTS."""
    with ledgers.opened(tmp_path / "ledger", CUP) as cover:
        for one in RESULTS:
            cover.add(one)
        yield cover


def test_a_ledger_keeps_blocks_over_a_reopening(book: Cover, tmp_path: Path) -> None:
    spans, tallies, faults = book.spans(), book.tallies(), list(book.faults())
    book.ledger.close()
    with ledgers.opened(tmp_path / "again", CUP, fresh=True) as empty:
        assert not empty.spans()
    with closing(sqlite3.connect(tmp_path / "ledger")) as connection:
        other = Cover(Ledger(tmp_path / "ledger", connection), CUP.query)
        assert {group: sorted(of_group) for group, of_group in spans.items()} == other.spans()
        assert other.tallies() == tallies
        assert sorted(map(repr, other.faults())) == sorted(map(repr, faults))
    assert spans[0, 1, 3] == [(0, 7), (7, 7), (14, 7)]
    assert sorted(spans[1, 2, 3]) == [(0, 7), (7, 7), (14, 7), (21, 9), (30, 11)]


def test_tallies_of_a_seating_are_aggregated(book: Cover) -> None:
    tallies = book.tallies()
    assert list(tallies)[:6] == list(lineups((0, 1, 2), all_orders(3)))
    parts = [one.tallies[5] for one in RESULTS if one.block.group == (0, 1, 3)]
    assert tallies[3, 1, 0] == parts[0] + parts[1] + parts[2]


def test_faults_are_counted_and_the_earliest_told(book: Cover) -> None:
    assert merge_faults(book.faults()) == [
        Fault(0, "exception", "in 40", (0, 1, 2), 40, 2),
        Fault(1, "exception", "in 21", (1, 2, 3), 21, 5),
    ]


@pytest.mark.parametrize("names", [(0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)])
def test_whatever_order_a_file_has_the_games_of_its_bots_are_the_same(
    book: Cover, tmp_path: Path, names: Group
) -> None:
    book.ledger.close()
    other = replace(CUP, entrants=tuple(CUP.entrants[number] for number in names))
    with (
        ledgers.opened(tmp_path / "ledger", CUP) as first,
        closing(sqlite3.connect(tmp_path / "ledger")) as connection,
    ):
        second = Cover(Ledger(tmp_path / "ledger", connection), other.query)

        def named(bots: Iterable[int]) -> Group:
            return tuple(names[bot] for bot in bots)

        assert {named(seating): t for seating, t in second.tallies().items()} == first.tallies()
        assert {frozenset(named(group)) for group in second.spans()} == {
            *map(frozenset, first.spans())
        }
        games = dict(games_of(first, lambda bots: tuple(bots)))
        assert dict(games_of(second, named)) == games
        assert {
            replace(f, bot=names[f.bot], seating=named(f.seating)) for f in second.faults()
        } == {*first.faults()}


def games_of(
    cover: Cover, named: Callable[[Iterable[int]], Group]
) -> Iterator[tuple[tuple[int, Group], int]]:
    """Every game of a ledger: its deal and who sat where, and the winners."""
    for group, first, winners, _ in cover.deals(0, 100):
        assert list(group) == sorted(group)
        for deal, masks in enumerate(winners.tolist(), first):
            for seating, mask in zip(lineups(group, cover.orders), masks, strict=True):
                yield (deal, named(seating)), mask


def won_by_brute_force(one: BlockResult) -> Iterator[tuple[int, Group, tuple[int, ...]]]:
    """Of every game of a block: the deal, who sat where, and what each seat won."""
    orders = list(lineups(one.block.group, all_orders(len(one.block.group))))
    for number, mask in enumerate(one.masks().ravel().tolist()):
        deal, order = divmod(number, len(orders))
        part = WIN_UNITS // mask.bit_count()
        won = tuple(part * (mask >> seat & 1) for seat in range(len(orders[order])))
        yield one.block.first + deal, orders[order], won


@pytest.mark.parametrize("at_once", [1, 100, 300, 1 << 20])
@pytest.mark.parametrize("are_joined", [False, True])
def test_what_deals_add_up_to_is_as_by_brute_force(
    book: Cover, are_joined: bool, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each lineup's deals by themselves, or those that lineups of one family played together."""
    monkeypatch.setattr(sampling, "_NUMBERS_AT_ONCE", at_once)
    spans = book.spans()
    families = {group: tuple(sorted(spans)) for group in spans if are_joined}
    found = sampling.gather_deals(all_orders(3), spans, book.deals, None, families)
    vectors: dict[tuple[Group, int], Any] = {}
    for one in RESULTS:
        for deal, order, won in won_by_brute_force(one):
            vector = vectors.setdefault((one.block.group, deal), np.zeros(6, int))
            for seat, (bot, part) in enumerate(zip(order, won, strict=True)):
                vector[[one.block.group.index(bot), 3 + seat]] += part
    rows: dict[tuple[Group, ...], list[Any]] = {}
    for deal in sorted({deal for _, deal in vectors}):
        together = tuple(group for group in sorted(spans) if (group, deal) in vectors)
        for groups in [together] if are_joined else [(group,) for group in together]:
            row = np.concatenate([vectors[group, deal] for group in groups])
            rows.setdefault(groups, []).append(row)
    sums = {
        tuple(map(tuple, lineups.tolist())): (deals, totals, products)
        for each in found.populations
        for lineups, deals, totals, products in zip(
            each.lineups, each.deals, each.totals, each.products, strict=True
        )
    }
    assert sums.keys() == rows.keys()
    for groups, table in rows.items():
        deals, totals, products = sums[groups]
        assert deals == len(table)
        assert (totals == np.sum(table, axis=0)).all()
        assert (products == np.array(table).T @ np.array(table)).all()


def deals_in(block: Block) -> range:
    return range(block.first, block.end)


def test_measures_come_back_deal_by_deal(book: Cover) -> None:
    one = RESULTS[0]
    found = {(group, first): measures for group, first, _, measures in book.deals(0, 5)}
    kept = np.frombuffer(one.measures, "<u4").reshape(-1, MEASURES)
    assert (found[one.block.group, 0] == kept).all()
    assert {first for _, first in found} == {0}


def test_an_empty_ledger_has_nothing(tmp_path: Path) -> None:
    with ledgers.opened(tmp_path / "ledger", CUP) as cover:
        assert (cover.spans(), cover.tallies(), [*cover.faults()]) == ({}, {}, [])
        assert sampling.gather_deals(all_orders(2), {}, cover.deals).populations == ()


def test_a_tidied_ledger_depends_on_its_content_alone(tmp_path: Path) -> None:
    for name, results in (("one", RESULTS), ("two", RESULTS[::-1])):
        (tmp_path / name).mkdir()
        with ledgers.opened(tmp_path / name / "ledger", CUP) as cover:
            for one in results:
                cover.add(one)
            cover.ledger.tidy()
            assert cover.tallies()  # still open
    assert (tmp_path / "one/ledger").read_bytes() == (tmp_path / "two/ledger").read_bytes()
    assert {path.name for path in (tmp_path / "one").iterdir()} <= {"ledger", ".lock"}


def test_a_block_played_in_parts_is_written_like_a_whole_one(
    tmp_path: Path, tables: Tables
) -> None:
    """The parts of a block whose worker died are played by others, and put together."""
    table = tables.of(CLASSIC, ("random", "cautious"), 2)
    whole = Block((0, 1), 3, 20)
    pair = cup(2, 2, 2 * 50)
    for name, cuts in (("one", (3, 23)), ("two", (3, 11, 12, 23))):
        parts = [table.play(whole.part(*cut)) for cut in pairwise(cuts)]
        with ledgers.opened(tmp_path / f"{name}.sqlite", pair) as cover:
            cover.add(join_parts(whole, parts))
            cover.ledger.tidy()
    assert (tmp_path / "one.sqlite").read_bytes() == (tmp_path / "two.sqlite").read_bytes()


def test_another_setting_has_games_of_its_own_and_a_fresh_ledger_none(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with ledgers.opened(path, CUP) as cover:
        cover.add(RESULTS[0])
    for other in (replace(CUP, seed=2), replace(CUP, players=2)):
        with ledgers.opened(path, other) as cover:
            assert not cover.spans()
    with ledgers.opened(path, CUP) as cover:
        assert cover.spans() == {(0, 1, 2): [(0, 7)]}
    with ledgers.opened(path, CUP, fresh=True) as cover:
        assert not cover.spans()
    with ledgers.opened(tmp_path / "ledger.old.sqlite", CUP) as cover:
        assert cover.spans()


rows = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=7)


@given(rows, st.randoms())
def test_of_rows_that_overlap_those_with_the_most_deals_count(
    spans: list[Span], shuffled: random.Random
) -> None:
    keys = [RowKey(first, deals, 0) for first, deals in spans]
    found = disjoint_rows(keys)
    assert found == sorted(found) and {*found} <= {*keys}
    assert all(one.end <= after.first for one, after in pairwise(found))
    shuffled.shuffle(keys)
    assert disjoint_rows(keys) == found
    most = max(
        sum(key.deals for key in chosen)
        for count in range(len(keys) + 1)
        for chosen in combinations(sorted(keys), count)
        if all(one.end <= after.first for one, after in pairwise(chosen))
    )
    assert sum(key.deals for key in found) == most


def test_of_lists_only_what_one_lacks_is_named() -> None:
    digest, other = "1" * 64, "2" * 64
    first = {"bots": [{"name": "a", "digest": digest}, {"name": "b"}], "lineups": [[0, 1]]}
    second = {
        "bots": [{"name": "c"}, {"name": "b"}, {"name": "a", "digest": other}],
        "lineups": [[0, 1], [0, 2]],
    }
    assert [*differences(first, second)] == [
        ('bots["a"].digest', '"1111111"', '"2222222"'),
        ("bots", "nothing", '"c"'),
        ("lineups", "a list of 1", "a list of 2"),
    ]
    assert ("bots", '"c"', "nothing") in differences(second, first)


def spoil(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "text":
        path.write_text("no database at all, but a text that is long enough to be looked at\n" * 9)
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    else:
        path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


@pytest.mark.parametrize("how", ["text", "cut", "overwritten"])
def test_a_damaged_ledger_is_named_with_the_way_out(tmp_path: Path, how: str) -> None:
    path = tmp_path / "ledger"
    with ledgers.opened(path, CUP) as cover:
        for one in RESULTS:
            cover.add(one)
        cover.ledger.tidy()
    spoil(path, how)
    with pytest.raises(LedgerError) as caught, ledgers.opened(path, CUP) as cover:
        cover.tallies()
    assert str(path) in str(caught.value) and "--fresh" in str(caught.value)
    with ledgers.opened(path, CUP, fresh=True) as cover:
        assert not cover.spans()


# --- Sums -----------------------------------------------------------------------------------------

SMALL = "{sides: 2, column_lengths: [1, 2, 1], runners: 1, columns_to_win: %d, turn_limit: %d}"
MORTAL = """
import os, pathlib, signal
grave = pathlib.Path(__file__).with_suffix(".grave")
def choose_move(turn, moves):
    if turn.number > 1 and not grave.exists():
        grave.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 0
def roll_again(turn):
    return False
"""


def played(
    arena: Arena, folder: Path, players: int, rules: str = "classic", games: int = 48
) -> Any:
    """The summary of a run of four bots, one of them in plain Python."""
    (folder / "bots").mkdir(exist_ok=True)
    (folder / "bots" / "mortal.py").write_text(MORTAL)
    text = (
        f"rules: {rules}\nplayers: {players}\ngames: {games}\nseed: 1\n"
        f"bots: [random, odds, daring, mortal]"
    )
    (folder / "cup.yaml").write_text(text)
    words = ["--bots", str(folder / "bots"), "--results", str(folder), "--fresh", "--workers", "2"]
    arena("run", str(folder / "cup.yaml"), *words)
    return json.loads((folder / "cup" / "summary.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "to_win", "turns"),
    slow_but((1,), [(2, 1, 1), (3, 2, 4), (4, 3, 99)]),
)
def test_the_wins_of_a_lineup_sum_to_its_games(
    arena: Arena, tmp_path: Path, players: int, to_win: int, turns: int
) -> None:
    told = played(arena, tmp_path, players, SMALL % (to_win, turns))
    assert len(told["lineups"]) == factorial(players) * len([*combinations("abcd", players)])
    for lineup in told["lineups"]:
        assert sum(lineup["wins"]) == pytest.approx(lineup["games"], abs=1e-9)
    without = sum(lineup["unfinished"] for lineup in told["lineups"])
    assert (without > 0) == (turns < 99)
    shared = any(share % 1 for lineup in told["lineups"] for share in lineup["wins"])
    assert shared or players == 2
    assert told["games"] == sum(lineup["games"] for lineup in told["lineups"])


@pytest.mark.slow
def test_a_worker_killed_in_a_game_changes_no_result(arena: Arena, tmp_path: Path) -> None:
    with_death = played(arena, tmp_path, 2)
    assert (tmp_path / "bots" / "mortal.grave").exists()
    assert played(arena, tmp_path, 2) == with_death
