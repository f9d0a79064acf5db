"""Which hostile bots play one tournament together."""

from collections.abc import Mapping
from dataclasses import dataclass

from helpers.hostile import (
    COMPILED,
    DEADLY,
    ENDLESS,
    EXCEPTION,
    EXCEPTIONS,
    HOGS,
    INNOCENT,
    MOVES,
    ROLLS,
    SLY_EXCEPTIONS,
    TRAPS,
    Hostile,
    playing,
)
from helpers.hostile_deeds import CHEATS, DAMAGE, MEMORIES, PROGRAMS, REBORN, RUIN, SPIES


@dataclass(frozen=True)
class Gang:
    """Hostile bots that play one tournament, with its keys and the words of its command."""

    bots: Mapping[str, Hostile]
    keys: str = ""
    words: tuple[str, ...] = ()
    door: str = "plain"
    """How they are entered: plain, in processes of their own, or as programs."""


QUICK = "decision_limit: 0.5\n"
FEW = "max_faults: 2\n"
APART = "gauntlet: patient\n"  # whoever fails in every game need not meet others like it


def some(bots: Mapping[str, Hostile], *names: str) -> dict[str, Hostile]:
    return {name: bots[name] for name in names}


GANGS = {
    "mixed": Gang(
        {
            **some(EXCEPTIONS, "value_error"),
            **some(MOVES, "too_high"),
            **some(ENDLESS, "sleep"),
            **some(DEADLY, "leaves_well", "segfaults"),
            "now_and_then": Hostile(
                playing("assert turn.dice[0] < 6 or turn.number < 5"),
                frozenset({EXCEPTION, INNOCENT}),
            ),
        },
        QUICK + FEW,
        ("--workers", "1"),
    ),
    "exceptions": Gang({**EXCEPTIONS, **SLY_EXCEPTIONS}, APART),
    "answers": Gang({**MOVES, **ROLLS}, APART),
    "endless": Gang(ENDLESS, QUICK + FEW + APART),
    "traps": Gang(TRAPS, QUICK + FEW + APART),
    "deadly": Gang(DEADLY, FEW + APART),
    "hogs": Gang(HOGS, words=("--memory", "512M")),
    "compiled": Gang(COMPILED, QUICK + FEW + APART),
    "reborn": Gang(REBORN, QUICK + FEW),
    "damage": Gang(DAMAGE, QUICK + FEW + APART),
    "cheats": Gang(CHEATS, APART),
    "memories": Gang(MEMORIES),
    "isolated": Gang(
        {
            **some(EXCEPTIONS, "value_error", "keyboard_interrupt"),
            **some(SLY_EXCEPTIONS, "str_leaves", "terminal_codes"),
            **some(MOVES, "too_high", "astronomical", "nan", "liar"),
            **some(ROLLS, "roll_none"),
            **some(ENDLESS, "sleep", "loop_that_swallows", "stdin"),
            **some(DEADLY, "leaves_well", "segfaults", "becomes_a_sleeper"),
            **some(COMPILED, "compiled_raise"),
            **HOGS,
            **some(MEMORIES, "global_list"),
            **some(CHEATS, "writes_turn", "digs_in_random"),
            **some(DAMAGE, "closes_stdout", "closes_0_1_and_2", "exit_handlers", "mask"),
            **SPIES,
            **RUIN,
        },
        QUICK + FEW + APART,
        ("--memory", "512M"),
        door="processes",
    ),
    "programs": Gang(PROGRAMS, QUICK + FEW + APART, door="programs"),
    "descriptors": Gang(
        some(RUIN, "writes_everywhere", "closes_everything", "no_descriptors", "forks"),
        QUICK + FEW,
    ),
}
