"""What the site does beyond its configuration (mkdocs.yml)."""

from typing import Any

NOT_SEARCHED = {"CHANGELOG.md", "docs/explanation/coverage.md"}
"""They have most words often, and answer no question."""


PREFERRED = ("docs/tutorial.md", "docs/how-to/", "docs/reference/glossary.md")
"""Who searches wants to do something, or to know a word: reference pages only repeat words."""


def on_page_markdown(markdown: str, page: Any, **_: Any) -> None:
    """Leave some pages out of the search, and show others first."""
    if page.file.src_uri in NOT_SEARCHED:
        page.meta["search"] = {"exclude": True}
    elif page.file.src_uri.startswith(PREFERRED):
        page.meta["search"] = {"boost": 3}
