"""Dice and chance: every roll is a function of (seed, deal, seat, that seat's turn, roll).

Keyed dice make a game the same whoever plays it, in any order and on any machine, and give two
bots the same luck. A bot's own random numbers come from keys of another purpose.

SipHash-2-4 (Aumasson and Bernstein, 2012) makes the keys of a game from the 128 bits of the seed.
Without all 128 bits, no key can be computed from another: a bot's own random numbers do not reveal
the dice. SplitMix64 (Steele, Lea and Flood,
2014) turns a key and a count into numbers, at a nanosecond each.
"""

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline

DICE, BOT = 0, 1  # the purposes of a key

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_WORD = np.uint64(64)
_LENGTH_16 = np.uint64(16 << 56)
_INIT = tuple(
    np.uint64(word)
    for word in (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
)
_FINAL = np.uint64(0xFF)
_13, _16, _17, _21, _32 = (np.uint64(n) for n in (13, 16, 17, 21, 32))
_30, _27, _31, _12, _52 = (np.uint64(n) for n in (30, 27, 31, 12, 52))
_UNIT_53 = 1.0 / (1 << 53)
_11 = np.uint64(11)


@njit_inline
def _rotate(word, bits):
    return (word << bits) | (word >> (_WORD - bits))


@njit_inline
def _sip_round(a, b, c, d):
    a += b
    b = _rotate(b, _13) ^ a
    a = _rotate(a, _32)
    c += d
    d = _rotate(d, _16) ^ c
    a += d
    d = _rotate(d, _21) ^ a
    c += b
    b = _rotate(b, _17) ^ c
    c = _rotate(c, _32)
    return a, b, c, d


@njit_inline
def siphash(key_low, key_high, first, second):
    """SipHash-2-4 of a message of two 64-bit words under a 128-bit key; all np.uint64."""
    a, b = key_low ^ _INIT[0], key_high ^ _INIT[1]
    c, d = key_low ^ _INIT[2], key_high ^ _INIT[3]
    for word in (first, second, _LENGTH_16):
        d ^= word
        a, b, c, d = _sip_round(a, b, c, d)
        a, b, c, d = _sip_round(a, b, c, d)
        a ^= word
    c ^= _FINAL
    for _ in range(4):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@njit_inline
def stream_key(secret, deal, seat, purpose):
    """The key of one seat's dice, or of its bot's random numbers, in one deal."""
    return siphash(secret[0], secret[1], np.uint64(deal), np.uint64(seat * 2 + purpose))


@njit_inline
def number_at(key, count):
    """The count-th 64-bit number of a stream (SplitMix64's output function)."""
    word = key + _GOLDEN * np.uint64(count)
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@njit_inline
def roll_at(key, count, rolls):
    """The count-th roll of a turn, as its index in 0…rolls-1 (at most 4096 rolls)."""
    return np.int64(((number_at(key, count) >> _12) * np.uint64(rolls)) >> _52)


@njit_inline
def fraction_at(key, count):
    """The count-th number of a stream as a float in [0, 1)."""
    return (number_at(key, count) >> _11) * _UNIT_53
