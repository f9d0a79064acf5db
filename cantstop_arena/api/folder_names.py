"""What the folder is called in which results go, where nobody names it."""

import hashlib
import json
import re

from msgspec.structs import replace

from cantstop_arena.tournament.files.keys import LONGEST_FOLDER, LONGEST_NAME
from cantstop_arena.tournament.files.tournament import Tournament

_WORDS = 80  # letters of all bots together
_SHOWN = 3  # bots that are named
_DIGITS = 8


def folder_name(tournament: Tournament, bots: int, before: str = "", between: str = "-") -> str:
    """The names of the first bots, and of the rules if they are not the game's usual ones."""
    words = [entrant.name for entrant in tournament.entrants[:bots]]
    name = before + between.join(_cleaned(word)[: _WORDS // bots].lstrip(".") for word in words)
    if tournament.rules != tournament.game.rules.default:
        name += f"-{_cleaned(tournament.rules.name)}"
    return _fitted(name)


def digest_name(tournament: Tournament) -> str:
    """Some of the bots, and a digest of all that results depend on but a seed that was drawn.

    So the same tournament has the same folder, and another one has another.
    """
    identity = replace(tournament, name="").identity()
    told = {**identity, "seed": None if tournament.drawn else identity["seed"]}
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:_DIGITS]
    bots = min(_SHOWN, len(tournament.entrants))
    name = _fitted(folder_name(tournament, bots), _DIGITS + 1)
    return f"{name}-{digest}"


def _cleaned(word: str) -> str:
    return re.sub(r"[^\w.=-]+", "_", word).replace("=", "-")


def _fitted(name: str, spare: int = 0) -> str:
    """As much of a name as a folder's may have."""
    text = name[: LONGEST_NAME - spare].encode()[: LONGEST_FOLDER - spare]
    return text.decode(errors="ignore")
