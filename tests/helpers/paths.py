"""Folders of the repository."""

from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
