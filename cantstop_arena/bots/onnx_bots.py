"""Nets in the format ONNX as bots, played by ONNX Runtime in one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.file_imports import read_beside
from cantstop_arena.bots.onnx_files import METADATA, NetFile, read_net
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.batches import DEFAULT_ROWS, Batch, encoding_or_error, policy_output
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.processes.lasting_state import importing_library
from cantstop_arena.processes.system import short_path

_LOGITS = "logits"  # the output that is taken if there are several


class OnnxNet:
    """A net: from the observations of a batch to logits, or to actions."""

    def __init__(self, content: bytes) -> None:
        """Raises BotError for a file that cannot be played."""
        self.file = read_net(content)
        runtime = _runtime()
        options = runtime.SessionOptions()
        # More threads than one would make the workers of a run wait for each other.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 4
        try:
            self._session = runtime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            reason = (
                str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            )
            raise BotError(f"ONNX Runtime cannot load it: {reason}") from error
        self._input = self.file.inputs[0].name
        names = [output.name for output in self.file.outputs]
        self._outputs = [_LOGITS] if _LOGITS in names else names

    @property
    def rows(self) -> int:
        """The rows of its batches, unless an option says otherwise."""
        return self.file.rows or DEFAULT_ROWS

    def decide(self, batch: Batch) -> Any:
        """The logits or the actions of a batch."""
        outputs = self._session.run(self._outputs, {self._input: batch.observations})
        return policy_output(outputs, batch)


def _runtime() -> Any:
    try:
        with importing_library():  # it starts a thread
            import onnxruntime
    except ImportError as error:
        raise BotError(
            f"ONNX Runtime is not installed ({error}): pip install 'cantstop-arena[onnx]'"
        ) from error
    return onnxruntime


def describe_net(module: dict[str, Any]) -> None:
    """Fill in the module of a net's file: its game, its summary, and its function."""
    path = module["__file__"]
    with _naming(path):
        net = OnnxNet(read_beside(path, Path(path).name))
    module["__doc__"] = summary_of(net.file)
    module["game"] = net.file.metadata.get(f"{METADATA}game", DEFAULT)
    module["rows"] = net.rows
    module["decide"] = _function_of(net)


@contextmanager
def _naming(path: Path | str) -> Iterator[None]:
    """Add the path of a file to a BotError."""
    try:
        yield
    except BotError as error:
        raise BotError(f"{error} ({short_path(str(path))})") from error


def _function_of(net: OnnxNet) -> Callable[..., Any]:
    def decide(batch: Batch) -> Any:
        return net.decide(batch)

    return decide


def summary_of(file: NetFile) -> str:
    """What a net is, in a line."""
    if text := trained_for(file.metadata):
        return f"A net that was trained for {text}"
    return "A net that does not say what it was trained for"


def trained_for(metadata: Mapping[str, str]) -> str:
    """The rules and the number of players that a net was trained for; empty if it does not say."""
    rules, players = (metadata.get(f"{METADATA}{key}", "") for key in ("rules", "players"))
    return f"{rules} and {players_text(players)}" if rules and players else ""


def players_text(count: int | str) -> str:
    return f"{count} player{'' if str(count) == '1' else 's'}"


def file_refusal(source: BotSource, game: Game, rules: Any, players: int) -> str | None:
    """Why the net of a file cannot play under these rules; None if it can.

    Raises BotError when the file cannot be read.
    """
    with _naming(source.path):
        net = read_net(source.texts()[source.name])
    why = net_refusal(net, game, rules, players)
    return f"{short_path(str(source.path))} {why}" if why else None


def net_refusal(net: NetFile, game: Game, rules: Any, players: int) -> str | None:
    """Why a net cannot play under these rules, by what its file says; None if it can."""
    encoding = encoding_or_error(game, rules, players)
    run = {
        "game": game.name,
        "rules": rules.name,
        "players": str(players),
        "encoding": encoding.name,
    }
    trained = {key: net.metadata.get(f"{METADATA}{key}", text) for key, text in run.items()}
    if (trained["rules"], trained["players"]) != (run["rules"], run["players"]):
        text = f"{trained['rules']} and {players_text(trained['players'])}"
        return f"was trained for {text}; this run has {rules.name} and {players}"
    if differing := [key for key in run if trained[key] != run[key]]:
        texts = [", ".join(f"{key} {each[key]}" for key in differing) for each in (trained, run)]
        return f"was trained for {texts[0]}; this run has {texts[1]}"
    if net.observation_size not in (None, encoding.size):
        size = f"{rules.name} with {players_text(players)} has {encoding.size}"
        return f"takes {net.observation_size} numbers as an observation; {size}"
    return None
