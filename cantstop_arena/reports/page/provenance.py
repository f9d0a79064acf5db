"""Where results come from: the configuration, the seed, the versions, the command to get them."""

from importlib.metadata import PackageNotFoundError, version
from platform import python_version

from cantstop_arena import __version__
from cantstop_arena.documents.document import Listing, Section
from cantstop_arena.documents.formats.model import Column, Table

PACKAGES = ("numba", "numpy", "Jinja2")


def origin(command: str, file: str, text: str, about: list[tuple[str, str]]) -> Section:
    """The section on it; `text` is what stands in the `file` that the command names."""
    return Section(
        key="origin",
        title="Reproducing these results",
        finding="One command plays the same games again",
        words=[
            "Games depend on the configuration and its seed alone, not on the number of workers."
            " In the folder of these results this command plays them again, into a folder of"
            " their own:"
        ],
        tables=[_facts(about)],
        listings=[
            Listing("The command", command),
            Listing(f"The configuration: {file}", text, folded=True),
        ],
        open=True,
        folded=True,
    )


def source(name: str, seed: str, games: str) -> str:
    """What a figure is cited by. It has no date: pages of the same results are the same bytes."""
    return f"{name} · seed {seed} · {games} · arena {__version__}"


def _facts(about: list[tuple[str, str]]) -> Table:
    rows = [*about, ("cantstop-arena", __version__), ("Python", python_version())]
    rows += [(name, _version(name)) for name in PACKAGES]
    return Table(
        "facts", "Seed and versions", [Column("what", "what"), Column("value", "value")], rows
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # it is used, but was not installed as a package
        return "unknown"
