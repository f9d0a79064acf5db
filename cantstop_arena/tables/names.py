"""The names of formats and tables. A module of its own: the command line's help imports only it."""

FORMATS = ("text", "markdown", "csv", "json", "latex")
MATCH_TABLE = "match"
TABLES = (
    "standings",
    "crosstable",
    "differences",
    "seats",
    "predecessors",
    "styles",
    "fit",
    "faults",
)
