"""What was learnt elsewhere plays as a bot, its model's file being a part of it."""

import json
import os
import random
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.paths import ROOT, TESTS

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.environments.policy_bot import PolicyBot
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.step_position import CantStopPosition, start
from cantstop_arena.games.cantstop.rules import CLASSIC

POLICY = ROOT / "bots" / "policy"
FROM_A_FILE = '''
"""Likes some actions more than others."""

import json

from cantstop_arena import Bot, hookimpl
from cantstop_arena.environments import PolicyBot, read_beside

LIKED = json.loads(read_beside(__file__, "liked.json"))


def liking(model: str = "") -> PolicyBot:
    liked = json.loads(read_beside(__file__, model)) if model else LIKED
    return PolicyBot(lambda observation, mask: liked)


@hookimpl
def register_bots():
    return [Bot("liking", liking)]
'''

BATCHED = "PolicyBot.from_batch(lambda batch: batch.legal.argmax(axis=1))"


def choice() -> CantStopPosition:
    """A position of 2-3-5-6: the moves are 5+11, 7+9 and 8+8."""
    position = start(CLASSIC, 2)
    position.give_dice([2, 3, 5, 6])
    return position


def asked(bot: Any, position: CantStopPosition, luck: random.Random | None = None) -> Any:
    """What the bot answers there."""
    turn, moves = position.turn((luck or random.Random(1)).random), position.moves
    return bot.choose_move(turn, moves) if moves else bot.roll_again(turn)


# Functions --------------------------------------------------------------------------------------

AFTER_BUILDING = """
from test_policy_bot import choice
from numba.core.event import install_recorder

from cantstop_arena.environments.policy_bot import PolicyBot

PolicyBot(lambda observation, mask: mask)
with install_recorder("numba:compile") as compiled:
    choice().observation(0)
print(len(compiled.buffer))
"""


@pytest.mark.slow
def test_positions_are_compiled_before_a_bots_time_runs(tmp_path: Path) -> None:
    folders = os.pathsep.join([str(Path(__file__).parent), str(TESTS), str(ROOT)])
    empty = {**os.environ, "CANTSTOP_ARENA_CACHE": str(tmp_path), "PYTHONPATH": folders}
    words = [sys.executable, "-c", AFTER_BUILDING]
    done = subprocess.run(words, env=empty, capture_output=True, text=True)
    assert done.stdout == "0\n", done.stderr


def test_a_function_names_the_action() -> None:
    position = choice()
    eights = position.actions.number_of[8, 8]
    assert position.moves == ((5, 11), (7, 9), (8, 8))
    assert asked(PolicyBot(lambda seen, mask: eights), position) == 2
    position.step(eights)
    actions = position.actions
    assert asked(PolicyBot(lambda seen, mask: np.int64(actions.roll)), position) is True
    assert asked(PolicyBot(lambda seen, mask: actions.stop), position) is False


@pytest.mark.slow
def test_likelihoods_are_drawn_by_with_the_bots_own_numbers() -> None:
    position, luck = choice(), random.Random(7)
    likely = np.ones(79)
    likely[position.actions.number_of[7, 9]] = 2
    bot = PolicyBot(lambda seen, mask: likely)
    answers = [asked(bot, position, luck) for _ in range(2000)]
    shares = [answers.count(index) / 2000 for index in range(3)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.05)
    again = random.Random(7)
    assert [asked(bot, position, again) for _ in range(50)] == answers[:50]


def test_a_policy_is_shown_what_learners_see() -> None:
    position, shown = choice(), []

    def policy(observation: Any, mask: Any) -> int:
        shown.append((observation, mask))
        return int(mask.argmax())

    asked(PolicyBot(policy), position)
    (observation, mask), seen = shown[0], position.observation(0)
    assert np.array_equal(observation, seen.observation)
    assert np.array_equal(mask, seen.mask)


@pytest.mark.parametrize(("answer", "told"), [(0, "action 0"), (np.zeros(79), "the weight 0")])
def test_an_illegal_action_is_no_answer(answer: Any, told: str) -> None:
    with pytest.raises(IllegalAnswer, match=told):
        asked(PolicyBot(lambda seen, mask: answer), choice())


# Frameworks -------------------------------------------------------------------------------------


class Model:
    """Answers like a model of Stable-Baselines3 that likes high numbers."""

    loaded = 0

    @classmethod
    def load(cls, file: Any, device: str) -> "Model":
        assert (file.read(), device) == (b"a model", "cpu")
        cls.loaded += 1
        return cls()

    def predict(
        self, observation: Any, *, action_masks: Any = None, deterministic: bool = False
    ) -> tuple[Any, None]:
        assert deterministic and action_masks.dtype == bool
        return np.array(action_masks.nonzero()[0][-1]), None


def test_a_model_of_sb3_is_loaded_once_and_computes_in_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[int] = []
    torch, algorithms = ModuleType("torch"), ModuleType("algorithms")
    vars(torch)["set_num_threads"] = threads.append
    vars(algorithms)["Model"] = Model
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "algorithms", algorithms)
    bots = [PolicyBot.from_sb3(bytes([*b"a model"]), "algorithms:Model") for _ in range(3)]
    assert [asked(bot, choice()) for bot in bots] == [1, 1, 1]
    assert (Model.loaded, threads) == (1, [1])
    assert asked(PolicyBot.from_sb3(Model()), choice()) == 1


def test_a_model_of_sb3_that_heeds_no_mask_plays_as_far_as_it_is_legal() -> None:
    class Unmasked:
        def predict(self, observation: Any, deterministic: bool = False) -> tuple[Any, None]:
            return np.array(0), None

    with pytest.raises(IllegalAnswer, match="action 0"):
        asked(PolicyBot.from_sb3(Unmasked()), choice())


def test_a_model_of_sb3_is_drawn_from_with_the_bots_own_numbers() -> None:
    sb3 = pytest.importorskip("sb3_contrib", reason="needs pip install -e '.[learning]'")
    from cantstop_arena.environments import Duel

    model = sb3.MaskablePPO("MlpPolicy", Duel("random"), seed=1, device="cpu", n_steps=64)
    bot, luck = PolicyBot.from_sb3(model, deterministic=False), random.Random(1)
    assert {asked(bot, choice(), luck) for _ in range(60)} == {0, 1, 2}


def test_openspiels_policies_and_bots_play() -> None:
    pytest.importorskip("pyspiel", reason="needs an extra: pip install -e '.[openspiel]'")
    from open_spiel.python import policy

    from cantstop_arena.environments import openspiel_game

    uniform = PolicyBot.from_openspiel(policy.UniformRandomPolicy(openspiel_game.load()))
    luck = random.Random(3)
    answers = {asked(uniform, choice(), luck) for _ in range(40)}
    assert answers == {0, 1, 2}

    class First:
        def step(self, state: Any) -> int:
            return int(state.legal_actions()[0])

    assert asked(PolicyBot.from_openspiel(First()), choice()) == 2


# Files of models --------------------------------------------------------------------------------


@pytest.fixture
def liking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bot with a model beside it, in the folder where we stand."""
    monkeypatch.chdir(tmp_path)
    Path("liked.json").write_text(json.dumps([1] * 79))
    Path("other.json").write_text(json.dumps([2] * 79))
    path = Path("liking.py")
    path.write_text(FROM_A_FILE)
    return path


def digest(path: Path) -> str:
    return Catalogue(Path(), GAME).load_file(path).digest


def run(arena: Arena, text: str, code: int = 0) -> str:
    result = arena("run", "t.yaml", "--quiet", "--fresh", code=None, yaml=text)
    assert result.code == code, result.output
    return result.output


def test_the_content_of_a_model_is_part_of_its_bot(liking: Path) -> None:
    before = digest(liking)
    Path("other.json").write_text("[]")
    assert digest(liking) == before
    Path("liked.json").write_text(json.dumps([3] * 79))
    assert digest(liking) != before
    Path("liked.json").unlink()
    with pytest.raises(BotError, match=r"liked\.json beside .*liking\.py cannot be read"):
        digest(liking)


@pytest.mark.slow
def test_what_plays_is_the_copy_that_the_run_keeps(arena: Arena, liking: Path) -> None:
    run(arena, "games: 4\nbots: [random, ./liking.py]\n")
    (kept,) = Path("results/t/bots").iterdir()
    assert kept.name == digest(liking)
    assert sorted(path.name for path in kept.iterdir()) == ["liked.json", "liking.py"]
    run(arena, "games: 4\nbots: [random, {bot: ./liking.py, isolate: processes}]\n")


@pytest.mark.slow
def test_the_check_says_how_a_policy_is_faster(arena: Arena, liking: Path) -> None:
    single = "PolicyBot(lambda observation, mask: mask)"
    liking.write_text(FROM_A_FILE.replace("PolicyBot(lambda observation, mask: liked)", single))
    output = arena("bots check ./liking.py").output
    assert "one game at a time: PolicyBot.from_batch(function) decides for many at once" in output
    batched = FROM_A_FILE.replace("PolicyBot(lambda observation, mask: liked)", BATCHED)
    liking.write_text(batched)
    assert "from_batch" not in arena("bots check ./liking.py").output


@pytest.mark.slow
def test_a_module_that_says_it_is_in_a_file_that_is_not_there_is_no_part(
    arena: Arena, liking: Path
) -> None:
    pretended = "import sys, types\nsys.modules['_classes'] = types.ModuleType('_classes')\n"
    told = "vars(sys.modules['_classes'])['__file__'] = '_classes.py'\n"  # as PyTorch has it
    liking.write_text(pretended + told + FROM_A_FILE)
    run(arena, "games: 2\nbots: [random, ./liking.py]\n")


def test_a_model_that_is_no_part_of_the_bot_is_refused(arena: Arena, liking: Path) -> None:
    told = run(arena, "games: 4\nbots: [random, {bot: ./liking.py, model: other.json}]\n", code=2)
    assert "other.json is no part of the bot" in told


@pytest.mark.slow
def test_the_example_learns_to_beat_random(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gymnasium", reason="needs an extra: pip install -e '.[gymnasium]'")
    monkeypatch.chdir(tmp_path)
    shutil.copy(POLICY / "linear.py", tmp_path)
    train = runpy.run_path(str(POLICY / "train.py"))["train"]
    np.save(tmp_path / "linear.npy", train(games=800))
    run(arena, "games: 200\nbots: [random, ./linear.py]\n")
    standings = json.loads(Path("results/t/summary.json").read_text("utf-8"))["standings"]
    assert standings[0]["bot"] == "linear"
    assert standings[0]["score"] > 0.65
