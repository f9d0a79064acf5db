"""The live table of a run: how far it is, and the standings so far, drawn again and again.

Everything is drawn by the process and the thread that ask for it, and wiped at the end. The cursor
stays visible: whoever stops or kills the program finds the terminal as it was.
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
from cantstop_arena.tables.escaping import printable
from cantstop_arena.tables.interim import Interim
from cantstop_arena.tables.text import TEXT, visible_columns

WIDEST = 100  # signs of the bar's line
MIN_NAME_LENGTH = 12  # signs that a bot's name is not cut below to show one more column
GAP = 2  # between columns, as in the tables at the end
NAMES, FEWEST = 1, 3  # the column of the bots' names, and the columns that are always shown


class LiveFrame(msgspec.Struct, frozen=True):
    """What there is to see: `lines` about the run, the standings, and how `old` they are."""

    title: str
    share: float
    lines: tuple[str, ...]
    standings: Interim | None = None
    old: str = ""


class LiveTable:
    """A part of the terminal, at the cursor, that shows scenes and is wiped at the end."""

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
        """Show this in place of what is there."""
        self._live.update(_Drawing(scene), refresh=True)

    def wipe(self) -> None:
        """Leave the terminal as if nothing had been drawn."""
        self._live.stop()


class _Drawing:
    """A scene, cut to whatever the size of the terminal is."""

    def __init__(self, scene: LiveFrame) -> None:
        self.scene = scene

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        scene, width = self.scene, options.max_width
        lines = [part for line in scene.lines for part in wrap(printable(line), width)]
        room = options.size.height - 2 - len(lines)  # the heading, and a line to be wiped from
        yield _heading(scene, min(width, WIDEST))
        yield _lines(lines)
        if scene.standings:
            yield from _standings(scene.standings, scene.old, width, room)


def _heading(scene: LiveFrame, width: int) -> Table:
    """What is played, a bar, and the share of it that is done."""
    grid = Table.grid(padding=(0, GAP, 0, 0), pad_edge=False)
    percent = f"{100 * scene.share:.0f}%"
    title = printable(scene.title)
    maximum = width // 2 if width < WIDEST else width - 40
    named = min(cell_len(title), maximum)
    grid.add_column(width=named)
    grid.add_column(width=max(1, width - named - len(percent) - 2 * GAP))
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
    """Texts on a line each, cut where the terminal ends."""
    return Text("\n".join(map(printable, texts)), style, no_wrap=True, overflow="ellipsis")


def _line(text: str, style: str = "") -> Text:
    return _lines([text], style)


def _standings(standings: Interim, old: str, width: int, room: int) -> Iterator[Text]:
    """As much of the standings as there is room for: an empty line, the table, and its notes."""
    notes = [*standings.notes, f"After {standings.games:,} games, {old}."]
    bots = len(standings.table.rows)
    visible = min(bots, room - 2 - len(notes))
    if visible < bots:
        visible -= 1
        notes.insert(0, f"and {bots - visible} more")
    if visible < 1:
        return
    heading, *rows = _rows(standings, visible, width)
    yield Text()
    yield _line(heading, "bold")
    yield _lines(rows)
    yield _lines(notes, "dim")


def _rows(standings: Interim, visible: int, width: int) -> Iterator[str]:
    """The heading and the first rows, without the last columns where names have no room."""
    columns = [
        (column.kind is Kind.TEXT, [column.heading, *cells[:visible]])
        for column, cells in visible_columns(standings.table, TEXT)
    ]
    widths = [max(map(cell_len, cells)) for _, cells in columns]
    remaining = sum(widths) + GAP * (len(columns) - 1) - widths[NAMES]
    while len(columns) > FEWEST and width - remaining < min(widths[NAMES], MIN_NAME_LENGTH):
        columns.pop()
        remaining -= widths.pop() + GAP
    widths[NAMES] = max(1, min(widths[NAMES], width - remaining))
    for row in zip(*(cells for _, cells in columns), strict=True):
        yield (" " * GAP).join(
            _cell(text, wide, left)
            for text, wide, (left, _) in zip(row, widths, columns, strict=True)
        )


def _cell(text: str, width: int, left: bool) -> str:
    """Text as wide as its column."""
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    gap = " " * (width - cell_len(text))
    return text + gap if left else gap + text
