"""The tournament file: what it may say, every problem at its place, and the way back."""

import os
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue as RealCatalogue
from cantstop_arena.bots.known_bot import RESERVED, KnownBot
from cantstop_arena.bots.origins import Origin
from cantstop_arena.errors import BotError, ConfigError, UsageError
from cantstop_arena.game_api.bot_options import Option
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, RuleSet, derive
from cantstop_arena.games.registry import all_games
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.file.yaml_reader import dump
from cantstop_arena.tournaments.ledger.ledger_query import query_in
from cantstop_arena.tournaments.tournament import FaultPolicy, Overrides, Tournament

KNOWN_KEYS = (
    "name, game, rules, players, games, until, seed, decision_limit, start_limit, max_faults,"
    " on_fault, game_limit, isolate, anchor, gauntlet, score, luck_removed, openings, bots,"
    " exclude, left_out"
)


@dataclass(frozen=True)
class Spec:
    """Stands in for BotSpec: an option is right when it has the type of its default."""

    name: str
    origin: Origin = Origin.BUILT_IN
    game: str = "cantstop"
    learns: bool = False
    path: Path | None = None
    digest: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_alone(self) -> bool:
        return self.path is not None and self.path.stem == self.name

    @property
    def options(self) -> Mapping[str, Option]:
        return {name: Option(name, default) for name, default in self.defaults.items()}

    dice_name = KnownBot.dice_name

    def check_options(self, options: Mapping[str, Any]) -> list[tuple[str, str]]:
        unknown = [(key, f"{key} is unknown") for key in options if key not in self.defaults]
        wrong = [
            (key, f"{key} must not be {value!r}")
            for key, value in options.items()
            if key in self.defaults and type(value) is not type(self.defaults[key])
        ]
        return unknown + wrong


RULE28 = Spec("rule28", defaults={"threshold": 28, "prefer": "middle", "noise": 0.0})
LADDER = Spec("ladder", origin=Origin.PACKAGE, defaults={"steps": (1, 2), "keen": False})


class Catalogue:
    """Stands in for the catalogue of bots and rules."""

    game: Game = GAME
    results = Path("results")
    rules: Mapping[str, RuleSet] = {name: rules for name, (rules, _) in NAMED.items()}
    bots: Mapping[str, Spec] = {
        spec.name: spec for spec in (Spec("random"), Spec("cautious"), RULE28, LADDER)
    }

    def playing(self, game: Game) -> "Catalogue":
        assert game is self.game
        return self

    def isolated(self, *how: object) -> "Catalogue":
        return self

    def with_arrivals(self, arrivals: object) -> "Catalogue":
        return self

    def find(self, name: str) -> Spec:
        if name not in self.bots:
            raise BotError(f"no bot {name}")
        return self.bots[name]

    def load_file(self, path: Path) -> Spec:
        text = path.read_text()
        if "broken" in text:
            raise BotError(f"{path.name} is broken")
        depth = 2 if "depth 2" in text else 1
        return Spec(
            path.stem, Origin.FILE, path=path, digest=f"digest of {text}", defaults={"depth": depth}
        )


CATALOGUE: Any = Catalogue()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of tournaments, below the folder where we stand."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tournaments").mkdir()
    return tmp_path / "tournaments"


def written(folder: Path, text: str | bytes, name: str = "cup.yaml") -> Path:
    path = folder / name
    content = textwrap.dedent(text).encode() if isinstance(text, str) else text
    path.write_bytes(content)
    return path


def tournament(folder: Path, text: str, **changes: Any) -> Tournament:
    return read(written(folder, text), CATALOGUE, Overrides(**changes))


def complaints(folder: Path, text: str | bytes) -> list[str]:
    """The problems of a text, as "line:column: message"."""
    path = written(folder, text)
    with pytest.raises(ConfigError) as caught:
        read(path, CATALOGUE)
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


def complaint(folder: Path, text: str | bytes) -> str:
    """The only problem of a text."""
    (only,) = complaints(folder, text)
    return only


def bot_file(path: Path, content: str = "plays") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


PAIR = "bots: [random, cautious]\n"


# --- What a file says -----------------------------------------------------------------------------


def test_a_file_of_two_names_takes_every_default(folder: Path) -> None:
    cup = tournament(folder, PAIR)
    assert (cup.name, cup.game.name, cup.rules) == ("cup", "cantstop", CLASSIC)
    assert (cup.players, cup.games, cup.has_random_seed) == (2, 10_000, True)
    assert [entrant.name for entrant in cup.entrants] == ["random", "cautious"]
    assert cup.source == folder / "cup.yaml"


def test_every_key_is_heard(folder: Path) -> None:
    cup = tournament(
        folder,
        """
        name: Großer Preis-2.0
        game: cantstop
        rules: korean
        players: 3
        games: 12
        seed: 9223372036854775807
        bots: [random, cautious, {bot: rule28, as: timid, threshold: 24}]
        """,
    )
    assert (cup.name, cup.rules.stop) == ("Großer Preis-2.0", "after-all-runners")
    assert (cup.players, cup.games, cup.seed) == (3, 12, 2**63 - 1)
    assert cup.entrants[2].name == "timid"
    assert cup.entrants[2].bot.name == "rule28"
    assert cup.entrants[2].options == {"threshold": 24, "prefer": "middle", "noise": 0.0}


def test_the_command_line_overrides_games_and_seed(folder: Path) -> None:
    cup = tournament(folder, "games: 5\nseed: 6\n" + PAIR, games=7, seed=0)
    assert (cup.games, cup.seed) == (7, 0)


@pytest.mark.parametrize("changes", [{"games": 0}, {"games": -4}])
def test_the_command_line_is_checked_like_the_file(folder: Path, changes: Any) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(changes))} must be a whole number from"):
        tournament(folder, PAIR, **changes)


@pytest.mark.parametrize(
    ("players", "games", "deals"), [(1, 5, 5), (2, 4, 2), (2, 5, 3), (3, 7, 2), (4, 24, 1)]
)
def test_games_are_rounded_up_to_whole_deals(
    folder: Path, players: int, games: int, deals: int
) -> None:
    cup = tournament(folder, "bots: [random, cautious, rule28, ladder]")
    assert replace(cup, players=players, games=games).deals == deals


@pytest.mark.parametrize("rule", [("elo_error", 3.0), ("width", 0.002)])
def test_a_rule_ends_the_games_and_changes_none(folder: Path, rule: tuple[str, float]) -> None:
    measure, most = rule
    bots = "seed: 1\nbots: [rule28, random]\n"
    ruled = tournament(folder, f"until: {{{measure}: {most:g}}}\n{bots}")
    assert ruled.until is not None
    assert (ruled.until.measure, ruled.until.limit) == rule
    assert ruled.games == 10_000_000
    assert tournament(folder, f"games: 9\nuntil: {{{measure}: 1}}\n{bots}").games == 9
    assert ruled.as_file(folder)["until"] == {measure: most}
    assert again(ruled, folder) == ruled
    assert asked(ruled) == asked(tournament(folder, bots))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("3", "1:8: until must be a mapping (key: value), not 3"),
        ("{}", "1:8: until needs one of elo_error and width, as in {elo_error: 3}"),
        (
            "{width: 0.1, elo_error: 3}",
            "1:8: until needs one of elo_error and width, as in {elo_error: 3}",
        ),
        ("{width: 0}", "1:16: width must be a number from 1e-06 to 1, not 0"),
        ("{width: 1.5}", "1:16: width must be a number from 1e-06 to 1, not 1.5"),
        ("{elo_error: small}", "1:20: elo_error must be a number from 0.01 to 1000, not 'small'"),
        ("{wdth: 0.1}", "1:9: unknown key 'wdth' (did you mean 'width'?); known: elo_error, width"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(folder: Path, rule: str, message: str) -> None:
    assert complaint(folder, f"until: {rule}\nbots: [rule28, random]\n") == message


def test_a_rule_needs_somebody_to_win_against(folder: Path) -> None:
    text = "until: {width: 0.1}\nplayers: 1\nbots: [rule28]\n"
    assert complaint(folder, text).startswith("1:1: until needs 2 players or more")


def test_groups_are_all_combinations_in_order(folder: Path) -> None:
    cup = tournament(folder, "bots: [random, cautious, rule28]")
    assert [tuple(sorted(group)) for group in cup.groups()] == [(0, 1), (0, 2), (1, 2)]
    assert list(replace(cup, players=1).groups()) == [(0,), (1,), (2,)]


@pytest.mark.parametrize("written_as", ["20000", "2e4", "2E+4", "20_000", "20000.0", "0x4e20"])
def test_a_whole_number_may_be_written_in_many_ways(folder: Path, written_as: str) -> None:
    games = tournament(folder, f"games: {written_as}\n" + PAIR).games
    assert games == 20_000
    assert type(games) is int


def test_a_byte_order_mark_and_windows_line_ends_are_no_problem(folder: Path) -> None:
    path = written(folder, b"\xef\xbb\xbfgames: 5\r\nbots: [random, cautious]\r\n")
    assert read(path, CATALOGUE).games == 5


def test_inline_rules_start_from_classic_or_from_their_base(folder: Path) -> None:
    plain = tournament(folder, "rules: {landing: jump}\n" + PAIR).rules
    based = tournament(folder, "rules: {base: korean, name: wild, runners: 4.0}\n" + PAIR).rules
    assert plain == derive(CLASSIC, {"landing": "jump"})
    assert (based.name, based.stop, based.runners) == ("wild", "after-all-runners", 4)
    assert type(based.runners) is int


def test_numbers_of_options_take_the_type_of_their_default(folder: Path) -> None:
    cup = tournament(
        folder, "bots: [{bot: rule28, threshold: 3e1, noise: 1}, {bot: ladder, steps: [3.0, 4]}]"
    )
    threshold, noise = (cup.entrants[0].options[key] for key in ("threshold", "noise"))
    assert (threshold, type(threshold), noise, type(noise)) == (30, int, 1.0, float)
    assert cup.entrants[1].options == {"steps": (3, 4), "keen": False}


def test_a_path_is_relative_to_the_tournament_file(folder: Path) -> None:
    path = bot_file(folder.parent / "bots" / "mine.py")
    (entrant, _) = tournament(folder, "bots: [../bots/mine.py, random]").entrants
    assert (entrant.name, entrant.bot.path) == ("mine", path)
    assert entrant.options == {"depth": 1}


def test_a_path_may_be_absolute_or_lack_a_slash(folder: Path) -> None:
    far, near = bot_file(folder.parent / "far.py"), bot_file(folder / "near.py")
    cup = tournament(folder, f"bots: ['{far}', near.py]")
    assert [entrant.bot.path for entrant in cup.entrants] == [far, near]


def test_a_linked_bot_keeps_the_name_of_its_link(folder: Path) -> None:
    (folder / "link.py").symlink_to(bot_file(folder / "target.py"))
    assert tournament(folder, "bots: [link.py, random]").entrants[0].name == "link"


# --- What is wrong with it ------------------------------------------------------------------------


def test_all_faults_of_a_file_are_told_at_once_each_at_its_place(folder: Path) -> None:
    assert complaints(
        folder,
        """\
        name: no
        player: 2
        players: two
        games: -5
        games: 10
        seed: 1.5
        rules:
          base: clasic
          runners: 0
        bots:
          - randon
          - {bot: rule28, treshold: 24, prefer: 3}
          - bot: rule28
        """,
    ) == [
        "1:7: name must be text, not no; if the text no is meant, put it in quotes",
        f"2:1: unknown key 'player' (did you mean 'players'?); known: {KNOWN_KEYS}",
        "3:10: players must be a whole number from 1 to 4, not 'two'",
        "4:8: games must be a whole number from 1 to 1000000000000, not -5",
        "5:1: 'games' stands here again, after line 4",
        "6:7: seed must be a whole number from 0 to 2^128 - 1, or a text of up to 100 characters,"
        " not 1.5",
        "8:9: unknown rules 'clasic' (did you mean 'classic'?)"
        "; known: classic, korean, jump, leave, long4, long5",
        "9:3: runners must be a whole number from 1 to 11, not 0",
        "11:5: no bot randon",
        "12:19: treshold is unknown",
        "12:33: prefer must not be 3",
        "13:5: line 12 has a bot called 'rule28'; give this one another name with as:",
    ]


def test_a_problem_reads_as_file_line_column_and_message(folder: Path) -> None:
    path = written(folder, "players: 9\n" + PAIR)
    with pytest.raises(ConfigError) as caught:
        read(path, CATALOGUE)
    assert str(caught.value) == f"{path}:1:10: players must be a whole number from 1 to 4, not 9"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", "nothing"),
        ("~", "~"),
        ("yes", "yes"),
        ("2.5", "2.5"),
        ("'2'", "'2' in quotes"),
        ("02", "'02'"),
        ("1:30", "'1:30'"),
        ("1e999999999", "'1e999999999'"),
        (".inf", "'.inf'"),
        ("[2]", "a list"),
        ("{two: 2}", "a mapping"),
        ("9" * 5000, "'" + "9" * 59 + "…'"),
    ],
)
def test_a_wrong_number_is_told_as_it_stands_in_the_file(
    folder: Path, value: str, told: str
) -> None:
    message = complaint(folder, f"players: {value}\n" + PAIR)
    assert message.endswith(f"players must be a whole number from 1 to 4, not {told}")


@pytest.mark.parametrize("word", ["1980", "1e6", "0x10", "no", "On", "true", "null", "~", "1.5"])
@pytest.mark.parametrize("line", ["name: {}", "bots: [random, {}]", "rules: {}"])
def test_a_name_that_yaml_takes_for_something_else_is_to_be_quoted(
    folder: Path, line: str, word: str
) -> None:
    text = line.format(word) + "\n" + ("" if "bots" in line else PAIR)
    assert f"must be text, not {word}; if the text {word} is meant, put it in quotes" in complaint(
        folder, text
    )


@pytest.mark.parametrize("name", ["'1980'", "'no'", "2024-05-01", "1.2.3", "Zürich", "नमस्ते", "a b"])
def test_a_name_may_be_anything_that_names_a_folder(folder: Path, name: str) -> None:
    assert tournament(folder, f"name: {name}\n" + PAIR).name == name.strip("'")


@pytest.mark.parametrize(
    "name", ['""', ".", "..", ".git", "a/b", r"a\b", "'a '", "a:b", r'"a\tb"', "a" * 101, "가" * 90]
)
def test_a_name_that_names_no_folder_is_refused(folder: Path, name: str) -> None:
    assert "1:7: name must be 1 to 100 letters" in complaint(folder, f"name: {name}\n" + PAIR)


def test_a_file_whose_own_name_names_no_folder_needs_a_name(folder: Path) -> None:
    path = written(folder, "# none\n" + PAIR, name="a,b.yaml")
    with pytest.raises(ConfigError, match="2:1: name is missing, and the file's name must be"):
        read(path, CATALOGUE)
    path.write_text("name: good\n" + PAIR)
    assert read(path, CATALOGUE).name == "good"


def test_another_game_is_refused(folder: Path) -> None:
    message = complaint(folder, "game: cant-stop\n" + PAIR)
    names = ", ".join(game.name for game in all_games())
    assert message == (
        f"1:7: unknown game 'cant-stop' (did you mean 'cantstop'?); games are {names}"
    )


def test_an_unknown_key_without_a_likeness_tells_all_keys(folder: Path) -> None:
    message = complaint(folder, "zzz: 1\n" + PAIR)
    assert message.endswith(f"; known: {KNOWN_KEYS}")


def test_a_key_in_capitals_is_still_recognized(folder: Path) -> None:
    assert "did you mean 'games'?" in complaint(folder, "GAMES: 3\n" + PAIR)


def test_a_small_board_is_written_as_two_numbers(folder: Path) -> None:
    def rules(text: str) -> RuleSet:
        found: RuleSet = read(written(folder, text + PAIR), RealCatalogue(folder)).rules
        return found

    small = {"sides": 3, "column_lengths": [2, 4, 6, 4, 2]}
    assert rules("rules: 3,2\n") == derive(CLASSIC, small)
    assert rules("rules: {base: '3,2', columns_to_win: 2}\n") == (
        derive(CLASSIC, {**small, "columns_to_win": 2})
    )
    with pytest.raises(ConfigError, match="1:8: sides: must be a whole number from 2 to 8, not 99"):
        rules("rules: 99,2\n")


def test_inline_rules_blame_the_key_or_else_the_whole(folder: Path) -> None:
    text = """\
    rules:
      sides: 2
      column_lengths: [3, 5, 3]
      base: long4
      stop: never
      wings: 2
    bots: [random, cautious]
    """
    assert complaints(folder, text) == [
        "2:3: columns_to_win must be a whole number from 1 to 3, not 4",
        "5:3: stop must be any-time or after-all-runners, not 'never'",
        "6:3: unknown key 'wings'; known: base, name, sides, column_lengths, runners,"
        " columns_to_win, landing, stop, turn_limit",
    ]


def test_rules_have_to_be_a_name_or_a_mapping(folder: Path) -> None:
    assert complaint(folder, "rules: [jump]\n" + PAIR) == "1:8: rules must be text, not a list"
    assert complaint(folder, "rules:\n" + PAIR) == "1:7: rules must be text, not nothing"


@pytest.mark.parametrize("name", ["''", "' '", r'"a\nb"'])
def test_the_name_of_inline_rules_is_printable(folder: Path, name: str) -> None:
    message = complaint(folder, f"rules: {{name: {name}}}\n" + PAIR)
    assert message.startswith("1:15: the rules' name must be printable")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bots: []", "1:1: 2 players need at least 2 bots, not 0"),
        ("bots: [random]", "1:1: 2 players need at least 2 bots, not 1"),
        ("players: 1\nbots: []", "2:1: 1 player needs at least 1 bot, not 0"),
        ("games: 3", "1:1: bots are missing; write bots: [NAME, NAME]"),
        ("{}", "1:1: bots are missing; write bots: [NAME, NAME]"),
        ("bots: random", "1:7: bots must be a list, not 'random'"),
        ("bots:", "1:6: bots must be a list, not nothing"),
    ],
)
def test_too_few_bots_are_counted(folder: Path, text: str, message: str) -> None:
    assert complaint(folder, text) == message


def test_one_bot_is_enough_for_one_player(folder: Path) -> None:
    assert len(tournament(folder, "players: 1\nbots: [random]").entrants) == 1


def test_wrong_players_cause_no_complaint_about_too_few_bots(folder: Path) -> None:
    assert complaint(folder, "players: 7\nbots: [random]").startswith("1:10: players must be")


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("[random]", "or {command: [PROGRAM, WORD], as: NAME}, not a list"),
        ("rule28: {threshold: 3}", "as: NAME}; here bot: is missing"),
        ("{as: x}", "as: NAME}; here bot: is missing"),
        ("bot:", "a bot's name or path must be text, not nothing"),
        ("{bot: {}}", "a bot's name or path must be text, not a mapping"),
        ("''", "no bot can be called ''"),
        (r'"\0.py"', "no bot can be called '\\x00.py'"),
        ("{bot: random, bot: cautious}", "'bot' stands here again, after line 3"),
        ("{bot: random, as: ''}", "must be 1 to 60 printable characters"),
        (r'{bot: random, as: "a\nb"}', "must be 1 to 60 printable characters"),
        (f"{{bot: random, as: {'a' * 61}}}", "must be 1 to 60 printable characters"),
        ("{bot: random, as: 7}", "as must be text, not 7"),
        ("{bot: random, command: ls}", "a bot has either bot: or command:"),
        ("{command: []}", "command must be a list like [./mybot, --fast]"),
        ("{command: [./gone]}", "'./gone' is no program that can be started"),
        ("{command: [7]}", "a word of a command must be text, not 7"),
        ("{bot: rule28, threshold: }", "threshold must not be None"),
        ("{bot: rule28, threshold: {a: 1, a: 2}}", "'a' stands here again, after line 3"),
    ],
)
def test_a_bot_that_makes_no_sense_is_explained(folder: Path, bot: str, message: str) -> None:
    text = f"bots:\n  - cautious\n  - {bot}\n  - ladder\n"
    assert any(told.startswith("3:") and message in told for told in complaints(folder, text))


def test_bots_of_one_name_are_told_apart_by_as(folder: Path) -> None:
    text = "bots: [rule28, {{bot: rule28, as: {}, threshold: 24}}]"
    assert tournament(folder, text.format("timid")).entrants[1].name == "timid"
    assert "line 1 has a bot called 'rule28'" in complaint(folder, text.format("rule28"))


def test_a_bot_where_one_stands_is_told_from_one_beside_the_file(folder: Path) -> None:
    bot_file(folder.parent / "bots" / "mine.py")
    message = complaint(folder, "bots: [random, bots/mine.py]")
    assert message.startswith("1:16: bots/mine.py is in this folder, not beside")
    right = message.rpartition("write ")[2]
    assert tournament(folder, f"bots: [random, {right}]").entrants[1].name == "mine"


def test_a_bot_that_is_nowhere_is_told_with_its_place(folder: Path) -> None:
    message = complaint(folder, "bots: [random, x/mine.py]")
    assert message == f"1:16: there is no file {folder / 'x' / 'mine.py'}"


def test_a_bot_that_is_nowhere_is_told_with_one_of_a_similar_name(folder: Path) -> None:
    bot_file(folder / "x" / "mine.py")
    message = complaint(folder, "bots: [random, x/mien.py]")
    assert message == f"1:16: there is no file {folder / 'x' / 'mien.py'} (did you mean 'mine.py'?)"


@pytest.mark.parametrize("reference", ["./", "/", "no/py", ".py", "a" * 5000 + ".py"])
def test_a_slash_or_py_makes_a_path_even_to_no_file(folder: Path, reference: str) -> None:
    message = complaint(folder, f"bots: [random, {reference}]")
    assert message.startswith("1:16: there is no file ")
    assert len(message) < len(str(folder)) + 300


def test_a_name_that_the_file_system_refuses_is_no_crash(folder: Path) -> None:
    class Careless(Catalogue):
        def find(self, name: str) -> Spec:
            (folder / name).stat()
            return super().find(name)

    path, catalogue = written(folder, f"players: 1\nbots: [{'a' * 300}]"), Careless()
    with pytest.raises(ConfigError, match=r"2:8: 'a+…' cannot be looked for: File name too long"):
        read(path, catalogue)  # type: ignore[arg-type]


def test_a_bot_file_that_cannot_be_used_is_blamed_where_it_is_named(folder: Path) -> None:
    bot_file(folder / "mine.py", "broken")
    message = complaint(folder, "bots:\n- random\n- {as: me, bot: mine.py}")
    assert message == "3:17: mine.py is broken"


# --- YAML's own traps -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: this file is empty"),
        ("# nothing\n", "1:1: this file is empty"),
        ("---\n", "a tournament must be a mapping (key: value), not nothing"),
        ("- a\n", "1:1: a tournament must be a mapping (key: value), not a list"),
        ("random", "1:1: a tournament must be a mapping (key: value), not 'random'"),
        ("name: [a\nbots: b", "2:5: this is no valid YAML: while parsing a flow sequence"),
        ("a: b: c", "1:5: this is no valid YAML: mapping values are not allowed here"),
        ("bots:\n\t- random", "2:1: this is no valid YAML: while scanning for the next token"),
        ("bots:\n\t- random", "indent with spaces, not with tabs"),
        (PAIR + "---\n" + PAIR, "2:1: this is no valid YAML: expected a single document"),
        ("[" * 5000, "1:21: this is no valid YAML: this is nested too deeply"),
        ("- " * 5000 + "a", "1:41: this is no valid YAML: this is nested too deeply"),
        ("{a: " * 5000, "nested too deeply"),
        ("? " * 5000 + "a", "nested too deeply"),
        (b"name: \xff", "1:7: this is not text in UTF-8"),
        (b"# \xc3\xa4\nname: \xe4", "2:7: this is not text in UTF-8"),
        ("seed: 1\nname: a\x00b", "2:8: the character U+0000 is not allowed"),
        (r'name: "\UFFFFFFFF"', "this is no valid YAML"),
        ("%YAML " + "1" * 5000 + ".1\n---\na", "this is no valid YAML"),
        ("x" * (1 << 18) + "y", "1:1: this file is longer than 262144 bytes"),
    ],
)
def test_a_text_that_is_no_mapping_of_yaml_has_one_problem(
    folder: Path, text: str | bytes, message: str
) -> None:
    assert message in complaint(folder, text)


def test_aliases_are_refused_wherever_they_stand_beside_all_else(folder: Path) -> None:
    text = """\
    rules: &rules {landing: jump}
    players: *rules
    bots: &bots
      - *bots
      - {bot: *rules, as: x}
      - {<<: *rules, bot: cautious}
    seed: -1
    """
    refused = "aliases (*…) are not supported; write the value out"
    assert complaints(folder, text) == [
        f"2:10: {refused}",
        f"4:5: {refused}",
        f"5:11: {refused}",
        "6:6: merging with << is not supported; write the keys out",
        f"6:10: {refused}",
        "7:7: seed must be a whole number from 0 to 2^128 - 1, or a text of up to 100 characters,"
        " not -1",
    ]


def test_an_alias_bomb_is_defused(folder: Path) -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]" for n in range(1, 30))]
    assert len(complaints(folder, "\n".join(lines))) < 400


@pytest.mark.parametrize("tag", ["!!python/object:os.system", "!mine", "!!int", "!!binary", "!"])
def test_a_tag_is_refused(folder: Path, tag: str) -> None:
    message = complaint(folder, f"players: {tag} 2\n" + PAIR)
    assert message == "1:10: tags (!…) are not supported; leave it out"


def test_keys_that_are_no_words_are_refused(folder: Path) -> None:
    assert complaints(folder, "[a]: 1\n? {b: 1}\n: 2\n3: 4\nno: 5\n" + PAIR) == [
        "1:1: a key must be a word, not a list",
        "2:3: a key must be a word, not a mapping",
        f"4:1: unknown key '3'; known: {KNOWN_KEYS}",
        "5:1: unknown key 'no'",
    ]


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        *((key, " (did you mean 'bots'?)") for key in ("engines", "teams", "Agents", "entrants")),
        *((key, " (did you mean 'games'?)") for key in ("rounds", "n-games", "repeat", "gmaes")),
        ("concurrency", "; it is said on the command line: --workers"),
        ("workers", "; it is said on the command line: --workers"),
        ("variant", " (did you mean 'rules'?)"),
        ("tc", " (did you mean 'decision_limit'?)"),
        ("pgnout", "; it is said on the command line: --results"),
        ("fresh", "; it is said on the command line: --fresh"),
        ("xyz", ""),
    ],
)
def test_keys_of_other_programs_are_hinted_at(folder: Path, key: str, hint: str) -> None:
    unknown = f"unknown key '{key}'{hint}"
    assert complaint(folder, f"{key}: 2\n" + PAIR) == f"1:1: {unknown}; known: {KNOWN_KEYS}"


def test_known_keys_are_listed_once_of_each_mapping(folder: Path) -> None:
    text = "x: 1\ny: 2\nuntil: {x: 1, y: 2}\nrules: {x: 1, y: 2}\n" + PAIR
    messages = complaints(folder, text)
    assert len(messages) >= 6
    assert sum("; known: " in line for line in messages) == 3


def test_a_repeated_key_names_the_line_of_the_first(folder: Path) -> None:
    text = "seed: 1\n'seed': 2\n" + PAIR + "seed: 3\n"
    assert complaints(folder, text) == [
        "2:1: 'seed' stands here again, after line 1",
        "4:1: 'seed' stands here again, after line 1",
    ]


def test_a_missing_file_and_a_folder_are_named(folder: Path) -> None:
    path = folder / "none.yaml"
    with pytest.raises(ConfigError, match=f"{path}:1:1: this file cannot be read: No such file"):
        read(path, CATALOGUE)
    with pytest.raises(UsageError, match=f"^{folder} is a folder, not a file$"):
        read(folder, CATALOGUE)


# --- The way back ---------------------------------------------------------------------------------


def again(cup: Tournament, folder: Path) -> Tournament:
    folder.mkdir(parents=True, exist_ok=True)
    found = read(written(folder, dump(cup.as_file(folder)).encode()), CATALOGUE)
    assert found.source.parent == folder
    return replace(found, source=cup.source, has_random_seed=cup.has_random_seed)


def test_what_is_resolved_is_all_there_is_to_say(folder: Path) -> None:
    bot_file(folder.parent / "bots" / "mine.py")
    cup = tournament(
        folder,
        "rules: {landing: jump}\nseed: 1\n"
        "bots: [{bot: rule28, as: wild, noise: 1}, ../bots/mine.py]",
        games=7,
    )
    text = dump(cup.as_file(folder.parent / "results" / "cup"))
    assert text == textwrap.dedent(
        """\
        name: cup
        game: cantstop
        rules:
          name: classic, landing jump
          sides: 6
          column_lengths: [3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3]
          runners: 3
          columns_to_win: 3
          landing: jump
          stop: any-time
          turn_limit: 1000
        players: 2
        games: 7
        seed: 1
        decision_limit: 1.0
        start_limit: 60.0
        max_faults: 100
        on_fault: forfeit
        bots:
        - {bot: rule28, as: wild, threshold: 28, prefer: middle, noise: 1.0}
        - {bot: ../../bots/mine.py, as: mine, depth: 1}
        """
    )


def test_what_is_resolved_is_read_as_the_same_tournament(folder: Path) -> None:
    bot_file(folder / "near.py")
    cup = tournament(
        folder,
        """
        rules: {base: jump, name: "on", sides: 3, runners: 2, column_lengths: [1, 2, 3, 4, 5]}
        players: 3
        games: 1e5
        seed: 0x1F
        bots: [near.py, ladder, {bot: ladder, as: 'no', keen: yes, steps: [5]}, rule28]
        """,
    )
    assert again(cup, folder.parent / "results" / "cup") == cup


@pytest.mark.parametrize("rules", sorted(NAMED))
def test_every_named_rule_set_survives_being_spelled_out(folder: Path, rules: str) -> None:
    cup = tournament(folder, f"rules: {rules}\n" + PAIR)
    assert again(cup, folder / "results") == cup


def test_the_real_catalogue_serves_as_the_stand_in_does(folder: Path) -> None:
    bot_file(
        folder / "mine.py",
        "def choose_move(turn, moves): return 0\ndef roll_again(turn, luck=0.5): return False\n",
    )
    text = "bots: [random, {bot: rule28, threshold: 3e1}, {bot: mine.py, luck: 1}]"
    cup = read(written(folder, text), RealCatalogue(folder))
    path = written(folder, dump(cup.as_file(folder)).encode())
    assert asked(read(path, RealCatalogue(folder))) == asked(cup)
    assert [entrant.options.get("luck") for entrant in cup.entrants] == [None, None, 1.0]
    path.write_text("bots: [random, {treshold: 24, bot: rule28}]")
    with pytest.raises(ConfigError, match=r":1:17: .*'treshold' \(did you mean 'threshold'\?\)"):
        read(path, RealCatalogue(folder))


def test_a_bot_that_a_file_registers_under_another_name_is_written_by_name(folder: Path) -> None:
    cup = tournament(folder, PAIR)
    twin: Any = Spec("one-of-two", Origin.FILE, path=folder / "two.py")
    entrant = replace(cup.entrants[0], bot=twin)
    assert entrant.as_file(folder)["bot"] == "one-of-two"


texts = st.text(max_size=30)
values = (
    st.none()
    | st.booleans()
    | st.integers()
    | texts
    | st.floats(allow_nan=False, allow_infinity=False)
)


@given(st.dictionaries(texts, values | st.lists(values, max_size=4)))
def test_whatever_is_dumped_is_read_as_the_same_values(
    tmp_path_factory: pytest.TempPathFactory, options: dict[str, Any]
) -> None:
    options = {key: value for key, value in options.items() if key not in (*RESERVED, "<<")}
    catalogue: Any = Catalogue()
    catalogue.bots = {"any": Spec("any", defaults=options)}
    text = dump({"players": 1, "bots": [{"bot": "any", **options}]})
    path = written(tmp_path_factory.getbasetemp(), text.encode())
    assert read(path, catalogue).entrants[0].options == options


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rule28", "1:9: anchor must be a mapping (key: value), not 'rule28'"),
        ("{}", "1:9: anchor must name one bot and its Elo, as in {rule28: 1500}"),
        (
            "{rule28: 1, ladder: 2}",
            "1:9: anchor must name one bot and its Elo, as in {rule28: 1500}",
        ),
        (
            "{rule82: 1}",
            "1:10: unknown bot 'rule82' (did you mean 'rule28'?); known: rule28, ladder",
        ),
        (
            "{rule28: .nan}",
            "1:18: an anchor's Elo must be a number from -1,000,000 to 1,000,000, not '.nan'",
        ),
    ],
)
def test_an_anchor_is_one_bot_and_its_elo(folder: Path, text: str, message: str) -> None:
    path = written(folder, f"anchor: {text}\nbots: [rule28, ladder]".encode())
    with pytest.raises(ConfigError) as caught:
        read(path, CATALOGUE)
    assert [str(problem).partition(":")[2] for problem in caught.value.problems] == [message]


def test_an_anchor_is_kept_and_changes_no_game(folder: Path) -> None:
    plain = tournament(folder, "seed: 1\nbots: [rule28, ladder]")
    anchored = tournament(folder, "anchor: {ladder: 1200}\nseed: 1\nbots: [rule28, ladder]")
    assert anchored.anchor == anchored.as_file(folder)["anchor"] == {"ladder": 1200.0}
    assert asked(anchored) == asked(plain)


# --- What decides a game --------------------------------------------------------------------------


def asked(cup: Tournament) -> tuple[object, ...]:
    """What decides the games of a tournament: its setting, and the versions of its bots."""
    query = cup.query
    return query.setting.key, [bot.version.key for bot in query.bots], query.detail


def test_games_and_places_and_names_decide_no_game(folder: Path) -> None:
    bot_file(folder / "mine.py")
    here = tournament(folder, "seed: 1\nbots: [mine.py, rule28]")
    bot_file(folder / "sub" / "mine.py")
    text = "name: b\nmax_faults: 3\nseed: 1\nbots: [mine.py, {bot: rule28, as: other}]"
    there = tournament(folder / "sub", text, games=3)
    assert here != there
    assert asked(here) == asked(there)


@pytest.mark.parametrize(
    "text",
    [
        "seed: 2\nbots: [mine.py, rule28]",
        "rules: jump\nseed: 1\nbots: [mine.py, rule28]",
        "players: 1\nseed: 1\nbots: [mine.py, rule28]",
        "seed: 1\ndecision_limit: 2\nbots: [mine.py, rule28]",
        "seed: 1\nbots: [mine.py, {bot: rule28, threshold: 24}]",
        "seed: 1\nbots: [{bot: mine.py, isolate: processes}, rule28]",
    ],
)
def test_all_else_decides_games(folder: Path, text: str) -> None:
    bot_file(folder / "mine.py")
    one = asked(tournament(folder, "seed: 1\nbots: [mine.py, rule28]"))
    assert asked(tournament(folder, text)) != one


def dice_names(folder: Path, bots: str) -> list[str]:
    """The names from which the dice of bots follow."""
    entrants = tournament(folder, f"seed: 1\nbots: [{bots}]").entrants
    return [each.dice_name for each in entrants]


def test_dice_follow_from_names_in_sources_and_chosen_options(folder: Path) -> None:
    """Not from `as:`, nor from options that are as they are by default, whatever default a version
    has; a folder names `bot.py`.
    """
    for path in ("mine.py", "sub/mine.py", "ada/bot.py", "bob/bot.py"):
        bot_file(folder / path)
    assert dice_names(folder, "mine.py, {bot: sub/mine.py, as: yours}") == ["mine", "mine"]
    both = "{bot: ada/bot.py, as: a}, {bot: bob/bot.py, as: b}"
    assert dice_names(folder, both) == ["ada", "bob"]
    assert dice_names(folder, "rule28, {bot: rule28, as: same, threshold: 28}") == ["rule28"] * 2
    assert dice_names(folder, "{bot: rule28, threshold: 30}, random") == [
        *('rule28 {"threshold": 30}', "random")
    ]
    bot_file(folder / "new/mine.py", "depth 2")
    assert dice_names(folder, "mine.py, {bot: new/mine.py, as: b}") == ["mine", "mine"]
    named = "{bot: mine.py, depth: 2}, {bot: new/mine.py, as: b, depth: 1}"
    assert dice_names(folder, named) == ['mine {"depth": 2}', 'mine {"depth": 1}']


def test_a_renamed_file_plays_other_games(folder: Path) -> None:
    """Its dice are others, so games of the former name must not be found."""
    for name in ("mine.py", "yours.py"):
        bot_file(folder / name)
    files = (f"seed: 1\nbots: [{name}.py, cautious]" for name in ("mine", "yours"))
    before, after = (asked(tournament(folder, text)) for text in files)
    assert before != after


def test_the_content_of_a_bot_file_decides_its_games(folder: Path) -> None:
    bot_file(folder / "mine.py", "plays")
    before = asked(tournament(folder, "seed: 1\nbots: [mine.py, random]"))
    bot_file(folder / "mine.py", "plays better")
    assert asked(tournament(folder, "seed: 1\nbots: [mine.py, random]")) != before


def test_a_query_looks_the_same_after_a_stay_in_json(folder: Path) -> None:
    query = tournament(folder, "bots: [ladder, random]").query
    read_again = query_in(query.text)
    assert read_again.text == query.text
    assert [bot.version.id for bot in read_again.bots] == [bot.version.id for bot in query.bots]
    assert read_again.setting.key == query.setting.key
    assert read_again.rule_set["column_lengths"] == list(CLASSIC.column_lengths)


# --- Whatever is written --------------------------------------------------------------------------

KEYS = ["name", "game", "rules", "players", "games", "seed", "bots", "bot", "as", "base", "sides"]
WORDS = [*KEYS, "random", "rule28", "threshold", "classic", "x.py", "1e6", "no", "~", "0x1", "-3"]
MARKS = [*":-?[]{},&*!|>'\"%@#`<\t\n\\\0\ufeff\x85\u2028", "\n  ", "---", "...", "<<: ", "&a"]
MARKS += ["*a", ": ", "- ", "\n- ", "!!str ", "\\x", "\\U", "\ud800", "9" * 50]
yamlish = st.lists(st.sampled_from(WORDS + MARKS) | st.characters(), max_size=40).map("".join)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | texts
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS) | texts, inner, max_size=6)
    ),
    max_leaves=25,
)
tournaments = st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS[:7], leaves | trees))


def check_that_only_known_errors_come_of(path: Path) -> None:
    try:
        read(path, CATALOGUE)
    except UsageError as error:
        assert str(error).startswith(f"{path}:")
        str(error).encode()


@pytest.fixture(scope="module")
def fuzz_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    before = Path.cwd()
    folder = tmp_path_factory.mktemp("fuzz")
    os.chdir(folder)
    yield folder
    os.chdir(before)


@given(yamlish)
def test_no_text_whatever_ends_in_a_traceback(fuzz_folder: Path, text: str) -> None:
    content = text.encode("utf-8", "surrogatepass")
    check_that_only_known_errors_come_of(written(fuzz_folder, content))


@given(tournaments | trees)
def test_no_structure_whatever_ends_in_a_traceback(fuzz_folder: Path, tree: Any) -> None:
    content = yaml.safe_dump(tree, allow_unicode=True).encode("utf-8", "surrogatepass")
    check_that_only_known_errors_come_of(written(fuzz_folder, content))


def test_limits_on_bots_are_read_with_their_defaults(tmp_path: Path) -> None:
    assert policy(tmp_path, "") == FaultPolicy(1.0, 60.0, 100, "forfeit")
    told = "decision_limit: 2\nstart_limit: 7\nmax_faults: 5\non_fault: abort\ngame_limit: 3\n"
    assert policy(tmp_path, told) == FaultPolicy(2.0, 7.0, 5, "abort", 3.0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("decision_limit: 0", "decision_limit must be a number of seconds above 0"),
        ("decision_limit: .inf", "decision_limit must be a number of seconds above 0"),
        ("decision_limit: .nan", "decision_limit must be a number of seconds above 0"),
        ("decision_limit: soon", "not 'soon'"),
        ("start_limit: -1", "start_limit must be a number of seconds above 0"),
        ("game_limit: 0", "game_limit must be a number of seconds above 0"),
        ("max_faults: 0", "max_faults must be a whole number from 1"),
        ("max_faults: 1.5", "max_faults must be a whole number from 1"),
        ("max_faults: 1.000", "not 1.000; for 1,000 write 1000"),
        ("on_fault: abrt", "must be forfeit or abort, not 'abrt' (did you mean 'abort'?)"),
        ("isolate: 1", "isolate must be true, false or processes, not 1"),
    ],
)
def test_limits_that_make_no_sense_are_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        policy(tmp_path, line)
    assert message in str(caught.value)


def policy(folder: Path, lines: str) -> FaultPolicy:
    (folder / "cup.yaml").write_text(f"{lines}\nbots: [rule28, random]\n")
    return read(folder / "cup.yaml", RealCatalogue(folder)).policy


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("all", "every bot"), ("a@b", "a version"), ("./x", "a path"), ("/b", "a path")],
)
def test_names_that_mean_something_else_are_refused(folder: Path, name: str, meaning: str) -> None:
    text = f"bots: [random, {{bot: rule28, as: {name}}}]\n"
    message = f"1:16: the name {name!r} means {meaning} in commands; choose another"
    assert complaint(folder, text) == message


@pytest.mark.parametrize(
    ("first", "second"), [("A", "a"), ("\u00e9", "e\u0301"), ("Straße", "STRASSE")]
)
def test_names_that_look_alike_are_refused(folder: Path, first: str, second: str) -> None:
    text = f"bots:\n- {{bot: random, as: {first}}}\n- {{bot: rule28, as: {second}}}\n"
    assert complaint(folder, text) == (
        f"3:3: line 2 has a bot called {first!r}, which looks like {second!r};"
        " give this one another name with as:"
    )
