"""`arena completion`: installs shell completion for the names of bots, rules and results."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from cantstop_arena.atomic_files import check_output_folder, write_atomically
from cantstop_arena.errors import UsageError

_SCRIPT_PATHS = {
    "bash": ".local/share/bash-completion/completions/arena",
    "zsh": ".zfunc/_arena",
    "fish": ".config/fish/completions/arena.fish",
}
_NEXT_STEPS = {
    "bash": "It is active in new shells (needs the package bash-completion).",
    "zsh": "Add once to ~/.zshrc:  fpath+=(~/.zfunc); autoload -Uz compinit; compinit",
    "fish": "It is active in new shells.",
}


@click.command(short_help="Install shell completion for bots, rules and results.")
@click.argument("shell", required=False, metavar="[SHELL]", type=click.Choice([*_SCRIPT_PATHS]))
@click.option(
    "--print", "to_print", is_flag=True, help="Print the script instead of installing it."
)
def completion(shell: str | None, to_print: bool) -> None:
    """Install completion for SHELL: bash, zsh or fish. Default: the shell in $SHELL.

    It completes commands, options, bots and their versions, rules, games and results.
    """
    shell = shell or _own_shell()
    script = get_completion_class(shell)
    assert script is not None, "click supports these shells"
    text = script(click.Command("arena"), {}, "arena", "_ARENA_COMPLETE").source()
    if to_print:
        click.echo(text)
        return
    path = Path.home() / _SCRIPT_PATHS[shell]
    _write(path, text)
    click.echo(f"Written: {path}\n{_NEXT_STEPS[shell]}")


def _own_shell() -> str:
    shell = Path(os.environ.get("SHELL", "")).name
    if shell not in _SCRIPT_PATHS:
        raise UsageError(f"unknown shell {shell!r}; name one of: {', '.join(_SCRIPT_PATHS)}")
    return shell


def _write(path: Path, text: str) -> None:
    check_output_folder(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
