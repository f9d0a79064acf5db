"""What has changed of a tournament's bots since its last run, and how to compare their versions."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

import msgspec

from cantstop_arena.bots.bot_files import lines_of, stored_texts
from cantstop_arena.bots.bot_paths import DEFAULT_FOLDER, RESULTS, bot_name, bot_path, file_in
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.bots.versions import PREVIOUS, stored_versions, version_name
from cantstop_arena.errors import BotError
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.file.bot_references import reference_to
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.ledger.ledger_query import BotVersion, LedgerQuery
from cantstop_arena.tournaments.tournament import Tournament


class BotChanges(msgspec.Struct, frozen=True):
    """The entrants of a tournament that the stored query has otherwise, by name.

    `changed` has the former versions, `renamed` the former names.
    """

    new: Sequence[str]
    changed: Mapping[str, BotVersion]
    renamed: Mapping[str, str]
    removed: Sequence[str]


def bot_changes(before: LedgerQuery, now: LedgerQuery) -> BotChanges:
    """Which bots are new, changed, renamed or removed. A bot is the same if its version is."""
    old = {bot.name: bot.version for bot in before.bots}
    names = {bot.name: bot.version for bot in now.bots}
    removed_names = {
        version.id: name for name, version in reversed(old.items()) if name not in names
    }
    renamed = {}
    for name, version in names.items():
        if name not in old and version.id in removed_names:
            renamed[name] = removed_names.pop(version.id)
    return BotChanges(
        [name for name in names if name not in old and name not in renamed],
        {name: old[name] for name, new in names.items() if old.get(name, new).id != new.id},
        renamed,
        [name for name in old if name not in names and name not in renamed.values()],
    )


def changes(
    before: LedgerQuery, tournament: Tournament, catalogue: Catalogue, copies: Path
) -> Iterator[str]:
    """The bots that have changed since the last run, in a sentence; how to compare them in another.

    The folder `copies` has the files that played. Nothing if no bot has changed.
    """
    edits = bot_changes(before, tournament.query)
    entrants = {entrant.name: entrant for entrant in tournament.entrants}
    texts = [
        *_change_texts(edits.new, "is new", "are new"),
        *(
            f"{name} {_change(entrants[name], version, copies)}"
            for name, version in edits.changed.items()
        ),
        *_change_texts(edits.removed, "was removed", "were removed"),
        *(f"{old} was renamed to {name}" for name, old in edits.renamed.items()),
    ]
    if texts:
        yield f"Since the last run: {'; '.join(texts)}."
    edited = {
        name: version.digest
        for name, version in edits.changed.items()
        if _earlier_texts(entrants[name].bot, version, copies)
    }
    for name, digest in [*edited.items()][:_MAX_COMPARISONS]:
        entrant = entrants[name]
        references = _references(entrant, digest, catalogue)
        options = _options(tournament, catalogue)
        command = ["arena", "match", *references, "--sprt", "0", "5", *options]
        history = ["arena", "history", name, "--in", str(copies.parent)]
        yield (f"Is {name} better? {shlex.join(command)}; all its versions: {shlex.join(history)}")


_MAX_COMPARISONS = 3  # commands; who edits more bots at once knows how to compare them


def _change_texts(names: Sequence[str], singular: str, plural: str) -> Iterator[str]:
    if names:
        yield f"{', '.join(names)} {singular if len(names) == 1 else plural}"


def _change(entrant: Entrant, before: BotVersion, copies: Path) -> str:
    """What has changed of a bot, to follow its name."""
    bot = entrant.bot
    if bot.origin != before.origin:
        return f"is {bot.origin.text} now, and was {before.origin.text}"
    if not bot.is_alone and bot.name != before.bot:
        return f"is {bot.name} now, and was {before.bot or 'another bot'}"
    if texts := _earlier_texts(bot, before, copies):
        lines = _lines_changed(bot, texts)
        line_text = f"{how_many(lines, 'line')}; " if lines else ""
        return f"has changed ({line_text}before: {version_name(entrant.name, before.digest)})"
    if before.digest and bot.digest != before.digest:
        return "has changed"
    if dict(entrant.options) != dict(before.options):
        return "has other options"
    if files := [
        name for name, digest in entrant.files.items() if before.files.get(name) != digest
    ]:
        return f"has changed ({' and '.join(_named(entrant, name) for name in files)})"
    if (entrant.isolate.identity or False) != before.isolate:
        return "is isolated otherwise"
    return "has changed"


def _named(entrant: Entrant, option: str) -> str:
    """The file that an option names, or the default files, for a message."""
    path = entrant.options.get(option)
    return f"{path}, {option}" if path else f"what the arena brings as {option}"


def _earlier_texts(bot: BotDescription, before: BotVersion, copies: Path) -> Mapping[str, bytes]:
    """The texts of an earlier version of a bot's file, by path; none of a bot without such a copy.

    Copies of bots with equal contents lie in one folder.
    """
    if bot.source is None or before.digest in ("", bot.digest):
        return {}
    try:
        texts = stored_texts(copies / before.digest)
    except BotError:
        return {}
    beside = bot.source.paths
    return {n: text for n, text in texts.items() if n in beside} if bot.source.name in texts else {}


def _lines_changed(bot: BotDescription, texts: Mapping[str, bytes]) -> int:
    """The number of lines changed, added or removed; 0 when files cannot be read as text."""
    try:
        return lines_between(texts, bot.source.texts()) if bot.source else 0
    except (BotError, UnicodeDecodeError):
        return 0


def lines_between(old_texts: Mapping[str, bytes], new_texts: Mapping[str, bytes]) -> int:
    """The number of lines changed, added or removed in files, by path.

    Raises UnicodeDecodeError when they are not text.
    """
    names = {**old_texts, **new_texts}
    return sum(_changes(old_texts.get(name), new_texts.get(name)) for name in names)


def _changes(old: bytes | None, new: bytes | None) -> int:
    changes = SequenceMatcher(None, lines_of(old), lines_of(new), autojunk=False).get_opcodes()
    return sum(max(a2 - a1, b2 - b1) for kind, a1, a2, b1, b2 in changes if kind != "equal")


def _references(entrant: Entrant, before: str, catalogue: Catalogue) -> tuple[str, str]:
    """The references to a bot and its version `before`, for the command line."""
    path = entrant.bot.path
    own = file_in(catalogue.folder.resolve(), entrant.bot.name)
    base = str(bot_path(path)) if path and path != own else entrant.bot.name
    stored = stored_versions(catalogue.results, bot_name(path)) if path else []
    others = [version.digest for version in stored if version.digest != entrant.bot.digest]
    is_previous = others[:1] == [before] or before not in others
    version = f"{base}@{PREVIOUS}" if is_previous else version_name(base, before)
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
