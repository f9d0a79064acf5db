"""The process in which a bot is examined: `examination` starts it, and hears what it finds."""

import argparse
import faulthandler
import mmap
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cantstop_arena.bot_sources.bot_files import Source, described
from cantstop_arena.bot_sources.bot_specs import BotSpec
from cantstop_arena.bot_sources.neighbours import note_reading
from cantstop_arena.bot_sources.plugins import Loader
from cantstop_arena.check.examiner import Examiner, Tell
from cantstop_arena.check.findings import WRONG, Finding, Stage
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.games.registry import DEFAULT, game_called
from cantstop_arena.isolation.stdio import take_pipes
from cantstop_arena.isolation.wire import line_of
from cantstop_arena.runtime import process_tree, system


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m cantstop_arena.check.process")
    parser.add_argument("--parent", type=int, required=True, help="the process that listens")
    parser.add_argument("--bots", type=Path, required=True, help="the folder of bots")
    parser.add_argument("--memory", type=int, required=True, help="file descriptor of the game")
    parser.add_argument("--dump", type=int, required=True, help="file descriptor for tracebacks")
    parser.add_argument("--limit", type=float, required=True, help="seconds for a decision")
    parser.add_argument("--bot", help="which bot of the file; the first is the default")
    parser.add_argument("--only-play", action="store_true", help="tell what happens in the games")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--path", type=Path)
    what.add_argument("--name", help="a built-in bot")
    parser.add_argument("--game", default=DEFAULT, help="the game of that bot")
    what.add_argument("--package", help="an entry point")
    return parser.parse_args()


def _specs(loader: Loader, asked: argparse.Namespace) -> list[BotSpec]:
    if asked.path:
        note_reading()
        specs = loader.bots_of(Source(asked.path))
    elif asked.package:
        specs = loader.bots_of_package(asked.package)
    else:
        specs = [
            spec for spec in loader.built_in(game_called(asked.game)) if spec.name == asked.name
        ]
    if not specs:
        raise BotError("holds no bot")
    return specs


def _examiner(asked: argparse.Namespace, tell: Tell) -> Examiner:
    loader = Loader(asked.bots)
    specs = _specs(loader, asked)
    spec = next((spec for spec in specs if spec.name == asked.bot), specs[0])
    tell({"bots": [spec.name for spec in specs], "this": spec.name, "game": spec.game})
    return Examiner(loader, spec, mmap.mmap(asked.memory, 0), asked.limit, tell)


def _examine(asked: argparse.Namespace, tell: Tell) -> None:
    tell(Stage("file", "is read", max(2.0, 10 * asked.limit)).told())
    try:
        examiner = _examiner(asked, tell)
    except BotError as error:
        tell(Finding(WRONG, "file", str(error)).told())
    else:
        _let_work(examiner, asked.only_play)


def _let_work(examiner: Examiner, only_play: bool) -> None:
    try:
        for finding in examiner.play() if only_play else examiner.everything():
            examiner.tell(finding.told())
    except GameError as error:
        examiner.tell(Finding(WRONG, "game", str(error)).told())
    except Exception as error:  # out of the bot's own code, where it is made anew
        examiner.tell(Finding(WRONG, examiner.subject, described(error)).told())


def main() -> None:
    """Examine a bot, and tell what is found."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever listens
    asked = _asked()
    system.die_with_parent(asked.parent)
    system.refuse_cores()
    process_tree.look_after_the_rest(signal.SIGUSR1)
    _, report = take_pipes()
    faulthandler.enable(asked.dump, all_threads=False)
    faulthandler.register(signal.SIGUSR1, asked.dump, all_threads=False)

    def tell(message: Mapping[str, Any]) -> None:
        left = memoryview(line_of(message))
        while left:
            left = left[report.write(left) :]

    _examine(asked, tell)
    tell({"done": True})
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # whatever a bot has left running


if __name__ == "__main__":
    main()
