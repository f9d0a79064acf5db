"""The winners of many games, packed: one bit per game where one of two seats wins every game.

Packed winners are a zero, the number of different masks of seats, these masks in ascending order,
and then as many planes of bits as it takes to number them: plane k has bit k of each game's number,
the first game in the highest bit of the first byte. Equal winners have equal bytes.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

MARK = b"\0"
"""The first byte."""
_ALL = bytes(range(256))


def packed(masks: bytes) -> bytes:
    """The packed winners of games: a mask of seats a game, fewer than 256 different ones."""
    distinct = _ALL.translate(None, _ALL.translate(None, masks))
    numbers = np.frombuffer(
        masks.translate(bytes.maketrans(distinct, _ALL[: len(distinct)])), np.uint8
    )
    planes = [np.packbits(numbers & 1 << plane) for plane in range(_planes(len(distinct)))]
    return b"".join(
        (MARK, bytes((len(distinct),)), distinct, *(plane.tobytes() for plane in planes))
    )


def unpacked(content: bytes, games: int) -> NDArray[np.uint8]:
    """The masks of the winners of so many games. Raises ValueError if `content` is malformed.

    All of them are among the masks that `masks_in` returns.
    """
    masks = masks_in(content, games)
    width = _width(games)
    numbers = np.zeros(games, np.uint8)
    for plane in range(_planes(len(masks))):
        index = 2 + len(masks) + plane * width
        bits = np.unpackbits(np.frombuffer(content[index : index + width], np.uint8), count=games)
        numbers |= bits << plane
    if len(masks) == 2:  # the usual case, in a tenth of the time
        return numbers * np.uint8(masks[1] - masks[0]) + np.uint8(masks[0])
    return np.frombuffer(masks.ljust(256, masks[:1]), np.uint8).take(numbers)


def masks_in(content: bytes, games: int) -> bytes:
    """The masks that may occur in packed winners. Raises ValueError if `content` is malformed."""
    masks = content[2 : 2 + content[1]] if len(content) > 1 else b""
    length = 2 + len(masks) + _planes(len(masks)) * _width(games)
    ascending = all(mask < next_mask for mask, next_mask in pairwise(masks))
    if not masks or content[:1] != MARK or len(content) != length or not ascending:
        raise ValueError(f"{len(content)} bytes are not the packed winners of {games} games")
    return masks


def _planes(masks: int) -> int:
    """The number of bits that number so many masks."""
    return max(0, masks - 1).bit_length()


def _width(games: int) -> int:
    """The number of bytes of a plane."""
    return -(-games // 8)


WIN_UNITS = 60  # of a won game: 1 to 6 seats can share it evenly


def win_units(players: int) -> int:
    """The number of win units of a won game, such that any number of its seats share it evenly.

    WIN_UNITS up to six seats. All sums of wins are in these units.
    """
    return WIN_UNITS if players <= 6 else 14 * WIN_UNITS
