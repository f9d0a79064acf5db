"""Learning environments: what their frameworks test, and what a learner may rely on."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.documents import HOW_TO, page_blocks
from helpers.paths import ROOT

from cantstop_arena.environments.setting import setting_for
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.games.cantstop.rules import CLASSIC, derive

BOTS = ROOT / "bots"


def missing(extra: str) -> str:
    """Why a test is skipped, and what to do."""
    return f"needs an extra: pip install -e '.[{extra}]'"


def import_or_skip(module: str, extra: str) -> Any:
    return pytest.importorskip(module, reason=missing(extra))


# PettingZoo -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cantstop_v0() -> Any:
    import_or_skip("pettingzoo", "pettingzoo")
    from cantstop_arena.environments import cantstop_v0

    return cantstop_v0


@pytest.mark.parametrize(("players", "rules"), [(2, "classic"), (3, "jump"), (4, "korean")])
def test_pettingzoo_tests_its_environments(cantstop_v0: Any, players: int, rules: str) -> None:
    from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for usual in ("is not a NumPy array", "probably should be gymnasium.spaces.box"):
            warnings.filterwarnings("ignore", f".*{usual}")  # of observations with a mask
        api_test(cantstop_v0.env(players, rules), num_cycles=300)
    seed_test(lambda: cantstop_v0.env(players, rules), num_cycles=300)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_pettingzoo_renders_its_environments(cantstop_v0: Any, players: int) -> None:
    from pettingzoo.test import render_test

    rules = {"base": "classic", "columns_to_win": 1}
    render_test(lambda render_mode: cantstop_v0.env(players, rules, render_mode))


def test_nothing_is_legal_off_turn(cantstop_v0: Any) -> None:
    env = cantstop_v0.env(3)
    env.reset(seed=1)
    masks = {agent: env.observe(agent)["action_mask"] for agent in env.agents}
    assert {agent: bool(mask.any()) for agent, mask in masks.items()} == {
        agent: agent == env.agent_selection for agent in env.agents
    }
    assert all(len(mask) == 79 for mask in masks.values())


def test_the_turn_limit_truncates(cantstop_v0: Any) -> None:
    env = cantstop_v0.env(2, {"turn_limit": 2})
    env.reset(seed=1)
    for agent in env.agent_iter():
        seen, reward, is_over, is_cut_off, _ = env.last()
        if is_over or is_cut_off:
            assert (is_over, is_cut_off, reward) == (False, True, 0)
            env.step(None)
        else:
            env.step(env.action_space(agent).sample(seen["action_mask"]))


def test_an_illegal_action_loses(cantstop_v0: Any) -> None:
    env = cantstop_v0.env(3)
    env.reset(seed=1)
    culprit = env.agent_selection
    env.step(0 if not env.observe(culprit)["action_mask"][0] else 1)
    assert env.terminations == dict.fromkeys(env.agents, True)
    assert env.rewards == {agent: -0.5 if agent == culprit else 0.25 for agent in env.agents}
    assert "illegal here" in env.infos[culprit]["illegal_action"]


def test_deals_of_a_seed_come_one_after_the_other(cantstop_v0: Any) -> None:
    env = cantstop_v0.env(2)
    env.reset(seed=3)
    first = env.observe(env.agent_selection)
    env.reset()
    second = env.observe(env.agent_selection)
    env.reset(seed=3, options={"deal": 1})
    again = env.observe(env.agent_selection)
    assert np.array_equal(second["observation"], again["observation"])
    assert not np.array_equal(first["observation"], second["observation"])


def test_observations_are_the_users_to_keep(cantstop_v0: Any) -> None:
    env = cantstop_v0.env(2)
    env.reset(seed=1)
    kept = env.observe(env.agent_selection)
    before = {name: array.copy() for name, array in kept.items()}
    env.step(int(kept["action_mask"].nonzero()[0][0]))
    env.observe(env.agent_selection)
    assert all(np.array_equal(kept[name], before[name]) for name in kept)


def test_the_board_is_printed_for_people(
    cantstop_v0: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    env = cantstop_v0.env(2, render_mode="human")
    env.reset(seed=1)
    printed = capsys.readouterr().out
    assert "( )" in printed and "A decides: " in printed
    with pytest.raises(UsageError, match="render_mode must be human or ansi"):
        cantstop_v0.env(render_mode="film")


# Gymnasium --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def duel() -> Callable[..., Any]:
    import_or_skip("gymnasium", "gymnasium")
    from cantstop_arena.environments import Duel

    return Duel


@pytest.mark.parametrize("opponent", ["rule28", str(BOTS / "example.py")])
def test_gymnasium_checks_a_duel(duel: Any, opponent: str) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*alternative render modes")  # without a registration
        check_env(duel(opponent, render_mode="ansi"))


def test_the_agent_sits_in_every_seat_in_turn(duel: Any) -> None:
    env = duel("random", players=3)
    seats = []
    for deal in range(3):
        env.reset(seed=1, options={"deal": deal})
        seats.append(env.seat)
        assert env.position.seat == env.seat
    assert seats == [0, 1, 2]
    always = duel("random", seat=1)
    for _ in range(3):
        always.reset()
        assert always.position.seat == 1
    with pytest.raises(UsageError, match="seat must be 0 to 1"):
        duel("random", seat=2)


def to_the_end(env: Any, seed: int) -> tuple[float, bool, bool, dict[str, Any]]:
    """Always the first legal action; returns what the last step brought."""
    env.reset(seed=seed)
    while True:
        _, reward, is_over, is_cut_off, info = env.step(int(env.action_masks().argmax()))
        if is_over or is_cut_off:
            return reward, is_over, is_cut_off, info


def test_a_duel_ends_with_the_game(duel: Any) -> None:
    env = duel("random", {"columns_to_win": 1}, players=4)
    rewards = {round(3 * to_the_end(env, seed)[0], 9) for seed in range(20)}
    assert rewards == {3.0, -1.0}
    assert to_the_end(duel("random", {"turn_limit": 4}), 1)[:3] == (0.0, False, True)
    import gymnasium

    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_an_illegal_action_ends_a_duel(duel: Any) -> None:
    env = duel("random")
    env.reset(seed=1)
    _, reward, is_over, _, info = env.step(int(env.action_masks().argmin()))
    assert (reward, is_over) == (-1.0, True)
    assert "illegal here" in info["illegal_action"]


def test_opponents_are_bots_objects_and_policies(duel: Any) -> None:
    from cantstop_arena.environments import PolicyBot

    def first(observation: Any, mask: Any) -> int:
        return int(mask.argmax())

    told = [to_the_end(duel(who), 5) for who in (first, PolicyBot(first))]
    assert told[0][0] == told[1][0]
    with pytest.raises(BotError, match="rule29"):
        duel("rule29")
    with pytest.raises(UsageError, match="an opponent must be a bot's name"):
        duel(3)


# OpenSpiel --------------------------------------------------------------------------------------

SHORT = {"base": "classic", "sides": 4, "columns_to_win": 1}


@pytest.fixture(scope="module")
def openspiel_game() -> Any:
    import_or_skip("pyspiel", "openspiel")
    from cantstop_arena.environments import openspiel_game

    return openspiel_game


@pytest.mark.parametrize("players", [2, 3, 4])
def test_openspiel_simulates_a_game(openspiel_game: Any, players: int) -> None:
    import pyspiel

    game = openspiel_game.load(players, SHORT)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.slow
def test_openspiel_simulates_the_classic_game(openspiel_game: Any) -> None:
    import pyspiel

    game = pyspiel.load_game("python_cantstop(players=3,rules=jump)")
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_chance_has_126_outcomes(openspiel_game: Any) -> None:
    state = openspiel_game.load().new_initial_state()
    assert state.is_chance_node()
    numbers, chances = zip(*state.chance_outcomes(), strict=True)
    assert (numbers, sum(chances)) == (tuple(range(126)), pytest.approx(1.0))
    assert state.action_to_string(-1, 125) == "6-6-6-6"


def test_states_are_copied_and_written_down(openspiel_game: Any) -> None:
    import pyspiel

    game = openspiel_game.load(2, SHORT)
    state = game.new_initial_state()
    state.apply_action(7)
    other = state.clone()
    other.apply_action(other.legal_actions()[0])
    assert str(state) != str(other)
    assert state.observation_tensor(1) == state.clone().observation_tensor(1)
    told = pyspiel.serialize_game_and_state(game, other)
    game_again, state_again = pyspiel.deserialize_game_and_state(told)
    assert (str(game_again), str(state_again)) == (str(game), str(other))


def searcher(game: Any, simulations: int) -> Any:
    """Monte Carlo tree search with random games."""
    from open_spiel.python.algorithms import mcts

    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    return mcts.MCTSBot(game, 1.4, simulations, evaluator, random_state=np.random.RandomState(2))


def test_openspiels_search_plays(openspiel_game: Any) -> None:
    game = openspiel_game.load(2, SHORT)
    state, bot = game.new_initial_state(), searcher(game, 5)
    for _ in range(3):
        while state.is_chance_node():
            state.apply_action(20)
        action = bot.step(state)
        assert action in state.legal_actions()
        state.apply_action(action)


def test_openspiel_wants_two_players(openspiel_game: Any) -> None:
    with pytest.raises(UsageError, match="must be 2 to 4"):
        openspiel_game.load(1)


# Settings and extras ----------------------------------------------------------------------------


def test_rules_are_named_changed_or_given() -> None:
    assert setting_for("classic", 2).rules is CLASSIC
    changed = setting_for({"base": "jump", "sides": 8, "name": "mine"}, 2).rules
    assert (changed.name, changed.sides, changed.landing) == ("mine", 8, "jump")
    odd = derive(CLASSIC, {"runners": 5})
    assert setting_for(odd, 4).rules is odd


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("clasic", 2), "did you mean 'classic'"),
        (({"sides": 9}, 2), "sides: must be"),
        (("classic", 5), "played by 1 to 4 players, not 5"),
        (("classic", 2, "chess"), "unknown game 'chess'"),
    ],
)
def test_what_cannot_be_played_is_said(wrong: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        setting_for(*wrong)


@pytest.mark.usefixtures("second_game")
def test_a_game_without_numbered_actions_is_refused_with_the_reason(duel: Any) -> None:
    with pytest.raises(UsageError, match=r"Salvage cannot be stepped by numbers: "):
        duel(game="salvage")


@pytest.mark.usefixtures("second_game")
def test_gymnasium_makes_a_duel_by_its_id(duel: Any) -> None:
    import gymnasium

    with warnings.catch_warnings(action="error"):
        gymnasium.make("cantstop_arena/Duel-v0", opponent="random", render_mode="ansi")
    env = gymnasium.make("cantstop_arena/Duel-v0", opponent="random", rules="jump")
    ours, _ = duel("random", "jump").reset(seed=7)
    assert env.reset(seed=7)[0].tolist() == ours.tolist()
    with pytest.raises(UsageError, match="Salvage cannot be stepped by numbers"):
        gymnasium.make("cantstop_arena/Duel-v0", game="salvage")


WITHOUT_EXTRAS = """
import sys
for framework in ("gymnasium", "pettingzoo", "pyspiel"):
    sys.modules[framework] = None
for module in ("cantstop_v0", "gymnasium_env", "openspiel_game"):
    try:
        __import__(f"cantstop_arena.environments.{module}")
    except ImportError as error:
        print(error)
from cantstop_arena.environments import PolicyBot
"""


def test_a_missing_extra_is_named() -> None:
    run = [sys.executable, "-c", WITHOUT_EXTRAS]
    told = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    extras = ("pettingzoo", "gymnasium", "openspiel")
    for line, extra in zip(told, extras, strict=True):
        assert line.endswith(f"pip install 'cantstop-arena[{extra}]'")


# The documentation ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_bot_of_the_page_that_searches_beats_random(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (ahead,) = (b for b in page_blocks(HOW_TO / "search.md") if b.title == "bots/ahead.py")
    Path("ahead.py").write_text(ahead.text)
    arena("run", "t.yaml", "--quiet", yaml="games: 20\nbots: [random, ./ahead.py]\n")
    standings = json.loads(Path("results/t/summary.json").read_text("utf-8"))["standings"]
    assert standings[0]["bot"] == "ahead"
    assert standings[0]["faults"] == 0
