"""What users can choose of reports, by name; apart, as the command line's help needs no more."""

FORMATS = ("text", "markdown", "csv", "json", "latex")
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
