"""Tables on a narrow terminal: what is left out, in which order, and that it is said."""

import pytest

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import Column, Table, estimate, number
from cantstop_arena.tables.narrow import fitted, table_width
from cantstop_arena.texts import middle_shortened

COLUMNS = (
    number("rank"),
    Column("bot", "bot"),
    estimate("elo", "Elo", 1),
    number("games", leave_out=2),
    number("superiority", "LOS vs next, %", 1, percent=True, leave_out=1),
    number("faults", optional=True),
)


def standings(names: list[str]) -> Table:
    rows = [
        (rank, name, Estimate(1500.0, 1400.0, 1600.0), 4000, 0.5, 0)
        for rank, name in enumerate(names, 1)
    ]
    return Table("standings", "Standings", COLUMNS, rows, ["A note."])


@pytest.mark.parametrize("width", range(30, 100))
def test_a_table_fits_and_says_what_is_left_out(width: int) -> None:
    table = standings(["a-bot-of-a-long-name-1", "a-bot-of-a-long-name-2", "機械" * 9])
    narrow = fitted(table, width)
    assert table_width(narrow) <= width
    assert [column.key for column in narrow.columns][:2] == ["rank", "bot"]
    is_complete = table_width(table) <= width
    assert (narrow.notes == ["A note."]) == is_complete
    assert is_complete or narrow.notes[-1].endswith("; --wide prints everything.")


def test_columns_are_left_out_in_their_order_then_from_the_right() -> None:
    table = standings(["a", "b"])
    kept = [[column.key for column in fitted(table, width).columns] for width in (56, 40, 30, 15)]
    assert kept == [
        ["rank", "bot", "elo", "games", "superiority"],
        ["rank", "bot", "elo", "games"],
        ["rank", "bot", "elo"],
        ["rank", "bot"],
    ]
    notes = fitted(table, 30).notes
    assert notes[-1] == (
        "To fit the width, the columns games and LOS vs next are left out;"
        " --wide prints everything."
    )


def test_names_are_shortened_as_long_as_they_differ() -> None:
    alike = ["bot:risk=1,x=" + "0" * 30, "bot:risk=2,x=" + "0" * 30]
    names = [row[1] for row in fitted(standings(alike), 70).rows]
    assert len(set(names)) == 2 and all("…" in str(name) for name in names)


def test_a_text_is_cut_in_its_middle() -> None:
    assert middle_shortened("abcdefghij", 7) == "abc…hij"
    assert middle_shortened("abc", 3) == "abc"
    assert middle_shortened("abcdef", 2) == "a…"
    assert middle_shortened("機械機械", 5) == "機…械"
