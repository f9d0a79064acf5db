"""What pages are drawn with: colours, axes, marks, numbers, and what sections do with them."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from helpers.simulated import Truth
from markupsafe import Markup

from cantstop_arena.pages import heat_map
from cantstop_arena.pages.axes import Axis, axis_around, zoomed_estimates
from cantstop_arena.pages.document import TEMPLATES
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.marks import interval
from cantstop_arena.pages.number_text import (
    likelihood,
    plain,
    signed,
    with_error,
)
from cantstop_arena.pages.vertical_scale import VerticalScale
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.page.standings_section import standings_section
from cantstop_arena.tables.analysis import Analysis

COLOUR = re.compile(r"--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\)")


def played(bots: int, deals: int = 20) -> Analysis:
    truth = Truth([0.1 * number for number in range(bots)], [0.0, 0.0])
    return Analysis(truth.played(deals, np.random.default_rng(1)))


# Colours ------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


READ = [("ink", "paper", 7), ("ink", "card", 7), ("ink", "d0", 4.5)]
READ += [("faint", ground, 4.5) for ground in ("paper", "card", "d0", "p1", "n1")]
READ += [("accent", "paper", 4.5), ("accent", "card", 4.5), ("warm", "paper", 4.5)]
READ += [("ink", f"{side}{step}", 4.5) for side in "pn" for step in (1, 2, 3)]
READ += [("on-mid", f"{side}4", 4.5) for side in "pn"]
READ += [("on-deep", f"{side}5", 4.5) for side in "pn"]
SEEN = [("edge", "paper", 3), ("edge-n", "paper", 3), ("rule", "paper", 3)]


@pytest.mark.parametrize("theme", [0, 1])
def test_everything_can_be_read_and_seen_in_both_themes(theme: int) -> None:
    style = (TEMPLATES / "page.css").read_text("utf-8")
    colours = {name: both[theme] for name, *both in COLOUR.findall(style)}
    for front, ground, least in READ + SEEN:
        dark, light = sorted(luminance(colours[name]) for name in (front, ground))
        assert (light + 0.05) / (dark + 0.05) >= least, (front, ground)


def test_the_drawings_of_games_keep_their_own_colours() -> None:
    style = (TEMPLATES / "page.css").read_text("utf-8")
    shapes = re.findall(r"^(?:svg )?(?:text|path|rect|circle|line|polygon)\b.*", style, re.M)
    assert shapes == []


# Elements, numbers, axes --------------------------------------------------------------------


def test_elements_escape_all_but_markup() -> None:
    made = element("b", "<i>\x1b", Markup("<u></u>"), class_="a", data_v='"', title=None)
    assert made == '<b class="a" data-v="&#34;">&lt;i&gt;\\x1b<u></u></b>'


def test_numbers_have_true_signs_and_0_has_none() -> None:
    assert [signed(number) for number in (1234.56, -0.5, -0.04)] == ["+1,234.6", "\u22120.5", "0.0"]
    assert plain(-3, 0) == "\u22123"
    assert [likelihood(chance) for chance in (0.9999, 0.5, 0.0001, None)] == [
        *(">99.9%", "50.0%", "<0.1%", "\u2013")
    ]


def test_plus_minus_is_told_only_of_even_sides() -> None:
    assert with_error(Estimate(50, 45, 55), 1) == "50.0 ± 5.0"
    assert with_error(Estimate(100, 50.61, 100), 1) == "100.0 (50.6 to 100.0)"
    assert with_error(Estimate(100, None, 120), 0) == "100 (up to 120)"
    assert Estimate(10, 5, 16.2).half_width is not None
    assert Estimate(10, 5, 16.3).half_width is None


@pytest.mark.parametrize("ends", [(963, 1760), (-1e6, 1e6), (0.1, 0.1), (49.9, 50.2), (-3, 0)])
def test_axes_have_round_ends_around_their_values(ends: tuple[float, float]) -> None:
    axis = axis_around(ends)
    assert axis.low <= ends[0] <= ends[1] <= axis.high
    ticks = axis.ticks(6)
    assert 2 <= len(ticks) <= 8 and all(axis.has(tick) for tick in ticks)
    steps = {round(later - earlier, 6) for earlier, later in pairwise(ticks)}
    assert len(steps) == 1


def test_an_interval_without_a_bound_reaches_the_side() -> None:
    drawn = interval(Axis(0, 100, 0), Estimate(60, None, 70), 10)
    assert 'x="0%" width="70%"' in drawn and 'cx="60%"' in drawn
    assert "rect" not in interval(Axis(0, 100), Estimate(60), 10)
    assert interval(Axis(0, 100), Estimate(None), 10) == ""


def test_names_beside_curves_never_overlap() -> None:
    for spots in ([10, 11, 12], [300, 305, 310, 311], [20, 200, 201]):
        scale = VerticalScale(Axis(-320, 0), 320, 0)
        moved = scale.spaced([-spot for spot in spots])
        assert all(later - earlier >= 15 for earlier, later in pairwise(moved))
        assert max(moved) <= 320


# Sections -----------------------------------------------------------------------------------


def test_the_zoom_leaves_out_outliers_where_that_helps() -> None:
    field = [Estimate(1500.0 + 10 * number) for number in range(5)]
    assert zoomed_estimates([Estimate(900.0), *field]) == field
    assert zoomed_estimates([*field, Estimate(2100.0)]) == field
    assert zoomed_estimates(field) == []
    assert zoomed_estimates([Estimate(900.0), *field[:3]]) == []


def test_neighbours_whose_games_contradict_their_order_are_marked() -> None:
    circle = Truth((0, 0, 0), (0.1, -0.1), cycles={(0, 2): 3, (1, 0): 0.4})
    [figure] = standings_section(Analysis(circle.played(300, np.random.default_rng(4)))).figures
    said = [note for note in figure.notes if "stands above" in note]
    assert figure.html.count("\u21c5") == len(said) > 0
    assert sum("do not confirm this order" in note for note in figure.notes) == 1


def test_the_data_of_the_crosstable_is_that_of_the_analysis() -> None:
    analysis = played(4)
    data = json.loads(heat_map._data(analysis))
    assert data["bots"] == analysis.names
    told = iter(zip(*[iter(data["pairs"])] * 5, strict=True))
    for place, one in enumerate(analysis.order):
        for other in analysis.order[place + 1 :]:
            score, low, high, predicted, superior = next(told)
            assert [score, low, high] == [
                round(1000 * (end or 0)) for end in analysis.against[one][other] or ()
            ]
            assert superior == round(1000 * (analysis.ratings.superiority(one, other) or 0))
            assert abs(predicted - score) < 500
    assert next(told, None) is None


def test_the_two_cells_of_a_pairing_add_up_to_100() -> None:
    """They are rounded as in the tables: halves away from 50."""
    cells = [next(heat_map._numbers(Estimate(share), 6)) for share in (0.5805, 0.4195)]
    assert cells == ["<b>58.1</b>", "<b>41.9</b>"]
    cells = [next(heat_map._numbers(Estimate(share), 20)) for share in (0.575, 0.425)]
    assert cells == ["<b>58</b>", "<b>42</b>"]


def test_the_drawing_of_many_bots_has_every_cell_once() -> None:
    analysis = played(heat_map.MAX_CELLS + 1, 2)
    drawn = heat_map._drawing(analysis)
    runs = re.findall(r"M(\d+) (\d+)\.5h(\d+)", drawn)
    cells = [(int(x) + step, int(y)) for x, y, wide in runs for step in range(int(wide))]
    bots = len(analysis.order)
    assert len(cells) == len({*cells}) == bots * (bots - 1)
    assert all(column != row for column, row in cells)
