"""Make the pictures of the documentation with this version: python docs/pictures/make.py [NAME...]

Each picture is what commands write in an empty folder: a file, or a page in a window of a browser.
Screenshots need chromium. Nothing is drawn by hand.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from cantstop_arena import __version__

HERE = Path(__file__).parent
QUICKSTART = HERE.parents[1] / "tournaments" / "quickstart.yaml"
EXAMPLE = HERE.parents[1] / "bots" / "example.py"
WINDOW = "1280,900"


class Picture(NamedTuple):
    """A picture: the files in the folder, the commands, and what they write."""

    files: dict[str, str]
    commands: list[str]
    made: str
    """A picture, or a page that is photographed."""


FILE = "tournaments/quickstart.yaml"
CUP = {
    FILE: QUICKSTART.read_text("utf-8"),
    "bots/example.py": EXAMPLE.read_text("utf-8"),
}
PICTURES = {
    "tournament.png": Picture(CUP, [f"run {FILE} --quiet"], "results/quickstart/report.html"),
    "board.svg": Picture(
        CUP,
        [f"draw {FILE} rule28 example --deal 0 --turn 17 --roll 3 --svg board.svg"],
        "board.svg",
    ),
}
VERSION = HERE / "version.txt"


def make(picture: Picture, target: Path, folder: Path) -> None:
    """Run the commands in an empty folder, and take what they write."""
    for name, text in picture.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    for command in picture.commands:
        words = [sys.executable, "-m", "cantstop_arena", *command.split()]
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    if target.suffix == Path(picture.made).suffix:
        shutil.copy(folder / picture.made, target)
    else:
        photograph(folder / picture.made, target)


def photograph(page: Path, target: Path) -> None:
    """Save what a window of a browser shows of a page."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        sys.exit("screenshots need chromium")
    words = ["--headless=new", "--no-sandbox", "--hide-scrollbars", f"--window-size={WINDOW}"]
    words += ["--force-device-scale-factor=1", f"--screenshot={target.resolve()}"]
    subprocess.run([browser, *words, page.as_uri()], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        with tempfile.TemporaryDirectory() as place:
            make(PICTURES[name], HERE / name, Path(place))
        print(HERE / name)
    VERSION.write_text(f"{__version__}\n", "utf-8")
