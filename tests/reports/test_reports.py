"""What is printed and written: every number by hand, and names that would break a table."""

import csv
import json
import re
from collections.abc import Mapping
from errno import ENOSPC
from itertools import pairwise
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from cantstop_arena.deals.counting import Counts, Rate
from cantstop_arena.deals.outcomes import WIN_UNITS, FaultReport, Tally, TournamentTotals
from cantstop_arena.deals.sampling import DealSums, Populations
from cantstop_arena.reports.tournament_files import summary, write_reports
from cantstop_arena.tables.all_tables import as_format, for_people
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table, significant
from cantstop_arena.tables.faults import faults
from cantstop_arena.tables.formats import MARKDOWN, TEXT, Style, csv_cell, draw, markdown, records
from cantstop_arena.tables.names import FORMATS
from cantstop_arena.tables.notes import EVEN_SCORE, LEGEND, about_standings
from cantstop_arena.tables.pair_tables import (
    WITHOUT_ERRORS,
    crosstable,
    fit,
    pairs,
    scores_only,
)
from cantstop_arena.tables.seats import seats
from cantstop_arena.tables.standings import standings
from cantstop_arena.texts import printable

HOSTILE = [
    "a|b",
    "two\nlines",
    "\x1b[31mred",
    "__init__",
    "*a*",
    "`x`",
    "<b>",
    "[x](y)",
    "back\\slash|",
    "1e5",
    "007",
    "nan",
    "True",
    "",
    "-",
    "| - |",
]


COUNTS = Counts(
    names=("turns", "rolls"),
    rates={"rolls_per_turn": Rate("rolls", "turns"), "turns_per_game": Rate("turns", "games")},
)
DEALS = 10
SPREAD = 5310  # of what a bot wins in them: Σ (W - mean)²


def games(
    *wins: float, unfinished: int = 0, turns: tuple[int, ...] = (), squares: int = 0
) -> Tally:
    """One seating's games. Each turn counts three rolls."""
    turns = turns or (10,) * len(wins)
    squares = squares or sum(turns) ** 2
    return Tally(
        games=round(sum(wins)),
        wins=tuple(round(WIN_UNITS * share) for share in wins),
        unfinished=unfinished,
        forfeits=0,
        counts={"turns": turns, "rolls": tuple(3 * n for n in turns)},
        squares={"turns": squares, "rolls": 9 * squares},
    )


def deals(tallies: Mapping[Any, Tally]) -> DealSums:
    """Ten deals of each group; every bot and every seat varies as much as any other."""
    players = len(next(iter(tallies)))
    groups = sorted({tuple(sorted(seating)) for seating in tallies})
    totals = np.zeros((len(groups), 2 * players), np.int64)
    for seating, tally in tallies.items():
        group = tuple(sorted(seating))
        for seat, (bot, wins) in enumerate(zip(seating, tally.wins, strict=True)):
            totals[groups.index(group), [group.index(bot), players + seat]] += wins
    products = totals[:, :, None] * totals[:, None] // DEALS
    for block in (slice(players), slice(players, 2 * players)):
        products[:, block, block] += (players * np.eye(players, dtype=np.int64) - 1) * (
            SPREAD // max(1, players - 1)
        )
    one = np.ones(len(groups), np.int64)
    lineups, sample = np.array(groups)[:, None], totals.astype(float)
    populations = Populations(lineups, DEALS * one, totals, products, sample, one)
    return DealSums((populations,) if totals.any() else ())


def results(tallies: Mapping[Any, Tally], bots: tuple[str, ...], **changes: Any) -> Analysis:
    plain = TournamentTotals(
        name="quickstart",
        game="cantstop",
        rules={"name": "classic", "lengths": [3, 5]},
        players=len(next(iter(tallies))),
        seed=1980,
        bots=bots,
        tallies=tallies,
        deals=deals(tallies),
        counts=COUNTS,
    )
    return Analysis(replace(plain, **changes))


def changed(analysis: Analysis, **changes: Any) -> Analysis:
    return Analysis(replace(analysis.results, **changes))


def rows(table: Table) -> list[dict[str, Any]]:
    """A table's rows by key, as programs get them."""
    return records(table)


def drawn(table: Any, analysis: Analysis, style: Style = TEXT) -> str:
    return draw(table(analysis), style)


def duel() -> Analysis:
    """Ada beats Bob 3:1 in 20 games of 10 deals."""
    tallies = {
        (0, 1): games(8, 2, turns=(70, 60), squares=1800),
        (1, 0): games(2.5, 7.5, unfinished=1, turns=(90, 80), squares=3000),
    }
    return results(tallies, ("Ada", "Bob"))


def trio() -> Analysis:
    tallies = {
        (0, 1, 2): games(6, 3, 1),
        (2, 1, 0): games(1, 3, 6),
        (1, 2, 3): games(5, 4, 1),
    }
    return results(tallies, ("c", "b", "a", "d"))


def solitaire() -> Analysis:
    tallies = {
        (0,): games(4, turns=(44,), squares=486),
        (1,): games(4, unfinished=1, turns=(40,), squares=402),
        (2,): games(4, turns=(40,), squares=402),
    }
    return results(tallies, ("slow", "quick", "fast", "idle"))


def named(bots: list[str]) -> Analysis:
    tallies = {(i, j): games(6, 4) for i in range(len(bots)) for j in range(len(bots)) if i != j}
    return results(tallies, tuple(bots))


FAULTS = (
    FaultReport("Ada", "raised", "ValueError: x", ("Ada", "Bob"), 2, 1, "arena replay Ada Bob"),
    FaultReport("Bob", "illegal", "no\nsuch move | ever", ("Ada", "Bob"), 4, 5, "arena replay B"),
)


# --- standings ----------------------------------------------------------------------------------


def test_standings_are_by_elo_and_give_the_share_of_wins() -> None:
    first, second = rows(standings(duel()))
    assert (first["rank"], first["bot"], first["games"], first["score"]) == (1, "Ada", 20, 0.775)
    assert (second["rank"], second["bot"], second["games"], second["score"]) == (
        2,
        "Bob",
        20,
        0.225,
    )
    assert first["elo"] + second["elo"] == 3000
    assert first["elo"] == pytest.approx(1500 + 200 * log10(15.5 / 4.5), abs=2)  # and seats
    assert first["elo_low"] < first["elo"] < first["elo_high"]
    assert (first["letters"], second["letters"]) == ("a", "b")
    assert 0.975 < first["superiority"] < 1
    assert second["superiority"] is None


def test_equal_elo_shares_a_rank_and_goes_by_name() -> None:
    tallies = {(i, j): games(5, 5) for i in range(3) for j in range(3) if i != j}
    tallies |= {(3, i): games(2, 8) for i in range(3)}
    found = rows(standings(results(tallies, ("c", "a", "b", "last"))))
    assert [(row["rank"], row["bot"]) for row in found] == [
        (1, "a"),
        (1, "b"),
        (1, "c"),
        (4, "last"),
    ]
    assert len({row["elo"] for row in found[:3]}) == 1


def test_solitaire_is_by_turns_and_who_did_not_play_is_last() -> None:
    found = rows(standings(solitaire()))
    assert [(row["rank"], row["bot"], row["turns_per_game"]) for row in found] == [
        (1, "fast", 10.0),
        (1, "quick", 10.0),
        (3, "slow", 11.0),
        (None, "idle", None),
    ]
    assert found[0]["turns_low"] == significant(10 - 3.182446305 * (2 / 3 / 4) ** 0.5)
    assert found[3]["turns_low"] is None


def test_the_crosstable_is_in_the_order_of_the_standings() -> None:
    order = [row["bot"] for row in rows(standings(trio()))]
    found = rows(scores_only(trio()))
    assert [row.pop("bot") for row in found] == order == ["c", "b", "a", "d"]
    assert list(found[1]) == order
    assert list(found[1].values()) == [
        significant(6 / 18),
        None,
        significant(11 / 17),
        significant(5 / 6),
    ]


def test_the_pairs_are_the_crosstable_and_leave_out_who_did_not_meet() -> None:
    met = [(row["bot"], row["against"]) for row in rows(pairs(trio()))]
    assert met[:4] == [("c", "b"), ("c", "a"), ("b", "c"), ("b", "a")]
    assert ("c", "d") not in met


# --- summary ------------------------------------------------------------------------------------


def test_the_summary_holds_what_was_played() -> None:
    found = summary(duel())
    assert list(found) == [
        *("name", "game", "rules", "players", "seed", "games", "headline"),
        *("standings", "lineups", "metrics", "by_bot"),
        *(
            "anchor",
            "labels",
            "scores_compare",
            "ranks",
            "superiority",
            "first_player",
            "seats",
            "pairs",
            "fit",
        ),
    ]
    assert found["games"] == 20
    assert found["rules"] == {"name": "classic", "lengths": [3, 5]}
    assert found["lineups"] == [
        {"seats": ["Ada", "Bob"], "games": 10, "wins": [8.0, 2.0], "unfinished": 0},
        {"seats": ["Bob", "Ada"], "games": 10, "wins": [2.5, 7.5], "unfinished": 1},
    ]
    assert found["by_bot"] == {
        "Ada": {"rolls_per_turn": 3.0, "turns_per_game": 7.5},
        "Bob": {"rolls_per_turn": 3.0, "turns_per_game": 7.5},
    }


def test_metrics_are_of_whole_games_with_the_spread_of_a_sample() -> None:
    """20 games of 300 turns, sum of squares 4800: mean 15, sd √((4800 - 4500) / 19)."""
    metrics: Any = summary(duel())["metrics"]
    assert list(metrics) == ["turns", "rolls"]
    assert metrics["turns"] == {"mean": 15.0, "sd": significant((300 / 19) ** 0.5)}
    assert metrics["rolls"] == {"mean": 45.0, "sd": significant(3 * (300 / 19) ** 0.5)}


def test_the_summarys_standings_are_those_of_the_table() -> None:
    first, second = rows(standings(duel()))
    assert summary(duel())["standings"] == [first, second]
    assert first["elo"] > second["elo"]
    assert (second["rank"], second["bot"], second["games"]) == (2, "Bob", 20)


def test_solitaires_standings_have_turns_and_no_elo() -> None:
    found: Any = summary(solitaire())["standings"]
    told = {"rank": 3, "bot": "slow", "elo": None, "games": 4, "score": None}
    assert found[2].items() >= {**told, "turns_per_game": 11.0}.items()


def test_nothing_is_divided_by_nothing() -> None:
    empty = results({(0, 1): games(0, 0, turns=(0, 0))}, ("a", "b"))
    found: Any = summary(empty)
    assert found["metrics"]["turns"] == {"mean": None, "sd": None}
    assert found["by_bot"]["a"] == {"rolls_per_turn": None, "turns_per_game": None}
    assert [row["score"] for row in found["standings"]] == [None, None]
    assert "-" in drawn(standings, empty)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("bots", [0, 1, 4])
@pytest.mark.parametrize("form", FORMATS)
def test_tournaments_without_games_or_bots_are_told_as_such(
    players: int, bots: int, form: str
) -> None:
    empty = changed(
        duel(),
        players=players,
        bots=tuple("abcd"[:bots]),
        tallies={},
        deals=DealSums(()),
    )
    told = as_format(empty, form)
    assert "nan" not in told
    assert "±" not in told
    assert summary(empty)["games"] == 0
    assert ("a" in "".join(row["bot"] for row in rows(standings(empty)))) == (bots > 0)


def test_the_seats_and_the_first_players_advantage() -> None:
    told = seats(duel())
    assert [row["seat"] for row in rows(told)] == [1, 2]
    assert sum(row["score"] for row in rows(told)) == 1
    assert sum(row["elo"] for row in rows(told)) == 0
    (sentence,) = told.notes
    found: Any = summary(duel())["first_player"]
    half = (found["elo_high"] - found["elo_low"]) / 2
    assert sentence == f"The first player's advantage is {found['elo']:.1f} ± {half:.1f} Elo."


def test_superiority_is_a_likelihood_for_each_pair() -> None:
    found: Any = summary(trio())["superiority"]
    assert found["a"]["b"] + found["b"]["a"] == pytest.approx(1)
    assert list(found["c"]) == ["b", "a", "d"]
    order = [(row["bot"], row["superiority"]) for row in rows(standings(trio()))]
    for (bot, superior), (following, _) in pairwise(order):
        assert superior == found[bot][following]


def rock_paper_scissors() -> Analysis:
    circle = {(0, 1): (80, 20), (1, 2): (80, 20), (2, 0): (80, 20)}
    tallies = {pair: games(*wins) for pair, wins in circle.items()}
    tallies |= {(b, a): games(20, 80) for a, b in circle}
    return results(tallies, ("rock", "scissors", "paper"))


def test_circles_and_pairs_that_the_elo_predicts_badly_are_said_in_words() -> None:
    table = fit(rock_paper_scissors())
    assert [row["score"] for row in rows(table)] == [0.8] * 3
    assert [row["predicted"] for row in rows(table)] == pytest.approx([0.5] * 3)
    assert any(
        "share is 100.0% (" in note and "0% for bots on a line" in note for note in table.notes
    )
    assert any(
        "rock beats scissors (80.0%), scissors beats paper (80.0%), and yet" in note
        for note in table.notes
    )
    told: Any = summary(rock_paper_scissors())["fit"]
    assert told["cycles"] == [["rock", "scissors", "paper"]]


def test_one_game_has_no_spread() -> None:
    metrics: Any = summary(results({(0, 1): games(1, 0)}, ("a", "b")))["metrics"]
    assert metrics["turns"] == {"mean": 20.0, "sd": None}


def test_faults_are_told_once_for_each_bot_and_kind() -> None:
    assert "faults" not in summary(duel())
    found: Any = summary(changed(duel(), faults=FAULTS, disqualified=("Bob",)))
    assert found["faults"][0] == {
        **{"bot": "Ada", "kind": "raised", "count": 1, "message": "ValueError: x"},
        **{"seats": ["Ada", "Bob"], "deal": 2, "replay": "arena replay Ada Bob"},
    }
    assert found["disqualified"] == [{"bot": "Bob", "faults": 5}]
    assert "not_reproducible" not in found


def test_games_lost_by_a_fault_have_no_length() -> None:
    tally = replace(games(3, 2), forfeits=3)
    found: Any = summary(results({(0, 1): tally}, ("a", "b")))
    assert (found["games"], found["metrics"]["turns"]["mean"]) == (5, 10.0)
    assert found["by_bot"]["a"] == {"rolls_per_turn": 3.0, "turns_per_game": 5.0}


def test_bots_that_are_not_reproducible_are_marked() -> None:
    told = drawn(standings, changed(duel(), irreproducible=("Bob",)))
    assert [line.endswith("not reproducible") for line in told.splitlines()[2:4]] == [False, True]
    assert "Bob: not reproducible." in told


# --- tables -------------------------------------------------------------------------------------


def cells(line: str) -> list[str]:
    """A Markdown row's cells, split as GitHub does: an escaped pipe is text."""
    return [cell.strip() for cell in re.findall(r"((?:\\.|[^\\|])*)\|", line)][1:]


def test_the_standings_as_printed() -> None:
    """Elo is that of the score, 400 log10(0.775 / 0.225) apart, and its ends are the score's."""
    assert drawn(standings, duel()).splitlines() == [
        "  rank  bot              Elo    games                 score %  group      LOS vs next, %",
        "------  -----  -------------  -------  ----------------------  -------  ----------------",
        "     1  Ada    1607.4 ± 70.2       20  77.50 (60.55 to 88.54)  a                    99.7",
        "     2  Bob    1392.6 ± 70.2       20  22.50 (11.46 to 39.45)  b                       -",
        "",
        f"{LEGEND} {EVEN_SCORE}",
        "",
        "1 of 20 games were not finished; their seats share the win.",
    ]


def test_the_crosstable_as_printed() -> None:
    assert drawn(lambda trio: crosstable(trio, errors=False), trio()).splitlines() == [
        "    bot       1     2     3     4",
        "--  -----  ----  ----  ----  ----",
        " 1  c         -  66.7  85.7     -",
        " 2  b      33.3     -  64.7  83.3",
        " 3  a      14.3  35.3     -  80.0",
        " 4  d         -  16.7  20.0     -",
        "",
        "Score of the row's bot against the column's, in percent of the games that one of the two"
        " won.",
        "",
        WITHOUT_ERRORS,
    ]


def test_the_errors_of_the_crosstable_give_way_on_a_narrow_terminal() -> None:
    table = for_people(trio())[1]
    width = len(draw(table, TEXT).splitlines()[0])
    assert "±" in draw(for_people(trio(), width)[1], TEXT)
    assert "±" not in draw(for_people(trio(), width - 1)[1], TEXT)


def test_solitaire_as_printed() -> None:
    lines = drawn(standings, solitaire()).splitlines()
    assert lines[2].split() == ["1", "fast", "4", "10.000", "±", "1.299"]
    assert lines[5].split() == ["-", "idle", "0", "-"]
    assert lines[-1] == "1 of 12 games were not finished."
    assert [table.name for table in for_people(solitaire())] == ["standings", "styles"]


def test_faults_have_a_column_only_where_there_are_any() -> None:
    assert "faults" not in drawn(standings, duel())
    assert [table.name for table in for_people(duel())] == [
        *("standings", "crosstable", "seats", "styles")
    ]
    lines = drawn(standings, changed(duel(), faults=FAULTS)).splitlines()
    assert [line.split()[-1] for line in (lines[0], *lines[2:4])] == ["faults", "1", "5"]


@pytest.mark.parametrize("style", [TEXT, MARKDOWN])
def test_a_fault_is_one_line_even_if_its_message_is_not(style: Style) -> None:
    long = replace(FAULTS[0], message="x" * 5000, deal=0)
    told = drawn(faults, changed(duel(), faults=(*FAULTS[1:], long)), style)
    lines = told.partition("\n\n")[0].splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) < 250


@pytest.mark.parametrize("table", [standings, crosstable])
def test_no_name_breaks_a_markdown_table(table: Any) -> None:
    head, rule, *lines = drawn(table, named(HOSTILE), MARKDOWN).splitlines()[: len(HOSTILE) + 2]
    assert {len(cells(line)) for line in (head, rule, *lines)} == {len(cells(head))}
    assert {cells(row)[1] for row in lines} == {markdown(name) for name in HOSTILE}


@pytest.mark.parametrize("table", [standings, crosstable])
def test_no_name_breaks_a_printed_table(table: Any) -> None:
    lines = drawn(table, named(HOSTILE)).splitlines()[: len(HOSTILE) + 2]
    assert len({len(line) for line in lines}) == 1
    assert all(line.isprintable() for line in lines)
    where = lines[0].index("bot")
    assert {line[where:].split("  ")[0] for line in lines[2:]} == set(map(printable, HOSTILE))


@pytest.mark.parametrize("style", [TEXT, MARKDOWN])
def test_names_that_look_like_numbers_stay_names(style: Style) -> None:
    names = ["1e5", "007", "1.50"]
    printed = drawn(standings, named(names), style)
    assert all(f" {name} " in printed for name in names)


@pytest.mark.parametrize(
    ("name", "harmless"),
    [
        ("rule28-outer", "rule28-outer"),
        ("glenn_aloi", "glenn_aloi"),
        ("__init__", r"\_\_init\_\_"),
        ("a|b*c", r"a\|b\*c"),
        ("two\nlines", r"two\\nlines"),
        ("<b>&amp;", r"\<b\>\&amp;"),
    ],
)
def test_markdown_is_escaped_only_where_it_would_be_read(name: str, harmless: str) -> None:
    assert markdown(name) == harmless


def test_a_rating_at_the_bound_is_said_to_be_one() -> None:
    tallies = {(0, 1): games(10, 0), (1, 2): games(6, 4), (0, 2): games(10, 0)}
    one_sided = results(tallies, ("top", "b", "c"))
    said = about_standings(one_sided)
    assert [told for told in said if told.startswith("top: The games bound the Elo on one side")]
    assert all(told in drawn(standings, one_sided) for told in said)
    top = rows(standings(one_sided))[0]
    assert (top["bot"], top["elo_high"]) == ("top", None)


def test_fields_that_never_met_are_said_to_be_apart() -> None:
    apart = results({(0, 1): games(6, 4), (2, 3): games(6, 4)}, ("a", "b", "c", "d"))
    told = "The bots form several fields that never met; compare Elo within one only."
    assert told in about_standings(apart)


def test_a_long_list_of_names_is_cut() -> None:
    tallies = {(i, j): games(10, 0) for i in range(9) for j in range(i + 1, 9)}
    tallies |= {(i, j): games(5, 5) for i in (9, 10) for j in (9, 10) if i != j}
    told = about_standings(results(tallies, (*"012345678", "x", "y")))
    assert [line for line in told if line.startswith("0, 1, 2, 3, 4, 5 and 3 more: The games ")]


# --- files --------------------------------------------------------------------------------------


def test_the_files_of_a_tournament(tmp_path: Path) -> None:
    written = write_reports(duel(), tmp_path)
    names = [
        *("standings.csv", "standings.md", "crosstable.csv", "crosstable.md", "pairs.csv"),
        *("fit.csv", "fit.md", "seats.csv", "seats.md", "styles.csv", "styles.md"),
        *("lengths.csv", "lengths.md", "summary.json"),
    ]
    assert [path.name for path in written] == names
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    with (tmp_path / "standings.csv").open(newline="") as file:
        (ada, _) = csv.DictReader(file)
    assert (ada["rank"], ada["bot"], ada["elo"], ada["games"]) == ("1", "Ada", "1607.42", "20")
    assert [ada[key] for key in ("score", "score_low", "score_high")] == [
        *("0.775", "0.6055268717", "0.8854391217")
    ]
    assert (tmp_path / "crosstable.csv").read_text() == "bot,Ada,Bob\nAda,,0.775\nBob,0.225,\n"
    assert json.loads((tmp_path / "summary.json").read_text()) == summary(duel())
    assert (tmp_path / "standings.md").read_text().startswith("|   rank | bot   |")


def test_the_files_of_solitaire(tmp_path: Path) -> None:
    written = write_reports(solitaire(), tmp_path)
    assert [path.name for path in written] == [
        *("standings.csv", "standings.md", "styles.csv", "styles.md"),
        *("lengths.csv", "lengths.md", "summary.json"),
    ]
    lines = written[0].read_text().splitlines()
    assert lines[0] == "rank,bot,games,turns_per_game,turns_low,turns_high,faults,note"
    assert lines[4] == ",idle,0,,,,0,"


def test_the_same_results_are_the_same_bytes(tmp_path: Path) -> None:
    found = changed(trio(), faults=FAULTS)
    backwards = dict(reversed(list(found.results.tallies.items())))
    other = changed(found, tallies=backwards)
    first = [path.read_bytes() for path in write_reports(found, tmp_path)]
    assert [path.read_bytes() for path in write_reports(found, tmp_path)] == first
    assert [path.read_bytes() for path in write_reports(other, tmp_path)] == first
    assert not any(b"\r" in content for content in first)


def test_csv_gives_every_name_back(tmp_path: Path) -> None:
    write_reports(named([*HOSTILE, 'ümläut, "quoted"']), tmp_path)
    with (tmp_path / "standings.csv").open(newline="", encoding="utf-8") as file:
        names = {row["bot"] for row in csv.DictReader(file)}
    assert names >= {*map(csv_cell, HOSTILE), 'ümläut, "quoted"'}


def test_a_name_that_is_no_unicode_still_is_written(tmp_path: Path) -> None:
    write_reports(named(["bot\udcff", "b"]), tmp_path)
    assert json.loads((tmp_path / "summary.json").read_bytes())["standings"][0]["bot"] == "b"
    assert "bot\\\\udcff" in (tmp_path / "standings.md").read_text()


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "standings.csv").write_text("old")

    def crash(draft: Path, path: Path) -> None:
        assert draft.read_text().endswith("\n")
        assert draft.parent == path.parent
        raise OSError(ENOSPC, "power cut")

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(OSError, match="power cut"):
        write_reports(duel(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["standings.csv"]
    assert (tmp_path / "standings.csv").read_text() == "old"
