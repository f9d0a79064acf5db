"""The sources that are compiled with the engine of Can't Stop (the slot `sources`)."""

from pathlib import Path

FOLDERS = tuple(Path(__file__).with_name(name) for name in ("exact", "nets"))
