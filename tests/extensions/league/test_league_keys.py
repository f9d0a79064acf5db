"""The keys of leagues: the same in files, on the command line and in Python."""

import inspect

import click
from helpers.arena import Arena

import cantstop_arena as ca
from cantstop_arena.cli import main
from cantstop_arena.extensions.league.api import LeagueKeys
from cantstop_arena.extensions.league.keys import IN_FILE, OF_COMMAND, OF_FUNCTION


def test_the_command_and_the_function_have_their_keys(arena: Arena) -> None:
    command = main.get_command(click.Context(main), "league")
    assert command
    helps = {each.opts[0]: each.help for each in command.params if isinstance(each, click.Option)}
    assert all(helps[key.cli[0]] == key.help for key in OF_COMMAND)
    listed = inspect.signature(ca.league).parameters
    assert [*listed][1:] == [key.name for key in OF_FUNCTION]
    assert LeagueKeys.__annotations__.keys() == {key.name for key in OF_FUNCTION}
    assert all(listed[key.name].default == key.default for key in OF_FUNCTION)


def test_no_key_of_a_file_stands_twice() -> None:
    names = [key.name for key in IN_FILE]
    assert len(names) == len({*names})
