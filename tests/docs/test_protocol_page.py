"""The protocol of programs is as its page says, and carries what there is to say."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.isolated import KEY, STEPS, TURN, Started, chosen_by, rolls_again
from helpers.paths import ROOT
from helpers.time_limit import TIME_LIMIT
from hypothesis import given
from hypothesis import strategies as st

from cantstop_arena.bots.bot_messages import Decide, EndGame, ProgramQuestion, StartBot, StartGame
from cantstop_arena.bots.program_lines import ProgramLines
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.cantstop.codec import turn_as_json, turn_in
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, PARAMETERS, RULES, RuleSet
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.processes.json_lines import line_of

PROTOCOL_PAGE = ROOT / "docs" / "reference" / "protocol.md"


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    with Started(tmp_path) as ours:
        yield ours


def test_the_documented_exchange_is_what_is_said(started: Started) -> None:
    page = PROTOCOL_PAGE.read_text()
    start = page.index('> {"type":"hello"')
    lines = re.findall(r"^([<>]) (\{.*\})$", page[start:], re.M)  # before it, another game's
    heard = started.folder / "heard"
    tee = f"tee {heard} | {STEPS} | tee -a {heard}.answers"
    remote = started(("sh", "-c", tee))
    rules, answers = CLASSIC, []
    for sign, line in lines:
        told = json.loads(line)
        if told.get("type") == "game":
            rules = GAME.rules.from_dict(told["rules"])
        if sign == ">" and "turn" in told:
            turn = turn_in(told["turn"], rules, Stream(0))
            moves = GAME.codec.moves_from_json(told.get("moves", ()))
            answers.append(chosen_by(remote, turn, moves) if moves else rolls_again(remote, turn))
    messages, replies = ([line for sign, line in lines if sign == kind] for kind in "><")
    assert lines_of(heard, len(messages)) == messages
    answered = lines_of(Path(f"{heard}.answers"), len(replies))
    assert list(map(json.loads, answered)) == list(map(json.loads, replies))
    assert answers == [0, True, False]


def lines_of(file: Path, count: int) -> list[str]:
    """The lines of a file of tee, once all are there: it writes to its pipe before its file."""
    end = time.monotonic() + TIME_LIMIT
    while file.read_text().count("\n") < count and time.monotonic() < end:
        time.sleep(0.01)
    return file.read_text().splitlines()


def table_below(heading: str) -> list[list[str]]:
    _, _, below = PROTOCOL_PAGE.read_text().partition(f"\n## {heading}\n")
    found = re.search(r"(?:^\|.*\|\n)+", below, re.M)
    assert found
    return [[cell.strip(" `") for cell in row.split("|")[1:-1]] for row in found[0].splitlines()][
        2:
    ]


def test_the_table_of_turn_is_that_of_the_program() -> None:
    assert [field for field, _ in table_below("`turn`")] == list(turn_as_json(TURN))
    assert set(Turn._fields) - {"rules", "random", "memory"} | {"bust_chance"} == set(
        turn_as_json(TURN)
    )


def test_the_table_of_messages_is_that_of_the_program_lines() -> None:
    lines = ProgramLines(GAME)
    messages: list[ProgramQuestion] = [
        StartBot({}),
        StartGame(0, 2, True, {}, KEY),
        Decide(1, "choose_move", {}, []),
        Decide(2, "roll_again", {}),
        EndGame(0, 2, [1]),
    ]
    types = [json.loads(lines.bytes_of(message))["type"] for message in messages]
    assert [row[0] for row in table_below("Messages of the arena")] == types


@pytest.mark.parametrize(
    "rules", [rules for rules, _ in NAMED.values()], ids=lambda rules: rules.name
)
def test_rules_arrive_as_they_were_sent(rules: RuleSet) -> None:
    told = json.loads(line_of(RULES.as_dict(rules)))
    assert GAME.rules.from_dict(told) == rules
    assert list(told) == ["name", *PARAMETERS]


@given(st.data())
def test_a_turn_arrives_as_it_was_sent(data: st.DataObject) -> None:
    row = st.tuples(*[st.integers(0, 13)] * 13)
    columns = st.sets(st.integers(2, 12)).map(lambda drawn: tuple(sorted(drawn)))
    rivals = tuple(data.draw(st.lists(row, max_size=3)))
    turn = TURN._replace(
        runners=data.draw(row),
        markers=data.draw(row),
        rivals=rivals,
        rival_claims=(1,) * len(rivals),
        placed=data.draw(columns),
        usable=data.draw(columns),
        claimed=data.draw(columns),
    )
    told = json.loads(line_of({"turn": turn_as_json(turn)}))["turn"]
    assert turn_in(told, CLASSIC, turn.random) == turn
    assert told["bust_chance"] == turn.bust_chance()
    assert told["runners"] == {str(i): turn.runners[i] for i in range(13) if turn.runners[i]}
