"""What the extension adds: a command, a Python name, a table on pages, and a bot."""

from collections.abc import Iterable, Mapping, Sequence

from cantstop_arena.extension_hooks import Command, GameBot, ResultKind, hookimpl


@hookimpl
def register_commands() -> Mapping[str, Command]:
    """`arena upsets`, below `arena rate` in the list of commands."""
    summary = "List the pairs in which the lower bot of the standings won."
    return {"upsets": Command("upsets.upsets:command", summary, "Play and rate", after="rate")}


@hookimpl
def register_names() -> Mapping[str, Sequence[str]]:
    """`cantstop_arena.upsets(folder)`."""
    return {"upsets.upsets": ["upsets"]}


@hookimpl
def register_results() -> Iterable[ResultKind]:
    """A section on the page of a tournament whose folder has upsets.json."""
    yield ResultKind("upsets", "upsets.json", sections="upsets.upsets:sections", is_beside=True)


@hookimpl
def register_game_bots() -> Mapping[str, Mapping[str, GameBot]]:
    """A bot of Can't Stop."""
    return {"cantstop": {"three-rolls": GameBot("upsets.three_rolls")}}
