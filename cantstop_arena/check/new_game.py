"""The package of a new game: a small complete one, to be changed into one's own."""

from collections.abc import Mapping
from importlib import resources
from importlib.util import find_spec
from keyword import iskeyword

from cantstop_arena.errors import UsageError
from cantstop_arena.games.registry import all_games

_FILES = {
    "pyproject.toml": "pyproject.toml",
    "NAME/__init__.py": "package.py",
    "NAME/game.py": "game.py",
    "NAME/bots.py": "bots.py",
    "tests/test_game.py": "test_game.py",
    "NAME.yaml": "tournament.yaml",
    "README.md": "README.md",
}
_MAX_NAME_LENGTH = 40


def package_files(name: str) -> Mapping[str, str]:
    """The texts of the files of a package for a game, by their paths in its folder.

    Raises UsageError for a name that a package or a game cannot have.
    """
    _check_name(name)
    title = name.replace("_", " ").capitalize()
    replacements = {
        "DISTRIBUTION": f"{name.replace('_', '-')}-game",
        "CLASS": f"{''.join(word.capitalize() for word in name.split('_'))}Game",
        "TITLE": title,
        "NAME": name,
    }
    folder = resources.files(__package__) / "templates"
    texts = {
        path: folder.joinpath(f"{file}.txt").read_text("utf-8") for path, file in _FILES.items()
    }
    return {
        _filled(path, replacements): _filled(text, replacements) for path, text in texts.items()
    }


def _filled(text: str, replacements: Mapping[str, str]) -> str:
    for word, value in replacements.items():
        text = text.replace(word, value)
    return text


def _check_name(name: str) -> None:
    is_plain = name.isascii() and name.isidentifier() and name == name.lower()
    if not is_plain or iskeyword(name) or name[0] == "_" or len(name) > _MAX_NAME_LENGTH:
        raise UsageError(
            f"invalid name {name!r:.60}: the name of a game's package has lower-case letters,"
            f" digits and _, begins with a letter, and has at most {_MAX_NAME_LENGTH} of them"
        )
    if any(game.name == name for game in all_games()):
        raise UsageError(f"a game called {name} is already here; choose another name")
    if find_spec(name) is not None:
        raise UsageError(f"a module called {name} is already here; choose another name")
