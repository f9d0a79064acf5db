"""Servers for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.pages_server import PagesServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PagesServer]:
    """A server with a folder of its own for the tests of a file."""
    folder = tmp_path_factory.mktemp("served")
    started = PagesServer(folder)
    yield started
    if started.process.poll() is None:
        started.end()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[PagesServer]:
    """A server with a folder of its own for one test."""
    started = PagesServer(tmp_path)
    yield started
    if started.process.poll() is None:
        started.end()
