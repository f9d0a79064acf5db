"""What happened in a recorded game, counted slowly from its record alone; classic rules only."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

WHOLE = 60
Told = dict[str, list[int]]
Place = tuple[int, float]


@dataclass
class Drama:
    """How far a lone winner was ahead at the end, and behind at the worst."""

    ahead: Place | None = None
    behind: Place | None = None


def told(record: Sequence[str], drama: Drama | None = None) -> Told:
    """Each of the engine's counts for every seat, and whether the game was unfinished."""
    header, *events = [json.loads(line) for line in record]
    lengths = dict(enumerate(header["rules"]["column_lengths"], start=2))
    seats = range(len(header["seats"]))
    names = [
        "turns",
        "rolls",
        "busts",
        "decisions",
        "spaces",
        "columns",
        "won",
        "winning_turns",
        "leads",
    ]
    counts: Told = {name: [0 for _ in seats] for name in names}
    markers: list[dict[int, int]] = [{} for _ in seats]
    claimed: list[set[int]] = [set() for _ in seats]
    leaders: list[int | None] = [None]  # after each turn
    deficits = [(0, 0.0) for _ in seats]
    last_leader = None
    end = events[-1]
    for number, event in enumerate(events[:-1]):
        seat, follows = event["seat"], events[number + 1]
        if event["event"] == "roll":
            counts["rolls"][seat] += 1
            counts["decisions"][seat] += len(event["moves"]) > 1
            wins = follows["event"] == "stop" and events[number + 2]["event"] == "end"
            won = wins and events[number + 2]["reason"] != "turn-limit"
            asked = bool(event["moves"]) and not won
            counts["decisions"][seat] += asked
            continue
        counts["turns"][seat] += 1
        if event["event"] == "bust":
            counts["busts"][seat] += 1
        else:
            after = {int(column): height for column, height in event["markers"].items()}
            counts["spaces"][seat] += sum(after.values()) - sum(markers[seat].values())
            markers[seat] = after
            for column in [c for c in after if after[c] == lengths[c] and c not in claimed[seat]]:
                claimed[seat].add(column)
                for other in seats:
                    if other != seat:
                        markers[other].pop(column, None)
            places = _places(markers, claimed, lengths)
            deficits = [
                max(was, _apart(max(places), own))
                for was, own in zip(deficits, places, strict=True)
            ]
            leader = _leader(places)
            if leader is not None and leader != last_leader:
                counts["leads"][leader] += last_leader is not None
                last_leader = leader
            leaders.append(leader)
            continue
        leaders.append(leaders[-1])
    if drama and len(seats) > 1 and len(end["winners"]) == 1:
        (winner,) = end["winners"]
        places = _places(markers, claimed, lengths)
        drama.ahead = min(_apart(places[winner], places[s]) for s in seats if s != winner)
        drama.behind = deficits[winner]
    at_half_time = leaders[len(leaders[1:]) // 2]
    return {**counts, **_ending(end, claimed, counts["turns"], at_half_time)}


def _places(
    markers: list[dict[int, int]], claimed: list[set[int]], lengths: dict[int, int]
) -> list[Place]:
    """How far each seat has come: the columns it has claimed, and its progress in all of them."""
    return [
        (len(tops), round(sum(height / lengths[column] for column, height in own.items()), 9))
        for own, tops in zip(markers, claimed, strict=True)
    ]


def _leader(places: list[Place]) -> int | None:
    best = max(places)
    return places.index(best) if places.count(best) == 1 else None


def _apart(one: Place, other: Place) -> Place:
    return one[0] - other[0], round(one[1] - other[1], 9)


def _ending(
    end: dict[str, object], claimed: list[set[int]], turns: list[int], at_half_time: int | None
) -> Told:
    seats = range(len(claimed))
    winners = end["winners"]
    assert isinstance(winners, list)
    sharing = winners or list(seats)
    columns = [len(tops) for tops in claimed]
    led = [int(seat == at_half_time) for seat in seats]
    rivals = [max([0, *(columns[s] for s in seats if s != seat)]) for seat in seats]
    return {
        "columns": columns,
        "won": [int(seat in winners) for seat in seats],
        "winning_turns": [turns[seat] * (seat in winners) for seat in seats],
        "half_leads": led,
        "half_wins": [led[seat] * (seat in sharing) * (WHOLE // len(sharing)) for seat in seats],
        "margin": [(columns[s] - rivals[s]) * (sharing == [s]) for s in seats],
        "unfinished": [int(not winners)],
    }
