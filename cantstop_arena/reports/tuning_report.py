"""The result of `arena tune`: as text and as JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict
from tabulate import tabulate

from cantstop_arena import __version__
from cantstop_arena.atomic_files import write_result
from cantstop_arena.ratings.estimate import Estimate, share_estimate
from cantstop_arena.reports.tournament_files import PAGE
from cantstop_arena.tables.column import (
    Column,
    Table,
    estimate,
    estimate_text,
    number,
    percent_text,
)
from cantstop_arena.tuning.halving import Optimum, Trial
from cantstop_arena.tuning.search_space import NumberList, Ranges
from cantstop_arena.tuning.tuner import ScoreShare, TuningResult, TuningVerdict

SearchSpace = Ranges | NumberList
TUNING = "tuning.json"  # in the folder of a tuning


def tuning_headline(result: TuningResult) -> str:
    """The answer to the question, in a sentence without its full stop.

    Options are called stronger only if the test on fresh deals has accepted that.
    """
    is_list = any(isinstance(value, list | tuple) for value in result.options.values())
    accepted = result.verdict.accepted if result.verdict else 0
    if accepted == 0:
        present = result.present or result.options
        stays = f"the present {', '.join(present)} stay" if is_list else f"{_values(present)} stays"
        return f"No improvement found: {stays}"
    if is_list:
        text = f"the new {', '.join(result.options)} are stronger than the present ones"
    else:
        alone = len(result.options) == 1
        now = ", ".join(map(value_text, result.present.values()))
        text = f"{_values(result.options)} is stronger than"
        text += f" {now if alone else _values(result.present)}"
    return text if accepted else f"Undecided whether {text}"


def _values(options: Mapping[str, Any]) -> str:
    """Options with their values: "risk 1.4, late 0.2"."""
    return ", ".join(f"{name} {value_text(value)}" for name, value in options.items())


def value_text(value: Any) -> str:
    """The value of an option as people write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def tuning_text(
    result: TuningResult, search_space: SearchSpace, bot: str, against: str, elo: float
) -> str:
    """The result as text, with a line to paste into a tournament's file.

    `elo` is the gain that the test looked for, over the bot with its present options.
    """
    share = result.share
    won = f"It won {_score_text(share)} of {share.games:,} fresh games against {against}."
    if result.verdict is None and against == bot:
        won = ""  # it would be a score against itself
    parts = [
        f"{tuning_headline(result)}.",
        _trials(result, search_space),
        best_text(result, search_space),
        won,
        judged_text(result.verdict, elo),
        _pasted(result, bot),
    ]
    return "\n\n".join(part for part in parts if part)


class TunedGame(msgspec.Struct, frozen=True):
    """What was tuned, and in which game: `command` is the one that does it again."""

    bot: str
    against: tuple[str, ...]
    game: str
    rules: str
    players: int
    seed: int
    command: str


def tuning_content(
    result: TuningResult, search_space: SearchSpace, tuned: TunedGame, elo: float
) -> dict[str, Any]:
    """The result as a dict, the content of `tuning.json`, of which its page is made.

    `elo` is the gain that the test looked for, over the bot with its present options.
    """
    entry: dict[str, Any] = {
        "headline": tuning_headline(result),
        **asdict(tuned),
        "version": __version__,
        "present": dict(result.present),
        "options": dict(result.options),
        "won": asdict(result.share),
        "trial_games": result.trial_games,
    }
    if result.peak is not None and isinstance(search_space, Ranges):
        entry["fitted"] = result.peak.score
        entry["low"], entry["high"] = (
            search_space.options(result.peak.low),
            search_space.options(result.peak.high),
        )
        entry["trials"] = [
            {
                **search_space.options(trial.point),
                "deals": trial.deals,
                "won": trial.score,
                "won_low": trial.interval[0],
                "won_high": trial.interval[1],
            }
            for trial in result.peak.trials
        ]
        entry["curves"] = [
            {
                "option": name,
                "values": curve.values.tolist(),
                "scores": curve.scores.tolist(),
                "halves": curve.halves.tolist(),
            }
            for name, curve, domain in zip(
                search_space.names, result.peak.curves, search_space.ranges, strict=True
            )
            if not domain.is_choice
        ]
    if result.generations:
        entry["generations"] = [
            {
                "won": generation.mean_score,
                "deviation": generation.deviation,
                "deals": generation.deals,
            }
            for generation in result.generations
        ]
    if result.verdict is not None:
        entry["test"] = {**asdict(result.verdict), "elo0": 0, "elo1": elo}
    return entry


def write_tuning(content: dict[str, Any], folder: Path) -> Path:
    """Write `tuning.json` into an existing folder, and delete the page of an earlier result."""
    (folder / PAGE).unlink(missing_ok=True)
    return write_result(folder, TUNING, tuning_json(content))


def tuning_json(content: dict[str, Any]) -> str:
    """The content of `tuning.json` as text."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _score_text(won: ScoreShare) -> str:
    return estimate_text(share_estimate(won.score, won.half), 2, 100, unit="%")


def _trials(result: TuningResult, search_space: SearchSpace) -> str:
    """The trials as a table, those with the most deals first."""
    if result.peak is None:
        return ""
    headers, rows = trial_rows(result.peak, search_space)
    formats = ["g"] * (len(headers) - 2) + [".1f", "g"]
    return tabulate(rows, headers=headers, floatfmt=formats)


def trial_rows(peak: Optimum, search_space: SearchSpace) -> tuple[list[str], list[list[Any]]]:
    """The headers and rows of the table of trials."""
    rows = [
        [
            *search_space.options(trial.point).values(),
            trial.deals,
            percent_text(trial.score, 1),
            " to ".join(percent_text(end, 1) for end in trial.interval),
        ]
        for trial in _by_deals(peak)
    ]
    return [*search_space.names, "deals", "won %", "95% interval"], rows


def _by_deals(peak: Optimum) -> list[Trial]:
    """The trials, those with the most deals first."""
    return sorted(peak.trials, key=lambda trial: (-trial.deals, -trial.score))


def tuning_table(result: TuningResult, search_space: SearchSpace, bot: str) -> Table:
    """The trials as a table, the best options below it; without trials the options found."""
    if result.peak is None:
        columns = [Column(name, name) for name in result.options]
        rows = [[json.dumps(value) for value in result.options.values()]]
        return Table("tuning", f"{bot}, tuned", columns, rows)
    return Table(
        "tuning",
        f"{bot}, tuned",
        [
            *(Column(name, name) for name in search_space.names),
            number("deals"),
            estimate("won", "won %", 1, percent=True),
        ],
        [
            [
                *map(str, search_space.options(trial.point).values()),
                trial.deals,
                Estimate(trial.score, *trial.interval),
            ]
            for trial in _by_deals(result.peak)
        ],
        [best_text(result, search_space)],
    )


def best_text(result: TuningResult, search_space: SearchSpace) -> str:
    """The best options, with intervals where a curve was fitted."""
    if result.peak is None:
        return "Found: " + ", ".join(f"{name} {value}" for name, value in result.options.items())
    low, high = search_space.options(result.peak.low), search_space.options(result.peak.high)
    values = [_with_interval(name, value, low, high) for name, value in result.options.items()]
    return f"Best by the fitted curve, with 95% intervals: {', '.join(values)}."


def _with_interval(name: str, value: Any, low: Mapping[str, Any], high: Mapping[str, Any]) -> str:
    if isinstance(value, str | bool):
        is_sure = low[name] == high[name] == value
        return f"{name} {value} ({'sure' if is_sure else 'not sure'})"
    return f"{name} {value} ({low[name]} to {high[name]})"


def judged_text(verdict: TuningVerdict | None, elo: float) -> str:
    """The verdict of the test on fresh deals."""
    if verdict is None:
        return "These are the bot's current options."
    outcomes = {
        1: "H1 accepted: stronger by more than 0 Elo",
        0: "no improvement found",
        None: "undecided, no improvement shown",
    }
    hypotheses = f"one-sided sequential test of 0 against {elo:g} Elo, wrong in at most 5%"
    scored = f"In {verdict.games:,} fresh games against the current version it scored"
    return (
        f"{scored} {percent_text(verdict.score, 1)}%: {outcomes[verdict.accepted]} ({hypotheses})."
    )


def line_text(result: TuningResult, bot: str) -> str:
    """A line for the bots of a tournament's file; empty unless the options are shown to be better.

    They are if the test on fresh deals has accepted that they are stronger than the present ones.
    """
    if result.verdict is None or result.verdict.accepted != 1:
        return ""
    options = "".join(f", {name}: {json.dumps(value)}" for name, value in result.options.items())
    return f"- {{bot: {bot}{options}}}"


def _pasted(result: TuningResult, bot: str) -> str:
    line = line_text(result, bot)
    return f"For a tournament:\n  {line}" if line else ""
