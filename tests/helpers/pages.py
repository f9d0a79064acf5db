"""Pages taken apart, and what all of them have to be like."""

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

MOST_BYTES = 1_500_000
SERIOUS = ("serious", "critical")  # what axe may not find
HOSTILE = (
    "<script>alert(1)</script>",
    "</style></title><img src=x onerror=alert(2)>",
    "🎲 dice & \"co\" 'x' {{ 7 * 7 }} {% raw %}",
    "two\nlines\x1b[31m\udcff",
)
VOID = {"meta", "br", "img", "link", "hr", "input"}
DATA = "application/json"
FORBIDDEN = {"img", "iframe", "object", "base", "form"}


class Page(HTMLParser):
    """A page taken apart; complains where elements are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def checked(text: str) -> Page:
    """What every page has to be like."""
    assert len(text.encode("utf-8", "backslashreplace")) < MOST_BYTES
    page = Page(text)
    tags = Counter(tag for tag, _ in page.elements)
    assert not tags.keys() & FORBIDDEN
    assert page.all("html")[0]["lang"] == "en"
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        target = attributes.get("href", "#")
        if attributes.get("rel") == "icon":
            assert target.startswith("data:image/svg+xml,")
            continue
        assert target.startswith("#") and (target == "#" or target[1:] in ids)
        assert "src" not in attributes
        for name in ("aria-labelledby", "aria-describedby"):
            assert {*attributes.get(name, "").split()} <= {*ids}
    check_scripts(page)
    check_headings(page)
    check_charts(text, page)
    return page


def check_scripts(page: Page) -> None:
    """One script, with data for each game and crosstable; the policy knows of it."""
    policy = page.all("meta")[1]["content"]
    looks = [one.get("class", "").split() for one in page.all("div")]
    games = [look for look in looks if {"game", "crosstable"} & {*look}]
    kinds = Counter(script.get("type") for script in page.all("script"))
    assert kinds == Counter({DATA: len(games), None: 1})
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert policy.count("script-src") == 1


def check_headings(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def check_charts(text: str, page: Page) -> None:
    """Every drawing is a picture with a name, or stands beside its numbers."""
    for svg in page.all("svg"):
        if svg.get("class", "").startswith("p "):
            assert svg.get("aria-hidden") == "true" or svg["aria-label"]
    written = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert "NaN" not in written and "undefined" not in written
