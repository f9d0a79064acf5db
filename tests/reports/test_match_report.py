"""A match has one score and one Elo with one interval, wherever they are printed."""

import json
import re
from pathlib import Path

import pytest
from helpers.arena import Arena, Done
from helpers.pages import Page
from helpers.parameters import slow_but

import cantstop_arena as ca


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


MATCHES = [
    ("rule28:threshold=30", "rule28", "--games", "400"),
    ("rule28", "rule28:threshold=30", "--games", "400", "--luck-removed"),
    ("cautious", "rule28", "--games", "40"),
    ("cautious", "rule28", "--sprt", "0", "10"),
    ("careful", "drunk", "--games", "40", "--game", "salvage"),
    ("rule28", "random", "--games", "4"),
    ("rule28", "glenn-aloi", "--players", "3", "--games", "60"),
    ("cautious", "rule28", "--players", "3", "--sprt", "0", "100"),
]


def printed(done: Done, row: str) -> list[float | None]:
    """The number and the interval that a row of the match has on the terminal."""
    cells = re.search(rf"^{row} +(.+) \((.+) to (.+)\)$", done.text, re.M)
    assert cells, done.text
    return [None if cell == "no bound" else float(cell) for cell in cells.groups()]


def leads(done: Done, first: str) -> list[float | None]:
    """The first bot's lead over the mean of the others by the standings.

    Of two bots also its interval: 1500 is halfway between them.
    """
    rows = done.table("standings")
    (row,) = (row for row in rows if row["bot"] == first)
    if len(rows) > 2:
        others = [float(other["elo"]) for other in rows if other is not row]
        return [float(row["elo"]) - sum(others) / len(others)]
    ends = (row["elo"], row["elo_low"], row["elo_high"])
    return [2 * (float(end) - 1500) if end else None for end in ends]


@pytest.mark.parametrize("words", slow_but([2, 4, 5], [(one,) for one in MATCHES]), ids=" ".join)
@pytest.mark.usefixtures("second_game")
def test_terminal_json_csv_page_and_api_have_one_elo(arena: Arena, words: tuple[str, ...]) -> None:
    done = arena("match", *words, "--seed", "1", "--page")
    elo = printed(done, "Elo")
    content = json.loads((done.folder / "match.json").read_text())
    stored = [content["elo"], content["elo_low"], content["elo_high"]]
    assert elo == [None if end is None else pytest.approx(end, abs=0.051) for end in stored]
    known = leads(done, words[0])
    expected = [None if end is None else pytest.approx(end, abs=0.021) for end in known]
    assert stored[: len(known)] == expected
    mean = elo[0]
    assert mean is not None
    text = Page(done.page).text
    lead = re.search(r"Lead ([+\u2212][\d.,]+) ", text)
    assert lead and float(lead[1].replace("\u2212", "-").replace(",", "")) == mean
    assert f"{'ahead of' if mean > 0 else 'behind'} {words[1]}" in text
    headline = content["headline"]
    assert f"\n\n{headline}.\n\n" in done.text and headline in text
    scores = [content["score"], content["score_low"], content["score_high"]]
    (row,) = (row for row in done.table("standings") if row["bot"] == words[0])
    assert scores == [float(row[key]) for key in ("score", "score_low", "score_high")]
    assert printed(done, "score %") == [pytest.approx(100 * end, abs=0.0051) for end in scores]


@pytest.mark.parametrize("words", slow_but([0], [(one,) for one in MATCHES[:4:3]]), ids=" ".join)
def test_the_api_has_the_elo_of_the_command(arena: Arena, words: tuple[str, ...]) -> None:
    done = arena("match", *words, "--seed", "1")
    content = json.loads((done.folder / "match.json").read_text())
    sprt = (0, 10) if "--sprt" in words else None
    games = None if sprt else 400
    result = ca.match(*words[:2], games=games, sprt=sprt, seed=1, results="again")
    keys = ("elo", "elo_low", "elo_high")
    assert result.elo == pytest.approx([content[key] for key in keys], abs=1e-6)
    assert result.score == pytest.approx(content["score"], abs=1e-9)
    assert result.headline == content["headline"]


@pytest.mark.slow
def test_the_headline_answers_what_the_match_was_asked(arena: Arena) -> None:
    def headline(*words: str) -> str:
        done = arena("match", *words, "--seed", "1")
        told = json.loads((done.folder / "match.json").read_text())["headline"]
        assert f"\n\n{told}.\n\n" in done.text
        return str(told)

    pair = ("cautious", "rule28")
    assert headline(*pair, "--sprt", "0", "100") == "cautious is not 100 Elo stronger than rule28"
    assert headline(*pair[::-1], "--sprt", "0", "100") == "rule28 is stronger than cautious"
    assert headline(*pair, "--sprt", "-100", "0") == "cautious is weaker than rule28"
    few = ("rule28", "rule28:threshold=29", "--games", "20")
    assert headline(*few, "--sprt", "0", "5") == "Undecided after 20 games"
    assert headline(*pair, "--games", "400").endswith("% against rule28")
    assert headline(*few).endswith("; it stays open who is stronger")
    assert headline(*pair, "--games", "2").endswith("; it stays open who is stronger")
    assert "against rule28 in the other 2 seats" in headline(*pair, "--players", "3")


def test_the_games_count_that_are_asked_for_whatever_is_stored(arena: Arena) -> None:
    arena("match", "rule28:threshold=30", "rule28", "--games", "400", "--seed", "1")
    done = arena("match", "rule28:threshold=30", "rule28", "--games", "20", "--seed", "1")
    assert "20 games, 10 deals in both seatings" in done.text
    elo = printed(done, "Elo")
    expected = leads(done, "rule28:threshold=30")
    assert elo == [pytest.approx(end, abs=0.071) for end in expected if end is not None]


def test_the_page_is_the_same_from_the_ledger(arena: Arena) -> None:
    done = arena("match", "cautious", "rule28", "--games", "40", "--seed", "1", "--page")
    assert "against rule28</h1>" in done.page
    page = done.page
    arena("report", done.folder)
    assert done.page == page


def test_the_page_of_a_match_with_copies_compares_with_their_mean(arena: Arena) -> None:
    words = ("match", "cautious", "rule28", "--players", "3", "--games", "120", "--seed", "1")
    done = arena(*words, "--page")
    text = Page(done.page).text
    assert "cautious scores 8.3% against rule28 in the other 2 seats" in text
    assert "behind rule28 in the other 2 seats" in text and "an even score is 33.3%" in text
    assert "it stays open" not in text


def test_a_test_is_about_the_deals_up_to_its_end(arena: Arena) -> None:
    arena("match", "cautious", "rule28", "--games", "400", "--seed", "1")
    done = arena("match", "cautious", "rule28", "--sprt", "0", "200", "--seed", "1")
    assert "200 games, 100 deals" in done.text and "the first" not in done.text


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--luck-removed",), ("--players", "3")], ids=" ".join)
def test_the_page_has_the_test_and_its_verdict(arena: Arena, more: tuple[str, ...]) -> None:
    words = ("match", "cautious", "rule28", "--sprt", "0", "100", "--seed", "1", *more)
    done = arena(*words, "--page")
    text = Page(done.page).text
    assert "The test ended after " in text
    for line in done.text.splitlines():
        if line.startswith(("H0", "LLR", "Luck removed: ")):
            assert line.replace(" -", " \u2212") in text
    assert ("deals are won twice by the same bot" in text) is ("--players" not in words)
    assert "Log-likelihood ratio" in text
    page = done.page
    arena("report", done.folder)
    assert done.page == page
    plain = arena("match", "rule28", "cautious", "--games", "40", "--seed", "1", "--page")
    assert "Log-likelihood ratio" not in Page(plain.page).text
