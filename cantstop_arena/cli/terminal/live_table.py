"""The live table of a run: its progress and the standings so far, redrawn in place.

It is drawn in the calling thread, and erased at the end. The cursor stays visible, so that a
stopped or killed program leaves the terminal usable.
"""

import sys
from collections.abc import Iterable, Iterator
from textwrap import wrap

import msgspec
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from cantstop_arena.tables.column import Kind
from cantstop_arena.tables.formats import TEXT, visible_columns
from cantstop_arena.tables.interim import Interim
from cantstop_arena.texts import printable

MAX_BAR_WIDTH = 100  # characters of the line with the bar
MIN_NAME_LENGTH = 12  # characters: columns are dropped before names are cut below this length
GAP = 2  # characters between columns, as in the final tables
NAMES, MIN_COLUMNS = 1, 3  # the index of the bots' names, and how many columns are never dropped


class LiveFrame(msgspec.Struct, frozen=True):
    """The content of one frame: lines on the progress, the standings, and their age as text."""

    title: str
    share: float
    lines: tuple[str, ...]
    standings: Interim | None = None
    age: str = ""


class LiveTable:
    """A region of the terminal at the cursor that shows frames and is erased at the end."""

    def __init__(self, coloured: bool) -> None:
        console = Console(
            file=sys.stderr,
            force_terminal=True,
            force_interactive=True,
            force_jupyter=False,
            color_system="auto" if coloured else None,
            highlight=False,
            markup=False,
            emoji=False,
        )
        self._live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()
        console.show_cursor(True)

    def show(self, scene: LiveFrame) -> None:
        """Replace the displayed frame."""
        self._live.update(_Drawing(scene), refresh=True)

    def wipe(self) -> None:
        """Erase the region."""
        self._live.stop()


class _Drawing:
    """A frame, cut to the size of the terminal."""

    def __init__(self, scene: LiveFrame) -> None:
        self.scene = scene

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        scene, width = self.scene, options.max_width
        lines = [part for line in scene.lines for part in wrap(printable(line), width)]
        max_lines = options.size.height - 2 - len(lines)  # less the heading, and the cursor's line
        yield _heading(scene, min(width, MAX_BAR_WIDTH))
        yield _lines(lines)
        if scene.standings:
            yield from _standings(scene.standings, scene.age, width, max_lines)


def _heading(scene: LiveFrame, width: int) -> Table:
    """The title, a progress bar, and the percentage played."""
    grid = Table.grid(padding=(0, GAP, 0, 0), pad_edge=False)
    percent = f"{100 * scene.share:.0f}%"
    title = printable(scene.title)
    max_width = width // 2 if width < MAX_BAR_WIDTH else width - 40
    title_width = min(cell_len(title), max_width)
    grid.add_column(width=title_width)
    grid.add_column(width=max(1, width - title_width - len(percent) - 2 * GAP))
    grid.add_column(width=len(percent))
    bar = ProgressBar(
        total=1.0,
        completed=scene.share,
        style="bright_black",
        complete_style="green",
        finished_style="green",
    )
    grid.add_row(_line(title, "bold"), bar, percent)
    return grid


def _lines(texts: Iterable[str], style: str = "") -> Text:
    """One line for each text, cut to the width of the terminal."""
    return Text("\n".join(map(printable, texts)), style, no_wrap=True, overflow="ellipsis")


def _line(text: str, style: str = "") -> Text:
    return _lines([text], style)


def _standings(standings: Interim, age: str, width: int, max_lines: int) -> Iterator[Text]:
    """An empty line, the table and its notes, with as many rows as fit into `max_lines`."""
    notes = [*standings.notes, f"After {standings.games:,} games, {age}."]
    bots = len(standings.table.rows)
    row_count = min(bots, max_lines - 2 - len(notes))
    if row_count < bots:
        row_count -= 1
        notes.insert(0, f"and {bots - row_count} more")
    if row_count < 1:
        return
    heading, *rows = _rows(standings, row_count, width)
    yield Text()
    yield _line(heading, "bold")
    yield _lines(rows)
    yield _lines(notes, "dim")


def _rows(standings: Interim, row_count: int, width: int) -> Iterator[str]:
    """The heading and the first rows; drops the last columns when names would be cut too short."""
    columns = [
        (column.kind is Kind.TEXT, [column.heading, *cells[:row_count]])
        for column, cells in visible_columns(standings.table, TEXT)
    ]
    widths = [max(map(cell_len, cells)) for _, cells in columns]
    other_width = sum(widths) + GAP * (len(columns) - 1) - widths[NAMES]
    while len(columns) > MIN_COLUMNS and width - other_width < min(widths[NAMES], MIN_NAME_LENGTH):
        columns.pop()
        other_width -= widths.pop() + GAP
    widths[NAMES] = max(1, min(widths[NAMES], width - other_width))
    for row in zip(*(cells for _, cells in columns), strict=True):
        yield (" " * GAP).join(
            _cell(text, wide, left)
            for text, wide, (left, _) in zip(row, widths, columns, strict=True)
        )


def _cell(text: str, width: int, left: bool) -> str:
    """Text padded or cut to the width of its column."""
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    gap = " " * (width - cell_len(text))
    return text + gap if left else gap + text
