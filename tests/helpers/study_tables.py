"""Tables of a study: lines that are measured by simulation, in several processes, as Markdown."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import NamedTuple
from zlib import crc32

import numpy as np

Measured = Callable[[int, np.random.Generator], Mapping[str, float]]


class Line(NamedTuple):
    """A line of a table: its name, and what measures its columns in so many repetitions."""

    name: str
    measured: Measured


class Column(NamedTuple):
    """A column: its name, which is that of a measure, and its decimals; None for a share in %."""

    name: str
    decimals: int | None = None

    def text(self, number: float) -> str:
        """A number as it is printed; a dash for one that no tournament showed."""
        if np.isnan(number):
            return "-"
        return f"{100 * number:.1f}" if self.decimals is None else f"{number:.{self.decimals}f}"


class StudyTable(NamedTuple):
    """A table with the text above it; each line has this share of the study's repetitions."""

    text: str
    heading: str
    columns: Sequence[Column]
    lines: Sequence[Line]
    share: float = 1.0

    def repetitions(self, of_study: int) -> int:
        """How often each line is simulated."""
        return max(2, round(self.share * of_study))


def as_markdown(tables: Sequence[StudyTable], repetitions: int, seed: int) -> Iterator[str]:
    """The texts and tables of a study; a text has `{repetitions}` for their number, and may have
    `{error}` for the standard errors.

    A line's random numbers depend on the seed and its name only.
    """
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        started = [
            [
                pool.submit(_measure, line, table.repetitions(repetitions), seed)
                for line in table.lines
            ]
            for table in tables
        ]
        for table, lines in zip(tables, started, strict=True):
            count = table.repetitions(repetitions)
            yield table.text.format(repetitions=count, error=_error_text(count))
            yield _table(table, lines)


def _error_text(count: int) -> str:
    """The standard errors of shares near 95% and 99.6%."""
    errors = (100 * (share * (1 - share) / count) ** 0.5 for share in (0.95, 0.996))
    return "The standard error of 95% is {:.1f} points, that of 99.6% {:.1f}.".format(*errors)


def _measure(line: Line, repetitions: int, seed: int) -> Mapping[str, float]:
    return line.measured(repetitions, np.random.default_rng([seed, crc32(line.name.encode())]))


def _table(table: StudyTable, lines: Sequence[Future[Mapping[str, float]]]) -> str:
    rows = [[table.heading, *(column.name for column in table.columns)]]
    rows.append(["---"] * len(rows[0]))
    for line, future in zip(table.lines, lines, strict=True):
        found = future.result()
        rows.append([line.name, *(column.text(found[column.name]) for column in table.columns)])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
