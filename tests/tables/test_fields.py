"""Bots that form several fields: a table for each, and nothing about bots of different fields."""

import csv
import io
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.game_packages import examples
from helpers.parameters import slow_but
from jsonschema import Draft202012Validator

import cantstop_arena as ca
from cantstop_arena.reports.page.tournament_page import document
from cantstop_arena.tables.interim import interim

KUHN: dict[str, Any] = {"game": "kuhn-poker", "score": "payoff"}
FIELDS = slow_but(
    (0, 2),
    [
        ((["rule28", "cautious", "random"], ["odds", "glenn-aloi"]), {}),
        ((["rule28", "cautious", "random"], ["odds", "glenn-aloi", "tuned"]), {"players": 3}),
        ((["honest", "caller"], ["balanced", "sincere"]), KUHN),
    ],
)


installed = examples("kuhn_poker")


def rated(fields: Any, keys: dict[str, Any], folder: Path) -> ca.Results:
    """The fields' tournaments, rated together."""
    folders = []
    for number, bots in enumerate(fields):
        named = [{"bot": "honest", "as": bot} if bot == "sincere" else bot for bot in bots]
        file = {"games": 24, "seed": number, "name": f"field-{number}", **keys}
        planned = ca.tournament(named, results=folder, **file)
        folders.append(planned.run(workers=1, page=False).folder)
    return ca.rate(*(each for each in folders if each))


@pytest.mark.parametrize(("fields", "keys"), FIELDS)
def test_every_field_has_a_table_and_ranks_of_its_own(
    fields: Any, keys: dict[str, Any], tmp_path: Path
) -> None:
    results = rated(fields, keys, tmp_path)
    rows = results.summary["standings"]
    by_field = [[row for row in rows if row["field"] == number] for number in (1, 2)]
    assert {frozenset(row["bot"] for row in own) for own in by_field} == {*map(frozenset, fields)}
    assert [row["rank"] for row in rows if row["rank"] == 1] and len(rows) == sum(map(len, fields))
    for own in by_field:
        assert own[0]["rank"] == 1 and own[-1]["rank"] <= len(own)
        assert own[-1]["superiority"] is None
        assert all(row["superiority"] is not None for row in own[:-1])
        ranks = [results.summary["ranks"][row["bot"]] for row in own]
        assert all(1 <= best <= worst <= len(own) for best, worst in ranks)
        shown = ca.open(tmp_path / f"field-{fields.index(_bots_of(own, fields))}")
        assert isinstance(shown, ca.Results)
        alone = {row["bot"]: row for row in shown.summary["standings"]}
        assert {row["bot"]: row["rank"] for row in own} == {
            bot: row["rank"] for bot, row in alone.items()
        }
    letters = [{letter for row in own for letter in row["letters"]} for own in by_field]
    assert letters[0] and letters[1] and not letters[0] & letters[1]
    text = results.text()
    assert results.headline.startswith("2 fields never met")
    assert text.startswith(f"{results.headline}.")
    first, second = text.split("Standings of field 2")
    for own, table in zip(by_field, (first.split("Standings of field 1")[1], second), strict=True):
        table = table.split("Bots that share")[0]
        assert all(row["bot"] in table for row in own)
        assert not any(row["bot"] in table for row in rows if row not in own)
    assert "Crosstable of field 1" in text and "Crosstable of field 2" in text
    data = [*csv.DictReader(io.StringIO(results.text("csv", ["standings"])))]
    assert [row["field"] for row in data] == [str(row["field"]) for row in rows]
    assert not [*Draft202012Validator(ca.schema("summary")).iter_errors(_plain(results.summary))]


def _bots_of(rows: list[dict[str, Any]], fields: Any) -> list[str]:
    names = {row["bot"] for row in rows}
    return next(bots for bots in fields if {*bots} == names)


def _plain(content: Any) -> Any:
    return json.loads(json.dumps(content))


@pytest.mark.parametrize(("fields", "keys"), FIELDS)
def test_nothing_is_said_of_two_bots_of_different_fields(
    fields: Any, keys: dict[str, Any], tmp_path: Path
) -> None:
    results = rated(fields, keys, tmp_path)
    summary, strangers = results.summary, [*permutations(fields)]
    pairs = [(bot, rival) for own, other in strangers for bot in own for rival in other]
    assert not any(summary["superiority"][bot][rival] is not None for bot, rival in pairs)
    met = {(row["bot"], row["against"]) for row in [*summary["pairs"], *results.fit]}
    assert not met.intersection(pairs) and not summary["scores_compare"]
    page = document(results.analysis, [], [], [], "")
    texts = [page.headline, *page.answer, *(section.finding for section in page.sections)]
    for text in ". ".join(filter(None, texts)).replace("; ", ". ").split(". "):
        about = [any(bot in text for bot in own) for own in fields]
        assert not all(about) or "turns" in text.lower(), text  # the lengths of games compare
    assert {fact.label for fact in page.facts} <= {"First-player advantage"}
    sections = {section.key: section for section in page.sections}
    assert [len(sections[key].figures) for key in ("standings", "crosstable")] == [2, 2]
    assert "convergence" not in sections
    live = interim(results.analysis.results).table
    assert [row[0] for row in live.rows] == [row["field"] for row in summary["standings"]]


def test_fields_that_share_a_bot_are_one(tmp_path: Path) -> None:
    results = rated((["rule28", "random"], ["rule28", "cautious"]), {}, tmp_path)
    assert "field" not in results.standings.columns and "never met" not in results.headline
    assert results.analysis.fields == [results.analysis]


def test_files_of_several_fields_have_their_tables(arena: Arena, tmp_path: Path) -> None:
    rated(FIELDS[0].values[0], {}, tmp_path)
    out = tmp_path / "out"
    arena(f"rate {tmp_path / 'field-0'} {tmp_path / 'field-1'} --output {out}")
    for name in ("standings", "crosstable"):
        text = (out / f"{name}.md").read_text("utf-8")
        assert text.count("## ") == 2 and " of field 2" in text
    assert (out / "standings.csv").read_text("utf-8").startswith("field,rank,bot")


def test_two_bots_of_a_field_have_no_games_with_others(tmp_path: Path) -> None:
    fields = (["rule28", "random"], ["glenn-aloi", "cautious"])
    results = rated(fields, {"games": 10}, tmp_path)
    assert "2 fields never met" in results.headline
    assert "by their games with others" not in results.text()
