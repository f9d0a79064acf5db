"""The table model and its forms: what people and programs are told, whatever a name holds."""

import csv
import json
import re
import shutil
import subprocess
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantstop_arena.pages.number_text import with_error
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import (
    Column,
    Table,
    Value,
    estimate,
    half_away,
    number,
    significant,
)
from cantstop_arena.tables.formats import (
    LATEX,
    MARKDOWN,
    TEXT,
    Style,
    all_as_csv,
    all_as_json,
    as_csv,
    colour_cell,
    csv_cell,
    draw,
    draw_all,
    latex,
    markdown,
    records,
    visible_columns,
)
from cantstop_arena.texts import printable

BOT = Column("bot", "bot")
ELO = estimate("elo", "Elo", 1, fixed=2)
SCORE = estimate("score", "score %", 2, percent=True, middle=0.5)
GAMES = number("games")
NOTE = Column("note", "note", optional=True)
HOSTILE = [
    "<script>alert(1)</script>",
    "a|b",
    "R&D",
    "100%",
    "snake_case_",
    "#1",
    "$HOME",
    "back\\slash",
    "\\",
    "🎲",
    "\x1b[31mred\x1b[0m",
    "two\nlines\r",
    "a\u2028b",
    "\u202ereversed",
    "{}",
    "{",
    "~^",
    '"quoted", =1+1',
    "[1ex]",
    "*",
    "---",
    "- item",
    "1. item",
    "# heading",
    "`x`",
    "",
]


def table(*values: Value, column: Column = SCORE) -> Table:
    """A column of values."""
    return Table("t", "T", [column], [[value] for value in values])


def of_names(names: list[str]) -> Table:
    """A column of names, and one that shows where it ends."""
    return Table("t", "T", [BOT, GAMES], [[name, 7] for name in names])


def lines(drawn: str) -> list[str]:
    """The rows of a table in text or Markdown."""
    return drawn.splitlines()[2:]


# --- For people -----------------------------------------------------------------------------------


def test_numbers_have_their_decimals_and_every_error_stands_below_the_other() -> None:
    cells = lines(draw(table(Estimate(0.5, 0.4, 0.6), Estimate(0.25, 0.245, 0.255)), TEXT))
    assert cells == ["50.00 ± 10.00", "25.00 ±  0.50"]


def test_a_lopsided_interval_is_shown_with_both_ends() -> None:
    cells = lines(draw(table(Estimate(1, 0.01, 1), Estimate(0.5, 0.4, 0.6)), TEXT))
    assert [cell.strip() for cell in cells] == ["100.00 (1.00 to 100.00)", "50.00 ± 10.00"]


def test_an_open_interval_is_shown_with_the_end_that_it_has() -> None:
    ends = [Estimate(0.5, 0.4), Estimate(0.5, None, 0.75), Estimate(0.5)]
    cells = [cell.strip() for cell in lines(draw(table(*ends), TEXT))]
    assert cells == ["50.00 (from 40.00)", "50.00 (up to 75.00)", "50.00"]
    assert [with_error(end, 1, 100) for end in ends] == [
        "50.0 (from 40.0)",
        "50.0 (up to 75.0)",
        "50.0",
    ]


@pytest.mark.parametrize(
    ("interval", "lopsided"),
    [
        (Estimate(0.5, 0.4, 0.6), False),
        (Estimate(0.5, 0.4, 0.585), False),
        (Estimate(0.5, 0.4, 0.57), True),
        (Estimate(1.0, 0.0123, 1.0), True),
        (Estimate(0.5, None, 0.6), False),
        (Estimate(0.5, 0.5, 0.5), False),
    ],
)
def test_an_interval_is_lopsided_by_a_fifth(interval: Estimate, lopsided: bool) -> None:
    assert interval.lopsided is lopsided


def test_what_is_not_known_is_a_dash_and_what_has_no_error_stands_alone() -> None:
    assert [
        line.strip() for line in lines(draw(table(None, Estimate(None), Estimate(0.5)), TEXT))
    ] == [*("-", "-", "50.00")]


def test_there_is_no_negative_nothing() -> None:
    assert lines(draw(table(-0.04, column=number("x", decimals=1)), TEXT))[0].strip() == "0.0"


def test_optional_columns_are_shown_where_they_say_something() -> None:
    empty, told = (Table("t", "T", [BOT, NOTE], [["a", note]]) for note in ("", "x"))
    assert "note" not in draw(empty, TEXT)
    assert "note" in draw(told, TEXT)
    assert list(records(empty)[0]) == ["bot", "note"]


@pytest.mark.parametrize("style", [TEXT, MARKDOWN, LATEX])
def test_a_table_without_rows_is_a_heading(style: Style) -> None:
    assert "bot" in draw(Table("t", "T", [BOT, ELO], []), style)


def test_titles_and_notes_surround_tables() -> None:
    told = Table("t", "The title", [BOT], [["a"]], ["One thing.", "Another."])
    text = draw_all([told, told], TEXT)
    assert text == "\n\n".join(["The title\n\nbot\n-----\na\n\nOne thing.\n\nAnother."] * 2)
    assert draw_all([told], MARKDOWN).startswith("## The title\n\n| bot")


# --- Foreign names --------------------------------------------------------------------------------


def test_no_name_breaks_a_printed_table() -> None:
    drawn = draw(of_names(HOSTILE), TEXT)
    assert all(line.isprintable() for line in drawn.splitlines())
    assert len(lines(drawn)) == len(HOSTILE)
    assert all(line.endswith(" 7") for line in lines(drawn))
    assert {line[:-1].rstrip() for line in lines(drawn)} == set(map(printable, HOSTILE))


def test_no_name_breaks_a_markdown_table() -> None:
    drawn = draw(of_names(HOSTILE), MARKDOWN)
    assert len(lines(drawn)) == len(HOSTILE)
    for line, name in zip(lines(drawn), HOSTILE, strict=True):
        cells = [cell.strip() for cell in re.findall(r"((?:\\.|[^\\|])*)\|", line)][1:]
        assert cells == [markdown(name), "7"]
        assert re.sub(r"\\(.)", r"\1", cells[0]) == printable(name)


@pytest.mark.slow
@given(st.text())
def test_markdown_reads_no_text_as_its_own(text: str) -> None:
    harmless = markdown(text)
    assert re.sub(r"\\([!-/:-@[-`{-~])", r"\1", harmless) == printable(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[<>|*`$~&\[\]]", harmless)


def undone(harmless: str) -> str:
    """What a reader sees of harmless LaTeX."""
    words = {
        r"\textbackslash{}": "\\",
        r"\textasciitilde{}": "~",
        r"\textasciicircum{}": "^",
        r"\textless{}": "<",
        r"\textgreater{}": ">",
        r"\textbar{}": "|",
        r"\symbol{34}": '"',
        r"\ldots{}": "…",
        r"$\pm$": "±",
        "{[}": "[",
        "{*}": "*",
        "-{}": "-",
    }
    told = re.compile("|".join([*map(re.escape, words), r"\\[&%$#_{}]"]))
    return told.sub(lambda found: words.get(found[0], found[0][1:]), harmless)


@given(st.text() | st.text(alphabet='\\{}$&#^_%~[]*<>|"-±…a '))
def test_latex_reads_no_text_as_its_own(text: str) -> None:
    harmless = latex(text)
    assert undone(harmless) == printable(text)
    bare = re.sub(r"\\[&%$#_{}]|\\[a-z]+|\$\\pm\$", "x", harmless)  # without its own commands
    assert not re.search(r"[&%$#_~^<>|\"\\]|--", bare)
    depth = 0
    for sign in re.sub(r"[^{}]", "", bare):
        depth += 1 if sign == "{" else -1
        assert depth in (0, 1)
    assert depth == 0


def test_a_latex_table_is_booktabs_and_balanced() -> None:
    drawn = draw(Table("t", "T", [BOT, ELO], [["a_b", Estimate(-3.25, -5.25, -1.25)]]), LATEX)
    assert re.sub(" +", " ", drawn).splitlines() == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"bot & Elo \\",
        r"\midrule",
        r"a\_b & $-3.3 \pm 2.0$ \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_the_ends_of_an_interval_are_words_apart_in_latex() -> None:
    score = Estimate(0.0, 0.0, 6.5)
    assert r"$0.0 (0.0\mbox{ to }6.5)$" in draw(Table("t", "T", [ELO], [[score]]), LATEX)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs LaTeX")
def test_latex_compiles(tmp_path: Path) -> None:
    plain = [name for name in HOSTILE if printable(name).isascii()]
    body = draw_all([of_names(plain)], LATEX)
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(f"{head}{body}\n\\end{{document}}\n")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0


# --- Colours --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "style"),
    [
        (Estimate(0.6, 0.55, 0.65), "32"),
        (Estimate(0.9, 0.85, 0.95), "1;32"),
        (Estimate(0.4, 0.35, 0.45), "31"),
        (Estimate(0.1, 0.05, 0.15), "1;31"),
        (Estimate(0.6, 0.45, 0.75), "2"),
        (Estimate(0.6), "2"),
    ],
)
def test_the_colour_tells_how_far_from_even_and_whether_it_can_be_luck(
    value: Estimate, style: str
) -> None:
    assert colour_cell("x", SCORE, value) == f"\x1b[{style}mx\x1b[0m"


def test_nothing_else_is_coloured_and_colour_moves_no_column() -> None:
    assert colour_cell("x", BOT, "x") == colour_cell("x", SCORE, None) == "x"
    assert colour_cell("x", ELO, Estimate(1, 0, 2)) == "x"
    told = Table(
        "t", "T", [BOT, SCORE, GAMES], [["a", Estimate(0.9, 0.8, 1.0), 3], ["b", None, 12]]
    )
    coloured = draw(told, TEXT, coloured=True)
    assert "\x1b[1;32m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == draw(told, TEXT)


# --- For programs ---------------------------------------------------------------------------------


def test_programs_get_raw_numbers_and_the_ends_of_intervals() -> None:
    told = Table("t", "T", [BOT, ELO, SCORE], [["a", Estimate(1500.126, 1490, 1510), None]])
    assert as_csv(told).splitlines() == [
        "bot,elo,elo_low,elo_high,score,score_low,score_high",
        "a,1500.13,1490.00,1510.00,,,",
    ]
    assert records(told) == [
        {
            **{"bot": "a", "elo": 1500.13, "elo_low": 1490, "elo_high": 1510},
            **{"score": None, "score_low": None, "score_high": None},
        }
    ]


numbers = st.floats(-1e6, 1e6)


@given(
    st.lists(st.tuples(st.text(), numbers, numbers, numbers, st.integers(0, 10**12)), max_size=5)
)
def test_csv_and_json_give_back_the_same_numbers(
    found: list[tuple[str, float, float, float, int]],
) -> None:
    rows = [(name, Estimate(*ends), count) for name, *ends, count in found]
    told = Table("t", "T", [BOT, estimate("x", "x", 1), GAMES], rows)
    from_json = json.loads(all_as_json([told]))["t"]["rows"]
    from_csv = list(csv.reader(StringIO(as_csv(told), newline="")))[1:]
    assert len(from_csv) == len(found)
    for row, entry, (name, *ends, count) in zip(from_csv, from_json, found, strict=True):
        expected = [*map(significant, ends), count]
        assert list(entry.values()) == [name, *expected]
        assert [row[0], *map(float, row[1:])] == [csv_cell(name), *expected]


def test_several_tables_in_csv_have_their_names_above_them() -> None:
    told = of_names(["a"])
    assert all_as_csv([told]) == "bot,games\na,7\n"
    assert all_as_csv([told, told]) == "t\nbot,games\na,7\n\nt\nbot,games\na,7\n"


def test_csv_gives_every_name_back() -> None:
    (_, *rows) = csv.reader(StringIO(as_csv(of_names(HOSTILE)), newline=""))
    assert [name for name, _ in rows] == [csv_cell(name) for name in HOSTILE]


def test_no_name_is_a_formula_in_a_spreadsheet_and_numbers_stay_numbers() -> None:
    names = ["=1+1", "@SUM(A1)", "+cmd", "-2+3", "\tx", "\rx", "'=1", "a=b", "'quoted'"]
    numbers = [-1.5, *[-1] * len(names)]
    told = Table("t", "T", [BOT, ELO, *map(number, names)], [[name, *numbers] for name in names])
    (header, *rows) = csv.reader(StringIO(as_csv(told), newline=""))
    escaped = [f"'{name}" for name in names[:7]] + names[7:]
    assert header[4:] == escaped
    assert rows == [[name, "-1.50", "", "", *["-1"] * 9] for name in escaped]
    assert [row["bot"] for row in records(told)] == names


def test_shares_are_rounded_once_and_mirrored_cells_add_up_to_a_hundred() -> None:
    share = estimate("score", "score %", 1, percent=True)
    for points in range(2001):
        table = Table("t", "t", [share], [[points / 2000], [1 - points / 2000]])
        ((_, cells),) = visible_columns(table, TEXT)
        assert sum(map(Decimal, cells)) == 100, cells
        assert abs(Decimal(cells[0]) - Decimal(points) / 20) <= Decimal("0.05")


def test_halves_are_rounded_away_from_the_origin() -> None:
    assert [half_away(x, 1) for x in (0.25, -0.25, 65.05, 34.95)] == [0.3, -0.3, 65.1, 35.0]
    assert [half_away(x, 1, 50) for x in (65.05, 34.95, 100 * (1 - 0.3495))] == [65.1, 34.9, 65.1]
    assert half_away(float("inf"), 1) == float("inf") and half_away(1e300, 1) == 1e300
