"""The page of a tuning: whether an improvement was found, the trials, and the fitted curves."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any

import msgspec
from markupsafe import Markup

from cantstop_arena.games.registry import game_named
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.charts import Tick, chart, label_at, path, ribbon
from cantstop_arena.pages.document import Document, Fact, Figure, Listing, Section
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.heat_map import tint
from cantstop_arena.pages.marks import drawing, interval, number
from cantstop_arena.pages.number_text import MINUS, error_of, percent, plain
from cantstop_arena.pages.vertical_scale import VerticalScale, scale_around
from cantstop_arena.ratings.estimate import Estimate, share_estimate
from cantstop_arena.reports.page.facts import MIDDLE, marked_axis, origin, source
from cantstop_arena.reports.tuning_report import TUNING
from cantstop_arena.reports.tuning_report import value_text as plain_value
from cantstop_arena.tables.column import Column, Table, estimate
from cantstop_arena.tables.column import number as number_column
from cantstop_arena.texts import how_many, listed

_HEIGHT, _MARGIN, _LOW_HEIGHT = 300, 8, 220
_MAP_ROW = 64  # pixels of a row of the heat map
_MAX_MAP_NAME = 9  # letters of a value beside the map
_SAME = 1e-9
_MIN_ROOM = 25  # percent from a side that a label needs
Content = Mapping[str, Any]


def value_text(value: Any) -> str:
    """The value of an option, with a true minus sign."""
    text = plain_value(value)
    return text.replace("-", MINUS) if isinstance(value, int | float) else text


class _Number(msgspec.Struct, frozen=True):
    """An option that is a number, and its curve: the fitted scores with their half-widths."""

    name: str
    values: Sequence[float]
    scores: Sequence[float]
    halves: Sequence[float]
    best: float
    low: float
    high: float
    present: float | None


def document(content: Content) -> Document:
    """The page of a tuning, from the content of its `tuning.json`."""
    names = list(content["options"])
    numbers = [_number_of(content, curve) for curve in content.get("curves", ())]
    sections = list(_trial_sections(content, numbers))
    if "generations" in content:
        sections.append(_generations(content))
    sections += [*_recommended(content), _origin(content)]
    rivals = listed(content["against"])
    game = game_named(content["game"]).title
    games = _games(content)
    return Document(
        title=f"{content['bot']}: {', '.join(names)}",
        about=f"{game}, {content['rules']} rules, {content['players']} players, against {rivals}",
        answer=[_answer(content)],
        sections=sections,
        headline=content["headline"],
        facts=list(_facts(content, numbers)),
        source=source(f"{content['bot']} {' '.join(names)}", str(content["seed"]), games),
    )


def _number_of(content: Content, curve: Content) -> _Number:
    name = curve["option"]
    present = content["present"].get(name)
    is_number = isinstance(present, int | float) and not isinstance(present, bool)
    return _Number(
        name,
        curve["values"],
        curve["scores"],
        curve["halves"],
        content["options"][name],
        content["low"][name],
        content["high"][name],
        present if is_number else None,
    )


def _games(content: Content) -> str:
    total = content["trial_games"] + content["won"]["games"]
    return how_many(total + content.get("test", {}).get("games", 0), "game")


def _answer(content: Content) -> str:
    won, test = content["won"], content.get("test")
    if test is None:
        text = "The best values are those that the bot has."
        if list(content["against"]) == [content["bot"]]:
            return text  # it would be a score against itself
        rivals = listed(content["against"])
        return f"{text} It scores {percent(won['score'])} against {rivals} in fresh games."
    verdict = {1: "accepted H1", 0: "accepted H0", None: "is undecided"}[test["accepted"]]
    games = how_many(test["games"], "fresh game")
    return (
        f"Against the present version it scores {percent(test['score'])} in {games}: the sequential"
        f" test of {test['elo0']:g} against {test['elo1']:g} Elo {verdict}."
    )


# Facts ---------------------------------------------------------------------------------------


def _facts(content: Content, numbers: Sequence[_Number]) -> Iterator[Fact]:
    for option in numbers:
        now = "" if option.present is None else f"; now {value_text(option.present)}"
        ends = f"{value_text(option.low)} to {value_text(option.high)} with 95%{now}"
        yield Fact(f"Best {option.name}", value_text(option.best), "", ends, _best_on_axis(option))
    test = content.get("test")
    if test is not None:
        kind = {1: "best", 0: "less", None: "hollow"}[test["accepted"]]
        yield _share_fact("Against the present version", test, _verdict_note(test), kind)
    else:
        yield Fact("Test", "not needed", "", "the best values are those that the bot has")
    won = content["won"]
    if list(content["against"]) != [content["bot"]]:
        games = how_many(won["games"], "fresh game")
        yield _share_fact(f"Against {listed(content['against'])}", won, f"in {games}")
    tested = f", {test['games']:,} in the test" if test else ""
    note = f"{content['trial_games']:,} in trials, {won['games']:,} fresh{tested}"
    yield Fact("Games", _games(content).partition(" ")[0], "", note)


def _best_on_axis(option: _Number) -> Markup:
    axis = Axis(option.values[0], option.values[-1], 4)
    best = Estimate(option.best, option.low, option.high)
    present = option.present
    marks = []
    if present is not None and axis.has(present):
        marks = [(float(present), f"now {value_text(present)}")]
    return marked_axis(axis, [interval(axis, best, MIDDLE, "best")], marks, "")


def _verdict_note(test: Content) -> str:
    """The verdict; an error beside it is that of two sides at any time, so it can take in 50%."""
    verdict = {1: "H1 accepted", 0: "H0 accepted", None: "undecided"}[test["accepted"]]
    note = f"{verdict} after {how_many(test['games'], 'fresh game')}"
    if test.get("half") is None:
        return note
    return f"{note}; ±: two-sided 95% confidence sequence, wider than the one-sided test"


def _share_fact(label: str, share: Content, note: str, look: str = "") -> Fact:
    """A share on an axis with 50%; the dot's `look` is by its interval unless it is given."""
    half, score = share.get("half"), 100 * share["score"]
    if half is None:
        return Fact(label, percent(share["score"]), "", note)
    value = share_estimate(share["score"], half).scaled(100)
    axis = axis_around([50, *value], pad=4, max_ticks=6)
    is_open = (value.low or 0) <= 50 <= (value.high or 0)
    kind = look or ("hollow" if is_open else "best" if score > 50 else "less")
    plot = marked_axis(axis, [interval(axis, value, MIDDLE, kind)], [(50.0, "50%")], "%")
    return Fact(label, percent(share["score"]), error_of(value, 1), note, plot)


# Trials --------------------------------------------------------------------------------------


def _trial_sections(content: Content, numbers: Sequence[_Number]) -> Iterator[Section]:
    trials = content.get("trials")
    if not trials:
        return
    table = _trial_table(content)
    names = list(content["options"])
    if len(numbers) == 2 and len(names) == 2:
        yield Section(
            "trials",
            "Trials",
            [_about_top(content)],
            [_map(content, *numbers)],
            [table],
            finding=_best_trial(content),
        )
        figures = [_curve(content, option, _LOW_HEIGHT) for option in numbers]
        finding = _spans(numbers)
        yield Section("curves", "Fitted curves", (), figures, finding=finding)
        return
    figures = [_curve(content, option, _HEIGHT) for option in numbers]
    yield Section(
        "trials", "Trials", [_about_top(content)], figures, [table], finding=_best_trial(content)
    )


def _best_trial(content: Content) -> str:
    best = max(content["trials"], key=lambda trial: trial["won"])
    values = ", ".join(f"{name} {value_text(best[name])}" for name in content["options"])
    return f"The best trial, {values}, scores {percent(best['won'])}"


def _about_top(content: Content) -> str:
    values = ", ".join(f"{name} {value_text(value)}" for name, value in content["options"].items())
    return (
        f"The curve fitted to all {len(content['trials'])} trials has its top at {values}, with"
        f" a score of {percent(content['fitted'])}. It describes the trials near its top only, and"
        " the best of many trials looks better than it is."
    )


def _spans(numbers: Sequence[_Number]) -> str:
    """By how much each option changes the fitted score over its range."""
    spans = sorted(
        ((100 * (max(each.scores) - min(each.scores)), each.name) for each in numbers), reverse=True
    )
    texts = [f"{name} by {plain(span, 0)} points" for span, name in spans]
    return f"Over its range the fitted score changes with {', with '.join(texts)}"


def _trial_table(content: Content) -> Table:
    columns = [
        *(Column(name, name) for name in content["options"]),
        number_column("deals"),
        estimate("won", "won %", 1, percent=True),
    ]
    trials = sorted(content["trials"], key=lambda trial: (-trial["deals"], -trial["won"]))
    rows = [
        [
            *(value_text(trial[name]) for name in content["options"]),
            trial["deals"],
            Estimate(trial["won"], trial["won_low"], trial["won_high"]),
        ]
        for trial in trials
    ]
    return Table("trials", "Trials", columns, rows)


def _curve(content: Content, option: _Number, height: float) -> Figure:
    """Trials with their intervals, the fitted curve with its own, present and best value."""
    trials = _trials_on(content, option)
    shares = [
        *(trial[key] for trial in trials for key in ("won", "won_low", "won_high")),
        *(
            score + sign * half
            for score, half in zip(option.scores, option.halves, strict=True)
            for sign in (-1, 1)
        ),
    ]
    up = scale_around([50, *(100 * share for share in shares)], height, _MARGIN)
    across = Axis(float(option.values[0]), float(option.values[-1]), 2)
    spots = [across.at(float(value)) for value in option.values]
    curve = [up.y(100 * score) for score in option.scores]
    band = [
        (x, up.y(100 * (score - half)), up.y(100 * (score + half)))
        for x, score, half in zip(spots, option.scores, option.halves, strict=True)
    ]
    low, high = across.at(option.low), across.at(option.high)
    marks = [
        element(
            "rect",
            class_="range",
            x=f"{number(low)}%",
            y=0,
            height=number(height),
            width=f"{number(max(0.3, high - low))}%",
        ),
        ribbon(band, height),
        path(zip(spots, curve, strict=True), height, "walk"),
        *(mark for trial in trials for mark in _trial_marks(across, up, option.name, trial)),
        *_value_lines(across, option, height),
    ]
    ticks = [Tick(value, value_text(float(value))) for value in across.ticks(8)]
    label = f"Score by {option.name}, best at {value_text(option.best)}"
    title = f"Score against {listed(content['against'])}"
    html = chart(up, across, ticks, marks, label, title, option.name, "%", 50)
    others = [name for name in content["options"] if name != option.name]
    at = f", {' and '.join(others)} at the best values" if others else ""
    scope_note = (
        "" if len(trials) == len(content["trials"]) else " Of the trials only the nearest ones."
    )
    caption = (
        f"Dots: trials with 95% intervals; line and ribbon: the fitted curve with its"
        f" interval{at}. Light column: range of the best value (95%).{scope_note}"
    )
    return Figure(html, caption)


def _trials_on(content: Content, option: _Number) -> list[Content]:
    """The trials whose other options are nearest to the best ones."""
    others = [name for name in content["options"] if name != option.name]

    def distance(trial: Content) -> float:
        total = 0.0
        for name in others:
            best, value = content["options"][name], trial[name]
            if isinstance(best, str | bool):
                total += best != value
                continue
            values = [each[name] for each in content["trials"]]
            total += abs(value - best) / ((max(values) - min(values)) or 1)
        return total

    nearest: dict[Any, Content] = {}
    for trial in content["trials"]:
        at = trial[option.name]
        if at not in nearest or distance(trial) < distance(nearest[at]):
            nearest[at] = trial
    return list(nearest.values())


def _trial_marks(across: Axis, up: VerticalScale, name: str, trial: Content) -> Iterator[Markup]:
    x = f"{number(across.at(float(trial[name])))}%"
    top, bottom = (number(up.y(100 * trial[key])) for key in ("won_high", "won_low"))
    yield element("line", class_="whisk", x1=x, x2=x, y1=top, y2=bottom)
    text = f"{name} {value_text(trial[name])}: {percent(trial['won'])} in {trial['deals']:,} deals"
    title = element("title", text)
    y = number(up.y(100 * trial["won"]))
    yield element("circle", title, class_="trial", cx=x, cy=y, r=4)


def _value_lines(across: Axis, option: _Number, height: float) -> Iterator[Markup]:
    """Upright lines at the present and at the best value, with their names."""
    present = option.present
    is_same = present is not None and abs(present - option.best) < _SAME
    text = "now, and best" if is_same else "best"
    named = [(option.best, f"{text}: {value_text(option.best)}", "best", height - 8)]
    if present is not None and not is_same and across.has(present):
        named.append((float(present), f"now: {value_text(present)}", "now", height - 26))
    for value, name, kind, y in named:
        x = across.at(value)
        spot = f"{number(x)}%"
        yield element("line", class_=f"{kind}-line", x1=spot, x2=spot, y1=0, y2=number(height))
        side = None
        if len(named) > 1 and _MIN_ROOM < x < 100 - _MIN_ROOM:
            others = sum(other for other, *_ in named) - value
            side = "end" if value < others else "start"
        yield label_at(x, y, name, kind, 6, side)


# Two options ---------------------------------------------------------------------------------


def _map(content: Content, first: _Number, second: _Number) -> Figure:
    """A heat map of the trials of two numbers, with the present and the best values."""
    xs, ys = (sorted({trial[each.name] for trial in content["trials"]}) for each in (first, second))
    height = float(_MAP_ROW * len(ys))
    step_x = (xs[-1] - xs[0]) / max(1, len(xs) - 1) or 1
    step_y = (ys[-1] - ys[0]) / max(1, len(ys) - 1) or 1
    across = Axis(xs[0] - step_x / 2, xs[-1] + step_x / 2, 0)
    up = VerticalScale(Axis(ys[0] - step_y / 2, ys[-1] + step_y / 2), height, 0)
    marks = list[Markup]()
    for trial in content["trials"]:
        column = xs.index(trial[first.name])
        row = len(ys) - 1 - ys.index(trial[second.name])
        marks += _map_cell(trial, column, row, len(xs), (first.name, second.name))
    left, right = across.at(first.low), across.at(first.high)
    top, bottom = up.y(second.high), up.y(second.low)
    marks.append(
        element(
            "rect",
            class_="region",
            x=f"{number(left)}%",
            y=number(top),
            width=f"{number(max(0.5, right - left))}%",
            height=number(max(2, bottom - top)),
        )
    )
    spots = [("best", first.best, second.best)]
    if first.present is not None and second.present is not None:
        spots.insert(0, ("now", first.present, second.present))
    for kind, x, y in spots:
        if across.has(x) and up.axis.has(y):
            marks.append(
                element(
                    "circle",
                    element("title", kind),
                    class_=f"{kind}-dot",
                    r=6,
                    cx=f"{number(across.at(x))}%",
                    cy=number(up.y(y)),
                )
            )
    label = f"Scores of the trials by {first.name} and {second.name}; values in the table below"
    names = [
        element(
            "text",
            value_text(float(y))[:_MAX_MAP_NAME],
            class_="tick",
            x="100%",
            dx=-8,
            y=number(_MAP_ROW * (len(ys) - 1 - index) + _MAP_ROW / 2 + 4),
            text_anchor="end",
        )
        for index, y in enumerate(ys)
    ]
    below = [
        element(
            "text",
            value_text(float(x)),
            class_="tick",
            x=f"{number((index + 0.5) * 100 / len(xs))}%",
            y=14,
        )
        for index, x in enumerate(xs)
    ]
    html = element(
        "div",
        element("p", second.name, class_="y-title"),
        drawing(height, *names),
        drawing(height, *marks, label=label),
        element("span"),
        drawing(18, *below),
        element("p", first.name, class_="x-title"),
        class_="chart",
    )
    caption = (
        f"Score of each trial in percent against {listed(content['against'])}, with half of its 95%"
        " interval. Frame: range of the best values (95%); filled dot: best by the fitted"
        " curve; open dot: the bot as it is."
    )
    return Figure(html, caption)


def _map_cell(
    trial: Content, column: int, row: int, columns: int, names: tuple[str, str]
) -> Iterator[Markup]:
    width = 100 / columns
    kind = tint(trial["won"])
    text = ", ".join(f"{name} {value_text(trial[name])}" for name in names)
    title = element("title", f"{text}: {percent(trial['won'])} in {trial['deals']:,} deals")
    yield element(
        "rect",
        title,
        class_=f"heat {kind}",
        x=f"{number(column * width)}%",
        y=row * _MAP_ROW,
        width=f"{number(width)}%",
        height=_MAP_ROW,
    )
    x = f"{number((column + 0.5) * width)}%"
    on = {"5": " on-deep", "4": " on-mid"}.get(kind[-1], "")
    middle = row * _MAP_ROW + _MAP_ROW / 2
    won = Estimate(trial["won"], trial["won_low"], trial["won_high"])
    for text, size, y in (
        (percent(trial["won"])[:-1], "cell-v", middle - 12),
        (error_of(won, 1, 100).strip("()"), "cell-n", middle + 24),
    ):
        yield element("text", text, class_=f"{size}{on}", x=x, y=number(y), text_anchor="middle")


# Many numbers --------------------------------------------------------------------------------


def _generations(content: Content) -> Section:
    """The score by generation of a search by evolution."""
    generations = content["generations"]
    scores = [100 * each["won"] for each in generations]
    spans = [
        (max(0.0, score - 100 * each["deviation"]), min(100.0, score + 100 * each["deviation"]))
        for score, each in zip(scores, generations, strict=True)
    ]
    ends = [end for span in spans for end in span]
    low, high = 5 * floor(min(ends) / 5), 5 * ceil(max(ends) / 5)
    up = scale_around([low, high, 50], _LOW_HEIGHT, _MARGIN)
    across = Axis(1, max(2, len(generations)), 1.5)
    marks = []
    for index, (score, (lower, upper)) in enumerate(zip(scores, spans, strict=True), start=1):
        x = f"{number(across.at(index))}%"
        top, bottom = number(up.y(upper)), number(up.y(lower))
        marks.append(element("line", class_="whisk", x1=x, x2=x, y1=top, y2=bottom))
        marks.append(element("circle", class_="trial", cx=x, cy=number(up.y(score)), r=3))
    ticks = [Tick(value, value_text(float(value))) for value in across.ticks(8)]
    title = f"Score against {listed(content['against'])}"
    label = f"Mean score of the trials by generation, from {percent(generations[0]['won'])}"
    html = chart(up, across, ticks, marks, label, title, "generation", "%", 50)
    caption = (
        f"Dot: mean score of the trials of a generation, of {generations[0]['deals']:,} deals"
        " each; line: one standard deviation between trials, within 0 to 100%. Each generation"
        " plays other deals, so neighbours differ by chance, too."
    )
    part = max(1, len(generations) // 5)
    first, last = (sum(scores[at]) / part for at in (slice(part), slice(-part, None)))
    finding = (
        f"The first {how_many(part, 'generation')} score {plain(first)}%, the last {plain(last)}%"
    )
    return Section("generations", "Generations", (), [Figure(html, caption)], finding=finding)


# What to do with it --------------------------------------------------------------------------


def _recommended(content: Content) -> Iterator[Section]:
    """What was found; as a line of a tournament's file where it is shown to be stronger."""
    options = content["options"]
    lists = {name: value for name, value in options.items() if isinstance(value, list)}
    accepted = content.get("test", {}).get("accepted") == 1
    if accepted:
        entry = "".join(f", {name}: {_yaml(value)}" for name, value in options.items())
        listing = Listing("In a tournament's file", f"bots: [{{bot: {content['bot']}{entry}}}]")
        yield Section("use", "Use it", listings=[listing], finding="To use what was found")
    elif lists:
        rows = [Listing(name, _yaml(value)) for name, value in lists.items()]
        finding = "The numbers that were found, not shown to be stronger"
        yield Section("found", "Numbers", listings=rows, finding=finding, folded=True)


def _yaml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(plain_value, value))}]"
    return plain_value(value)


def _origin(content: Content) -> Section:
    configuration = "\n".join(
        f"{name}: {_yaml(value)}" for name, value in content["present"].items()
    )
    section = origin(
        content["command"], TUNING, configuration or "-", [("seed", str(content["seed"]))]
    )
    listings = [*section.listings[:1], Listing("The present options", configuration, folded=True)]
    text = (
        "All trials of a round play the same deals, the test others; the number of workers changes"
        " nothing. This command does it again:"
    )
    return msgspec.structs.replace(section, listings=listings, paragraphs=[text])
