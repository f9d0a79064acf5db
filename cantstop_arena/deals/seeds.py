"""Seeds, named by a user or random from the operating system, and the 128 bits of each.

A seed is a whole number below 2**128 or a text. A number is its own bits; a text is hashed with
BLAKE2b, with a personalization that no other hash of this program has. A text that spells a whole
number is that number, so that quotes make no difference, and JSON can have large numbers as text.
"""

import re
import secrets
from hashlib import blake2b
from numbers import Integral
from typing import TypeAlias

from cantstop_arena.errors import UsageError

Seed: TypeAlias = int | str

BITS = 128
NUMBERS = range(1 << BITS)
MAX_TEXT_LENGTH = 100
SEED_FORM = (
    f"a whole number from 0 to 2^{BITS} - 1, or a text of up to {MAX_TEXT_LENGTH} characters"
)

_INTEGER = re.compile("0|[1-9][0-9]*")
_PERSON = b"cantstop seed"
_LARGE = 1 << 63  # beyond what other languages read as a whole number


def random_seed() -> Seed:
    """A random seed from the operating system, which cannot be guessed."""
    return secrets.randbits(BITS)


def seed_of(value: object) -> Seed | None:
    """The seed that a value stands for; None if it is not a valid seed."""
    if isinstance(value, str) and _INTEGER.fullmatch(value) and len(value) <= MAX_TEXT_LENGTH:
        value = int(value)
    if isinstance(value, Integral) and not isinstance(value, bool):  # also NumPy's
        return int(value) if value in NUMBERS else None
    is_text = isinstance(value, str) and 0 < len(value) <= MAX_TEXT_LENGTH and value.isprintable()
    return str(value) if is_text else None


def checked_seed(value: object) -> Seed:
    """The seed that a value stands for. Raises UsageError."""
    seed = seed_of(value)
    if seed is None:
        raise UsageError(f"seed must be {SEED_FORM}, not {value!r:.60}")
    return seed


def bits_of(seed: Seed) -> int:
    """The 128 bits that a seed stands for, as a whole number. Raises UsageError."""
    seed = checked_seed(seed)
    if isinstance(seed, int):
        return seed
    digest = blake2b(seed.encode(), digest_size=BITS // 8, person=_PERSON).digest()
    return int.from_bytes(digest, "little")


def in_json(seed: Seed) -> Seed:
    """A seed as it stands in JSON: a number from 2**63 on as text, or readers would round it."""
    return str(seed) if isinstance(seed, int) and seed >= _LARGE else seed
