"""What a league keeps to itself: dice, and names behind pseudonyms."""

from pathlib import Path

import pytest

from cantstop_arena.extensions.league.secrets import (
    check_seed,
    pseudonyms,
    season_seed,
    without_names,
)

FOLDER = Path("submissions")


def test_seasons_and_checks_have_other_dice() -> None:
    seeds = [season_seed("autumn", 1), season_seed("autumn", 2), check_seed("autumn")]
    assert len({*seeds, season_seed("winter", 1)}) == 4
    assert season_seed("autumn", 1) == seeds[0]


def test_a_pseudonym_does_not_depend_on_others() -> None:
    few, many = (pseudonyms(7, [f"s{n:03}" for n in range(count)]) for count in (20, 200))
    assert few == {name: many[name] for name in few}
    assert len(set(many.values())) == 200
    assert pseudonyms(8, few) != few


def test_two_participants_never_share_a_pseudonym() -> None:
    ids = [f"s{n}" for n in range(3000)]
    assert len(set(pseudonyms(1, ids).values())) == len(ids)


def test_messages_lose_their_paths() -> None:
    text = "raised KeyError: 8 (submissions/s07/bot.py:41)"
    assert without_names(text, "s07", FOLDER) == "raised KeyError: 8 (bot.py:41)"
    text = "both /home/ada/submissions/s07/bot.py and a/b are here"
    assert without_names(text, "s07", FOLDER) == "both bot.py and a/b are here"


@pytest.mark.parametrize("folder", ["submissions", "my class/submissions", "/srv/x y/in"])
@pytest.mark.parametrize("identity", ["ada", "Ada Lovelace", "a+b", "Zoë"])
def test_messages_lose_the_id(identity: str, folder: str) -> None:
    where = Path(folder)
    for path in (where, where.absolute(), Path("../other")):
        text = f"no move (in '{path / identity}/bot.py', line 3)"
        assert without_names(text, identity, where) == "no move (in 'bot.py', line 3)"
    text = f"bot {identity} 1 cannot be built: {identity.upper()}"
    assert without_names(text, identity, where) == "bot … 1 cannot be built: …"
    assert identity not in without_names(f"{where / identity} is no folder", identity, where)


def test_words_that_contain_the_id_stay() -> None:
    text = "Canada/x.py and adaptive stay"
    assert without_names(text, "ada", FOLDER) == text
