"""`arena cubus`: the list of targets."""

import json
from itertools import islice

import click

from cantstop_arena.errors import UsageError
from cantstop_arena.views.command_options import json_only_flag


@click.group()
def cubus() -> None:
    """Analyse positions of Cubus."""


@cubus.command(short_help="List what can be built with a hand.")
@click.argument("pile")
@click.argument("hand")
@click.option("--open", "opened", multiple=True, metavar="X,Y", help="A cell with an open card.")
@click.option("--rules", "name", default="leaflet", show_default=True, help="Rule set by name.")
@click.option(
    "--most",
    "max_lines",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Lines shown.",
)
@click.option("--no-box", is_flag=True, help="Search without a box, which can take long.")
@json_only_flag
def targets(
    pile: str,
    hand: str,
    opened: tuple[str, ...],
    name: str,
    max_lines: int,
    no_box: bool,
    as_json: bool,
) -> None:
    """List what can be built from PILE with the cards of HAND, most points first.

    \b
    arena cubus targets 1@0,0 TLR              one crate, and a lid, a left and a right card
    arena cubus targets 22/21@0,0 LRO --open 1,1
    """
    from cantstop_arena.extensions.cubus.choices.named_positions import view_of

    view = view_of(pile, hand, [_cell(cell) for cell in opened], name)
    listed = list(islice(view.iter_targets("none" if no_box else None), max_lines))
    if as_json:
        click.echo(json.dumps([target._asdict() for target in listed]))
        return
    click.echo("points  open cards  pile")
    for target in listed:
        click.echo(f"{target.points:>6}  {target.least:>4} to {target.most:<2}  {target.pile}")
    if not listed:
        click.echo("Nothing can be built.")


def _cell(text: str) -> tuple[int, int]:
    parts = text.split(",")
    try:
        x, y = map(int, parts)
    except ValueError:
        raise UsageError(f"invalid --open {text!r:.40}: use X,Y, for example 1,0") from None
    return x, y
