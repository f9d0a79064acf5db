"""Facts that any implementation of Cubus can be held against."""

from itertools import product

import numpy as np
import pytest
from helpers.cubus.games import keys, played, ruled, seen
from helpers.cubus.seats import play_all
from helpers.parameters import long_but

from cantstop_arena.extensions.cubus.builds.piles import shape_of
from cantstop_arena.extensions.cubus.engine.bound import max_crates
from cantstop_arena.extensions.cubus.engine.library import build, library, shape_text
from cantstop_arena.extensions.cubus.engine.search_unlimited import Limits, piles
from cantstop_arena.extensions.cubus.rules import LEAFLET, NAMED, Box, RuleSet

FIELDS = {"turns": 0, "builds": 1, "crates": 4, "full cubes": 9}

# Means of 4,000 deals with `greedy` in all seats, by number of players: turns, builds, crates,
# full cubes; and the standard errors.
GREEDY = {
    2: ((46.92, 29.12, 60.85, 0.426), (0.01, 0.04, 0.06, 0.008)),
    3: ((48.05, 28.22, 60.74, 0.430), (0.01, 0.04, 0.07, 0.008)),
    4: ((49.26, 27.63, 60.02, 0.404), (0.02, 0.04, 0.08, 0.008)),
    5: ((50.91, 27.56, 59.44, 0.399), (0.03, 0.04, 0.09, 0.008)),
    6: ((52.63, 27.46, 58.39, 0.358), (0.04, 0.04, 0.10, 0.008)),
}
CRATES = {
    "reviews": (60.8, 60.8, 60.0, 59.4, 58.4),
    "exchange": (62.5, 62.5, 61.9, 61.4, 60.2),
    "closed": (63.9, 63.9, 63.3, 62.6, 61.3),
    "small": (26.4, 26.4, 26.4, 26.4, 26.3),
}
CRATES_ERROR = 0.11
WINS = [
    ("deny", "hasty", 0.99),
    ("greedy", "deny", 0.37),
    ("greedy", "eager", 0.50),
    ("greedy", "hasty", 0.99),
    ("greedy", "random", 1.00),
    ("hasty", "frugal", 0.95),
    ("hasty", "random", 0.56),
    ("frugal", "random", 0.00),
]
WINS_ERROR = 0.011


@pytest.mark.parametrize(
    ("box", "number"), [((2, 2, 2), 24), ((3, 3, 3), 2464), ((4, 4, 3), 145_827)]
)
def test_piles_in_a_box(box: Box, number: int) -> None:
    assert len(build(box).masks) == number


def test_the_library_of_the_usual_box() -> None:
    known = library((4, 4, 4))
    assert len(known.masks) == 1_241_646
    for worth, tops, left, right, crates, first, _ in known.groups[::500].tolist():
        shape = shape_of(shape_text(int(known.heights[first])))
        assert (shape.value, shape.tops, shape.left) == (worth, tops, left)
        assert (shape.right, shape.crates) == (right, crates)


def test_piles_of_exact_counts_without_a_box() -> None:
    counts = {(4, 4, 4): 0, (6, 6, 6): 0}
    for cells in piles(Limits(6, 6, 6, -100, 0, 1000)):
        heights = {(x, y): height for x, y, height in cells}
        tops = len(cells)
        left = sum(h for (x, y), h in heights.items() if (x - 1, y) not in heights)
        right = sum(h for (x, y), h in heights.items() if (x, y - 1) not in heights)
        if (tops, left, right) in counts:
            counts[tops, left, right] += 1
    assert counts == {(4, 4, 4): 5, (6, 6, 6): 101}


@pytest.mark.parametrize(
    ("counts", "crates"),
    [
        ((3, 3, 3), 4),
        ((4, 4, 4), 8),
        ((7, 7, 7), 15),
        ((9, 9, 9), 27),
        ((10, 12, 12), 34),
        ((12, 9, 8), 26),
        ((12, 16, 16), 48),
    ],
)
def test_most_crates_of_exact_counts(counts: tuple[int, int, int], crates: int) -> None:
    assert max_crates()[counts] == crates


def test_most_crates_with_at_most_some_counts() -> None:
    assert max_crates()[:11, :13, :13].max() == 36


def test_crates_squared_are_at_most_the_product_of_the_counts() -> None:
    crates = max_crates()
    tops, left, right = np.indices(crates.shape)
    assert np.all(crates**2 <= tops * left * right)


def test_one_card_never_suffices_and_some_two_do() -> None:
    assert all(not seen("1@0,0", card).targets("none") for card in "TOLR")
    pairs = {"".join(pair) for pair in product("TOLR", repeat=2) if list(pair) == sorted(pair)}
    able = {pair for pair in pairs if seen("1@0,0", pair).targets("none")}
    assert able == {"LT", "RT", "LR", "LO", "OR"}


def test_while_no_open_card_lies_only_counts_matter() -> None:
    shapes = [shape_of(shape_text(int(word))) for word in library((3, 3, 3)).heights]
    alike = [s.text for s in shapes if (s.tops, s.left, s.right, s.crates) == (6, 6, 6, 10)]
    assert len(alike) > 1
    found = {tuple(seen(f"{text}@0,0", "TLR").targets((3, 3, 3))) for text in alike}
    assert len(found) == 1


def worth_of_errors(rules: RuleSet, players: int, deals: int) -> dict[str, float]:
    """By how many standard errors the means of greedy games differ from those known."""
    games = play_all(rules, ["greedy"] * players, keys(deals, players)).games
    known, errors = GREEDY[players]
    off = {}
    for (name, column), mean, error in zip(FIELDS.items(), known, errors, strict=True):
        own = games[:, column].std() / deals**0.5
        off[name] = abs(games[:, column].mean() - mean) / (own**2 + error**2) ** 0.5
    return off


@pytest.mark.parametrize("players", [2, 6])
def test_greedy_games_look_as_they_should(players: int) -> None:
    assert max(worth_of_errors(LEAFLET, players, 300).values()) < 4


@pytest.mark.slow
@pytest.mark.parametrize("players", range(2, 7))
def test_greedy_games_look_as_they_should_at_full_scale(players: int) -> None:
    assert max(worth_of_errors(LEAFLET, players, 4000).values()) < 4


@pytest.mark.slow
@pytest.mark.parametrize("name", CRATES)
@pytest.mark.parametrize("players", range(2, 7))
def test_crates_under_other_rules(name: str, players: int) -> None:
    rules = ruled(box=[3, 3, 3]) if name == "small" else NAMED[name][0]
    games = play_all(rules, ["greedy"] * players, keys(4000, players)).games
    mean = games[:, FIELDS["crates"]].mean()
    assert abs(mean - CRATES[name][players - 2]) < 4 * 2**0.5 * CRATES_ERROR


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["last", "best"])
@pytest.mark.parametrize("players", long_but([0], range(2, 7)))
def test_crates_after_the_other_endings(ending: str, players: int) -> None:
    known, deals = (61.2, 61.2, 61.3, 61.3, 61.4)[players - 2], 80
    crates = []
    for deal in range(deals):
        state = played(NAMED[ending][0], ["greedy"] * players, deal).state
        crates.append(state.counts()[1].crates)
    error = np.std(crates) / deals**0.5
    assert abs(np.mean(crates) - known) < 4 * (error**2 + CRATES_ERROR**2) ** 0.5


def share_of_wins(first: str, second: str, deals: int) -> float:
    ahead = [
        points[:, 0] - points[:, 1] if names[0] == first else points[:, 1] - points[:, 0]
        for names in ([first, second], [second, first])
        for points in [play_all(LEAFLET, names, keys(deals, 2)).seats[:, :, 0]]
    ]
    return float(np.mean([(lead > 0).mean() + (lead == 0).mean() / 2 for lead in ahead]))


@pytest.mark.long
@pytest.mark.parametrize(("first", "second", "share"), WINS)
def test_shares_of_wins(first: str, second: str, share: float) -> None:
    assert abs(share_of_wins(first, second, 1000) - share) < 4 * 2**0.5 * WINS_ERROR + 0.005


@pytest.mark.slow
def test_what_knocking_is_worth_to_greedy_against_hasty() -> None:
    means = {}
    for duty in ("knock", "free"):
        seats = play_all(ruled(duty=duty), ["greedy", "hasty"], keys(1000, 2)).seats
        others = play_all(ruled(duty=duty), ["hasty", "greedy"], keys(1000, 2)).seats
        joined = np.concatenate([seats, others[:, ::-1]])
        means[duty] = (joined[:, 0, 0].mean(), joined[:, 1, 0].mean())
        knocks = joined[:, :, 4].sum(axis=1).mean()
        assert abs(knocks - (2.3 if duty == "knock" else 0)) < 0.15
    assert np.allclose(means["knock"], (95.5, 36.9), atol=1.5)
    assert np.allclose(means["free"], (90.0, 39.9), atol=1.5)
