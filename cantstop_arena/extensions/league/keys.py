"""The keys of leagues: those of tournaments that they share, and their own."""

from cantstop_arena.tournaments.file.keys import GAMES, Key, shared_keys

_OWN = (
    Key(
        "league",
        "Name of the league, and of its folder of results. Default: the file's name without .yaml.",
        "tournament",
        "name",
    ),
    Key(
        "participants",
        "The folder with a folder for each participant, by its name.",
        "tournament",
        "folder",
        "submissions",
    ),
    Key(
        "entry",
        "The bot in a participant's folder: a file, or a folder.",
        "tournament",
        "path",
        "bot.py",
    ),
    Key(
        "names",
        "A CSV file with the columns id and name: the participants' names.",
        "tournament",
        "path",
    ),
    Key(
        "hide",
        "Whether the public pages have pseudonyms.",
        "tournament",
        bool,
        True,
    ),
    Key(
        "staff",
        "Bots that everybody plays against, a list as in bots.",
        "tournament",
        "bots",
    ),
    Key(
        "check",
        "The check of a submission: games against the staff, seconds in all, mean time of a"
        " decision, as in {games: 200, limit: 60, mean: 5ms}.",
        "tournament",
        "check",
    ),
    Key(
        "rounds",
        "Games of each pairing in a round, the rounds that all play, and the most rounds, as in"
        " {games: 200, base: 5, most: 40}.",
        "tournament",
        "rounds",
    ),
    Key(
        "precision",
        "Neighbours whose difference in score is known to ± this are tied.",
        "tournament",
        "share",
        0.01,
    ),
    Key(
        "budget",
        "The games that the standings may take in all.",
        "tournament",
        GAMES,
        5_000_000,
    ),
    Key(
        "season",
        "The season; each has other dice, and no games of another.",
        "tournament",
        range(1, 10_000),
        1,
    ),
    Key(
        "marks",
        "The levels to reach against bots of the staff, and the points for each.",
        "tournament",
        "marks",
    ),
    Key(
        "arrows",
        "The age of the standings with which those of today are compared, such as 7d.",
        "tournament",
        "duration",
        "7d",
    ),
)

IN_FILE = (
    *shared_keys("game", "rules", "players", "seed"),
    *shared_keys("decision_limit", "start_limit", "game_limit", "isolate"),
    *_OWN,
)
"""The keys of a league's file."""

_POOL = ("workers", "cluster", "cluster_wait", "start_method", "memory", "results", "bots_folder")
OF_COMMAND = shared_keys(
    *_POOL,
    *("dry_run", "quiet", "form"),
    dry_run="Print what would be checked and played, and how long the games take.",
)
"""The keys that `arena league` has as options."""
OF_FUNCTION = shared_keys(*_POOL, "progress")
"""The keys that `league` has as keywords."""
