"""Reports of a comparison of rule sets: as text, Markdown, LaTeX, CSV, JSON, and as files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from cantstop_arena.atomic_files import write_result
from cantstop_arena.comparisons.comparison_results import ComparisonTotals, RuleSetResult
from cantstop_arena.comparisons.deal_ratios import ORDER, ignored_of
from cantstop_arena.comparisons.sentences import rule_set_text
from cantstop_arena.comparisons.statistics import BotOrder, RuleEffect
from cantstop_arena.comparisons.statistics import EffectEstimate as Interval
from cantstop_arena.deals.counting import COUNT
from cantstop_arena.deals.seeds import in_json
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import SIGNIFICANT
from cantstop_arena.reports.comparison_fields import (
    QUESTION_COLUMNS,
    ComparisonSummary,
    LuckGain,
    RuleSetAnswer,
)
from cantstop_arena.reports.comparison_headline import comparison_headline
from cantstop_arena.reports.tournament_files import CONTENT, PAGE
from cantstop_arena.tables.column import Column, Table, Value, estimate, number, significant
from cantstop_arena.tables.formats import (
    LATEX,
    MARKDOWN,
    TEXT,
    Style,
    as_csv,
    as_json,
    draw_all,
    records,
)
from cantstop_arena.tables.narrow import fitted
from cantstop_arena.texts import how_many

STYLES = {"text": TEXT, "markdown": MARKDOWN, "latex": LATEX}
MIN_P = 0.0001  # smaller p-values are written as <0.0001
TABLE = "comparison"
FILES = {"comparison.csv": "csv", "comparison.md": "markdown", CONTENT: "json"}


def as_format(answers: ComparisonTotals, form: str, width: int = 0) -> str:
    """A comparison in one of the formats; text fits a terminal of `width` columns, if given."""
    if form == "csv":
        return as_csv(everything(answers))
    if form == "json":
        return as_json(content(answers))
    return _for_people(answers, STYLES[form], width)


def write_comparison(answers: ComparisonTotals, folder: Path) -> list[Path]:
    """Write the comparison into an existing folder; return the paths of the files, in order.

    Equal answers give equal bytes. A page of earlier answers is deleted.
    """
    (folder / PAGE).unlink(missing_ok=True)
    return [write_result(folder, name, as_format(answers, form)) for name, form in FILES.items()]


def delete_comparison(folder: Path) -> None:
    """Delete the page and the files of an earlier run: a run that a fault ends has none."""
    for name in (PAGE, *FILES):
        (folder / name).unlink(missing_ok=True)


def write_comparison_page(content: dict[str, Any], folder: Path) -> Path:
    """Write the page of the comparison in a folder, from the content of its comparison.json.

    Raises PageError where a package that draws pages is missing.
    """
    from cantstop_arena.reports import write_page

    return write_result(folder, PAGE, write_page.comparison_page(content, folder))


# For people ---------------------------------------------------------------------------------


def _for_people(answers: ComparisonTotals, style: Style, width: int) -> str:
    """The answer first, in a line, then the tables and what explains them."""
    texts = [draw_all([fitted(_table(answer), width)], style) for answer in answers.answers]
    below = [*legend(answers), *answers.notes]
    first = style.safe(f"{comparison_headline(content(answers))}.")
    return "\n\n".join([first, *texts, *map(style.safe, below)]) + "\n"


def legend(answers: ComparisonTotals) -> Iterator[str]:
    """The paragraphs that explain the tables."""
    questions = sum(
        result.p is not None for answer in answers.answers for result in _questions(answer).values()
    )
    yield (
        "Shares are in percent, their differences in points of a hundred; ± is half of an interval,"
        " of differences between deals played under both rule sets. Effects are Cohen's d in games"
        " (counts) and Cohen's h (shares)."
    )
    yield (
        f"p and intervals are corrected for all {questions} questions of the file (Bonferroni): 5%"
        " is the chance that any interval misses. p is written where it is below 0.05."
        " Different: it leaves out zero. Negligible: it"
        f" lies within what is to be ignored ({_limits(answers)})."
    )
    if any(answer.games_to_decide(key) for answer in answers.answers for key in _questions(answer)):
        yield (
            "Games to decide: about how many games of each lineup (games: or --games) it takes if"
            " the difference stays as it is."
        )


def _limits(answers: ComparisonTotals) -> str:
    kinds = {measure.key: measure.kind for measure in answers.measures.all}
    keys_by_limit: dict[str, list[str]] = {}
    for key, ignored in answers.ignored.items():
        limit = f"{100 * ignored:g} " + ("%" if kinds.get(key) == COUNT else "points")
        keys_by_limit.setdefault(limit, []).append(key)
    return "; ".join(f"{limit}: {', '.join(keys)}" for limit, keys in keys_by_limit.items())


def _table(answer: RuleSetResult) -> Table:
    columns = (
        Column("measure", "measure"),
        number("baseline", answer.baseline, 2, leave_out=3),
        number("variant", answer.rules, 2, leave_out=4),
        estimate("difference", "difference", 2),
        estimate("relative", "change in %", 2, leave_out=2),
        number("effect", "effect", 3, leave_out=1),
        number("p", "p"),
        Column("verdict", "verdict"),
        number("games_to_decide", "games to decide", optional=True),
    )
    rows = [_row(answer, key) for key in answer.differences]
    if answer.order:
        corrected = _significant(answer.order.corrected)
        ends: list[Value] = [None, None, None, None, None, corrected, answer.order.verdict, None]
        rows.append(["order of the bots", *ends])
    title = f"{answer.rules} against {answer.baseline}, {how_many(answer.players, 'player')}"
    played = f"{how_many(answer.deals, 'deal')}, {how_many(answer.games, 'game')} of each."
    return Table(TABLE, title, columns, rows, (played, rule_set_text(answer)))


def _row(answer: RuleSetResult, key: str) -> list[Value]:
    difference = answer.differences[key]
    share = difference.kind != COUNT
    scale = 100 if share else 1
    relative = None if share or difference.relative is None else difference.relative
    return [
        answer.measures.label_of(key) + (", %" if share else ""),
        _scaled(difference.baseline, scale),
        _scaled(difference.variant, scale),
        _estimate(difference.absolute, scale),
        _estimate(relative, 100),
        difference.effect,
        _significant(difference.corrected),
        difference.verdict,
        answer.games_to_decide(key),
    ]


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value


def _estimate(interval: Interval | None, scale: float = 1) -> Estimate | None:
    if interval is None:
        return None
    return Estimate(interval.value, interval.low, interval.high).scaled(scale)


def _significant(p: float | None) -> str | None:
    """A p-value as the page has it: one that is not significant is left out."""
    if p is None or p >= SIGNIFICANT:
        return None
    return f"<{MIN_P}" if p < MIN_P else f"{p:.4f}"


# For programs -------------------------------------------------------------------------------


def everything(answers: ComparisonTotals) -> Table:
    """A table with a row for each question, with raw numbers: shares from 0 to 1."""
    columns = (
        number("players"),
        Column("rules", "rules"),
        Column("baseline", "baseline"),
        number("deals"),
        number("games"),
        *QUESTION_COLUMNS,
    )
    rows: list[list[Value]] = []
    for answer in answers.answers:
        about: list[Value] = [
            answer.players,
            answer.rules,
            answer.baseline,
            answer.deals,
            answer.games,
        ]
        rows += [[*about, *values] for values in _question_rows(answers, answer)]
    return Table(TABLE, answers.name, columns, rows)


def _question_rows(answers: ComparisonTotals, answer: RuleSetResult) -> Iterator[list[Value]]:
    for key, result in _questions(answer).items():
        ignored = ignored_of(answers.ignored, key)
        if isinstance(result, BotOrder):
            nothing: list[Value] = [None] * 6
            yield [
                key,
                ORDER,
                *nothing,
                result.p,
                result.corrected,
                ignored,
                result.verdict,
                None,
            ]
            continue
        yield [
            key,
            result.kind,
            result.baseline,
            result.variant,
            _estimate(result.absolute),
            _estimate(result.relative),
            "d" if result.kind == COUNT else "h",
            result.effect,
            result.p,
            result.corrected,
            ignored,
            result.verdict,
            answer.games_to_decide(key),
        ]


def _questions(answer: RuleSetResult) -> dict[str, RuleEffect | BotOrder]:
    order = {ORDER: answer.order} if answer.order else {}
    return {**answer.differences, **order}


def content(answers: ComparisonTotals) -> dict[str, Any]:
    """The comparison as a dict, the content of `comparison.json`."""
    comparison = ComparisonSummary(
        name=answers.name,
        game=answers.game,
        headline="",
        seed=in_json(answers.seed),
        bots=list(answers.bots),
        rules={name: dict(rules) for name, rules in answers.rules.items()},
        baseline=answers.baseline,
        ignore_below={key: significant(limit) for key, limit in answers.ignored.items()},
        answers=[_answer(answers, answer) for answer in answers.answers],
        notes=list(answers.notes),
    )
    comparison.headline = comparison_headline(msgspec.to_builtins(comparison))
    entry: dict[str, Any] = msgspec.to_builtins(comparison)
    return entry


def _answer(answers: ComparisonTotals, answer: RuleSetResult) -> RuleSetAnswer:
    table = Table(TABLE, "", QUESTION_COLUMNS, list(_question_rows(answers, answer)))
    gain = answer.luck_gain
    return RuleSetAnswer(
        rules=answer.rules,
        players=answer.players,
        deals=answer.deals,
        games=answer.games,
        sentence=rule_set_text(answer),
        questions=records(table),
        turned=[list(pair) for pair in answer.order.reversed_pairs] if answer.order else [],
        luck_removed=UNSET if gain is None else LuckGain(significant(gain)),
    )
