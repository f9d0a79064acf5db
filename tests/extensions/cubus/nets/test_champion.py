"""Champion of Cubus: its strength, its nets and their files, and its training."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.cubus.games import keys, played
from helpers.cubus.seats import play_all

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.cubus.engine.bound import best_value
from cantstop_arena.extensions.cubus.game import GAME
from cantstop_arena.extensions.cubus.nets.afterstates import fill_inputs
from cantstop_arena.extensions.cubus.nets.cubus_net import exponential, set_chances
from cantstop_arena.extensions.cubus.nets.cubus_net_files import (
    CubusNet,
    as_bytes,
    net_note,
    nets_with,
    read_net,
    shipped_nets,
)
from cantstop_arena.extensions.cubus.nets.cubus_training import CubusTraining, start_training
from cantstop_arena.extensions.cubus.nets.net_records import (
    AFTERSTATE,
    CUBUS_NET,
    HIDDEN,
    MAX_INPUTS,
)
from cantstop_arena.extensions.cubus.rules import LEAFLET, NAMED, PLAYERS
from cantstop_arena.extensions.learn.training_checkpoint import resume, save
from cantstop_arena.native.decorators import as_plain_function


def share_of_wins(deals: int, rivals: int, net: CubusNet | None = None) -> float:
    """The share of games that champion wins with deny in all other seats."""
    players, score = rivals + 1, 0.0
    for own in range(players):
        names = ["champion" if seat == own else "deny" for seat in range(players)]
        points = play_all(LEAFLET, names, keys(deals, players), net).seats[:, :, 0]
        wins = points == points.max(axis=1, keepdims=True)
        score += float((wins[:, own] / wins.sum(axis=1)).mean())
    return score / players


@pytest.mark.slow
@pytest.mark.slow
def test_champion_is_stronger_than_deny() -> None:
    assert share_of_wins(60, 1) > 0.64  # 0.77 and five standard errors


@pytest.mark.long
@pytest.mark.parametrize(("deals", "rivals", "share"), [(900, 1, 0.75), (200, 2, 0.51)])
def test_champion_at_full_scale(deals: int, rivals: int, share: float) -> None:
    assert share_of_wins(deals, rivals) > share


def test_a_net_is_shipped_for_every_number_of_seats() -> None:
    assert [*sorted(shipped_nets())] == [*PLAYERS]
    for players, net in shipped_nets().items():
        assert net.command == f"arena train leaflet --game cubus --players {players} --seed 1"


def test_the_champion_plays_the_same_games_everywhere() -> None:
    games = play_all(LEAFLET, ["champion", "greedy", "champion"], keys(3, 3))
    digest = hashlib.sha256(games.seats.tobytes() + games.games.tobytes()).hexdigest()
    assert digest[:16] == "5e236a4e3572dd75"


def some_state(players: int) -> np.ndarray:
    states = np.zeros(1, AFTERSTATE).view(np.recarray)
    state = states[0]
    state.players, state.seat, state.lids, state.lying = players, 1, 5, 1
    state.left, state.right, state.value, state.crates = 6, 5, 13, 10
    state.hands[:players] = [[1, 0, 2, 1]] * players
    state.deck[:] = 4, 1, 3, 5
    state.scores[:players] = range(players)
    state.room[:] = 16
    return states


@pytest.mark.parametrize("players", [2, 6])
def test_chances_are_those_of_the_formula(players: int) -> None:
    """The integers of the net against floating-point arithmetic of the same weights."""
    net, state = shipped_nets()[players].net, some_state(players)[0]
    inputs, hidden = np.zeros(MAX_INPUTS, np.int64), np.zeros(HIDDEN, np.int32)
    chances = np.zeros(6)
    as_plain_function(set_chances)(net, state, best_value(), inputs, hidden, chances)
    count = as_plain_function(fill_inputs)(state, best_value(), inputs)
    sums = np.maximum(0, inputs[:count] / 240 @ (net.rows[:count] / 1024))
    outputs = (sums @ (net.weights / 1024) + net.offsets / 1024)[: players + 1]
    by_distance = [state.scores[(1 + i) % players] - state.scores[1] for i in range(players)]
    levels = (outputs[:-1] + np.array(by_distance) / 10) * np.exp(np.clip(outputs[-1], -3, 3))
    shares = np.exp(levels) / np.exp(levels).sum()
    assert chances[[(1 + i) % players for i in range(players)]] == pytest.approx(shares, abs=0.005)
    assert chances.sum() == pytest.approx(1)


def test_the_exponential_is_close() -> None:
    numbers = np.linspace(-15, 3, 50)
    values = [as_plain_function(exponential)(number) for number in numbers]
    assert np.abs(np.array(values) - np.exp(numbers)).max() < 0.1


def test_a_file_has_its_net_or_is_refused(tmp_path: Path) -> None:
    net, file = shipped_nets()[3], tmp_path / "three.nets"
    file.write_bytes(as_bytes(net))
    assert read_net(file).net.tobytes() == net.net.tobytes()
    assert nets_with(file)[3].command == net.command and nets_with(file)[2] == shipped_nets()[2]
    file.write_bytes(as_bytes(net)[:-1])
    with pytest.raises(UsageError, match="damaged"):
        read_net(file)


def test_notes_say_which_net_plays(tmp_path: Path) -> None:
    assert net_note("", LEAFLET, 4) == ""
    assert "trained for the rules leaflet" in net_note("", NAMED["exchange"][0], 2)
    file = tmp_path / "three.nets"
    file.write_bytes(as_bytes(shipped_nets()[3]))
    assert net_note(str(file), LEAFLET, 3) == ""
    assert "has a net for 3 seats" in net_note(str(file), LEAFLET, 2)
    assert GAME.bot_note("greedy", {}, NAMED["exchange"][0], 2) == ""


@pytest.mark.slow
def test_another_net_plays_other_games_compiled_and_plain() -> None:
    zero = np.zeros(1, CUBUS_NET).view(np.recarray)
    zero[0].players = 2
    net = CubusNet(LEAFLET, 2, "", zero[0])
    other = play_all(LEAFLET, ["champion", "deny"], keys(1, 2), net)
    shipped = play_all(LEAFLET, ["champion", "deny"], keys(1, 2))
    assert other.seats.tolist() != shipped.seats.tolist()
    seats, _ = played(LEAFLET, ["champion", "deny"], 0).state.counts()
    assert shipped.seats[0].tolist() == [list(seat) for seat in seats]


def trained(rounds: int, until: int | None = None) -> CubusTraining:
    training = start_training(LEAFLET, 2, 5, rounds, 1)
    while training.rounds_done < (until or rounds):
        training.advance()
    return training


@pytest.mark.slow
def test_two_rounds_teach_more_than_deny_knows_however_they_are_interrupted(tmp_path: Path) -> None:
    once = trained(2)
    net = CubusNet(LEAFLET, 2, "arena train", read(once.file("arena train"), tmp_path))
    assert share_of_wins(60, 1, net) > 0.55
    save(trained(2, until=1), tmp_path / "part", "arena train")
    again = start_training(LEAFLET, 2, 5, 2, 1)
    resume(again, tmp_path / "part", "arena train")
    again.advance()
    assert again.file("") == once.file("")


def read(data: bytes, folder: Path) -> Any:
    path = folder / "a.nets"
    path.write_bytes(data)
    return read_net(path).net


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("train takedown --game cubus", "training knows rules without take_down"),
        ("train leaflet --game cubus --players 7", "Cubus is for 2 to 6 players, not 7"),
        ("train classic --game cubus", "unknown rules 'classic'"),
        ("train leaflet --game cubs", "unknown game 'cubs'"),
        ("train 9,1", "sides"),
        ("train classic --change sides", "use KEY=VALUE"),
    ],
)
def test_what_cannot_be_trained_is_refused(arena: Arena, line: str, reason: str) -> None:
    assert reason in arena(*line.split(), code=2).output
