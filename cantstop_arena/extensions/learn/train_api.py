"""Training of nets, in Python."""

import sys
from functools import partial
from pathlib import Path

from cantstop_arena.extensions.learn.training_run import TrainedNets, planned_training, train_nets
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.views.progress_lines import Progress, observer_for


def train(
    rules: str,
    *changes: str,
    game: str = "cantstop",
    players: int = 2,
    seed: int = 1,
    out: Path | str | None = None,
    rounds: int | None = None,
    workers: int = 1,
    fresh: bool = False,
    progress: Progress = False,
    bots_folder: Path | str = "bots",
) -> TrainedNets:
    """Nets for the bots champion and grandmaster, as by `arena train`.

    They are written to the file `out`, and `train("3,1", rounds=5).headline` says how strong they
    are. `trials` has a row for each trial: after how many rounds, the score with half of its 95%
    interval, and on solved boards what decisions lose.

    An interrupted training is continued, unless it is to be `fresh`. Raises UsageError when the
    game has no nets to train, and Interrupted on Ctrl-C.
    """
    file = None if out is None else Path(out)
    plan = planned_training(
        rules, changes, game, players, seed, rounds, workers, file, Path(bots_folder)
    )
    with observed_by(observer_for(progress, f"Training for {rules}", "rounds")) as observer:
        return train_nets(plan, fresh, observer, partial(print, file=sys.stderr))
