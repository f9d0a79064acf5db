"""What `arena tune` has found, in words and as JSON."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict
from tabulate import tabulate

from cantstop_arena.tuning.halving import Optimum
from cantstop_arena.tuning.search_space import NumberList, Ranges
from cantstop_arena.tuning.tuner import ScoreShare, TuningResult, TuningVerdict

SearchSpace = Ranges | NumberList


def tuning_text(found: TuningResult, wish: SearchSpace, bot: str, against: str, elo: float) -> str:
    """All that there is to say, and a line to paste into a tournament.

    `elo` is by how much the bot was to be better than as it is.
    """
    parts = [
        _trials(found, wish),
        best_text(found, wish),
        f"It won {_shown(found.won)} of {found.won.games:,} fresh games against {against}.",
        judged_text(found.verdict, elo),
        _pasted(found, bot),
    ]
    return "\n\n".join(part for part in parts if part)


def tuning_json(found: TuningResult, wish: SearchSpace) -> str:
    """The same as JSON."""
    told: dict[str, Any] = {"options": dict(found.options), "won": asdict(found.won)}
    if found.peak is not None and isinstance(wish, Ranges):
        told["fitted"] = found.peak.score
        told["low"], told["high"] = wish.options(found.peak.low), wish.options(found.peak.high)
        told["trials"] = [
            {**wish.options(trial.point), "deals": trial.deals, "won": trial.score}
            for trial in found.peak.trials
        ]
    if found.verdict is not None:
        told["test"] = asdict(found.verdict)
    return json.dumps(told)


def _shown(won: ScoreShare) -> str:
    return f"{100 * won.score:.2f} ± {100 * won.half:.2f}%"


def _trials(found: TuningResult, wish: SearchSpace) -> str:
    """The trials as a table, those that played most first."""
    if found.peak is None:
        return ""
    headers, rows = trial_rows(found.peak, wish)
    return tabulate(rows, headers=headers)


def trial_rows(peak: Optimum, wish: SearchSpace) -> tuple[list[str], list[list[Any]]]:
    """The columns and rows of a table of trials, those that played most first."""
    trials = sorted(peak.trials, key=lambda trial: (-trial.deals, -trial.score))
    rows = [
        [*wish.options(trial.point).values(), trial.deals, f"{100 * trial.score:.1f}"]
        for trial in trials
    ]
    return [*wish.names, "deals", "won %"], rows


def best_text(found: TuningResult, wish: SearchSpace) -> str:
    """What was found, with intervals where a quadratic was fitted."""
    if found.peak is None:
        return "Found: " + ", ".join(f"{name} {value}" for name, value in found.options.items())
    low, high = wish.options(found.peak.low), wish.options(found.peak.high)
    values = [_with_interval(name, value, low, high) for name, value in found.options.items()]
    return f"Best by the fitted quadratic, with 95 % intervals: {', '.join(values)}."


def _with_interval(name: str, value: Any, low: Mapping[str, Any], high: Mapping[str, Any]) -> str:
    if isinstance(value, str | bool):
        is_sure = low[name] == high[name] == value
        return f"{name} {value} ({'sure' if is_sure else 'not sure'})"
    return f"{name} {value} ({low[name]} to {high[name]})"


def judged_text(verdict: TuningVerdict | None, elo: float) -> str:
    """What the test on fresh deals has come to."""
    if verdict is None:
        return "This is what the bot plays with already."
    words = {1: f"it is {elo:g} Elo stronger", 0: "it is no stronger", None: "undecided"}
    played = f"{verdict.games:,} fresh games against the bot as it is"
    return f"In {played} it won {verdict.score:.1%}: {words[verdict.accepted]}."


def line_text(found: TuningResult, bot: str) -> str:
    """What to write into a tournament; empty where there is nothing new."""
    if found.verdict is None:
        return ""
    options = "".join(f", {name}: {json.dumps(value)}" for name, value in found.options.items())
    return f"- {{bot: {bot}{options}}}"


def _pasted(found: TuningResult, bot: str) -> str:
    line = line_text(found, bot)
    return f"For a tournament:\n  {line}" if line else ""
