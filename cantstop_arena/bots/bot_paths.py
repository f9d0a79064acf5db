"""Paths of bots: a file, or a folder with a file `__init__.py`; and the default folders."""

import os
from pathlib import Path

from cantstop_arena.errors import BotError

DEFAULT_FOLDER = Path("bots")
RESULTS = Path("results")  # the default folder of results, with copies of the bots that played
FOLDER_FILE = "__init__.py"  # the own file of a bot that is a folder
NET = ".onnx"
ENDINGS = (".py", NET)  # of files that hold a bot


def is_bot_name(reference: str) -> bool:
    """Whether a reference to a bot is its name, and no path."""
    return "/" not in reference and not reference.endswith(ENDINGS)


def is_in_folder(file: Path) -> bool:
    """Whether a bot's own file is that of a folder."""
    return file.name == FOLDER_FILE


def bot_name(file: Path) -> str:
    """The name of the one bot of a file: the file's without its ending, or its folder's."""
    return file.parent.name if is_in_folder(file) else file.stem


def bot_path(file: Path) -> Path:
    """The path by which users know the bot with this own file: its folder, or the file."""
    return file.parent if is_in_folder(file) else file


def own_files_called(name: str) -> tuple[str, ...]:
    """What the own file of a bot of this name can be called in its folder; `*` is for any name."""
    return (*(f"{name}{ending}" for ending in ENDINGS), f"{name}/{FOLDER_FILE}")


def own_file(path: Path) -> Path | None:
    """The own file of the bot at a path, which is a file or a folder; None if there is no bot."""
    candidates = (path, path / FOLDER_FILE)
    return next((file for file in candidates if os.path.isfile(file)), None)


def file_in(folder: Path, name: str) -> Path | None:
    """The own file of the bot of this name in a folder of bots; None if there is none.

    Raises BotError when several files, or a file and a folder, have the name.
    """
    if name in ("", ".", ".."):
        return None
    candidates = (folder / file for file in own_files_called(name))
    files = [file for file in candidates if os.path.lexists(file)]
    if len(files) > 1:
        raise BotError(f"both {files[0]} and {files[1]} are a bot {name!r}; rename one of them")
    return files[0] if files else None


def bot_files(folder: Path) -> list[Path]:
    """The own files of the bots in a folder, sorted by name: *.py, *.onnx, those of its folders.

    Names that begin with _ or a dot are left out.
    """
    if not folder.is_dir():
        return []
    files = [file for pattern in own_files_called("*") for file in folder.glob(pattern)]
    return sorted((file for file in files if bot_path(file).name[0] not in "._"), key=bot_path)


def real_path(file: Path) -> Path:
    """A path whose folder is resolved; the bot's name is kept, even if it is that of a link."""
    if not is_in_folder(file):
        return Path(os.path.realpath(file.parent)) / file.name
    has_name = file.parent.name not in ("", "..")
    folder = file.parent if has_name else Path(os.path.realpath(file.parent))
    return Path(os.path.realpath(folder.parent)) / folder.name / file.name


def path_from(folder: Path, path: Path) -> str:
    """A path as a file in `folder` names it."""
    return Path(os.path.relpath(real_path(path), os.path.realpath(folder))).as_posix()
