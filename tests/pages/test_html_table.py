"""A column is declared once: it serves text, data, schema and page."""

import msgspec

from cantstop_arena.pages.html_table import Cell, Head, PageColumn, html_table
from cantstop_arena.pages.number_text import UNKNOWN
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import Column, OnPage, Table, estimate, number, table_of
from cantstop_arena.tables.formats import TEXT, as_csv, draw, row_schema


class Fruit(msgspec.Struct):
    """A row."""

    name: str
    weight: Estimate | None
    ripe: float | None

    @property
    def doubts(self) -> str:
        return "?" if self.ripe == 0.5 else ""


COLUMNS = (
    number("ripe", "ripe, %", 1, percent=True, page=OnPage(3, mark=lambda fruit: fruit.doubts)),
    estimate("weight", "weight", 2, page=OnPage(2, decimals=1, labelled=False)),
    Column("fruit", "fruit", of=lambda fruit: fruit.name, page=OnPage(0, kind="bot")),
)
PLOT = PageColumn(1, Head("Plot", "plot"), lambda fruit: Cell(fruit.name[::-1], "plot"))


def fruits(*records: Fruit) -> Table:
    return table_of("fruits", "Fruits", COLUMNS, records)


APPLE, PEAR = Fruit("apple", Estimate(2.0, 1.0, 3.0), 0.5), Fruit("<pear>", None, None)


def test_columns_know_their_values_for_text_and_data() -> None:
    table = fruits(APPLE, PEAR)
    assert draw(table, TEXT).splitlines()[2:] == [
        "     50.0  2.00 ± 1.00  apple",
        "        -            -  <pear>",
    ]
    assert as_csv(table) == (
        "ripe,weight,weight_low,weight_high,fruit\n0.5,2.0,1.0,3.0,apple\n,,,,<pear>\n"
    )


def test_a_page_has_them_in_its_own_order_between_its_own_columns() -> None:
    html = html_table(fruits(APPLE, PEAR), [PLOT], "rows", first="first")
    places = [html.index(text) for text in (">Fruit<", ">Plot<", ">Weight<", ">Ripe, %<")]
    assert places == sorted(places)
    assert 'aria-label="Fruits"' in html
    assert '<tr role="row" class="first"><th scope="row"' in html and html.count("first") == 1
    assert '<td role="cell" class="plot">elppa</td>' in html
    assert '<span class="n">2.0</span> <span class="pm">± 1.0</span>' in html
    assert '<td role="cell" class="num" data-v="0.5" data-l="Ripe, %">? 50.0%</td>' in html
    assert f'<td role="cell" class="num" data-l="Ripe, %">{UNKNOWN}</td>' in html
    assert "<bdi>&lt;pear&gt;</bdi>" in html


def test_what_is_unknown_of_a_blank_record_has_no_label() -> None:
    html = html_table(fruits(PEAR), [], "rows", is_blank=lambda fruit: fruit is PEAR)
    assert html.count(f'<td role="cell" class="num">{UNKNOWN}</td>') == 2


def test_a_schema_follows_from_the_columns() -> None:
    schema = row_schema([*COLUMNS, number("eaten")], weight={"type": "number"})
    assert schema["required"] == [
        *("ripe", "weight", "weight_low", "weight_high", "fruit", "eaten"),
    ]
    assert schema["properties"]["fruit"] == {"type": "string"}
    assert schema["properties"]["ripe"] == {"type": ["number", "null"], "minimum": 0, "maximum": 1}
    assert schema["properties"]["weight"] == {"type": "number"}
    assert schema["properties"]["weight_low"] == {"type": ["number", "null"]}
    assert schema["properties"]["eaten"] == {"type": "integer", "minimum": 0}
    assert not schema["additionalProperties"]
