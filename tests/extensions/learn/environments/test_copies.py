"""Environments and games under pickle and deepcopy, and the seeds that their users give."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.game_packages import examples
from helpers.sealed_game import SEALED

import cantstop_arena as ca
from cantstop_arena.errors import UsageError
from cantstop_arena.games.registry import game_named

LOTTERY = (
    SEALED.replace('"sealed"', '"lottery"')
    .replace(
        "def question(self):",
        """def chance(self, outcome):
        self.drawn = outcome

    def question(self):
        if not hasattr(self, "drawn"):
            return Chance(("number",), sample=lambda stream: stream())""",
    )
    .replace("import (\n", "import (\n    Chance, ")
)
COPIES = [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]
GAMES = ["cantstop", "kuhn-poker", "sealed", "tandem"]


installed = examples("kuhn_poker", "tandem", modules={"sealed": SEALED, "lottery": LOTTERY})


def shown(env: Any) -> tuple[Any, ...]:
    """What an environment lets its user see."""
    position = env.position
    return position.seat, position.legal, position.returns, position.observation(0)[0].tolist()


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("game", GAMES)
def test_environments_are_copied_in_the_middle_of_a_game(
    game: str, copied: Callable[[Any], Any]
) -> None:
    pytest.importorskip("pettingzoo")
    pytest.importorskip("gymnasium")
    from cantstop_arena.environments import Duel, env

    for made in (Duel(game=game), env(game)):
        made.reset(seed=3)
        steps = 0
        while not made.position.is_over and steps < 2:
            made.step(made.position.legal[0])
            steps += 1
        twin = copied(made)
        assert shown(twin) == shown(made) and twin.position is not made.position
        assert game_named(game) is twin._setting.game  # caches know games by identity
        while not made.position.is_over:
            for each in (made, twin):
                each.step(each.position.legal[-1])
            assert shown(twin) == shown(made)
        made.reset()
        twin.reset()
        assert shown(twin) == shown(made)


def test_a_duel_that_an_illegal_action_has_ended_is_copied() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from cantstop_arena.environments import Duel

    duel = Duel("rule28", seat=1)
    duel.reset(seed=3, options={"deal": np.int64(5)})
    assert duel.step(-1)[1:3] == (-1, True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        copy.deepcopy(duel).step(0)
    wrapped = copy.deepcopy(gymnasium.make("cantstop_arena/Duel-v0", opponent="random"))
    assert wrapped.reset(seed=3)[0].shape == (58,)


@pytest.mark.parametrize("copied", COPIES)
def test_what_cannot_be_copied_is_refused_in_a_sentence(copied: Callable[[Any], Any]) -> None:
    pytest.importorskip("gymnasium")
    from cantstop_arena.environments import Duel

    duels = [Duel("rule28"), Duel(game="sealed")]
    for duel in duels:
        duel.reset(seed=1)
        with pytest.raises(UsageError, match="with seated bots cannot be copied"):
            copied(duel.position)
    with pytest.raises(UsageError, match="vector environment cannot be copied"):
        copied(ca.vector_env("cautious", 2))


# OpenSpiel


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("game", GAMES)
def test_openspiels_games_and_states_are_copied(game: str, copied: Callable[[Any], Any]) -> None:
    pytest.importorskip("pyspiel")
    from cantstop_arena.environments import openspiel_game

    rules = {"sides": 4, "columns_to_win": 1, "name": "4, or (less) = 50%;"}
    made = openspiel_game.load(rules=rules if game == "cantstop" else None, game=game)
    assert str(copied(made)) == str(made) and copied(made).setting == made.setting
    state = made.new_initial_state()
    late = openspiel_game.ArenaState(made, made.setting.start(), True)
    for each in (state, late):
        for _ in range(3):
            each.apply_action(each.legal_actions()[0])
        twin = copied(each)
        assert str(twin) == str(each) and twin.history() == each.history()
        assert twin.legal_actions() == each.legal_actions()


def test_a_process_that_knows_no_games_unpickles_one_of_openspiels(installed: Path) -> None:
    pytest.importorskip("pyspiel")
    from cantstop_arena.environments import openspiel_game

    state = openspiel_game.load(game="kuhn-poker").new_initial_state()
    state.apply_action(1)
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).history())"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(installed)!r}); {code}"]
    output = subprocess.run(command, input=pickle.dumps(state), capture_output=True, check=True)
    assert output.stdout == b"[1]\n"


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (None, "classic"),
        ("jump", "jump"),
        ({"sides": 4}, 'classic{"sides":4}'),
        ({"base": "jump", "turn_limit": 50, "name": "a,b"},
         'jump{"turn_limit":50;"name":"a\\u002cb"}'),
    ],
)  # fmt: skip
def test_openspiel_names_rules_readably_and_reads_them(rules: Any, text: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from cantstop_arena.environments import openspiel_game

    game = openspiel_game.load(2, rules)
    assert str(game) == f"python_cantstop(players=2,rules={text})"
    assert pyspiel.load_game(str(game)).setting == game.setting


def test_a_game_keeps_clear_of_one_of_openspiels() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from cantstop_arena.environments import openspiel_game

    ours = openspiel_game.load(game="kuhn-poker")
    from open_spiel.python import games  # noqa: F401 - registers python_kuhn_poker

    assert type(pyspiel.load_game(str(ours))) is type(ours)
    assert type(pyspiel.load_game("python_kuhn_poker")) is not type(ours)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clasic", "did you mean 'classic'"),
        ("classic{sides:4}", 'write them like classic{"sides":4'),
        ('classic{"sides":9}', "sides: must be"),
        ('{"base":4}', "must be a name"),
    ],
)
def test_openspiel_refuses_rules_in_a_sentence(text: str, message: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    import cantstop_arena.environments.openspiel_game  # noqa: F401 - registers the game

    with pytest.raises(UsageError, match=message):
        pyspiel.load_game(f"python_cantstop(rules={text})")


def test_a_game_whose_chance_has_no_list_is_no_game_of_openspiel() -> None:
    pytest.importorskip("pyspiel")
    from cantstop_arena.environments import Duel, openspiel_game

    with pytest.raises(UsageError, match=r"Fingers draws by Chance.*sample=.*list of outcomes"):
        openspiel_game.load(game="lottery")
    observation, _ = Duel(game="lottery").reset(seed=1)  # its chance comes from the seed
    assert observation.tolist() == [0]


# Seeds


@pytest.mark.parametrize("game", ["cantstop", "sealed"])
def test_seeds_are_whole_numbers_of_any_kind_and_texts(game: str) -> None:
    pytest.importorskip("pettingzoo")
    pytest.importorskip("gymnasium")
    from cantstop_arena.environments import Duel, env

    duel, vector, table = Duel(game=game), ca.vector_env(None, 2, game=game), env(game)
    resets: list[Any] = [duel.reset, vector.reset, table.reset]
    for reset in resets:
        results = [repr(reset(seed=seed)) for seed in (3, np.int64(3), np.uint8(3), "3")]
        assert len({*results}) == 1
        for wrong in (-1, 1 << 128, 2.5, True, "", "a\n", object(), np.array(2.5)):
            with pytest.raises(UsageError, match="seed must be a whole number"):
                reset(seed=wrong)
    for deal in ("x", -1, 1.5):
        with pytest.raises(UsageError, match="deal must be a whole number"):
            table.reset(seed=1, options={"deal": deal})
    definition: Any = game_named(game)
    first = definition.position(definition.rules.default, 2, seed=np.int64(3))
    assert first.observation(0)[0].tolist() == table.position.observation(0)[0].tolist()


@pytest.mark.parametrize("game", ["cantstop", "sealed"])
def test_a_vector_environment_takes_a_seed_for_each_of_its_games(game: str) -> None:
    pytest.importorskip("gymnasium")

    count: Any = np.int64(3)
    env = ca.vector_env(None, count, game=game, players=2)

    def played(seed: Any) -> list[tuple[Any, ...]]:
        """What each of the games shows in three steps."""
        _, infos = env.reset(seed=seed)
        rows = []
        for _ in range(3):
            actions = infos["action_mask"].argmax(axis=1)
            observations, *_, infos = env.step(actions)
            rows.append([(row.tobytes(), int(a)) for row, a in zip(observations, actions)])  # noqa: B905
        return [*zip(*rows, strict=True)]

    assert played([7, 7, 7]) == played(7) == played(np.array([7, 7, 7]))
    mixed = played([7, "other", None])
    assert mixed[0] == played(7)[0] and mixed[1] == played("other")[1]
    with pytest.raises(UsageError, match="3 environments need as many seeds, not 2"):
        env.reset(seed=[1, 2])
    with pytest.raises(UsageError, match="seed must be"):
        env.reset(seed=[1, 2, -3])
