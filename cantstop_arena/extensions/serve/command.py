"""`arena serve`: results, runs and games in the browser."""

from pathlib import Path

import click

from cantstop_arena.cli.options import bots_option, option
from cantstop_arena.errors import UsageError

_LOCAL = ("127.0.0.1", "::1", "localhost")
_EXPOSED = (
    "--host {} lets other machines in: anyone with the token can play bots and start runs as you."
)


@click.command(short_help="Look at results, watch runs and play in the browser.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8321,
    show_default=True,
    help="Port; 0 takes a free one.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Address to listen on; another one than this machine's own needs --expose.",
)
@click.option("--expose", is_flag=True, help="Let other machines in.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    help="With --expose: a name of this machine in the address of its pages. Repeatable.",
)
@click.option("--open/--no-open", "opens", default=False, help="Open the page in the browser.")
@option("results")
@bots_option
def serve(
    port: int,
    host: str,
    expose: bool,
    names: tuple[str, ...],
    opens: bool,
    results: Path,
    bots_folder: Path,
) -> None:
    """Serve pages to look at results, watch and start runs, play against bots, and review games.

    The address that is printed has a secret token, without which nobody gets in. Use it on a
    machine whose users you trust. Ctrl-C ends the server; runs go on, and games are saved.
    """
    exposed = _EXPOSED.format(host)
    if host not in _LOCAL and not expose:
        raise UsageError(f"{exposed} Add --expose, or use ssh -L {port}:127.0.0.1:{port}.")
    if names and not expose:
        raise UsageError("--name needs --expose: without it pages have the names of this machine")
    from cantstop_arena.extensions.serve.server import serve as serve_pages

    if host not in _LOCAL:
        click.echo(f"Warning: {exposed}", err=True)
        names = (*names, host)

    def ready(address: str) -> None:
        click.echo(f"Pages at {address}   (Ctrl-C ends; runs go on, games are saved)")
        if opens:
            import webbrowser

            webbrowser.open(address)

    serve_pages(host, port, names, results, bots_folder, ready)
