"""The keys of designs and profiles: those of tournaments that they share, and their own."""

from cantstop_arena.tournaments.file.keys import Key, shared_keys

_PLAYOUTS = (
    Key(
        "playouts",
        "Games that are played on from each position, in each of two halves.",
        "tournament",
        range(1, 10**6 + 1),
        16,
        cli=("--playouts",),
        option={"show_default": True},
    ),
)
_OWN = (
    Key(
        "vary",
        "The parameters of the rules that vary, each with its values: [1, 2, 4] or 1..4.",
        "tournament",
        "rules",
    ),
    Key(
        "targets",
        "What the rules shall achieve, each with its range, as in {first_seat: [45%, 55%]}.",
        "tournament",
        "targets",
    ),
)

IN_FILE = (
    *shared_keys("name", "game", "rules", "players"),
    *_OWN,
    *shared_keys("seed", "isolate", "bots", "exclude"),
)
"""The keys of a design's file."""

_POOL = ("workers", "cluster", "cluster_wait", "start_method", "memory", "results", "bots_folder")
_OUTPUT = ("quiet", "page", "form", "wide")
DESIGN_COMMAND = shared_keys(
    *("seed", "isolate", *_POOL, *_OUTPUT),
    seed="Seed of all random numbers: a number or a text. Default: the seed of the file, or 1.",
    page="Whether to write report.html, which takes about a second. Default: --page.",
)
"""The keys that `arena design` has as options."""
DESIGN_FUNCTION = shared_keys("seed", "isolate", *_POOL, "progress", "page")
"""The keys that `design` has as keywords."""

PROFILE_COMMAND = (
    *shared_keys(
        *("game", "rules", "players", "games"),
        games="Games that are analysed; ten deals are played for each. Default: 60.",
    ),
    *_PLAYOUTS,
    *shared_keys(
        *("seed", "workers", "results", "bots_folder", "quiet", "form", "wide"),
        seed="Seed of all random numbers: a number or a text. Default: 1.",
        results="Folder of results, with the versions that runs have stored.",
    ),
)
"""The keys that `arena profile` has as options."""
PROFILE_FUNCTION = (
    *shared_keys("game", "rules", "players", "games"),
    *_PLAYOUTS,
    *shared_keys("seed", "workers", "results", "bots_folder", "progress"),
)
"""The keys that `profile` has as keywords."""
