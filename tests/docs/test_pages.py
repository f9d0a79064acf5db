"""Every block of every page is typed in page order, in an empty folder; what is printed is true.

`make pages` writes what commands have printed into the pages, where no `...` stands for a part.
"""

import re
from pathlib import Path

import pytest
from helpers.documents import EXPLANATION, PAGES, name_of, page_blocks
from helpers.reader import Reader

QUICK = [EXPLANATION / "reproducibility.md"]
EXAMPLE = re.compile(r"pip install examples/(\w+)")
"""How a page has the reader install a package of examples/; that needs no network here."""
SHORTER = {
    "docs/extensions/learn.md": [
        ("--updates 60 --every 20", "--updates 2 --games 40 --envs 32"),
        ("--games 2000", "--games 20"),
        ("--games 200", "--games 4"),
        ("games: 200", "games: 4"),
    ],
}
"""What the reader writes in place of the numbers of a page that would take minutes."""
TYPED = [
    page
    for page in PAGES
    if any(block.kind in ("console", "python") for block in page_blocks(page))
]


def parameters() -> list[object]:
    slow = pytest.mark.slow
    return [
        pytest.param(page, marks=() if page in QUICK else slow, id=name_of(page)) for page in TYPED
    ]


@pytest.mark.parametrize("page", parameters())
def test_a_page_says_what_happens(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    reader = Reader(tmp_path)
    for example in dict.fromkeys(EXAMPLE.findall(page.read_text("utf-8"))):
        reader.install_example(example)
    text = reader.read(page, SHORTER.get(name_of(page), ()))
    if request.config.getoption("write_pages"):
        page.write_text(text, "utf-8")
    assert not reader.wrong, "\n\n".join(reader.wrong)


@pytest.mark.cold
@pytest.mark.long
@pytest.mark.parametrize("page", TYPED, ids=name_of)
def test_a_page_works_from_nothing(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path, cold=True)
    for example in dict.fromkeys(EXAMPLE.findall(page.read_text("utf-8"))):
        reader.install_example(example)
    reader.read(page, SHORTER.get(name_of(page), ()))
    assert not reader.wrong, "\n\n".join(reader.wrong)
