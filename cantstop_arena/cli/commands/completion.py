"""`arena completion`: lets a shell complete the names of bots, rules and results."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from cantstop_arena.errors import ArenaError, UsageError

_STARTUP_FILES = {
    "bash": ".local/share/bash-completion/completions/arena",
    "zsh": ".zfunc/_arena",
    "fish": ".config/fish/completions/arena.fish",
}
_ONCE = {
    "bash": "The package bash-completion reads it from the next shell on.",
    "zsh": "Once, in ~/.zshrc:  fpath+=(~/.zfunc); autoload -Uz compinit; compinit",
    "fish": "It is read from the next shell on.",
}


@click.command(short_help="Let your shell complete bots, rules and results.")
@click.argument("shell", required=False, metavar="[SHELL]", type=click.Choice([*_STARTUP_FILES]))
@click.option("--print", "to_print", is_flag=True, help="Print the script; install nothing.")
def completion(shell: str | None, to_print: bool) -> None:
    """Install completion for SHELL: bash, zsh or fish. Default: the one that $SHELL names.

    Names of commands, options, bots (versions, too), rules, games and results are completed.
    """
    shell = shell or _own_shell()
    script = get_completion_class(shell)
    assert script is not None, "click knows these shells"
    text = script(click.Command("arena"), {}, "arena", "_ARENA_COMPLETE").source()
    if to_print:
        click.echo(text)
        return
    path = Path.home() / _STARTUP_FILES[shell]
    _write(path, text)
    click.echo(f"Written: {path}\n{_ONCE[shell]}")


def _own_shell() -> str:
    shell = Path(os.environ.get("SHELL", "")).name
    if shell not in _STARTUP_FILES:
        raise UsageError(f"say which shell: {', '.join(_STARTUP_FILES)}")
    return shell


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ArenaError(f"{path} cannot be written: {error.strerror}") from error
