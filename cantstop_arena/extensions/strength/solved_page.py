"""The page of `arena solve`: the value of a board, and where a first turn should end."""

from collections.abc import Iterator

from msgspec.structs import replace

from cantstop_arena.extensions.strength.exact.board import size_of
from cantstop_arena.extensions.strength.solved_board import SolvedBoard
from cantstop_arena.pages.document import Document, Fact, Listing, Section, as_html
from cantstop_arena.pages.number_text import plain, signed
from cantstop_arena.texts import how_many, listed


def solved_page(board: SolvedBoard, command: str) -> str:
    """The page of a solved board as HTML; `command` solves it again."""
    lengths = listed([str(length) for length in board.rules.column_lengths])
    text = "A solved board is stored, and loaded from its file. This command prints its value:"
    document = Document(
        title=board.rules.name,
        about=f"a solved board, {how_many(board.players, 'player')}",
        answer=[
            f"Dice with {board.rules.sides} sides, columns of {lengths} spaces;"
            f" {how_many(board.rules.columns_to_win, 'column')} to win."
        ],
        sections=[
            _stops_section(board),
            _losses_section(board),
            Section(
                "origin",
                "Reproducing these results",
                [text],
                listings=[Listing("The command", command)],
                finding="One command solves the same board",
                folded=True,
            ),
        ],
        headline=board.headline,
        facts=list(_facts(board)),
    )
    return as_html(document)


def _facts(board: SolvedBoard) -> Iterator[Fact]:
    positions = size_of(board.rules, board.players).positions
    if board.players == 1:
        yield Fact("Turns", plain(board.value, 6), "", "to the end, with the best play")
    else:
        yield Fact("The first player wins", f"{plain(100 * board.value, 4)}%", "", "of the games")
        ahead = f"{signed(200 * board.value - 100, 4)}"
        yield Fact("First-player advantage", ahead, "points", "more wins than the second player")
    yield Fact("Positions", f"{positions:,}", "", "each with its exact value")


def _stops_section(board: SolvedBoard) -> Section:
    table, finding = board.stops_table(), board.stops_finding()
    if not table.rows:
        return Section("stops", "The first turn", table.notes, finding=finding)
    notes, table = table.notes, replace(table, notes=())
    return Section("stops", "The first turn", notes, tables=[table], open=True, finding=finding)


def _losses_section(board: SolvedBoard) -> Section:
    table, finding = board.losses_table(), board.losses_finding()
    if not table.rows:
        return Section("losses", table.title, finding=finding)
    notes, table = table.notes, replace(table, notes=())
    return Section("losses", table.title, notes, tables=[table], open=True, finding=finding)
