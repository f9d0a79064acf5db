"""Training: the same file from the same seed, whoever plays and however often it is stopped."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.pages import checked

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.training.exact_loss import solved_board
from cantstop_arena.extensions.learn.training.net_training import NetTraining
from cantstop_arena.extensions.learn.training.practice_players import family_of
from cantstop_arena.extensions.learn.training.training_loop import (
    TrainingLoop,
    TrainingPlan,
    TrainingTask,
)
from cantstop_arena.extensions.learn.training_checkpoint import (
    part_of,
    resume,
    save,
    training_headline,
)
from cantstop_arena.extensions.learn.training_page import training_page
from cantstop_arena.extensions.learn.training_run import _Trials
from cantstop_arena.game_api.training import ExactLoss, NetTrial
from cantstop_arena.games.cantstop.bots.glenn_aloi import CONSTANT
from cantstop_arena.games.cantstop.rules import CLASSIC

SMALL = CLASSIC._replace(name="small", sides=3, column_lengths=(3, 5, 7, 5, 3), columns_to_win=2)
PLAN = TrainingPlan(2, 40, 3, 8, 3, 8, 10)


def course(workers: int = 1, seed: int = 1, players: int = 2) -> TrainingLoop:
    return TrainingLoop(TrainingTask(SMALL, players, seed, family_of([CONSTANT])), PLAN, workers)


def finished(training: TrainingLoop, tried: bool = False) -> bytes:
    while training.rounds_done < training.rounds:
        training.advance()
        assert not tried or 0 <= training.strength(10) <= 1
    ends, rolls = training.ends.net(), training.rolls.net()
    return bytes(ends.tobytes() + rolls.tobytes())


@pytest.mark.long
def test_a_training_comes_to_the_same_net_however_it_is_played(tmp_path: Path) -> None:
    once = finished(course())
    assert finished(course(workers=2), tried=True) == once
    assert finished(course(seed=2)) != once
    stopped, path = course(), tmp_path / "stopped.part"
    for _ in range(6):
        stopped.advance()
    save(NetTraining(stopped), path, "train")
    again = course()
    resume(NetTraining(again), path, "train")
    assert again.rounds_done == 6
    assert finished(again) == once


@pytest.mark.long
@pytest.mark.parametrize("players", [1, 3])
def test_other_numbers_of_seats_are_trained_for(players: int) -> None:
    training = course(players=players)
    assert finished(training)
    assert np.isfinite(training.ends.means[0].rows).all()
    assert 0 < training.error < 1
    assert training.rolls_are_learned and training.strength(10) >= 0


@pytest.mark.long
def test_a_trial_is_the_same_for_any_number_of_workers() -> None:
    one, two = course(), course(workers=2)
    for training in (one, two):
        training.advance()
    assert one.strength(10) == two.strength(10)
    one.rounds_done = two.rounds_done = PLAN.heuristic_rounds + PLAN.exact_rounds + 1
    assert one.strength(10) == two.strength(10)


class Tried:
    """A course whose trials take two seconds of a processor that does nothing else."""

    subject, plan = TrainingTask(SMALL, 2, 1, None), PLAN
    rolls_are_learned, error, residual = True, 0.02, 0.01

    def __init__(self) -> None:
        self.clock = 100.0

    def strength(self, games: int) -> float:
        self.clock += 2.0 if games > 1 else 30.0
        return 0.5


def test_trials_take_a_twentieth_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: Any = Tried()
    monkeypatch.setattr("time.process_time", lambda: tried.clock)
    trials = _Trials(NetTraining(tried))
    assert not trials.are_due()
    trial = trials.next_trial()
    assert (trial.rival, trial.score, trial.games) == ("glenn-aloi", 0.5, 10)
    assert trial.half == pytest.approx(1.96 * (0.25 / 10) ** 0.5)
    assert trial.text == (
        "champion wins 50.0% against glenn-aloi (10 games), Bellman residual 1.00 points, knowing"
        " what rolling on is worth within 2.00 points"
    )
    tried.clock += 39
    assert not trials.are_due()
    tried.clock += 2
    assert trials.are_due()


def trial_of(
    score: float, half: float | None = 0.03, rival: str = "deny", lost: ExactLoss | None = None
) -> NetTrial:
    return NetTrial("as told", "champion", rival, score, half, 400, lost)


def test_trials_are_kept_with_a_checkpoint(tmp_path: Path) -> None:
    path, command = tmp_path / "x.part", "arena train classic --players 2 --seed 1"
    tried = [(3, trial_of(0.4)), (7, trial_of(0.6, lost=ExactLoss(1.25, 0.5, 100)))]
    save(NetTraining(course()), path, command, tried)
    assert resume(NetTraining(course()), path, command) == tried


@pytest.mark.parametrize(
    ("tried", "headline", "finding"),
    [
        ([(3, trial_of(0.4))], "champion wins 40.0% against deny after 3 rounds", "1 trial"),
        (
            [(3, trial_of(0.4)), (7, trial_of(0.6))],
            "champion wins 60.0% against deny after 7 rounds",
            "The nets have gained since round 3",
        ),
        (
            [(3, trial_of(0.58)), (7, trial_of(0.6))],
            "champion wins 60.0% against deny after 7 rounds",
            "The intervals of the first and the last trial overlap",
        ),
        (
            [(3, trial_of(9.5, None, "")), (1, trial_of(9.25, None, ""))],
            "champion takes 9.25 turns a game after 1 round",
            "2 trials",
        ),
        (
            [(3, trial_of(0.4)), (7, trial_of(0.6, lost=ExactLoss(1.25, 0.5, 100)))],
            "champion wins 60.0% against deny after 7 rounds; its decisions lose 1.25 percentage"
            " points a game to perfect play",
            "1.25 ± 0.99",
        ),
    ],
)
def test_the_page_has_the_last_trial_as_heading(
    tried: list[tuple[int, NetTrial]], headline: str, finding: str
) -> None:
    assert training_headline(tried) == headline
    page = checked(training_page("Nets", "classic rules", tried, "arena train classic"))
    assert headline in page.text
    assert finding in page.text


def test_a_training_of_another_file_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "other.part"
    save(NetTraining(course()), path, "arena train classic --players 2 --seed 1")
    with pytest.raises(UsageError, match="belongs to another training"):
        resume(NetTraining(course()), path, "arena train classic --players 2 --seed 2")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive"])
def test_a_damaged_training_is_refused(arena: Arena, tmp_path: Path, content: bytes) -> None:
    out = tmp_path / "x.nets"
    part_of(out).write_bytes(content)
    told = arena("train", "classic", "--out", str(out), code=2)
    assert "is damaged; start again with --fresh" in told.output


@pytest.mark.slow
def test_nets_for_a_small_board_lose_little_to_perfect_play(arena: Arena, tmp_path: Path) -> None:
    """Without stops by chance in training it is 0.7 points: two positions are never stopped at."""
    out = tmp_path / "small.nets"
    trained = arena("train", "3,1", "--rounds", "20", "--out", str(out))
    assert "Bellman residual" in trained.output
    judged = arena("judge", f"grandmaster:nets={out}", "--rules", "3,1", "--deals", "150", "--json")
    ((loss, _),) = [bot["lost"] for bot in json.loads(judged.text)["bots"].values()]
    assert loss < 0.3


@pytest.mark.slow
def test_a_trial_on_a_solved_board_has_the_loss_that_the_judge_finds(
    arena: Arena, tmp_path: Path
) -> None:
    page = tmp_path / "nets.html"
    trained = arena("train", "3,1", "--rounds", "1", "--html", str(page), "--json")
    told = json.loads(trained.text)
    last = told["trials"][-1]
    assert Path(told["file"]) == Path("3_1-2.nets")
    judged = arena(
        "judge", f"champion:nets={told['file']}", "--rules", "3,1", "--deals", "100", "--json"
    )
    ((loss, half),) = [bot["lost"] for bot in json.loads(judged.text)["bots"].values()]
    # On other dice, as those of judged bots follow from their names.
    assert abs(last["lost"] - loss) < half + last["lost_high"] - last["lost"]
    assert f"its decisions lose {last['lost']:.2f} percentage points a game" in told["headline"]
    assert told["headline"] in checked(page.read_text("utf-8")).text


def test_only_a_board_that_is_solved_has_a_loss() -> None:
    assert solved_board(SMALL, 2) is None
    assert solved_board(SMALL, 3) is None
