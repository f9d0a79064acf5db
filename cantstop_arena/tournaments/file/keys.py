"""The keys of tournaments and runs: in files, on the command line and in Python, declared once.

Files are read and written by them (`tournament_file`, `Tournament.as_file`), the options of
commands are made from them (`cli.options`), and the keywords of functions (`api.keywords`) and the
table in docs/reference/tournament-file.md are tested against them. Help pages load this module, so
it imports nothing that takes time. An extension lists its keys in a module of its own, those of
this table that it shares among them (`shared_keys`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from cantstop_arena.bots.bot_paths import DEFAULT_FOLDER, RESULTS
from cantstop_arena.games.registry import DEFAULT

Command: TypeAlias = Literal[
    "run",
    "match",
    "gauntlet",
    "compare",
    "tune",
    "tournament",
    "history",
]
"""A command and the function of its name; `tournament` is a function alone."""
File: TypeAlias = Literal["tournament", "comparison"]
Group: TypeAlias = Literal["tournament", "run", "output"]

PLAYING: frozenset[Command] = frozenset({"run", "match", "gauntlet", "compare"})
BESIDE_FILES: frozenset[Command] = PLAYING | {"tune"}
PAIRING: frozenset[Command] = frozenset({"match", "gauntlet", "tune"})  # they name bots
PLANNING: frozenset[Command] = frozenset({"match", "gauntlet", "compare", "tournament"})
FINISHING: frozenset[Command] = frozenset({"run", "match", "compare"})  # functions that play
LASTING: frozenset[Command] = FINISHING | {"tune"}  # that take a while
HISTORY: frozenset[Command] = frozenset({"history"})
NOWHERE: frozenset[Command] = frozenset()

IN_TOURNAMENTS: frozenset[File] = frozenset({"tournament"})
IN_COMPARISONS: frozenset[File] = frozenset({"comparison"})
IN_FILES = IN_TOURNAMENTS | IN_COMPARISONS

GAMES = range(1, 10**12 + 1)
FAULTS = range(1, 10**9 + 1)
MAX_SECONDS = 3600.0
SCORES = ("wins", "payoff")
ON_FAULT = ("forfeit", "abort")


class Seconds(NamedTuple):
    """The values of a time: above 0 and up to `maximum`, or 0 and more without one."""

    maximum: float | None = None


class Key(NamedTuple):
    """A key: its name in files and in Python, what it is, and where it is taken.

    `kind` is the form of its values: bool, int, a range, words to choose from, `Seconds`, or the
    name of a form that has a reader and an option type of its own. The `default` is that of files
    and Python, and of the command line unless `option` says otherwise.
    """

    name: str
    help: str
    group: Group
    kind: Any
    default: Any = None
    files: frozenset[File] = frozenset()
    commands: frozenset[Command] = NOWHERE
    functions: frozenset[Command] = NOWHERE
    cli: tuple[str, ...] = ()
    option: Mapping[str, Any] = {}
    """More words for the option of the command line."""
    helps: Mapping[str, str] = {}
    """The help texts of single commands."""
    ends: Mapping[str, str] = {}
    """What the help texts of single commands say beyond `help`: mostly their defaults."""
    keeps_default: bool = True
    """Whether a file that the arena writes has it even where the value is the default."""

    def help_of(self, command: str) -> str:
        """The help text in a command."""
        text = self.helps.get(command, self.help)
        return f"{text} {self.ends[command]}" if command in self.ends else text


OF_FILE = "Default: those of the file."

KEYS = (
    Key(
        "name",
        "Name of the results and their folder. Default: the file's name without .yaml.",
        "tournament",
        "name",
        files=IN_FILES,
        functions=frozenset({"tournament", "compare"}),
    ),
    Key(
        "game",
        "The game to play; see arena games.",
        "tournament",
        "game",
        DEFAULT,
        files=IN_FILES,
        commands=PAIRING,
        functions=PLANNING | PAIRING,
        cli=("--game", "game_name"),
        option={"show_default": True, "metavar": "NAME"},
    ),
    Key(
        "rules",
        "Rule set; see arena rules. Default: the game's default, classic in Can't Stop.",
        "tournament",
        "rules",
        files=IN_TOURNAMENTS,
        commands=PAIRING,
        functions=PAIRING | {"tournament"},
        cli=("--rules", "rules_name"),
        option={"metavar": "NAME"},
    ),
    Key(
        "compare",
        "The rule sets that are compared, a list.",
        "tournament",
        "rules",
        files=IN_COMPARISONS,
    ),
    Key(
        "baseline",
        "The rule set that the others are compared with. Default: the first.",
        "tournament",
        "rules",
        files=IN_COMPARISONS,
    ),
    Key(
        "players",
        "Number of seats. Default: 2, or the fewest that the game has.",
        "tournament",
        int,
        files=IN_FILES,
        commands=PAIRING,
        functions=PAIRING | {"tournament"},
        cli=("--players",),
        option={"metavar": "N"},
    ),
    Key(
        "games",
        "Games for each lineup.",
        "tournament",
        GAMES,
        files=IN_FILES,
        commands=PLAYING,
        functions=PLAYING | {"tournament"},
        cli=("--games",),
        helps={
            "match": "Number of games; with --sprt the maximum. Default: 10,000, with --sprt"
            " 10,000,000.",
        },
        ends={"run": OF_FILE, "compare": OF_FILE, "gauntlet": "Default: 10,000."},
    ),
    Key(
        "until",
        "Play until every interval is that narrow, as in {elo_error: 3} or {width: 0.002}.",
        "tournament",
        "until",
        files=IN_TOURNAMENTS,
        functions=frozenset({"tournament"}),
        keeps_default=False,
    ),
    Key(
        "seed",
        "Seed of all random numbers: a number or a text.",
        "tournament",
        "seed",
        files=IN_FILES,
        commands=PLAYING,
        functions=PLAYING | {"tournament"},
        cli=("--seed",),
        option={"metavar": "SEED"},
        ends={
            "run": "Default: the seed of the file, or a random one.",
            "compare": "Default: the seed of the file, or a random one.",
            "match": "Default: a random one, printed with the results.",
            "gauntlet": "Default: a random one.",
        },
    ),
    Key(
        "ignore_below",
        "Differences of this size and below are negligible.",
        "tournament",
        "differences",
        files=IN_COMPARISONS,
    ),
    Key(
        "decision_limit",
        "Seconds that a decision may take.",
        "tournament",
        Seconds(MAX_SECONDS),
        1.0,
        files=IN_FILES,
        functions=PLANNING,
    ),
    Key(
        "start_limit",
        "Seconds that a worker or a program may take to get ready.",
        "tournament",
        Seconds(MAX_SECONDS),
        60.0,  # loading numba takes seconds, and a busy machine makes minutes of them
        files=IN_FILES,
        functions=PLANNING,
    ),
    Key(
        "max_faults",
        "A bot is disqualified after so many faults.",
        "tournament",
        FAULTS,
        100,
        files=IN_FILES,
        functions=PLANNING,
    ),
    Key(
        "on_fault",
        "What a fault costs: the game (forfeit), or the run (abort).",
        "tournament",
        ON_FAULT,
        ON_FAULT[0],
        files=IN_FILES,
        functions=PLANNING,
    ),
    Key(
        "game_limit",
        "Seconds that a function of the game may take.",
        "tournament",
        Seconds(MAX_SECONDS),
        10.0,
        files=IN_FILES,
        functions=PLANNING,
        keeps_default=False,
    ),
    Key(
        "isolate",
        "Run all bots from files and packages in a sandbox, from their first line on.",
        "tournament",
        "isolation",
        False,
        files=IN_FILES,
        commands=BESIDE_FILES,
        functions=BESIDE_FILES | {"tournament"},
        cli=("--isolate",),
        keeps_default=False,
    ),
    Key(
        "anchor",
        "The bot with a fixed Elo, and that Elo, as in {rule28: 1500}.",
        "tournament",
        "anchor",
        files=IN_TOURNAMENTS,
        functions=frozenset({"tournament"}),
        keeps_default=False,
    ),
    Key(
        "gauntlet",
        "The challenger: a bot that plays against all others, which do not meet.",
        "tournament",
        "bot",
        files=IN_TOURNAMENTS,
        functions=frozenset({"tournament"}),
        keeps_default=False,
    ),
    Key(
        "score",
        "What standings are sorted by, and what tests are about: wins, or payoff in games that have"
        " any. Default: what the game says.",
        "tournament",
        SCORES,
        files=IN_TOURNAMENTS,
        commands=frozenset({"run", "match", "gauntlet"}),
        functions=frozenset({"run", "match", "gauntlet", "tournament"}),
        cli=("--score",),
        keeps_default=False,
    ),
    Key(
        "luck_removed",
        "Measure the luck of rolls and subtract it from scores and Elo: narrower intervals. By the"
        " stake of a roll; with `value` by an estimate of winning chances, which takes longer.",
        "tournament",
        "luck",
        False,
        files=IN_FILES,
        commands=PLAYING,
        functions=PLAYING | {"tournament"},
        cli=("--luck-removed",),
        keeps_default=False,
    ),
    Key(
        "openings",
        "Actions that are played before the bots are asked: so many random plies, those of a file,"
        " or those of the game.",
        "tournament",
        "openings",
        files=IN_FILES,
        commands=PLAYING,
        functions=PLAYING | {"tournament"},
        cli=("--openings",),
        option={"metavar": "N|FILE|game"},
        keeps_default=False,
    ),
    Key(
        "bots",
        "The bots that play: a list of names, paths and patterns, or all.",
        "tournament",
        "bots",
        files=IN_FILES,
    ),
    Key(
        "exclude",
        "Bots that patterns and all leave out: a list of names, paths and patterns.",
        "tournament",
        "patterns",
        files=IN_FILES,
        functions=frozenset({"tournament", "compare"}),
        keeps_default=False,
    ),
    Key(
        "left_out",
        "What a pattern has matched that could not play; in files that the arena writes.",
        "tournament",
        "bots",
        files=IN_FILES,
        keeps_default=False,
    ),
    Key(
        "workers",
        "Number of worker processes. Default: one for each core that it may use.",
        "run",
        "count",
        commands=BESIDE_FILES | HISTORY,
        functions=LASTING | HISTORY,
        cli=("--workers",),
    ),
    Key(
        "cluster",
        "Play on a Dask cluster: tcp://HOST:PORT, tls://HOST:PORT, file:SCHEDULER.json or local:N.",
        "run",
        "cluster",
        commands=BESIDE_FILES | HISTORY,
        functions=LASTING | HISTORY,
        cli=("--cluster",),
        option={"metavar": "ADDRESS"},
    ),
    Key(
        "cluster_wait",
        "How long to wait for a machine of the cluster that can play. Default: 30.",
        "run",
        Seconds(),
        commands=BESIDE_FILES | HISTORY,
        functions=LASTING | HISTORY,
        cli=("--cluster-wait",),
        option={"metavar": "SECONDS"},
    ),
    Key(
        "start_method",
        "How to start worker processes. Default: fork where that is safe, else spawn.",
        "run",
        ("fork", "spawn"),
        commands=BESIDE_FILES | HISTORY,
        functions=LASTING | HISTORY,
        cli=("--start-method",),
    ),
    Key(
        "memory",
        "Memory that each worker may allocate after its start, such as 512M or 2G.",
        "run",
        "size",
        commands=BESIDE_FILES | HISTORY,
        functions=LASTING | HISTORY,
        cli=("--memory",),
        option={"metavar": "SIZE"},
    ),
    Key(
        "results",
        "Folder in which the results folder is created.",
        "tournament",
        "folder",
        RESULTS,
        commands=BESIDE_FILES,
        functions=BESIDE_FILES | {"tournament"},
        cli=("--results",),
        option={"show_default": True, "metavar": "DIR"},
    ),
    Key(
        "bots_folder",
        "Folder with bot files.",
        "tournament",
        "folder",
        DEFAULT_FOLDER,
        commands=BESIDE_FILES | HISTORY,
        functions=BESIDE_FILES | HISTORY | {"tournament"},
        cli=("--bots", "bots_folder"),
        option={"show_default": True, "metavar": "DIR"},
    ),
    Key(
        "fresh",
        "Begin a new ledger; the old one stays as ledger.old.sqlite.",
        "run",
        bool,
        False,
        commands=PLAYING,
        functions=FINISHING,
        cli=("--fresh",),
    ),
    Key(
        "dry_run",
        "Print what would be played, and how long that takes; nothing is stored.",
        "output",
        bool,
        False,
        commands=PLAYING | HISTORY,
        cli=("--dry-run",),
    ),
    Key(
        "progress",
        "Show progress: True, or a function that takes a name and returns an observer.",
        "output",
        "progress",
        False,
        functions=LASTING | HISTORY,
    ),
    Key(
        "quiet",
        "Print only the tables.",
        "output",
        bool,
        False,
        commands=BESIDE_FILES | HISTORY,
        cli=("--quiet",),
        helps={"match": "Print only the result.", "tune": "Print no progress."},
    ),
    Key(
        "page",
        "Whether to write report.html, which takes about a second.",
        "output",
        bool,
        False,
        commands=BESIDE_FILES | HISTORY,
        functions=LASTING | HISTORY,
        cli=("--page/--no-page",),
        option={"default": True, "envvar": "CANTSTOP_ARENA_PAGE", "show_envvar": True},
        helps={"history": "Whether to write history-BOT.html, which has the chart."},
        ends=dict.fromkeys(BESIDE_FILES | HISTORY, "Default: --page."),
    ),
    Key(
        "form",
        "Format of the tables.",
        "output",
        "format",
        "text",
        commands=BESIDE_FILES | HISTORY,
        cli=("--format", "form"),
        option={"show_default": True},
    ),
    Key(
        "chosen",
        "Print only this table; can be repeated.",
        "output",
        "tables",
        commands=PLAYING - {"compare"},
        cli=("--table", "chosen"),
        option={"multiple": True},
        ends={
            "run": "Default: all tables.",
            "gauntlet": "Default: all tables.",
            "match": "Default: the match.",
        },
    ),
    Key(
        "wide",
        "Print complete tables, also on a narrow terminal and beyond 240 columns.",
        "output",
        bool,
        False,
        commands=PLAYING | HISTORY,
        cli=("--wide",),
    ),
)

BY_NAME: Mapping[str, Key] = {key.name: key for key in KEYS}


def shared_keys(*names: str, **helps: str) -> tuple[Key, ...]:
    """Keys of this table for a command of an extension; `helps` are help texts of its own."""
    own = {
        name: BY_NAME[name]._replace(help=text, helps={}, ends={}) for name, text in helps.items()
    }
    return tuple(own.get(name, BY_NAME[name]) for name in names)


def keys_of_file(file: File) -> tuple[Key, ...]:
    """The keys of a kind of file, in the order in which it is written."""
    return tuple(key for key in KEYS if file in key.files)


def default_of(name: str) -> Any:
    """The default of a key."""
    return BY_NAME[name].default


def values_in_file(file: File, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as a file of this kind has them: in order, and without needless defaults."""
    return {
        key.name: values[key.name]
        for key in keys_of_file(file)
        if key.name in values and (key.keeps_default or values[key.name] != key.default)
    }


_SYNONYMS = {
    "name": "event title tournament tournament_name id",
    "rules": "variant ruleset rule_set rulesets board",
    "compare": "rules variants rulesets rule_sets",
    "players": "seats num_players n_players number_of_players table_size",
    "games": "rounds round repeat repeats matches n_games num_games games_per_pair games_per_match"
    " game_count iterations episodes trials deals hands",
    "until": "sprt precision stop stop_at confidence error",
    "seed": "srand random_seed rng rng_seed random_state",
    "decision_limit": "tc time timecontrol time_control timeout time_limit movetime move_time st",
    "max_faults": "max_errors errors max_timeouts max_crashes",
    "isolate": "sandbox sandboxed isolation isolated docker container",
    "anchor": "elo rating base_elo reference",
    "gauntlet": "challenger seed_engine hero",
    "openings": "book opening opening_book opening_file start_positions positions",
    "bots": "engines engine agents agent teams team entrants competitors contestants programs"
    " strategies models bot participants players_list policies",
    "exclude": "ignore skip without except",
    "participants": "students teams entrants competitors submissions bots",
    "staff": "opponents baselines references house_bots bots",
    "workers": "concurrency threads jobs processes parallel parallelism cores cpus n_jobs nproc",
    "results": "output out outdir output_dir folder directory pgnout logdir",
    "league": "name title event season_name",
}
"""Words for keys in other programs' files, such as those of chess tournaments."""


def hint_at_key(word: str, allowed: Collection[str]) -> str:
    """What an unknown key of a file may mean: one of the `allowed` keys, or an option."""
    plain = word.lower().replace("-", "_").replace(" ", "_")
    names = [key for key, text in _SYNONYMS.items() if plain in (key, *text.split())]
    if name := next((name for name in names if name in allowed), ""):
        return f" (did you mean {name!r}?)"
    options = (BY_NAME[name] for name in (*names, plain) if name in BY_NAME)
    option = next((key.cli[0] for key in options if key.cli and key.commands), "")
    if option and "game" in allowed:  # a file, and no part of it such as `until`
        return f"; it is said on the command line: {option}"
    from cantstop_arena.game_api.bot_options import did_you_mean

    return did_you_mean(plain, allowed)
