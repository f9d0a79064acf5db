"""Games and decisions as data: what stands in the files, and what is played again for it."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.finished import Finished
from helpers.game_packages import examples
from helpers.parameters import slow_but
from jsonschema import Draft202012Validator

import cantstop_arena as ca
from cantstop_arena.export.row_files import write_rows

BOT = """
import random

def choose_move(turn, moves):
    return 0

def roll_again(turn):
    return {again}
"""
FILES = {
    "bots/steady.py": BOT.format(again="turn.rolls < 3"),
    "bots/faulty.py": BOT.format(again="turn.number < 22 or 1 / 0"),
    "evening.yaml": "players: 3\ngames: 24\nseed: 1\nbots: [rule28, steady, faulty]\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished: Finished) -> None:
    monkeypatch.chdir(tmp_path)
    finished.bring(FILES, "run", "evening.yaml", "--quiet")


def results() -> ca.Results:
    found = ca.open("results/evening")
    assert isinstance(found, ca.Results)
    return found


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(name).read_text().splitlines()]


@pytest.mark.slow
def test_every_game_is_a_row_and_together_they_are_the_tables(arena: Arena) -> None:
    told = arena("export", "results/evening", "--games", "games.jsonl", "--quiet", code=None)
    assert told.output == ""
    rows, summary = lines("games.jsonl"), results().summary
    assert len(rows) == summary["games"] == 24
    assert {(row["deal"], row["seating"]) for row in rows} == {
        (d, s) for d in range(4) for s in range(6)
    }
    for lineup in summary["lineups"]:
        seated = [
            row for row in rows if [row[f"bot_{seat}"] for seat in range(3)] == lineup["seats"]
        ]
        won = [sum(row[f"score_{s}"] for row in seated) for s in range(3)]
        assert won == pytest.approx(lineup["wins"])
    forfeits = [row for row in rows if row["forfeit"]]
    assert forfeits and all(row["turns"] is None is row["rolls_0"] for row in forfeits)
    finished = [row for row in rows if not row["forfeit"]]
    mean = sum(row["turns"] for row in finished) / len(finished)
    assert mean == pytest.approx(summary["metrics"]["turns"]["mean"])


@pytest.mark.slow
def test_the_ledger_alone_knows_who_won_in_every_format() -> None:
    for name in ("games.csv", "games.parquet", "games.jsonl"):
        report = results().export_games(name, replay=False, deals=2)
        assert (report.rows, report.missing) == (12, 0)
    import pyarrow.parquet

    told = pyarrow.parquet.read_table("games.parquet").to_pylist()
    assert told == lines("games.jsonl")
    with Path("games.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [row["bot_0"] for row in found] == [row["bot_0"] for row in told]
    assert [row["winner_2"] == "1" for row in found] == [row["winner_2"] for row in told]


installed = examples("kuhn_poker", "tandem")


SHORT = {"turn_limit": 14}  # about half of these games end without a winner


@pytest.mark.parametrize(
    ("bots", "keys"),
    slow_but(
        (0, 2),
        [
            (["rule28", "cautious"], {"rules": SHORT}),
            (["rule28", "cautious", "random"], {"rules": SHORT, "players": 3}),
            (["balanced", "honest"], {"game": "kuhn-poker"}),
            (["saver", "closer"], {"game": "tandem"}),
        ],
    ),
)
def test_rows_of_games_add_up_to_the_tables(bots: list[str], keys: Any) -> None:
    pytest.importorskip("pandas")
    cup = ca.tournament(bots, games=24, seed=1, **keys).run(page=False, workers=1)
    frame, seats = cup.games_frame(), range(len(bots))
    cup.export_games("games.jsonl")
    assert frame.astype(object).to_dict("records") == lines("games.jsonl")
    assert problems("games", lines("games.jsonl")) == []
    for row in cup.standings:
        for column, total in (("score", row["score"]), ("payoff", row.get("payoff"))):
            if total is None:
                assert f"{column}_0" not in frame
                continue
            sums = [frame[frame[f"bot_{s}"] == row["bot"]][f"{column}_{s}"].sum() for s in seats]
            assert sum(sums) / row["games"] == pytest.approx(total)
    winners, scores = (frame[[f"{name}_{s}" for s in seats]] for name in ("winner", "score"))
    assert (winners.any(axis=1) == (scores.max(axis=1) > scores.min(axis=1))).all()
    assert not winners[frame["unfinished"]].any(axis=None) and scores.sum(axis=1).eq(1).all()
    assert ("turn_limit" in str(keys)) == frame["unfinished"].any()
    nobody = next((game for game in cup.games() if not game.winners), None)
    assert (nobody is None) == (not (~winners.any(axis=1)).any())
    if nobody is not None:
        assert nobody.winner is None and "won by nobody" in repr(nobody)


@pytest.mark.slow
def test_a_share_of_a_game_is_a_fraction_and_a_game_alone_is_won_if_it_ends() -> None:
    pytest.importorskip("pandas")
    cup = ca.tournament(["rule28", "cautious"], games=24, seed=1, rules=SHORT).run(page=False)
    frame = cup.games_frame()
    assert {*frame["half_wins_0"]} | {*frame["half_wins_1"]} == {0.0, 0.5, 1.0}
    alone = ca.tournament(["rule28", "odds"], players=1, games=8, seed=1, rules={"turn_limit": 7})
    frame = alone.run(page=False).games_frame()
    assert (frame["winner_0"] == ~frame["unfinished"]).all() and len({*frame["winner_0"]}) == 2
    assert alone.run(page=False).games_frame(replay=False)["winner_0"].isna().all()


def test_games_without_counts_are_missing_in_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = results().games_frame(deals=1)  # a bot that faults has no counts in such games
    assert frame["forfeit"].any() and str(frame["turns_0"].dtype) == "Int64"
    assert (frame["turns_0"].isna() == frame["forfeit"]).all()
    rolls = results().rolls_frame(deals=1)
    assert isinstance(rolls, pandas.DataFrame) and len(rolls.columns) == 12


@pytest.mark.slow
def test_no_name_is_a_formula_in_a_spreadsheet() -> None:
    columns: dict[str, type] = {"bot": str, "wins": int, "answer": object}
    write_rows(Path("rows.csv"), columns, [{"bot": "=1+1", "wins": -1, "answer": -2}])
    assert Path("rows.csv").read_text() == "bot,wins,answer\n'=1+1,-1,-2\n"


def test_decisions_are_those_of_the_recorded_game() -> None:
    report = results().export_decisions("decisions.jsonl", deals=1)
    rows = lines("decisions.jsonl")
    assert report.rows == len(rows) and not report.missing
    game = next(game for game in results().games() if game.deal == 0 and game.seats[2] == "faulty")
    rolls = [event for event in game.events if event["event"] == "roll"]
    taken = [
        row["options"][row["answer"]]
        for row in rows
        if row["decision"] == "choose_move" and row["seating"] == 0
    ]
    seats = tuple(dict.fromkeys(row["bot"] for row in rows if row["seating"] == 0))
    assert seats == game.seats, "the seating is the first one"
    assert taken == [roll["chosen"] for roll in rolls if len(roll["moves"]) > 1]
    asked = [row for row in rows if row["decision"] == "roll_again"]
    assert {row["answer"] for row in asked} == {True, False}
    assert all(row["position"]["seat"] == row["seat"] for row in rows)


@pytest.mark.slow
def test_a_bot_that_was_edited_plays_as_it_was() -> None:
    before = results().export_games("before.csv")
    Path("bots/steady.py").write_text(BOT.format(again="turn.rolls < 7"))
    after = results().export_games("after.csv")
    assert (before.missing, after.missing) == (0, 0)
    assert Path("before.csv").read_bytes() == Path("after.csv").read_bytes()


@pytest.mark.slow
def test_a_game_that_comes_out_differently_has_nothing_to_say() -> None:
    Path("bots/moody.py").write_text("import os\n" + BOT.format(again="os.urandom(1)[0] < 99"))
    Path("bots/patient.py").write_text(BOT.format(again="turn.rolls < 4"))
    found = ca.tournament(["moody", "patient"], games=40, seed=1).run()
    report = found.export_games("games.jsonl")
    silent = [row for row in lines("games.jsonl") if row["turns"] is None]
    assert report.rows == 40 and report.missing == len(silent) > 0
    assert f"{report.missing} games could not be reproduced" in str(report)
    assert len(list(found.games())) == 40


def test_wrong_requests_are_answered_in_a_sentence_and_write_nothing(arena: Arena) -> None:
    for words, told in (
        ((), "nothing to export"),
        (("--games", "games.txt"), "must end in .csv or .jsonl or .parquet"),
        (("--games", "no/games.csv"), "there is no folder no"),
    ):
        found = arena("export", "results/evening", *words, code=None)
        assert found.code == 2 and told in found.output
    arena("export", "nowhere", "--games", "games.csv", code=2)
    assert not list(Path().glob("*games*"))


@pytest.mark.slow
def test_every_roll_is_a_row_so_that_first_rolls_are_answered_on_all_games() -> None:
    report = results().export_rolls("rolls.jsonl")
    rows, games = lines("rolls.jsonl"), results().games()
    assert report.rows == len(rows) and not report.missing
    first = [row for row in rows if row["turn"] == row["roll"] == 1]
    assert len({(row["deal"], row["seating"]) for row in first}) == len(first) == 24
    game = next(game for game in games if game.deal == 0)
    rolls = [event for event in game.events if event["event"] == "roll"]
    mine = [row for row in rows if (row["deal"], row["seating"]) == (0, 0)]
    assert [(row["dice"], row["moves"], row["move"]) for row in mine] == [
        (roll["dice"], len(roll["moves"]), roll["chosen"]) for roll in rolls
    ]
    assert all(row["forced"] == (row["moves"] < 2) for row in rows)
    assert all(row["bust"] == (row["moves"] == 0) for row in rows)


@pytest.mark.slow
def test_columns_have_types_in_parquet() -> None:
    results().export_rolls("rolls.parquet", deals=1)
    results().export_rolls("rolls.jsonl", deals=1)
    import pyarrow.parquet

    told = pyarrow.parquet.read_table("rolls.parquet")
    types = {field.name: str(field.type) for field in told.schema}
    assert types["dice"] == types["move"] == "list<element: int64>"
    assert (types["moves"], types["forced"], types["bot"]) == ("int64", "bool", "string")
    assert told.to_pylist() == lines("rolls.jsonl")


@pytest.mark.slow
@pytest.mark.parametrize("table", slow_but([2], ["games", "rolls", "decisions"]))
def test_any_number_of_workers_writes_the_same_file(table: str, arena: Arena) -> None:
    for workers in (1, 3):
        arena(f"export results/evening --{table} {workers}.csv --workers {workers} --quiet")
    assert Path("1.csv").read_bytes() == Path("3.csv").read_bytes()


@pytest.mark.slow
def test_rows_are_as_the_schemas_of_their_tables_say(arena: Arena) -> None:
    arena("export results/evening --games g.jsonl --rolls r.jsonl --decisions d.jsonl")
    for table in ("games", "rolls", "decisions"):
        rows = lines(f"{table[0]}.jsonl")
        assert rows and problems(table, rows) == []
        assert problems(table, [{**rows[0], "Unheard": 1}]) and problems(table, [{}])


@pytest.mark.usefixtures("second_game")
def test_games_without_dice_have_no_rolls(arena: Arena) -> None:
    arena(
        "run box.yaml --no-page", yaml="game: salvage\ngames: 2\nseed: 1\nbots: [careful, drunk]\n"
    )
    done = arena("export results/box --rolls rolls.csv", code=2)
    assert "records of Salvage have no rolls" in done.error


# --- Schemas --------------------------------------------------------------------------------------


def problems(name: str, content: object) -> list[str]:
    schema = ca.schema(name)
    Draft202012Validator.check_schema(schema)
    return [error.message for error in Draft202012Validator(schema).iter_errors(content)]


def test_what_a_run_writes_is_what_the_schemas_say() -> None:
    summary = json.loads(Path("results/evening/summary.json").read_text())
    assert summary["faults"] and problems("summary", summary) == []
    records = list(Path("results/evening/games").glob("*.jsonl"))
    assert records and all(problems("game", lines(str(path))) == [] for path in records)


@pytest.mark.slow
def test_schemas_notice_what_is_wrong() -> None:
    summary = json.loads(Path("results/evening/summary.json").read_text())
    assert problems("summary", {**summary, "games": "many"})
    assert problems("summary", {key: value for key, value in summary.items() if key != "seed"})
    assert problems("summary", {**summary, "unheard": 1})
    record = lines(str(next(Path("results/evening/games").glob("*.jsonl"))))
    assert problems("game", [*record, {"event": "roll", "turn": 1}])
    assert problems("game", record[1:])
    with pytest.raises(ca.UsageError, match="there is no schema 'page'"):
        ca.schema("page")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "game: salvage\nplayers: 3\ngames: 6\nseed: 3\nbots: [careful, pirate, drunk]\n",
        "players: 1\ngames: 4\nseed: 1\nbots: [rule28, cautious]\n",
        "games: 400\nuntil: {elo_error: 900}\nseed: 1\nbots: [rule28, cautious]\n",
    ],
)
@pytest.mark.usefixtures("second_game")
def test_other_tournaments_are_as_the_schemas_say_and_exported(text: str) -> None:
    Path("other.yaml").write_text(text)
    found = ca.run("other.yaml")
    assert problems("summary", json.loads(Path("results/other/summary.json").read_text())) == []
    for path in Path("results/other/games").glob("*.jsonl"):
        assert problems("game", lines(str(path))) == []
    assert found.export_games("other.parquet", deals=2).missing == 0
    report = found.export_decisions("other.jsonl", deals=1)
    assert report.rows and not report.missing


@pytest.mark.slow
def test_a_comparison_is_as_its_schema_says() -> None:
    Path("rules.yaml").write_text(
        "compare: [classic, jump]\ngames: 40\nseed: 2\nbots: [rule28, odds]\n"
    )
    found = ca.compare("rules.yaml")
    assert problems("comparison", found.content) == []
    assert len(found.table) and found.sentences[0].startswith("jump")
    assert ca.open("results/rules").show() is None
