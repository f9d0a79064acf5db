"""What a stranger gets: the built wheel alone, in an environment of its own, in an empty folder.

`make wheel-test` builds the wheel and runs this with its path. Each command must end with exit
code 0 and leave what it promises; nothing of the checkout can be imported there.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TOURNAMENT = """\
rules: classic
seed: 1
games: 200
bots: [rule28, mine, glenn-aloi]
"""


def main(wheel: Path) -> None:
    """Install `wheel` and use it as the README says; raise where a command fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = _installed(wheel, folder / "environment")
        arena = programs / "arena"
        _try(arena, folder / "bare")
        _refuses_to_serve(arena, folder)
        pip = [str(programs / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, f"{wheel.resolve()}[all]"], check=True)
        _serves(arena, folder)
        (extensions,) = (folder / "environment").glob("lib/*/site-packages/*/extensions")
        for extension in extensions.iterdir():
            if extension.is_dir():
                shutil.rmtree(extension)
        _try(arena, folder / "core")
    print(f"{wheel.name}: every command works from the wheel alone, with and without extensions")


def _installed(wheel: Path, environment: Path) -> Path:
    """A new environment with `wheel` and what it requires; the folder of its programs."""
    venv.create(environment, with_pip=True)
    programs = environment / "bin"
    subprocess.run(
        [programs / "python", "-m", "pip", "install", "--quiet", wheel.resolve()], check=True
    )
    return programs


def _refuses_to_serve(arena: Path, folder: Path) -> None:
    """Without starlette and uvicorn: one sentence, and no address that nobody serves."""
    words = [str(arena), "serve", "--port", "0"]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600)
    assert result.returncode == 2 and not result.stdout, result
    assert "cantstop-arena[serve]" in result.stderr, result.stderr


def _serves(arena: Path, folder: Path) -> None:
    words = [str(arena), "serve", "--port", "0"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout and "Pages at http://127.0.0.1:" in server.stdout.readline()
        server.terminate()


def _try(arena: Path, work: Path) -> None:
    work.mkdir()

    def called(*words: str) -> str:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        asked = [str(arena), *words]
        result = subprocess.run(asked, cwd=work, env=environment, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"arena {' '.join(words)}: exit {result.returncode}\n{result.stderr}")
        return result.stdout

    called("--version")
    called("bots", "new", "mine")
    (work / "evening.yaml").write_text(TOURNAMENT, encoding="utf-8")
    called("run", "evening.yaml", "--workers", "1")
    results = work / "results" / "evening"
    summary = json.loads((results / "summary.json").read_text(encoding="utf-8"))
    assert len(summary["standings"]) == 3, summary["standings"]
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page and "mine" in page
    game = next((results / "games").glob("*.jsonl"))
    called("replay", str(game), "--html", "game.html")
    assert (work / "game.html").stat().st_size > 0
    assert "mine" in called("bots")
    called("rules")
    called("games")
    called("odds")
    called("rate", "results/evening")
    called("play", "--help")
    called("compare", "--help")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
