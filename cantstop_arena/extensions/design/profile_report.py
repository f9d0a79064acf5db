"""The headlines of profiles and designs, and their pages."""

from math import ceil
from pathlib import Path
from typing import Any

from cantstop_arena.atomic_files import write_atomically, write_result
from cantstop_arena.deals.seeds import in_json
from cantstop_arena.extensions.design.design_tables import changes_text, design_data, missed_targets
from cantstop_arena.extensions.design.game_profile import GAMES_TO_TELL, GameProfile, ProfileRow
from cantstop_arena.extensions.design.quantities import LENGTH, LUCK
from cantstop_arena.extensions.design.rule_design import HOLDS, OPEN, DesignTotals
from cantstop_arena.pages.number_text import percent, plain
from cantstop_arena.reports.tournament_files import PAGE
from cantstop_arena.tables.formats import records
from cantstop_arena.texts import how_many, listed


def profile_headline(profile: GameProfile) -> str:
    """How much of a game is luck, in a sentence without its full stop; without rivals its length.

    Where the interval takes in all of a game, none of the bots is shown to be better.
    """
    rows = {row.key: row for row in profile.rows}
    luck, length = _mean_of(rows.get(LUCK)), rows.get(LENGTH)
    if luck is not None:
        headline_text = f"{profile.title} leaves {percent(min(luck, 1.0))} of a game to luck"
        high = rows[LUCK].value.high
        is_open = luck >= 1 or (high is not None and high >= 1)
        least = rows[GAMES_TO_TELL].value.low if GAMES_TO_TELL in rows else None
        takes = f", which takes {ceil(least):,} games or more" if least else ""
        return f"{headline_text}; it stays open who is better{takes}" if is_open else headline_text
    if length and (mean := _mean_of(length)) is not None:
        return f"{profile.title} takes {plain(mean)} {length.label}"
    return f"{profile.title}, as {listed(profile.bots)} play it"


def _mean_of(row: ProfileRow | None) -> float | None:
    return row.value.mean if row else None


def design_headline(design: DesignTotals) -> str:
    """Which rules meet the targets, in a sentence without its full stop."""
    holding, open_ = design.with_verdict(HOLDS), design.with_verdict(OPEN)
    if len(holding) == 1:
        return f"One rule set meets all targets: {changes_text(holding[0], design)}"
    if holding:
        return f"{how_many(len(holding), 'rule set')} meet all targets"
    if open_:
        open_text = (
            f"{how_many(len(open_), 'rule set')} {'stays' if len(open_) == 1 else 'stay'} open"
        )
        return f"No rule set surely meets all targets; {open_text}"
    return f"No rules meet all targets; the nearest miss {listed([*missed_targets(design)])}"


def write_profile_page(profile: GameProfile, command: str, file: Path) -> None:
    """Write the page of a profile; `command` is the one that plays it again, or empty.

    Raises PageError where a package that draws pages is missing.
    """

    write_atomically(file, profile_page(profile, command))


def design_content(design: DesignTotals) -> dict[str, Any]:
    """The content of design.json: the headline, what has played, and all rules that were tried."""
    return {
        "headline": design_headline(design),
        "game": design.game,
        "rules": design.rules,
        "players": design.players,
        "bots": list(design.bots),
        "seed": in_json(design.seed),
        "games": design.games,
        "tried": records(design_data(design)),
    }


def write_design_page(
    design: DesignTotals, command: str, file: str, configuration: str, folder: Path
) -> Path:
    """Write the page of a design into a folder; `command` plays it again, from a file.

    Raises PageError where a package that draws pages is missing.
    """

    return write_result(folder, PAGE, design_page(design, command, file, configuration))


_MISSING = (
    "The page of a {what} cannot be written: {{package}} is missing. Reinstall: pip install -e ."
)


def profile_page(profile: GameProfile, command: str) -> str:
    """The page of a game's profile; `command` plays it again, or is empty."""
    from cantstop_arena.reports.write_page import requiring_package

    with requiring_package(_MISSING.format(what="profile")):
        from cantstop_arena.extensions.design import profile_page as profiles
        from cantstop_arena.pages.document import as_html
    return as_html(profiles.document(profile, command))


def design_page(design: DesignTotals, command: str, file: str, configuration: str) -> str:
    """The page of a design; `command` plays it again, from a `file` with this configuration."""
    from cantstop_arena.reports.write_page import requiring_package

    with requiring_package(_MISSING.format(what="design")):
        from cantstop_arena.extensions.design import design_page as designs
        from cantstop_arena.pages.document import as_html
    return as_html(designs.document(design, command, file, configuration))
