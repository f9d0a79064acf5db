"""Fuzzing: whatever a tournament file or a command line holds, it is used or refused in words.

FUZZ_EXAMPLES says how many examples each test takes.
"""

import os
import re
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.arena import Arena
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import ConfigError
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.file.yaml_reader import dump

A_LONG_LINE = 1000  # characters of one problem
LONG, A_HANG = 2, 60  # seconds: the first is told, the second fails
PLAIN = '''"""Stops after three rolls."""
def choose_move(turn, moves, last=False, names=("a", "b"), note="", depth=1):
    return len(moves) - 1 if last else 0
def roll_again(turn, rolls=3.0):
    return turn.rolls < rolls
'''

fuzz = settings(suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with bots and tournaments, where we stand."""
    before = Path.cwd()
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "bots").mkdir()
    (folder / "bots" / "plain.py").write_text(PLAIN)
    (folder / "bots" / "broken.py").write_text("import nothing_there")
    (folder / "cup.yaml").write_text("games: 2\nbots: [random, plain]\n")
    (folder / "bad.yaml").write_text("game: 2\nbots: [rondom, broken]\n")
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue(Path("bots"))


@contextmanager
def in_time(what: object) -> Iterator[None]:
    """Warn of what takes long, and fail where it takes for ever."""

    def too_late(*_: object) -> None:
        raise AssertionError(f"no end after {A_HANG} s: {what!r}")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.alarm(A_HANG)
    start = time.perf_counter()
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    if (took := time.perf_counter() - start) > LONG:
        warnings.warn(f"{took:.1f} s for {what!r}", stacklevel=3)


# --- The tournament file --------------------------------------------------------------------------


def check(place: Path, catalogue: Catalogue, content: bytes) -> None:
    """A file is read as what it will be read as again, or refused with places in clean lines."""
    path = place / "fuzzed.yaml"
    path.write_bytes(content)
    with in_time(content):
        try:
            tournament = read(path, catalogue)
        except ConfigError as error:
            event("refused")
            check_message(path, error)
            return
        event("read")
        path.write_text(dump(tournament.as_file(place)), encoding="utf-8")
        again = read(path, catalogue)  # notices name lines
        same = replace(again, has_random_seed=tournament.has_random_seed, notices=())
        assert same == replace(tournament, notices=())


def check_message(path: Path, error: ConfigError) -> None:
    for line in str(error).split("\n"):
        assert re.match(re.escape(str(path)) + r":[1-9]\d*:[1-9]\d*: \S", line), line
        assert line.isprintable(), line
        assert len(line) < A_LONG_LINE, line


KEYS = ("name", "game", "rules", "players", "games", "seed", "bots")
MORE_KEYS = ("bot", "as", "base", "threshold", "prefer", "names", "depth", "last", "roll_again")
RULE_KEYS = ("sides", "column_lengths", "runners", "columns_to_win", "landing", "stop")
ALL_KEYS = (*KEYS, *MORE_KEYS, *RULE_KEYS, "turn_limit")
MISSPELT = ("Name", "game:", "bot s", "bots bots", "seeds", "ruels", "playres", "null", "1", "~")
FITTING = {
    "name": ("evening", "'1'", "Großer Preis", '"a-b_c.d"', "017"),
    "game": ("cantstop", "'cantstop'"),
    "rules": ("classic", "korean", "{base: jump, sides: 4}", "{name: x, column_lengths: [1, 2e0]}"),
    "players": ("1", "2", "3", "2.0", "0x2"),
    "games": ("1", "600", "1e3", "1_000", "10**12", "999999999999"),
    "seed": ("0", "7", "0b11", "9223372036854775807"),
    "bots": (
        "[random, rule28, cautious]",
        "[bots/plain.py, ./bots/../bots/plain.py, random, odds]",
        "\n  - random\n  - rule28\n  - {bot: rule28, as: other, threshold: 3e1, prefer: outer}",
        "\n- bot: random\n  as: 'eager'\n  roll_again: 1\n- daring\n- odds",
        "[odds, daring, {bot: plain, names: [x, 1, ~, 'no'], note: \"\\x07\", last: yes}]",
    ),
}
RIGHT = (*(value for values in FITTING.values() for value in values), "random", "jump", "0.5", "no")
ODD = (
    *("w" * 2000, "[" + "1, " * 500 + "1]", "", "~", "null", ".inf", "-.inf", ".nan", "nan"),
    *("inf", "1e999", "-1e-999", "1e308", "-0", "9" * 30, "9" * 5000, "-" + "9" * 99, "0b1"),
    *("0o17", "017", "0x", "1__0", "_1", "+1", "1.", ".", "2024-05-01", "2024-05-01T10:00:00Z"),
    *("12:30:45", "=", "<<", "!", "!!", "&", "*", "&a", "*a", "!!python/object:os.system x"),
    *("!!python/object/apply:os.system ['true']", "!!binary aGk=", "!!int x", "!!str 1"),
    *("!!set {a, b}", "!!omap [a: 1]", "!<tag:yaml.org,2002:str> a", "!e!x y", "&a [*a]"),
    *("&a {a: *a}", "[&b 1, *b]", "{<<: *a}", "{<<: {bot: random}}", "{bot: }", "{: x}"),
    *("{[a]: b}", "{{a: b}: c}", "? a", "? [a]\n  : b", "- a", "- - a", "|\n  random"),
    *(">-\n  a\n\n  b", '"\\0"', '"\\x7f"', '"\\UFFFFFFFF"', '"\\ud800"', '"\\e[31m"'),
    *('"\\u202e"', '"\\N"', '"\\', "'", "\u202e", "\x1b[31m", "\0", "\x7f", "\x85", "\u2028"),
    *("\ufeff", "\ud800", "\U0010ffff", "é", "٣", "x" * 300, "ß" * 130, "a/b.py", "/", ".."),
    *(".py", "bots/", "bots/broken.py", "no/such.py", "~/x.py", "a" * 300 + ".py", "a\\0.py"),
    *('"a\\0b.py"', '"bots/\\0.py"', "[" * 30, "[" * 19 + "]" * 19, "{a: " * 25 + "1" + "}" * 25),
    *("# comment", "%YAML 1.1", "@", "`"),
)
scalars = st.sampled_from(RIGHT) | st.sampled_from(ODD) | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(st.tuples(st.sampled_from(ALL_KEYS + MISSPELT), inner), max_size=4).map(
            lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
        ),
        st.tuples(
            st.sampled_from(("&a ", "!!str ", "!x ", "*a ", '"', "'", "- ", "? ")), inner
        ).map("".join),
    ),
    max_leaves=6,
)
keys = st.sampled_from(KEYS) | st.sampled_from(ALL_KEYS + MISSPELT) | scalars
fitting_entries = st.sampled_from(
    [f"{key}: {value}" for key, values in FITTING.items() for value in values]
)
entries = fitting_entries | st.tuples(keys, st.sampled_from((": ",) * 5 + (":", " :")), values).map(
    "".join
)
lines = st.one_of(
    entries,
    entries,
    values.map("  - {}".format),
    entries.map("  {}".format),
    st.sampled_from(("---", "...", "%YAML 1.1", "%TAG ! x", "# x", "\t", "<<: *a", "bots:", "")),
)
endings = st.sampled_from(("\n", "\n", "\n", "\r\n", "\r", "\x85"))
files = st.builds(
    lambda parts, odd, end, tail: end.join([*parts, *odd]) + tail,
    st.lists(fitting_entries, max_size=6, unique_by=lambda entry: entry.partition(":")[0]),
    st.lists(lines, max_size=4),
    endings,
    st.sampled_from(("\n", "", "\nbots: [random, rule28]\n")),
)

VALID = (
    "name: evening\ngame: cantstop\nrules: {base: korean, landing: jump, columns_to_win: 4}\n"
    "players: 3\ngames: 600\nseed: 7\n"
    "bots:\n  - rule28\n  - {bot: rule28, as: timid, threshold: 24}\n"
    "  - {bot: plain, as: other, last: yes, names: [1, a], note: x}\n  - bots/plain.py\n",
    "rules:\n  base: classic\n  name: my rules\n  sides: 4\n"
    "  column_lengths: [1, 2, 3, 4, 3, 2, 1]\n"
    "  runners: 2\n  columns_to_win: 2\n  landing: leave\n  stop: after-all-runners\n"
    "  turn_limit: 50\nplayers: 1\nbots: [random]\n",
    'name: "Großer Preis"\ngames: 1e3\nbots:\n- bot: random\n  as: "a: b"\n  roll_again: 0.25\n'
    "- cautious\n- bot: ./bots/plain.py\n  as: '1'\n  note: \"\\x07 \\u2028\"\n  depth: 0x10\n",
)

Edit = Callable[[str], str]


def at(position: int, text: str) -> int:
    return position % (len(text) + 1)


def edit_of_a_line(what: str, first: int, second: int, value: str) -> Edit:
    """Delete, double, swap or rewrite lines; only what follows a colon is swapped or rewritten."""

    def edited(text: str) -> str:
        parts = text.split("\n")
        one, other = first % len(parts), second % len(parts)
        if what == "delete":
            del parts[one]
        elif what == "double":
            parts.insert(other, parts[one])
        else:
            (key, colon, told), (key2, colon2, told2) = (
                parts[n].partition(": ") for n in (one, other)
            )
            parts[one] = key + colon + (told2 if what == "swap" else value)
            if what == "swap" and one != other:
                parts[other] = key2 + colon2 + told
        return "\n".join(parts)

    return edited


def edit_of_characters(what: str, position: int, count: int, value: str) -> Edit:
    """Delete, double or insert some characters."""

    def edited(text: str) -> str:
        start = at(position, text)
        middle = text[start : start + count]
        inside = {"delete": "", "double": middle * 2, "insert": value + middle}[what]
        return text[:start] + inside + text[start + count :]

    return edited


positions = st.integers(0, 400)
edits = st.one_of(
    st.builds(
        edit_of_a_line,
        st.sampled_from(("delete", "double", "swap", "put")),
        positions,
        positions,
        values,
    ),
    st.builds(
        edit_of_characters,
        st.sampled_from(("delete", "double", "insert")),
        positions,
        st.integers(1, 3),
        st.sampled_from([*":-?[]{},&*!|>'\"%@#` \t\r\n\\~", "\0", "\x85", "\u2028", "\x1b"])
        | scalars,
    ),
)


@st.composite
def edited_files(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(VALID))
    for edit in draw(st.lists(edits, max_size=4)):
        text = edit(text)
    return text


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("text", VALID)
def test_the_files_to_be_edited_are_valid(place: Path, catalogue: Catalogue, text: str) -> None:
    path = place / "valid.yaml"
    path.write_text(text, encoding="utf-8")
    assert read(path, catalogue).entrants


@fuzz
@given(st.binary(max_size=200))
def test_any_bytes(place: Path, catalogue: Catalogue, content: bytes) -> None:
    check(place, catalogue, content)


@fuzz
@given(files)
def test_anything_like_yaml(place: Path, catalogue: Catalogue, text: str) -> None:
    check(place, catalogue, encoded(text))


@fuzz
@given(edited_files())
def test_a_valid_file_after_any_edits(place: Path, catalogue: Catalogue, text: str) -> None:
    check(place, catalogue, encoded(text))


# --- The command line -----------------------------------------------------------------------------

# Nothing here lets a command take long: games and seconds are few, or too many and refused.
NUMBERS = ("-1", "0", "2", "x", "nan", "", "9" * 20, "9" * 5000, "٣", "0x1", " 1", "1.5", "1_")
COLUMNS = ("6,7,8", "2 12", "2", "1", "13", "6,,7", ",", "six", "2,3,4,5", "-2", "9" * 5000)
BOTS = ("random", "rule28", "plain", "broken", "rondom", "no/such", "plain.py", "a" * 300)
RULES = ("classic", "jump", "korea", "", "a" * 300)
PLACES = ("cup.yaml", "bad.yaml", "no.yaml", "bots", ".", "/", "..", "cup.yaml/x", "/dev/null", "-")
STRANGE = ("", " ", "--", "é", "\udcff", "\x1b[31m", "\n", "\u202e", "[", "{x}", "%s", "--x", "-x")
VALUES = {
    **dict.fromkeys(("--games", "--workers", "--seed", "--deal"), NUMBERS),
    **dict.fromkeys(("--turn", "--roll", "--seat"), NUMBERS),
    **dict.fromkeys(("--results", "--bots"), (*PLACES, "out", "deep/out", "out/\udcff")),
    **dict.fromkeys(("--runners", "--claimed"), COLUMNS),
    "--rules": RULES,
    "--seconds": ("0.1", "0", "-1", "x", "nan", "inf", "1e9", "1e-9"),
}
FLAGS = ("--fresh", "--quiet", "--json", "-h", "--help", "--version")
COMMANDS = {
    "run": (("--games", "--workers", "--seed", "--results", "--bots", "--fresh"), PLACES),
    "bots": (("--json", "--bots"), ()),
    "rules": (("--json",), RULES),
    "odds": (("--runners", "--claimed", "--rules", "--json"), ()),
    "replay": (("--deal", "--seed", "--json", "--bots"), BOTS),
    "draw": (("--deal", "--seed", "--turn", "--roll", "--bots"), BOTS),
    "play": (("--deal", "--seed", "--rules", "--seat", "--name", "--bots"), BOTS),
    "bench": (("--seconds", "--bots"), BOTS),
    "rnu": (("--version",), ()),
}
STARTS = {  # what a command begins with, to get anywhere, or not to take long
    "run": ["--games", "2"],
    "replay": ["cup.yaml", "random", "--deal", "1"],
    "draw": ["cup.yaml", "random", "--deal", "1"],
    "bench": ["random", "--seconds", "0.1"],
}
text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs", "Nd"]), max_size=5)
oddities = st.sampled_from((*NUMBERS, *BOTS, *RULES, *PLACES, *STRANGE, *COLUMNS)) | text


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """A command with words and options of its own, and some that it does not expect."""
    command = draw(st.sampled_from(sorted(COMMANDS)))
    options, arguments = COMMANDS[command]
    words = draw(st.lists(st.sampled_from(arguments), max_size=2)) if arguments else []
    for option in draw(st.lists(st.sampled_from(options), max_size=3)):
        words += [option, draw(st.sampled_from(VALUES[option]))] if option in VALUES else [option]
    for odd in draw(st.lists(oddities | st.sampled_from([*VALUES, *FLAGS]), max_size=2)):
        words.insert(draw(st.integers(0, len(words))), odd)
    return [command, *STARTS.get(command, []), *words]


@pytest.mark.slow
@fuzz
@given(command_lines())
def test_any_command_line(arena: Arena, place: Path, words: list[str]) -> None:
    with in_time(words):
        result = arena(*words, code=None)
    event(f"{words[0]} {result.code}")
    assert result.code in (0, 1, 2), (result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert result.code == 0 or result.output.strip()
