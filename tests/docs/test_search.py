"""Who searches the site finds the page: it has the words that a stranger types where they count."""

import re

import pytest
from helpers.documents import DOCS

SEARCHES = {
    "win rate": "reference/glossary",
    "A/B test": "reference/glossary",
    "hyperparameter": "reference/glossary",
    "timeout": "reference/glossary",
    "variance reduction": "reference/glossary",
    "leaderboard": "reference/glossary",
    "confidence interval": "reference/glossary",
    "sandbox": "reference/glossary",
    "reinforcement learning": "extensions/learn",
    "untrusted bots": "how-to/untrusted-bots",
    "how many games": "how-to/plan",
    "first bot": "tutorial",
    "tune options": "how-to/tune",
    "league": "extensions/league",
    "Slurm": "extensions/cluster",
    "pandas": "how-to/data",
    "rule variant": "how-to/rule-variant",
    "own game": "how-to/new-game",
    "SPRT": "how-to/is-it-better",
    "browser": "extensions/serve",
    "seed": "explanation/reproducibility",
    "published result": "how-to/reproduce",
}
"""What strangers search for, and a page that answers it."""


@pytest.mark.parametrize("query", SEARCHES)
def test_a_page_says_what_it_is_about_in_the_words_of_strangers(query: str) -> None:
    """In its headings, or in its first paragraph; the glossary in one of its rows."""
    text = (DOCS / f"{SEARCHES[query]}.md").read_text("utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    first = next(
        paragraph
        for paragraph in text.split("\n\n")
        if not paragraph.startswith(("#", "```", "<!--"))
    )
    rows = re.findall(r"^\|.*\|$", text, re.MULTILINE) if "glossary" in SEARCHES[query] else []
    found = [" ".join([*headings, first]), *rows]
    assert any(all(word.lower() in place.lower() for word in query.split()) for place in found), (
        SEARCHES[query]
    )
