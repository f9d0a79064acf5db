"""What a league keeps from its participants: its dice, and who is behind a pseudonym.

All of it follows from the league's seed, which never leaves the results' folder. One seed serves a
season, so a participant who learns the dice of a deal could build them into the next version.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from cantstop_arena.deals.seeds import BITS, Seed, bits_of


def _word_list(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_ADJECTIVES = _word_list(
    "amber brave brisk calm clever copper coral cosmic crimson daring dusty eager fancy fiery"
    " fleet frosty gentle gilded golden happy hazel hidden humble icy ivory jade jolly keen"
    " lively lucky lunar merry mighty misty modest nimble noble olive patient plucky polar proud"
    " quick quiet rapid rosy royal ruby rustic scarlet silent silver sleepy solar steady stormy"
    " sunny swift teal thrifty tidy velvet vivid witty"
)
_ANIMALS = _word_list(
    "adder alpaca badger beaver bison bobcat camel condor cougar coyote crane cricket dingo"
    " dolphin donkey falcon ferret finch fox gazelle gecko gibbon gopher hare hawk heron ibis"
    " iguana jackal jaguar koala lemur leopard linnet lizard llama lynx magpie marmot marten mole"
    " newt ocelot orca osprey otter owl panda pelican puffin puma quail raven robin salmon seal"
    " sparrow stork swan tapir toucan walrus weasel yak"
)
_PERSON = b"cantstop league"


def derived_seed(seed: Seed, purpose: str) -> int:
    """Another seed, which tells nothing about this one."""
    key = bits_of(seed).to_bytes(BITS // 8, "little")
    text = purpose.encode()
    digest = hashlib.blake2b(text, digest_size=BITS // 8, key=key, person=_PERSON).digest()
    return int.from_bytes(digest, "little")


def season_seed(seed: Seed, season: int) -> Seed:
    """The seed of a season's games."""
    return derived_seed(seed, f"season {season}")


def check_seed(seed: Seed) -> Seed:
    """The seed of the games in which submissions are checked.

    Messages about their faults, in words of the bot's choice, reach participants, so these are
    other dice.
    """
    return derived_seed(seed, "check")


def pseudonyms(seed: Seed, ids: Iterable[str]) -> dict[str, str]:
    """A pseudonym for each participant, the same whoever else takes part.

    Of two participants with one pseudonym, one in 400,000, the second gets another.
    """
    names: dict[str, str] = {}
    for identity in sorted(ids):
        attempt = 0
        while (name := _pseudonym(seed, identity, attempt)) in names.values():
            attempt += 1
        names[identity] = name
    return names


def _pseudonym(seed: Seed, identity: str, attempt: int) -> str:
    number = derived_seed(seed, f"pseudonym {attempt} {identity}")
    number, adjective = divmod(number, len(_ADJECTIVES))
    number, animal = divmod(number, len(_ANIMALS))
    return f"{_ADJECTIVES[adjective]} {_ANIMALS[animal]} {number % 100:02}"


def without_names(text: str, identity: str, folder: Path) -> str:
    """A message about a submission without its participant's id, and without absolute paths.

    `folder` has the participants' folders. Where the id is no part of a path, it becomes an
    ellipsis.
    """
    own = re.escape(identity)
    for parent in (folder.absolute(), folder):
        text = re.sub(rf"{re.escape(str(parent))}/{own}/", "", text, flags=re.IGNORECASE)
    text = re.sub(rf"(?<![\w.~-])(?:[\w.~-]*/)*{own}/", "", text, flags=re.IGNORECASE)
    text = re.sub(rf"(?<!\w){own}(?!\w)", "…", text, flags=re.IGNORECASE)
    return re.sub(r"(?<![\w.-])/(?:[^/\s]+/)+", "", text)
