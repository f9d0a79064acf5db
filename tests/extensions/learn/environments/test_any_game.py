"""Environments of games that packages bring: what their frameworks test, and what search finds."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.game_packages import examples
from helpers.sealed_game import SEALED

from cantstop_arena.environments import Duel
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.state_position import StatePosition
from cantstop_arena.games.registry import game_named

installed = examples("kuhn_poker", "tandem", modules={"sealed": SEALED})


def import_or_skip(module: str, extra: str) -> Any:
    return pytest.importorskip(module, reason=f"needs an extra: pip install -e '.[{extra}]'")


@pytest.mark.parametrize(("game", "players"), [("kuhn-poker", 2), ("sealed", 3), ("tandem", 4)])
def test_pettingzoo_tests_the_environment(game: str, players: int) -> None:
    import_or_skip("pettingzoo", "pettingzoo")
    from pettingzoo.test import api_test, seed_test

    from cantstop_arena.environments import env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env(game, players), num_cycles=100)
        seed_test(lambda: env(game, players), num_cycles=100)


def test_pettingzoo_tests_the_parallel_environment() -> None:
    import_or_skip("pettingzoo", "pettingzoo")
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    from cantstop_arena.environments import parallel_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parallel_api_test(parallel_env("sealed", 4), num_cycles=100)
        parallel_seed_test(lambda: parallel_env("sealed", 3))
    with pytest.raises(UsageError, match="all seats decide at once"):
        parallel_env("kuhn-poker").reset(seed=1)


@pytest.mark.parametrize(
    ("game", "opponent"), [("kuhn-poker", "balanced"), ("sealed", None), ("tandem", "saver")]
)
def test_gymnasium_checks_a_duel(game: str, opponent: str | None) -> None:
    gymnasium = import_or_skip("gymnasium", "gymnasium")
    from gymnasium.utils.env_checker import check_env

    import cantstop_arena.environments  # noqa: F401 - registers the id

    made = gymnasium.make("cantstop_arena/Duel-v0", game=game, opponent=opponent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(made.unwrapped)


@pytest.mark.parametrize(
    ("game", "players"), [("kuhn-poker", 2), ("sealed", 2), ("sealed", 3), ("tandem", None)]
)
def test_openspiel_simulates_the_game(game: str, players: int | None) -> None:
    pyspiel = import_or_skip("pyspiel", "openspiel")
    from cantstop_arena.environments import openspiel_game

    loaded = openspiel_game.load(players, game=game)
    pyspiel.random_sim_test(loaded, num_sims=5, serialize=True, verbose=False)


@pytest.mark.slow
def test_cfr_finds_the_equilibrium_of_kuhn_poker() -> None:
    """The first seat loses 1/18 chips a game; in shares of wins that is another number."""
    import_or_skip("pyspiel", "openspiel")
    from open_spiel.python.algorithms import cfr, exploitability

    from cantstop_arena.environments import openspiel_game

    game = openspiel_game.load(game="kuhn-poker")
    solver = cfr.CFRSolver(game)
    exploited = []
    for iterations in (1, 30):
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        exploited.append(exploitability.exploitability(game, solver.average_policy()))
    assert exploited[1] < 0.03 < exploited[0]


def test_a_search_wins_against_random_moves() -> None:
    import_or_skip("pyspiel", "openspiel")
    from open_spiel.python.algorithms import mcts

    from cantstop_arena.environments import openspiel_game

    game = openspiel_game.load(game="sealed")
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = mcts.MCTSBot(game, 1.4, 20, evaluator, random_state=np.random.RandomState(2))
    state = game.new_initial_state()
    assert bot.step(state) in state.legal_actions()


def test_positions_are_stored_copied_and_hide_what_is_hidden() -> None:
    game = game_named("kuhn-poker")
    position = game.position(game.rules.default, 2)
    assert position.to_move == -1 and [name for name, _ in position.outcomes()] == [0, 1, 2]
    position.give(0)
    position.give(1)
    other = game.position(game.rules.default, 2)
    other.give(0)
    other.give(0)  # the second seat has another card
    assert position.information(0) == other.information(0)
    assert position.information(1) != other.information(1)
    copy = position.clone()
    copy.step(1)
    assert (position.legal, position.view(0).actions) == ([0, 1], ())
    again = StatePosition.loads(game, copy.dumps())
    assert again.information(1) == copy.information(1) and again.events() == copy.events()
    copy.take(True)
    assert copy.is_over and copy.winners == (1,) and copy.to_move == -4
    seeded = game.position(game.rules.default, 2, seed=7, deal=3)
    assert StatePosition.loads(game, seeded.dumps()).view(0) == seeded.view(0)


def test_answers_of_several_seats_are_hidden_until_all_are_in() -> None:
    game = game_named("sealed")
    position = game.position(game.rules.default, 3)
    assert position.simultaneous
    before = position.information(1)
    position.step(5)
    assert (position.seat, position.events()) == (1, [])
    assert position.information(1).replace("1|show", "1|") == before
    position.step(4)
    position.step(4)
    assert position.events(2)[0]["fingers"] == [5, 4, 4]


def test_policies_play_any_game(tmp_path: Path) -> None:
    from cantstop_arena.environments import PolicyBot

    bot: Any = PolicyBot(lambda observation, mask: mask.nonzero()[0][-1], "sealed")
    game = game_named("sealed")
    assert bot.show(game.position(game.rules.default, 2).view(0)) == 5


def test_a_person_and_a_replay_of_a_seat_show_what_the_seat_sees(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("play", "honest", "--game", "kuhn-poker", "--seed", "1", "--save", "game.jsonl")
    printed = arena(*words, input="n\nn\n").output
    assert printed.count(" card (card ") == 1 and "seen_by" not in printed
    record = [json.loads(line) for line in Path("game.jsonl").read_text().splitlines()]
    assert sum(event["event"] == "card" for event in record) == 2
    for seat in (0, 1):
        told = arena("replay", "game.jsonl", "--seat", "AB"[seat]).output
        cards = [line for line in told.splitlines() if " card (card " in line]
        assert len(cards) == 1 and cards[0].strip().startswith("AB"[seat])
    assert "must be one of A, B" in arena("replay", "game.jsonl", "--seat", "C", code=2).output


def test_a_copy_with_other_chance_is_refused_where_its_future_is_drawn() -> None:
    poker = game_named("kuhn-poker")
    start = poker.position(poker.rules.default, 2)
    cards = {start.with_chance_of(seed).view(0).card for seed in range(30)}
    assert cards == {1, 2, 3}


def test_agent_plays_all_seats_of_its_side() -> None:
    duel = Duel("saver", game="tandem", seat=1)
    duel.reset(seed=5)
    seats, ended = [], False
    while not ended:
        seats.append(duel.seat)
        _, reward, ended, _, _ = duel.step(int(duel.action_masks().argmax()))
    assert sorted(seats) == [1] * 4 + [3] * 4
    assert reward == duel.position.returns[1] == duel.position.returns[3]
