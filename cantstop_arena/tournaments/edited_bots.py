"""The message when bots have changed since a tournament: what changed, and how to compare."""

import json
import shlex
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from cantstop_arena.bots.bot_files import lines_of, stored_texts
from cantstop_arena.bots.bot_paths import DEFAULT_FOLDER, bot_path, file_in
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.bots.versions import RESULTS, version_name
from cantstop_arena.errors import BotError
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.file.bot_references import reference_to
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.tournament import Tournament


def edit_message(
    tournament: Tournament, catalogue: Catalogue, stored: Mapping[str, Any], copies: Path
) -> str:
    """In which bots a tournament differs from the stored one, and what to do.

    The folder `copies` has the files that played. Empty when something else differs, too.
    """
    changed = dict(_changed(tournament, stored))
    if not changed or _as_before(tournament, stored) != stored:
        return ""
    texts = [
        f"{copies.parent}: "
        f"{_edit_text(tournament.entrants[bot], stored['bots'][bot], copies / digest)}"
        for bot, digest in changed.items()
    ]
    texts = list(dict.fromkeys(texts))
    texts.append("--fresh discards these results and plays them again.")
    entrants = tournament.entrants
    files = [
        bot
        for bot, digest in changed.items()
        if entrants[bot].bot.origin == "file" and entrants[bot].bot.digest != digest
    ]
    return "\n".join([*texts, *_comparison_lines(tournament, catalogue, files, changed)])


def _changed(tournament: Tournament, stored: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """The bots with another digest now, or with changed files, and their former digests."""
    for number, (entrant, before) in enumerate(
        zip(tournament.entrants, stored["bots"], strict=False)
    ):
        if entrant.bot.digest != before.get("digest") or _files_changed(entrant, before):
            yield number, str(before.get("digest"))


def _files_changed(entrant: Entrant, before: Mapping[str, Any]) -> list[str]:
    """The options whose files have changed, if all options are the same."""
    stored = before.get("files", {})
    if entrant.options != before.get("options"):
        return []
    return [name for name, digest in entrant.files.items() if stored.get(name) != digest]


def _as_before(tournament: Tournament, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The tournament's identity with the stored digests and options of changed bots."""
    identity = tournament.identity()
    for number, _ in _changed(tournament, stored):
        before = stored["bots"][number]
        now = identity["bots"][number]
        old_values = {key: before[key] for key in ("digest", "options", "files") if key in before}
        identity["bots"][number] = {key: now[key] for key in now if key != "files"} | old_values
    return identity


def _edit_text(entrant: Entrant, stored: Mapping[str, Any], before: Path) -> str:
    path, text = entrant.bot.path, "has changed since these results were played"
    if entrant.bot.digest == stored.get("digest"):
        names = _files_changed(entrant, stored)
        return f"{' and '.join(_named(entrant, name) for name in names)} {text}."
    if path is None:
        return f"the {entrant.bot.origin} of {entrant.name} {text}."
    name, lines = bot_path(path).name, _lines_changed(entrant.bot, before)
    return f"{name} {text} ({how_many(lines, 'line')})." if lines else f"{name} {text}."


def _named(entrant: Entrant, option: str) -> str:
    """The subject of a message about the file that an option names, or the default files."""
    path = entrant.options[option]
    of_whom = f"{option} of {entrant.name}"
    return f"{path}, {of_whom}," if path else f"what the arena brings as {of_whom}"


def _lines_changed(bot: BotDescription, before: Path) -> int:
    """The number of lines changed, added or removed; 0 when files cannot be read as text."""
    assert bot.source
    try:
        old_texts, new_texts = stored_texts(before), bot.source.texts()
        names = {**old_texts, **new_texts}
        return sum(_changes(old_texts.get(name), new_texts.get(name)) for name in names)
    except (BotError, UnicodeDecodeError):
        return 0


def _changes(old: bytes | None, new: bytes | None) -> int:
    changes = SequenceMatcher(None, lines_of(old), lines_of(new), autojunk=False).get_opcodes()
    return sum(max(a2 - a1, b2 - b1) for kind, a1, a2, b1, b2 in changes if kind != "equal")


def _comparison_lines(
    tournament: Tournament, catalogue: Catalogue, files: list[int], digests: Mapping[int, str]
) -> Iterator[str]:
    """The commands that let both versions play, and the entrant of the old one."""
    if not files:
        return
    yield "To see whether it got better, let both versions play:"
    for bot in files:
        now, before = _references(tournament.entrants[bot], digests[bot], catalogue)
        options = _options(tournament, catalogue)
        command = ["arena", "match", now, before, "--sprt", "0", "5", *options]
        yield f"  {shlex.join(command)}"
    _, before = _references(tournament.entrants[files[0]], digests[files[0]], catalogue)
    entrant = {"bot": before.partition(":")[0]}
    yield f"or as entrants of a tournament of another name, the old one as {_flow(entrant)}."


def _references(entrant: Entrant, digest: str, catalogue: Catalogue) -> tuple[str, str]:
    """The references to the two versions of a bot, for the command line."""
    path = entrant.bot.path
    own = file_in(catalogue.folder.resolve(), entrant.bot.name)
    base = str(bot_path(path)) if path and path != own else entrant.bot.name
    version = version_name(base, digest)
    return reference_to(base, entrant), reference_to(version, entrant)


def _options(tournament: Tournament, catalogue: Catalogue) -> list[str]:
    """The command-line options for the game, the rules and the folders, where not default."""
    named = tournament.rules.name if tournament.rules.name in catalogue.rules else ""
    is_usual = tournament.rules == catalogue.game.rules.default
    values = {
        "--game": (tournament.game.name, DEFAULT),
        "--rules": ("" if is_usual else named, ""),
        "--bots": (str(catalogue.folder), str(DEFAULT_FOLDER)),
        "--results": (str(catalogue.results), str(RESULTS)),
    }
    return [
        word
        for key, (value, default) in values.items()
        if value != default
        for word in (key, value)
    ]


def _flow(entrant: Mapping[str, str]) -> str:
    return json.dumps(entrant).replace('"', "")
