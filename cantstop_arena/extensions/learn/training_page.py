"""The page of `arena train`: the strength of nets in trials, round by round."""

from collections.abc import Sequence

from markupsafe import Markup

from cantstop_arena.extensions.learn.training_checkpoint import (
    Tried,
    loss_estimate,
    training_headline,
)
from cantstop_arena.game_api.training import NetTrial
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Document, Fact, Figure, Listing, Section, as_html
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, name_cell, row_table
from cantstop_arena.pages.marks import drawing, grid, interval, scale
from cantstop_arena.pages.number_text import error_of, number_with_error, plain
from cantstop_arena.ratings.estimate import Estimate, share_estimate
from cantstop_arena.texts import how_many

_ROW = 34
MAX_ROWS = 60  # of many trials some are left out, evenly


def training_page(title: str, about: str, tried: Sequence[Tried], command: str) -> str:
    """The page of a training as HTML; `command` trains the same nets."""
    rounds, last = tried[-1]
    listed_trials = [*tried[-1 :: -max(1, -(-len(tried) // MAX_ROWS))]][::-1]
    value, decimals, unit = _value(tried[-1]), _decimals(last.rival), _unit(last.rival)
    error = error_of(value, decimals)
    label = f"Against {last.rival}" if last.rival else "Alone"
    games = how_many(last.games, "game")
    document = Document(
        title=title,
        about=about,
        answer=["All trials are played on the same deals, which are not used for training."],
        sections=[
            Section("trials", "Trials", figures=[_trials(listed_trials)], finding=_finding(tried)),
            Section(
                "origin",
                "Reproducing these results",
                ["The number of threads changes nothing. This command trains the same nets:"],
                listings=[Listing("The command", command)],
                finding="One command trains the same nets",
                folded=True,
            ),
        ],
        headline=training_headline(tried),
        facts=[
            Fact(label, plain(value.mean or 0, decimals) + unit, error, f"{last.bot}, {games}"),
            *_loss_facts(last),
            Fact("Rounds", f"{rounds:,}", "", how_many(len(tried), "trial")),
        ],
    )
    return as_html(document)


def _loss_facts(last: NetTrial) -> list[Fact]:
    """The loss to perfect play in the last trial, where the board has been solved."""
    if (loss := loss_estimate(last)) is None:
        return []
    unit = "points" if last.rival else "turns"
    error = error_of(loss, 2)
    return [Fact("Loss to perfect play", f"{plain(loss.mean or 0, 2)}", error, f"{unit} a game")]


def _value(tried: Tried) -> Estimate:
    """The score in percent, or the turns a game."""
    trial = tried[1]
    if trial.half is None:
        return Estimate(trial.score).scaled(100 if trial.rival else 1)
    if trial.rival:
        return share_estimate(trial.score, trial.half).scaled(100)
    return Estimate(trial.score, trial.score - trial.half, trial.score + trial.half)


def _decimals(rival: str) -> int:
    return 1 if rival else 2


def _unit(rival: str) -> str:
    return "%" if rival else " turns"


def _finding(tried: Sequence[Tried]) -> str:
    """Whether the nets have gained since the first trial."""
    first, last = _value(tried[0]), _value(tried[-1])
    if len(tried) == 1 or None in (first.mean, last.mean, first.high, last.low):
        return how_many(len(tried), "trial")
    if (first.high or 0) < (last.low or 0):
        return f"The nets have gained since round {tried[0][0]}"
    return "The intervals of the first and the last trial overlap"


def _trials(tried: Sequence[Tried]) -> Figure:
    rival = tried[-1][1].rival
    ends = [end for each in tried for end in _value(each)]
    axis = axis_around([*((0, 100) if rival else (0,)), *ends])
    ticks = axis.ticks(5)
    result, lost = ("Score %", "Loss, points") if rival else ("Turns", "Loss, turns")
    heads = [
        Head("After round", "bot", sorts=False),
        Head("95% interval" if rival else "Turns", "plot", sorts=False, axis=scale(axis, ticks)),
        Head(result, sorts=False),
    ]
    has_losses = any(each[1].lost for each in tried)
    if has_losses:
        heads.append(Head(lost, sorts=False))
    has_several_bots = len({trial.bot for _, trial in tried}) > 1
    rows = [
        HtmlRow(
            [
                name_cell(f"{each[0]:,}" + (f", {each[1].bot}" if has_several_bots else "")),
                Cell(_plot(axis, ticks, _value(each)), "plot"),
                Cell(number_with_error(_value(each), _decimals(rival)), label=result),
                *([Cell(_loss_text(each[1]), label=lost)] if has_losses else []),
            ]
        )
        for each in tried
    ]
    caption = "Dot: result of a trial; band: 95% interval."
    if has_losses:
        caption += (
            " Loss: what the decisions lose a game to perfect play, by the exact values of the"
            " solved board."
        )
    return Figure(row_table("rows", "Trials", heads, rows), caption)


def _loss_text(trial: NetTrial) -> str | Markup:
    loss = loss_estimate(trial)
    return "" if loss is None else number_with_error(loss, 2)


def _plot(axis: Axis, ticks: Sequence[float], value: Estimate) -> Markup:
    return drawing(_ROW, *grid(axis, ticks, _ROW, 0), interval(axis, value, _ROW / 2))
