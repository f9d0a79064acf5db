"""Winners of many games in few bytes."""

import random

import pytest

from cantstop_arena.deals.outcomes import masks_in, packed, unpacked


@pytest.mark.parametrize("different", [1, 2, 3, 4, 5, 8, 9, 16, 17, 255])
@pytest.mark.parametrize("games", [1, 7, 8, 9, 1000])
def test_what_was_packed_is_unpacked(different: int, games: int) -> None:
    chance = random.Random(100 * different + games)
    masks = chance.sample(range(256), different)
    winners = bytes(chance.choice(masks) for _ in range(games))
    content = packed(winners)
    assert unpacked(content, games).tobytes() == winners
    assert masks_in(content, games) == bytes(sorted(set(winners)))


@pytest.mark.parametrize(("masks", "bits"), [((2,), 0), ((1, 2), 1), ((1, 2, 4), 2), ((1, 7), 1)])
def test_a_game_takes_no_more_bits_than_tell_the_winners_apart(
    masks: tuple[int, ...], bits: int
) -> None:
    content = packed(bytes(masks) * 800)
    assert len(content) == 2 + len(masks) + bits * 100 * len(masks)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"\0\0", b"\1\1\2", b"\0\2\1\2", b"\0\2\2\1\0", b"\0\2\1\1\0", b"\0\2\1\2\0\0"],
    ids=bytes.hex,
)
def test_what_is_not_packed_is_refused(content: bytes) -> None:
    for reading in (masks_in, unpacked):
        with pytest.raises(ValueError, match="not the packed winners of 8 games"):
            reading(content, 8)


def test_whatever_the_bits_are_no_other_masks_come_out() -> None:
    winners = packed(bytes([1, 2, 4] * 8))
    forged = winners[:5] + b"\xff" * (len(winners) - 5)
    assert set(unpacked(forged, 24)) <= {1, 2, 4}
