"""Standings, crosstable and faults as tables, for the terminal and in Markdown."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tabulate import tabulate

from cantstop_arena.outcomes import Results
from cantstop_arena.ratings.luce import Ratings, rate
from cantstop_arena.reports.ending import until_note
from cantstop_arena.reports.standings import against, solo_standings, standings
from cantstop_arena.reports.summary import faults_by_bot, games, unfinished

Row: TypeAlias = dict[str, str]  # headings and cells

NOT_REPRODUCIBLE = "not reproducible"
LEFT = {"bot", "note", "fault", "seats", "message"}  # the other columns are numbers
NOTHING = "-"
LONGEST_MESSAGE = 100
MOST_NAMES = 6
SPECIAL = re.compile(r"[\\`*\[\]<>|~&$]|(?<![^\W_])_|_(?![^\W_])")  # an inner_underscore is plain


@dataclass(frozen=True, slots=True)
class Style:
    """How tables are drawn: tabulate's name for it, and how foreign text is made harmless."""

    form: str
    safe: Callable[[str], str]


def printable(text: str) -> str:
    """Text on one line: line breaks, terminal codes and the like are spelled out."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def escaped(text: str) -> str:
    """Printable text in which Markdown finds nothing to interpret."""
    return SPECIAL.sub(lambda sign: "\\" + sign[0], printable(text))


TEXT = Style("simple", printable)
MARKDOWN = Style("pipe", escaped)


def standings_table(results: Results, style: Style = TEXT) -> str:
    """The standings and, below them, what a reader should know about them."""
    rows = _solo_rows(results) if results.players == 1 else _rows(results)
    if results.faults:
        faults = faults_by_bot(results)
        rows = [{**row, "faults": str(faults[row["bot"]])} for row in rows]
    if unsteady := results.irreproducible:
        rows = [{**row, "note": NOT_REPRODUCIBLE * (row["bot"] in unsteady)} for row in rows]
    return _drawn(rows, notes(results), style)


def crosstable_table(results: Results, style: Style = TEXT) -> str:
    """Every bot's score against every other, in percent; nothing for a single seat."""
    if results.players == 1:
        return ""
    rows = [
        {"": str(place), "bot": bot, **{str(n): _percent(cell) for n, cell in enumerate(cells, 1)}}
        for place, (bot, cells) in enumerate(against(results), 1)
    ]
    legend = "Score of the row's bot against the column's, in percent"
    of_what = " of the games that one of the two won." if results.players > 2 else "."
    return _drawn(rows, [legend + of_what], style)


def faults_table(results: Results, style: Style = TEXT) -> str:
    """Which bots misbehaved, how often, and where first; nothing if none did."""
    rows = [
        {
            "bot": charge.bot,
            "fault": charge.kind,
            "times": str(charge.count),
            "first in deal": str(charge.deal),
            "seats": ", ".join(charge.seats),
            "message": _short(charge.message),
        }
        for charge in results.faults
    ]
    if not rows:
        return ""
    said = [f"{bot} is disqualified; the tables are without it." for bot in results.disqualified]
    return _drawn(rows, [*said, "Those games again:", *(f.replay for f in results.faults)], style)


def notes(results: Results) -> list[str]:
    """What limits the standings: games without a winner, ratings without a maximum or a bridge."""
    said = []
    if without := unfinished(results):
        share = "" if results.players == 1 else "; their seats share the win"
        said.append(f"{without} of {games(results)} games were not finished{share}.")
    if results.until:
        said.append(until_note(results, results.until))
    if unsteady := results.irreproducible:
        said.append(
            f"{_listed(unsteady)}: {NOT_REPRODUCIBLE}. The answers were others when a game was"
            " played twice, so that results change from run to run."
        )
    return said if results.players == 1 else said + _rating_notes(results, rate(results))


def _rating_notes(results: Results, ratings: Ratings) -> list[str]:
    said = []
    if ratings.regularised:
        names = _listed([results.bots[bot] for bot in ratings.at_bound])
        said.append(
            f"The games bound the Elo of {names} on one side only: a virtual game, shared by all"
            " its bots, was added to each group of that field."
        )
    if (fields := len(set(ratings.fields))) > 1:
        said.append(f"The bots form {fields} fields that never met; compare Elo within one only.")
    return said


def _rows(results: Results) -> list[Row]:
    return [
        {
            "rank": str(row.rank),
            "bot": row.bot,
            "Elo": f"{row.elo:.1f}",
            "games": str(row.games),
            "score %": _with_error(row.score, row.score_low, row.score_high, scale=100, decimals=2),
        }
        for row in standings(results)
    ]


def _solo_rows(results: Results) -> list[Row]:
    return [
        {
            "rank": str(row.rank),
            "bot": row.bot,
            "games": str(row.games),
            "turns per game": _with_error(row.turns_per_game, row.turns_low, row.turns_high),
        }
        for row in solo_standings(results)
    ]


def _with_error(
    mean: float | None,
    low: float | None,
    high: float | None,
    scale: float = 1,
    decimals: int = 3,
) -> str:
    """A mean ± half the width of its interval, the ± in line for errors up to two digits."""
    if mean is None:
        return NOTHING
    if low is None or high is None:
        return f"{scale * mean:.{decimals}f}"
    half = scale * (high - low) / 2
    return f"{scale * mean:.{decimals}f} ± {half:{decimals + 3}.{decimals}f}"


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f}"


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence, not too many of them."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _short(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…"


def _drawn(rows: Sequence[Row], below: Sequence[str], style: Style) -> str:
    """The table, and lines of text below it; cells stay the text that they are."""
    headings = list(rows[0]) if rows else []
    table = tabulate(
        [[style.safe(cell) for cell in row.values()] for row in rows],
        headers=headings,
        tablefmt=style.form,
        disable_numparse=True,
        colalign=["left" if heading in LEFT else "right" for heading in headings],
    )
    return "\n\n".join([table, *(style.safe(line) for line in below)])
