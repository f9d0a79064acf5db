"""A second SipHash and SplitMix, in plain integers, written from the papers."""

import hashlib
from collections.abc import Sequence

import numpy as np

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def rotated(word: int, bits: int) -> int:
    """A 64-bit word turned left."""
    return (word << bits | word >> 64 - bits) & MASK


def sip_round(v: list[int]) -> None:
    """One SipRound, in the order of the paper's figure."""
    v[0] = v[0] + v[1] & MASK
    v[2] = v[2] + v[3] & MASK
    v[1] = rotated(v[1], 13) ^ v[0]
    v[3] = rotated(v[3], 16) ^ v[2]
    v[0] = rotated(v[0], 32)
    v[2] = v[2] + v[1] & MASK
    v[0] = v[0] + v[3] & MASK
    v[1] = rotated(v[1], 17) ^ v[2]
    v[3] = rotated(v[3], 21) ^ v[0]
    v[2] = rotated(v[2], 32)


def siphash(key: bytes, message: bytes) -> int:
    """SipHash-2-4 of whole words."""
    halves = [int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")] * 2
    v = [int.from_bytes(b"somepseudorandomlygeneratedbytes"[n : n + 8]) for n in range(0, 32, 8)]
    v = [word ^ half for word, half in zip(v, halves, strict=True)]
    for word in [*np.frombuffer(message, "<u8").tolist(), len(message) % 256 << 56]:
        v[3] ^= word
        sip_round(v)
        sip_round(v)
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        sip_round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def splitmix(key: int, count: int) -> int:
    """The count-th number of SplitMix64 seeded with a key."""
    word = key + GOLDEN * count & MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def stream(seed: int, deal: int, seat: int, purpose: int) -> int:
    """The key of a stream: `seed` and "cantstop" are the key, deal and seat the message."""
    words = [seed & MASK, seed >> 64 ^ int.from_bytes(b"cantstop"), deal, 2 * seat + purpose]
    text = b"".join(word.to_bytes(8, "little") for word in words)
    return siphash(text[:16], text[16:])


def circle(seed: int, names: Sequence[str]) -> int:
    """The seed of a circle: BLAKE2b of its rotation that comes first, each name with its length.

    Of equal names, here in the order of seats, the first is number 0.
    """
    numbered = [f"{name}\0{[*names[:seat]].count(name)}" for seat, name in enumerate(names)]
    turned = sorted(tuple(numbered[seat:] + numbered[:seat]) for seat in range(len(names)))
    text = "".join(str(len(name)) + " " + name for name in turned[0])
    key, person = seed.to_bytes(16, "little"), b"arena dice"
    digest = hashlib.blake2b(text.encode(), digest_size=16, key=key, person=person).digest()
    return seed if len(names) == 1 else int.from_bytes(digest, "little")
