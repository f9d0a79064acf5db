"""`arena extensions`: what extensions there are."""

import click

from cantstop_arena.views.command_options import TableOutput, format_options, print_plain_tables


@click.command(short_help="List the extensions that are there.")
@format_options
def extensions(output: TableOutput) -> None:
    """List the extensions: what they add, and why one is left out.

    Those of the arena lie in its own package; others are declared by installed packages.
    """
    from cantstop_arena import __version__
    from cantstop_arena.extension_hooks import GROUP
    from cantstop_arena.extension_registry import broken_extensions, loaded_extensions
    from cantstop_arena.packages import distribution_of, entry_points_of
    from cantstop_arena.tables.column import Column, Table

    packages = {point.name: distribution_of(point) for point in entry_points_of(GROUP)[0]}
    rows = [
        (name, packages.get(name, f"cantstop-arena {__version__}"), ", ".join(added), "")
        for name, added in sorted(loaded_extensions().items())
    ]
    rows += [
        (name, packages.get(name, ""), "", reason)
        for name, reason in sorted(broken_extensions().items())
    ]
    columns = [Column(key, key) for key in ("extension", "package", "adds", "problem")]
    columns[-1] = Column("problem", "left out, because", optional=True)
    print_plain_tables([Table("extensions", "Extensions", columns, rows)], output)
