"""The keys of designs and profiles: the same in files, on the command line and in Python."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import click
import pytest

import cantstop_arena as ca
from cantstop_arena.cli import main
from cantstop_arena.extensions.design import keys
from cantstop_arena.extensions.design.api import DesignKeys, ProfileKeys
from cantstop_arena.tournaments.file.keys import Key


@pytest.mark.parametrize(
    ("name", "function", "kinds", "options", "keywords"),
    [
        ("design", ca.design, DesignKeys, keys.DESIGN_COMMAND, keys.DESIGN_FUNCTION),
        ("profile", ca.profile, ProfileKeys, keys.PROFILE_COMMAND, keys.PROFILE_FUNCTION),
    ],
)
def test_a_command_and_a_function_have_their_keys(
    name: str,
    function: Callable[..., Any],
    kinds: type,
    options: Sequence[Key],
    keywords: Sequence[Key],
) -> None:
    command = main.get_command(click.Context(main), name)
    assert command
    helps = {each.opts[0]: each.help for each in command.params if isinstance(each, click.Option)}
    assert all(helps[key.cli[0].partition("/")[0]] == key.help for key in options)
    listed = inspect.signature(function).parameters
    assert [*listed][1:] == [key.name for key in keywords]
    assert kinds.__annotations__.keys() == {key.name for key in keywords}
    assert all(listed[key.name].default == key.default for key in keywords)


def test_no_key_of_a_file_stands_twice() -> None:
    names = [key.name for key in keys.IN_FILE]
    assert len(names) == len({*names})
