"""The comparison file: what it may say, every problem at its place, and who sits where."""

import textwrap
from collections import Counter
from pathlib import Path

import pytest

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import MAX_NAME_LENGTH
from cantstop_arena.comparisons.comparison_file import Comparison, folder_names, read, repeat_bots
from cantstop_arena.comparisons.deal_ratios import DEFAULT_IGNORED, ORDER
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.errors import ConfigError, UsageError
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.tournament import Overrides

CATALOGUE = Catalogue(Path("no such folder"))
MANUAL = """
name: jump-or-share
compare: [classic, jump, leave, {base: classic, columns_to_win: 4}]
baseline: classic
players: [2, 4]
games: 200000
bots: [rule28, glenn-aloi, odds]
"""
SHORT = "compare: [classic, jump]\nbots: [rule28]\n"


def loaded(folder: Path, text: str, overrides: Overrides | None = None) -> Comparison:
    (folder / "rules.yaml").write_text(textwrap.dedent(text))
    return read(folder / "rules.yaml", CATALOGUE, overrides or Overrides())


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        loaded(folder, text)
    assert caught.value.exit_code == 2
    return [f"{line}:{column}: {message}" for _, line, column, message in caught.value.problems]


def test_the_file_of_the_manual(tmp_path: Path) -> None:
    comparison = loaded(tmp_path, MANUAL)
    names = ["classic", "jump", "leave", "classic, columns_to_win 4"]
    assert [rules.name for rules in comparison.rules] == names
    assert comparison.baseline.name == "classic"
    assert [rules.name for rules in comparison.variants] == names[1:]
    assert (comparison.players, comparison.games, comparison.has_random_seed) == (
        (2, 4),
        200_000,
        True,
    )
    assert [entrant.name for entrant in comparison.entrants] == ["rule28", "glenn-aloi", "odds"]


def test_defaults(tmp_path: Path) -> None:
    comparison = loaded(tmp_path, SHORT)
    assert (comparison.name, comparison.players, comparison.games) == ("rules", (2,), 10_000)
    assert comparison.baseline.name == "classic"
    assert comparison.policy.decision_limit == 1
    limits = (
        comparison.ignored["turns"],
        comparison.ignored["bust_rate"],
        comparison.ignored[ORDER],
    )
    assert limits == (DEFAULT_IGNORED[COUNT], DEFAULT_IGNORED[SHARE], DEFAULT_IGNORED[SHARE])


def test_what_is_negligible_for_all_or_for_some(tmp_path: Path) -> None:
    assert set(loaded(tmp_path, SHORT + "ignore_below: 0.05").ignored.values()) == {0.05}
    ignored = loaded(tmp_path, SHORT + "ignore_below: {turns: 0.5, order: 0}").ignored
    assert (ignored["turns"], ignored["order"], ignored["rolls"]) == (0.5, 0, 0.01)


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    comparison = loaded(tmp_path, SHORT, Overrides(7, 9))
    assert (comparison.games, comparison.seed) == (7, 9)
    with pytest.raises(UsageError, match="games must be a whole number from 1"):
        loaded(tmp_path, SHORT, Overrides(0))


def test_all_problems_at_once_at_their_places(tmp_path: Path) -> None:
    text = """\
    compare:
      - classic
      - jmp
      - {base: classic, colums_to_win: 4}
      - {base: classic, columns_to_win: 40}
      - classic
      - [jump]
    baseline: clasic
    players: [2, 5, 2]
    ignore_below: {turn: 0.1, rolls: a bit, order: 2}
    decision_limit: 0
    bots: [rule29]
    seeds: 3
    """
    told = problems(tmp_path, text)
    places = [line.split(": ")[0] for line in told]
    assert places == [
        "3:5", "4:21", "5:21", "6:5", "7:5", "8:11", "9:14", "9:17", "10:16", "10:34", "10:48",
        "11:17", "12:8", "13:1",
    ]  # fmt: skip
    words = "\n".join(told)
    for message in (
        "unknown rules 'jmp' (did you mean 'jump'?)",
        "unknown key 'colums_to_win' (did you mean 'columns_to_win'?)",
        "columns_to_win must be a whole number from 1 to 11, not 40",
        "line 2 has rules called 'classic'; give these another name with name:",
        "unknown baseline 'clasic' (did you mean 'classic'?)",
        "players must be a whole number from 1 to 4, not 5",
        "players 2 stands here twice",
        "unknown key 'turn' (did you mean 'turns'?)",
        "rolls must be a number from 0 to 1 (0.01 is one percent), not 'a bit'",
        "order must be a number from 0 to 1 (0.01 is one percent), not 2",
        "unknown bot 'rule29'",
        "unknown key 'seeds' (did you mean 'seed'?)",
    ):
        assert message in words, message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bots: [odds]", "1:1: compare is missing; write compare: [classic, jump]"),
        ("compare: [jump]\nbots: [odds]", "1:1: compare needs at least 2 rule sets, not 1"),
        ("compare: jump\nbots: [odds]", "1:10: compare must be a list, not 'jump'"),
        ("compare: [jump, classic]", "1:1: bots are missing; write bots: [NAME, NAME]"),
        (SHORT + "players: []", "3:10: players must be a number, or a list of numbers"),
        (
            SHORT + "ignore_below: -1",
            "3:15: ignore_below must be a number from 0 to 1 (0.01 is one",
        ),
        (SHORT + "ignore_below: [1]", "3:15: ignore_below must be a number from 0 to 1 (0.01 is o"),
        ("[classic]", "1:1: a comparison must be a mapping (key: value), not a list"),
    ],
)
def test_one_problem(tmp_path: Path, text: str, message: str) -> None:
    assert any(told.startswith(message) for told in problems(tmp_path, text))


def entrants(tmp_path: Path, *names: str) -> tuple[Entrant, ...]:
    bots = ", ".join(f"{{bot: odds, as: '{name}'}}" for name in names)
    return loaded(tmp_path, f"compare: [classic, jump]\nbots: [{bots}]").entrants


def test_bots_fewer_than_seats_sit_more_than_once(tmp_path: Path) -> None:
    sitting, lineups = repeat_bots(entrants(tmp_path, "a", "b", "c"), 4)
    assert [one.name for one in sitting] == ["a", "b", "c", "a #2", "b #2", "c #2"]
    assert lineups == ((0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 2, 5))
    sitting, lineups = repeat_bots(entrants(tmp_path, "a", "b"), 4)
    assert lineups is not None
    told = ["".join(sitting[number].name[0] for number in group) for group in lineups]
    assert [dict(Counter(word)) for word in told] == [
        {"a": 3, "b": 1},
        {"a": 2, "b": 2},
        {"a": 1, "b": 3},
    ]
    assert all(list(group) == sorted(set(group)) for group in lineups)
    assert repeat_bots(entrants(tmp_path, "a"), 3)[1] == ((0, 1, 2),)


def test_bots_enough_for_the_seats_meet_in_every_group(tmp_path: Path) -> None:
    bots = entrants(tmp_path, "a", "b", "c")
    assert repeat_bots(bots, 3) == repeat_bots(bots, 2) == (bots, None)


def test_copies_have_names_of_their_own(tmp_path: Path) -> None:
    long = "x" * MAX_NAME_LENGTH
    sitting, _ = repeat_bots(entrants(tmp_path, "a", "a #2", long), 4)
    names = [one.name for one in sitting]
    assert names[3:] == ["a #3", "a #2 #2", "x" * (MAX_NAME_LENGTH - 3) + " #2"]
    assert len(set(names)) == 6 and max(map(len, names)) == MAX_NAME_LENGTH


def test_every_rule_set_has_a_folder_of_its_own() -> None:
    names = ["classic", "Classic", "classic, columns_to_win 4", "../up", "日本", "...", "x" * 300]
    folders = folder_names(names)
    assert folders[0] == "classic"
    assert folders[1].startswith("Classic-")
    assert folders[2:5] == ["classic-columns_to_win-4", "up", "日本"]
    assert len({folder.casefold() for folder in folders}) == len(names)
    assert all(
        0 < len(folder) <= 70 and folder[0] != "." and "/" not in folder for folder in folders
    )
