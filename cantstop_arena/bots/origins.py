"""Where bots come from, and what follows from that."""

from enum import StrEnum


class Origin(StrEnum):
    """Where a bot comes from; its value stands in ledgers, messages and JSON."""

    FILE = "file"
    BUILT_IN = "built-in"
    PACKAGE = "package"
    PROGRAM = "command"

    @property
    def text(self) -> str:
        """What it is, to follow the name of a bot."""
        return _TEXTS[self]

    @property
    def is_foreign(self) -> bool:
        """Whether its bots are no part of the arena.

        These are isolated where somebody asks for that, and known by a digest of their sources;
        built-in bots are known by their editions.
        """
        return self is not Origin.BUILT_IN

    @property
    def has_path(self) -> bool:
        """Whether a path names its bots, of which each has a source of its own."""
        return self in (Origin.FILE, Origin.PROGRAM)


_TEXTS = {
    Origin.FILE: "from a file",
    Origin.BUILT_IN: "built in",
    Origin.PACKAGE: "from a package",
    Origin.PROGRAM: "a program",
}
