"""Upsets: the pairs in which the lower bot of the standings won more than half."""

import json
from collections.abc import Iterator
from pathlib import Path

import click

import cantstop_arena as ca
from cantstop_arena.pages.document import Section
from cantstop_arena.tables.column import Column, Table, number


def upsets(folder: Path | str) -> list[dict[str, object]]:
    """The upsets of a tournament: who won, against whom, and the share of games won."""
    results = ca.open(folder)
    rank = {row["bot"]: number for number, row in enumerate(results.standings.rows)}
    return [
        {"bot": winner, "against": loser, "score": score}
        for row in results.pairs.rows
        for winner, loser, score in (
            (row["bot"], row["against"], row["score"]),
            (row["against"], row["bot"], 1 - row["score"]),
        )
        if score > 0.5 and rank[winner] > rank[loser]
    ]


def sections(folder: Path) -> Iterator[Section]:
    """The section of the tournament's page."""
    rows = json.loads((folder / "upsets.json").read_text("utf-8"))
    columns = (Column("bot", "bot"), Column("against", "against"), number("score", "score", 3))
    table = Table("upsets", "Upsets", columns, [[*row.values()] for row in rows])
    yield Section("upsets", "Upsets", tables=[table], open=True, finding=f"{len(rows)} upsets")


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
def command(folder: Path) -> None:
    """List the upsets of the tournament in FOLDER; arena report puts them on its page."""
    rows = upsets(folder)
    (folder / "upsets.json").write_text(json.dumps(rows) + "\n", "utf-8")
    for row in rows:
        click.echo("{bot} beat {against}: {score:.1%}".format(**row))
    click.echo(f"{len(rows)} upsets")
