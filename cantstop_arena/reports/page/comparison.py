"""The page of a comparison: what each rule set changes, in a sentence and as intervals."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cantstop_arena.compare.config import SPELLED_OUT
from cantstop_arena.compare.measures import Questions
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.documents import charts
from cantstop_arena.documents.document import Chart, Document, Section
from cantstop_arena.documents.formats.model import Column, Estimate, Table, Value, estimate, number
from cantstop_arena.games.registry import DEFAULT, game_called
from cantstop_arena.reports.page.headline import with_error
from cantstop_arena.reports.page.provenance import origin
from cantstop_arena.texts import how_many

COMMAND = shlex.join(["arena", "compare", SPELLED_OUT, "--results", "again"])
UNITS = {COUNT: ("relative", "change in %"), SHARE: ("difference", "difference in points")}
LEAST_P = 0.0001
MEASURE = 30  # letters of the longest one's name

Content = Mapping[str, Any]


def document(content: Content, configuration: str) -> Document:
    """The page of what `comparison.json` says; `configuration` is the file that asked for it."""
    game = game_called(content.get("game", DEFAULT))
    questions = Questions(game.counts)
    names = ", ".join(content["rules"])
    bots = ", ".join(content["bots"])
    return Document(
        title=content["name"],
        about=f"{game.title} under several rules: {names}; played by {bots}.",
        answer=[answer["sentence"] for answer in content["answers"]] or ["Nothing was compared."],
        sections=[
            *_side_by_side(content, questions),
            *_answers(content, questions),
            _rules(content),
            origin(COMMAND, SPELLED_OUT, configuration, [("seed", str(content["seed"]))]),
        ],
    )


def _side_by_side(content: Content, questions: Questions) -> Iterator[Section]:
    """Every measure under every rule set, for each size of table."""
    tables = [
        _values(
            content, questions, players, [a for a in content["answers"] if a["players"] == players]
        )
        for players in dict.fromkeys(answer["players"] for answer in content["answers"])
    ]
    if tables:
        yield Section("rules-compared", "Side by side", tables=tables, open=True)


def _values(
    content: Content, questions: Questions, players: int, answers: Sequence[Content]
) -> Table:
    columns = [Column("measure", "measure"), number("baseline", content["baseline"], 2)]
    columns += [number(answer["rules"], decimals=2) for answer in answers]
    rows: list[list[Value]] = []
    for question in answers[0]["questions"]:
        if question["kind"] in UNITS:
            row = [_scaled(question["kind"], question["baseline_value"])]
            row += [_value_of(answer, question["measure"]) for answer in answers]
            rows.append([_label(questions, question), *row])
    return Table("values", how_many(players, "player"), columns, rows)


def _value_of(answer: Content, measure: str) -> float | None:
    for question in answer["questions"]:
        if question["measure"] == measure:
            return _scaled(question["kind"], question["value"])
    return None


def _scaled(kind: str, value: float | None) -> float | None:
    return value if value is None or kind == COUNT else 100 * value


def _label(questions: Questions, question: Content) -> str:
    return questions.label_of(question["measure"]) + (", %" if question["kind"] == SHARE else "")


# One rule set against the baseline ----------------------------------------------------------


def _answers(content: Content, questions: Questions) -> Iterator[Section]:
    for place, answer in enumerate(content["answers"], start=1):
        key = f"answer-{place}"
        players = how_many(answer["players"], "player")
        title = f"{answer['rules']} against {content['baseline']}, {players}"
        drawn = [
            chart
            for kind in UNITS
            if (chart := _chart(f"{key}-{kind}", title, kind, answer["questions"], questions))
        ]
        played = f"{answer['deals']:,} deals, {answer['games']:,} games of each."
        words = [answer["sentence"], played]
        yield Section(key, title, words, drawn, [_differences(title, answer, questions)])


def _chart(
    key: str, title: str, kind: str, answered: Sequence[Content], questions: Questions
) -> Chart | None:
    stem, axis = UNITS[kind]
    named = []
    for question in answered:
        told = _interval(question, stem)
        if question["kind"] == kind and told is not None:
            said = f"{with_error(told, 2, 100)} {'%' if kind == COUNT else 'points'}"
            label = questions.label_of(question["measure"])
            named.append((label, told, f"{said}; {question['verdict']}"))
    if not named:
        return None
    rows = charts.interval_rows(named, 100)
    words = f"{axis[0].upper()}{axis[1:]}, with 95% intervals. The dashed line: no difference."
    return charts.intervals(key, title, words, axis, rows, 0, MEASURE)


def _interval(question: Content, stem: str) -> Estimate | None:
    if question[stem] is None:
        return None
    return Estimate(question[stem], question[f"{stem}_low"], question[f"{stem}_high"])


def _differences(title: str, answer: Content, questions: Questions) -> Table:
    columns = [
        Column("measure", "measure"),
        estimate("difference", "difference", 2),
        estimate("relative", "change in %", 2, percent=True),
        number("effect", "effect", 3),
        Column("p", "p, corrected"),
        Column("verdict", "verdict"),
    ]
    return Table(
        "differences", title, columns, [_row(questions, one) for one in answer["questions"]]
    )


def _row(questions: Questions, question: Content) -> list[Value]:
    told = _interval(question, "difference")
    if told is not None and question["kind"] == SHARE:
        told = Estimate(*(None if end is None else 100 * end for end in told))
    return [
        _label(questions, question) if question["kind"] in UNITS else "order of the bots",
        told,
        _interval(question, "relative") if question["kind"] == COUNT else None,
        question["effect_size"],
        _chance(question["p_corrected"]),
        question["verdict"],
    ]


def _chance(p: float | None) -> str | None:
    if p is None:
        return None
    return f"< {LEAST_P}" if p < LEAST_P else f"{p:.4f}"


def _rules(content: Content) -> Section:
    """What the rule sets are, and what should be known of how the games went."""
    names = list(content["rules"])
    parameters = list(dict.fromkeys(key for rules in content["rules"].values() for key in rules))
    rows = [
        [key, *(_spelled(content["rules"][name].get(key)) for name in names)] for key in parameters
    ]
    columns = [Column("parameter", "parameter"), *(Column(name, name) for name in names)]
    table = Table("rules", "Parameters of the rules", columns, rows)
    return Section("rules", "Rules and remarks", content["notes"], (), [table])


def _spelled(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {one}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)
