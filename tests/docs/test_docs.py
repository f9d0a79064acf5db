"""The documentation: what it tells a reader to type or to write works as it stands."""

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
import yaml
from helpers import naive
from helpers.arena import Arena
from helpers.documents import (
    DOCS,
    EXTENSIONS,
    HOW_TO,
    PAGES,
    README,
    REFERENCE,
    blocks,
    name_of,
    page_blocks,
)
from helpers.parameters import slow_but
from helpers.paths import ROOT
from msgspec.structs import asdict

import cantstop_arena
from cantstop_arena.bots.bot_start import code_digest
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.bots.loader import Loader
from cantstop_arena.cli import main
from cantstop_arena.comparisons.comparison_file import read as read_comparison
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.engine_table import EngineTable
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, PARAMETERS
from cantstop_arena.games.registry import DEFAULT, all_games
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.file.tournament_file import read

BOTS, RULES = REFERENCE / "bots.md", REFERENCE / "rules-cantstop.md"
TOURNAMENTS, COMMANDS = REFERENCE / "tournament-file.md", REFERENCE / "commands.md"
LINKING = [*PAGES, ROOT / "bots" / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


def table(page: Path, heading: str) -> list[list[str]]:
    """The cells of the rows of the first table below a heading."""
    _, _, below = page.read_text("utf-8").partition(f"# {heading}\n")
    found = re.search(r"(?:^\|.*\|\n)+", below, re.M)
    assert found, f"there is no table below {heading}"
    rows = found[0].splitlines()[2:]
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in rows]


def bot_blocks() -> dict[str, str]:
    """The complete bots of Can't Stop in the documentation, by names of their own."""
    texts = [
        (Path(block.title).stem, block.text)
        for page in PAGES
        for block in page_blocks(page)
        if re.fullmatch(r"bots/\w+\.py", block.title) and block.kind == "python"
    ]
    named: dict[str, str] = {}
    for name, text in texts:
        if text not in named.values():
            named[f"{name}_{len(named)}" if name in named else name] = text
    return named


DOCUMENTED = bot_blocks()


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """Where the bots of the documentation are files of the folder bots/."""
    folder = tmp_path_factory.mktemp("bots")
    for name, text in DOCUMENTED.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return Catalogue(folder)


def contestant(bot: BotDescription) -> SeatedBot:
    spec = Loader(Path()).open(bot.address)
    digest = code_digest(spec.origin, spec.name, spec.digest, json.dumps(spec.defaults))
    return SeatedBot(spec.name, spec.build({}), digest)


def test_readme_calls_its_first_bot_by_the_name_of_its_file() -> None:
    assert "`bots/patient.py`" in README.read_text("utf-8").split("```python")[0]


def test_every_bot_in_the_documentation_is_accepted(catalogue: Catalogue) -> None:
    known, broken = catalogue.everything()
    assert broken == []
    found = [spec.name for spec in known if spec.origin == "file"]
    assert sorted(found) == sorted(DOCUMENTED)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_bot_in_the_documentation_plays_without_faults(
    catalogue: Catalogue, name: str
) -> None:
    seats = [contestant(catalogue.find(bot)) for bot in (name, "cautious")]
    result = EngineTable(GAME, CLASSIC, seats, players=2, seed=1).play(
        Block((0, 1), first=0, deals=5)
    )
    assert result.faults == ()
    assert [tally.unfinished for tally in result.tallies] == [0, 0]


def test_the_patient_bot_and_the_quick_one_are_the_same_bot(catalogue: Catalogue) -> None:
    plain, compiled = (catalogue.find(name) for name in ("patient", "quick"))
    assert (plain.backend, compiled.backend) == ("plain", "compiled")
    seats = [contestant(plain), contestant(compiled)]
    result = EngineTable(GAME, CLASSIC, seats, players=2, seed=1).play(
        Block((0, 1), first=0, deals=20)
    )
    one, other = result.tallies
    assert one.wins == other.wins
    assert one.counts == other.counts


def bots_with_functions() -> Iterator[tuple[str, str]]:
    """The bots that we print or hand out, under names of their own."""
    yield from DOCUMENTED.items()
    for file in sorted((ROOT / "bots").glob("*.py")):
        yield file.stem, file.read_text("utf-8")
    for game in all_games():
        if game.bot_template(compiled=True) is not None:
            yield f"new_{game.name}", game.bot_template(compiled=False) or ""


def can_be_compiled(text: str) -> bool:
    """Whether it is plain, does not learn, and looks at the table only, at no copy of it."""
    return not re.search(r"compiled|^learns = True|import .*(game_named|Position)", text, re.M)


COMPILABLE = {name: text for name, text in bots_with_functions() if can_be_compiled(text)}


def test_the_bots_that_can_be_compiled_are_known() -> None:
    assert {"example", "new_cantstop", "patient"} <= {*COMPILABLE}
    assert len(COMPILABLE) >= 5


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
@pytest.mark.parametrize("name", slow_but([0], COMPILABLE))
def test_every_bot_that_we_print_or_hand_out_compiles(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    game = re.search(r'^game = "(.+)"', COMPILABLE[name], re.M)
    words = ("--game", game[1]) if game else ()
    done = arena("bots", "compile", name, *words, bots={name: COMPILABLE[name]})
    assert f"{name}_compiled.py is the compiled version of {name}. Both play" in done.text


def test_every_tournament_in_the_documentation_is_read(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    pages = (README, TOURNAMENTS, HOW_TO / "rule-variant.md")
    written = [text for page in pages for text in blocks(page, "yaml")]
    isolated = "isolate: true}"  # needs a sandbox: tests/tournaments/file/test_patterns.py
    tournaments = [text for text in written if re.search(r"^bots:", text, re.M)]
    tournaments = [text for text in tournaments if isolated not in text]
    assert len(tournaments) == 4
    for text in tournaments:
        file = tmp_path / "mine.yaml"
        file.write_text(text, "utf-8")
        is_comparison = re.search(r"^compare:", text, re.M)
        described = read_comparison(file, catalogue) if is_comparison else read(file, catalogue)
        assert len(described.entrants) >= 2


def game_in(file: Path) -> str:
    """The game of a tournament's file."""
    named = re.search(r"^game: (\S+)", file.read_text("utf-8"), re.M)
    return named[1] if named else DEFAULT


def test_the_tournaments_that_come_along_are_read(catalogue: Catalogue) -> None:
    there = {game.name for game in all_games()}
    files = [file for file in (ROOT / "tournaments").glob("*.yaml") if game_in(file) in there]
    comparisons = [file for file in files if "compare:" in file.read_text("utf-8")]
    assert {file.stem for file in comparisons} > {"jumping", "leaving", "long-games"}
    for file in files:
        (read_comparison if file in comparisons else read)(file, catalogue)


def test_the_documented_defaults_of_a_tournament_are_its_defaults(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("bots: [random, cautious]", "utf-8")
    told = dict(re.findall(r"^(\w+):.*#.*default (\d+)", TOURNAMENTS.read_text("utf-8"), re.M))
    tournament = read(file, catalogue)
    defaults = {**tournament.as_file(tmp_path), **asdict(tournament.policy)}
    assert len(told) == 6
    assert told == {key: f"{defaults[key]:g}" for key in told}
    assert (tournament.name, tournament.rules) == ("mine", CLASSIC)


def options_of(command: click.Command) -> set[str]:
    """Of what is on unless it is put off, the word that does so."""
    words = (word for item in command.params for word in item.secondary_opts or item.opts)
    return {word for word in words if word.startswith("--")}


@cache
def commands() -> dict[str, click.Command]:
    """Every command by the words that call it, those of a group after the group itself."""
    found: dict[str, click.Command] = {}
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": one for inner, one in command.commands.items()}
    return found


OF_EXAMPLE = "upsets"
"""A command of a package of examples/, which is not installed here."""


def called(words: list[str]) -> str:
    """The command that these words call, those after `arena`."""
    longest = " ".join(words[:2])
    return longest if longest in commands() else words[0]


def calls_in(page: Path) -> list[list[str]]:
    """The words of the calls of `arena` in a page, in code and in console blocks."""
    texts = re.findall(r"(?:`|\$ )arena ([a-z]+[^`\n]*)", page.read_text("utf-8"))
    return [text.split() for text in texts]


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_every_call_of_arena_in_the_documentation_exists(page: Path) -> None:
    """Commands of extensions that are not here have a page of docs/extensions with them."""
    others = [each for each in EXTENSIONS.glob("*.md") if each != page]
    elsewhere = {words[0] for other in others for words in calls_in(other)}
    for words in calls_in(page):
        name = called(words)
        if name in commands():
            options = {word for word in words if word.startswith("--")}
            written = {option for word in options for option in re.findall(r"--[a-z-]+", word)}
            assert written <= options_of(commands()[name])
        else:
            assert name in elsewhere or name == OF_EXAMPLE


def test_the_table_of_parameters_is_that_of_the_program() -> None:
    told = {cells[0].strip("`"): cells[2].strip("`") for cells in table(RULES, "Rule sets")}
    assert list(told) == list(PARAMETERS)
    classic = {name: getattr(CLASSIC, name) for name in PARAMETERS}
    lengths = ", ".join(map(str, classic.pop("column_lengths")))
    assert told == {"column_lengths": lengths} | {key: str(classic[key]) for key in classic}


def test_the_table_of_rule_sets_is_that_of_the_program() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| ([\w-]+) \| (\w+) \| (\d) \|", RULES.read_text("utf-8"), re.M
    )
    assert rows == [
        (name, rules.stop, rules.landing, str(rules.columns_to_win))
        for name, (rules, _) in NAMED.items()
    ]


def numbers(words: str) -> list[int]:
    return [int(word) for word in re.findall(r"\d+", words)]


@pytest.mark.parametrize(("position", "roll", "moves"), table(RULES, "Move order"))
def test_the_positions_in_the_rules_are_right(position: str, roll: str, moves: str) -> None:
    standing = naive.Position(GAME.rules.as_dict(CLASSIC), seat=0, markers=[{}, {}])
    for kind, words in re.findall(r"(runners on|columns?) ([\d, and]+)", position):
        if kind == "runners on":
            standing.runners = dict.fromkeys(numbers(words), 1)
        else:
            standing.claimed = set(numbers(words))
    told = [numbers(move) for move in re.findall(r"\[.*?\]", moves)]
    assert naive.legal_moves(standing, numbers(roll)) == told
    assert told or moves == "none: a bust"


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_every_link_to_a_heading_finds_it(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s:]*)#([\w-]+)\)", page.read_text("utf-8")):
        text = (page.parent / target if target else page).read_text("utf-8")
        headings = re.findall(r"^#+ (.*)$", text, re.M)
        plain = [re.sub(r"[^\w -]", "", heading).lower() for heading in headings]
        assert anchor in [heading.replace(" ", "-") for heading in plain]


def test_every_page_that_the_program_names_exists() -> None:
    sources = [*(ROOT / "cantstop_arena").rglob("*.py"), *(ROOT / "cantstop_arena").rglob("*.txt")]
    sources += [*(ROOT / "bots").rglob("*.*"), *(ROOT / "benchmarks").glob("*.py")]
    named = {
        name
        for file in sources
        if file.suffix in (".py", ".txt", ".sh")
        for name in re.findall(r"docs/[\w/-]+\.md", file.read_text("utf-8"))
    }
    assert named
    assert not [name for name in named if not (ROOT / name).is_file()]


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_no_page_has_marks_of_a_merge(page: Path) -> None:
    assert not re.search(r"^(<{7}|>{7}) ", page.read_text("utf-8"), re.MULTILINE)


def test_one_version_everywhere() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    assert cited == cantstop_arena.__version__
    assert f"## [{cited}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_site_leaves_no_page_of_the_documentation_out() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    named = {page for entry in site["nav"] for page in _pages(entry)}
    there = {page.relative_to(ROOT).as_posix() for page in DOCS.rglob("*.md")}
    assert there <= named
    assert all((ROOT / page).is_file() for page in named)


def _pages(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for value in entry.values():
            yield from _pages(value)
    elif isinstance(entry, list):
        for part in entry:
            yield from _pages(part)
