"""The result of a design as tables: rules with their verdicts and the values of targets."""

from collections.abc import Iterator, Sequence

from cantstop_arena.extensions.design.design_file import DesignTarget
from cantstop_arena.extensions.design.rule_design import (
    CONFIRMATION,
    FINAL,
    HOLDS,
    OPEN,
    DesignTotals,
    JudgedRules,
)
from cantstop_arena.tables.column import Column, Table, Value, estimate, number
from cantstop_arena.texts import how_many, listed

NAME = "design"


def design_table(design: DesignTotals) -> Table:
    """The rules that hold or are open, for people; without any, the nearest."""
    designs = [*design.with_verdict(HOLDS), *design.with_verdict(OPEN)] or [*design.judged[:1]]
    columns = [Column("verdict", "verdict"), *_varied(design), *map(_column, design.targets)]
    rows = [[_verdict(each), *_values(each, design)] for each in designs]
    return Table(NAME, _title(design), columns, rows, [*design_notes(design)])


def tried_table(design: DesignTotals) -> Table:
    """All rules that were tried, for people."""
    columns = [
        Column("verdict", "verdict"),
        number("deals"),
        *_varied(design),
        *map(_column, design.targets),
    ]
    rows = [[each.verdict, each.deals, *_values(each, design)] for each in design.judged]
    return Table(NAME, _title(design), columns, rows)


def design_data(design: DesignTotals) -> Table:
    """All rules that were tried, for programs: raw numbers, shares from 0 to 1."""
    columns = [
        Column("verdict", "verdict"),
        number("round"),
        number("deals"),
        *_varied(design),
        *(estimate(target.key, target.key, 4) for target in design.targets),
    ]
    rows = [
        [each.verdict, each.round, each.deals, *_values(each, design)] for each in design.judged
    ]
    return Table(NAME, design.name, columns, rows)


def rounds_lines(design: DesignTotals) -> list[str]:
    """What the rounds have left, a line each."""
    return [
        f"Round {count}: {how_many(each.deals, 'deal')} of {how_many(each.rule_sets, 'rule set')},"
        f" surely outside of a target: {each.missing:,}, going on: {each.going_on:,}."
        for count, each in enumerate(design.rounds, 1)
    ]


def changes_text(rules: JudgedRules, design: DesignTotals) -> str:
    """The parameters of rules that vary: "cards 3, chips 5"."""
    return ", ".join(f"{name} {rules.changes[name]}" for name in design.varied)


def target_text(target: DesignTarget) -> str:
    """A target with its ends: "first_seat 45% to 55%"."""
    return f"{target.key} {_end(target, target.low)} to {_end(target, target.high)}"


def decimals_of(target: DesignTarget) -> int:
    """The decimals of a target's values; those of shares are in percent."""
    return 1 if target.is_share else 2


def _title(design: DesignTotals) -> str:
    return f"{design.title} ({design.rules}), {how_many(design.players, 'seat')}"


def _varied(design: DesignTotals) -> Iterator[Column]:
    return (Column(name, name) for name in design.varied)


def _column(target: DesignTarget) -> Column:
    heading = f"{target.key}, %" if target.is_share else target.key
    return estimate(target.key, heading, decimals_of(target), percent=target.is_share)


def _verdict(rules: JudgedRules) -> str:
    return rules.verdict if rules.verdict in (HOLDS, OPEN) else "nearest"


def _values(rules: JudgedRules, design: DesignTotals) -> Sequence[Value]:
    changes = [str(rules.changes[name]) for name in design.varied]
    return [*changes, *(rules.values[target.key] for target in design.targets)]


def design_notes(design: DesignTotals) -> Iterator[str]:
    """What was searched for, and how."""
    targets = ", ".join(map(target_text, design.targets))
    yield f"Targets: {targets}. Bots: {listed(design.bots)}."
    count, reason = design.refused
    if count:
        yield f"{how_many(count, 'combination')} left out that are no rules: {reason}."
    confirmed = [each for each in design.judged if each.round == FINAL]
    if confirmed:
        yield (
            f"{how_many(len(confirmed), 'rule set')} confirmed on {CONFIRMATION:,} fresh deals;"
            " intervals are corrected for all of them and all targets."
        )
    yield f"{design.games:,} games played. Other bots may judge rules otherwise."


def missed_targets(design: DesignTotals) -> Iterator[str]:
    """The targets that the values of the nearest rules are outside of."""
    rules = design.judged[0]
    for target in design.targets:
        value = rules.values[target.key]
        if value is None or value.mean is None or not target.low <= value.mean <= target.high:
            yield target.key


def _end(target: DesignTarget, value: float) -> str:
    return f"{100 * value:g}%" if target.is_share else f"{value:g}"
