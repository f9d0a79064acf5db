"""What a league keeps to itself: dice, and names behind pseudonyms."""

from cantstop_arena.leagues.secrets import check_seed, dice_seeds, pseudonyms, without_names


def test_seasons_and_checks_have_other_dice() -> None:
    seeds = [*dice_seeds("autumn", 1, 8), *dice_seeds("autumn", 2, 8), check_seed("autumn")]
    seeds += dice_seeds("winter", 1, 8)
    assert len(set(seeds)) == 25
    assert dice_seeds("autumn", 1, 8) == seeds[:8]


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
    assert without_names(text, "submissions") == "raised KeyError: 8 (bot.py:41)"
    text = "both /home/ada/submissions/s07/bot.py and a/b are here"
    assert without_names(text, "submissions") == "both bot.py and a/b are here"
