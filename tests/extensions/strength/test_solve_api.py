"""`ca.solve`: its progress is that of all functions of the API."""

from pathlib import Path

import pytest

import cantstop_arena as ca
from cantstop_arena.tournaments.run_observer import RunObserver


class Recorder(RunObserver):
    """Notes the name of the work, its total, and the end."""

    def __init__(self) -> None:
        self.events: list[object] = []

    def __call__(self, name: str) -> RunObserver:
        self.events.append(name)
        return self

    def on_start(self, played: int, games: int) -> None:
        self.events.append(games)

    def close(self) -> None:
        self.events.append("end")


def test_progress_is_observed_as_in_other_calls(tmp_path: Path) -> None:
    recorder = Recorder()
    ca.solve("2,1", players=1, tables=tmp_path, progress=recorder)
    name, *totals, end = recorder.events
    assert str(name).startswith("Solving ") and end == "end"
    assert totals and all(isinstance(total, int) and total > 1 for total in totals)


def test_a_line_counts_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ca.solve("2,1", players=1, tables=tmp_path, progress=True)
    assert " positions, " in capsys.readouterr().err


@pytest.mark.slow
def test_rows_of_a_board_are_those_of_the_page(tmp_path: Path) -> None:
    solved = ca.solve("3,1", players=2, tables=tmp_path)
    assert solved.stops[0]["runners"] == "1 in 2, 1 in 3, 5 in 4"
    assert all(row["stopping"] >= row["rolling"] for row in solved.stops)
    losses = {row["bot"]: row["lost"] for row in solved.losses}
    assert [*losses.values()] == sorted(losses.values())
    assert losses["glenn-aloi"] < losses["random"]
