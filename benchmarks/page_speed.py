"""The page of a tournament of 20 bots: its size, and the processor time that it takes to write.

    python benchmarks/page_speed.py

At most 400 kB and 0.6 s are wanted. The best of five is printed, after a first page that loads
what pages need; games between weak bots are longer, and so are their replays. NumPy has one thread,
as in the command `arena`: several would spend processor time waiting for each other.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import tempfile
import time
from pathlib import Path

import cantstop_arena as ca
from cantstop_arena.reports.write_page import tournament_page
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims

BOTS = [f"rule28:threshold={threshold}" for threshold in range(18, 38)]
WANTED = 400_000, 0.6


def main() -> None:
    """Play the tournament, and write its page six times."""
    with tempfile.TemporaryDirectory() as folder:
        ca.tournament(BOTS, name="twenty", games=2000, seed=1, results=folder).run()
        found = Path(folder) / "twenty"
        times = []
        for _ in range(6):
            analysis = Analysis(load_results_with_aims(found))
            started = time.process_time()
            page = tournament_page(analysis, found)
            times.append(time.process_time() - started)
    size, seconds = len(page.encode()), min(times[1:])
    print(f"{len(BOTS)} bots: {size:,} bytes ({WANTED[0]:,}), {seconds:.2f} s ({WANTED[1]} s)")


if __name__ == "__main__":
    main()
