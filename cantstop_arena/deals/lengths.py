"""Classes of lengths of games: exact where games are short, coarser the longer they are.

A class is one unit wide up to 31, then 16 classes make each doubling, so that none is wider than a
sixteenth of its length.
"""

LENGTH_CLASSES = 160  # the last one has no end
_EXACT = 32
LONGEST_EXACT = _EXACT - 1  # longer games share their class with others


def length_class(length: int) -> int:
    """The class of games of this length."""
    shift = 0
    while length >> shift >= _EXACT:
        shift += 1
    return min(LENGTH_CLASSES - 1, _EXACT // 2 * shift + (length >> shift))


def shortest_of(number: int) -> int:
    """The shortest length in a class."""
    shift = max(0, number // (_EXACT // 2) - 1)
    return number - _EXACT // 2 * shift << shift
