"""What the site does beyond its configuration (mkdocs.yml)."""

from typing import Any

NOT_SEARCHED = {"CHANGELOG.md", "docs/explanation/coverage.md"}
"""They have most words often, and answer no question."""


def on_page_markdown(markdown: str, page: Any, **_: Any) -> None:
    """Leave some pages out of the search."""
    if page.file.src_uri in NOT_SEARCHED:
        page.meta["search"] = {"exclude": True}
