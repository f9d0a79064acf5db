"""Recorded games of players who choose at random, by the naive reading of the rules."""

import random
from collections import Counter
from typing import Any

from helpers.cubus.naive.builds import DEFAULTS, Build, Position, Rules, after, check, in_order
from helpers.cubus.naive.piles import cards, crates, read, top_place, write
from helpers.cubus.naive.takes import freed_and_takes
from helpers.cubus.naive.targets import Target, places, targets

Event = dict[str, Any]
Record = list[Event]

SMALL: Rules = {"left": 4, "right": 4, "lids": 3, "open": 2, "box": [2, 2, 2]}


def ruleset(**changes: Any) -> Rules:
    """Rules with few cards and a small box, with some parameters changed."""
    return {"name": "custom", **DEFAULTS, **SMALL, **changes}


def header(rules: Rules, players: int) -> Event:
    """The first line of a recorded game."""
    seats = ["greedy", "hasty", "frugal", "random", "eager", "deny"][:players]
    return {
        "event": "game",
        "game": "cubus",
        "rules": rules,
        "seats": seats,
        "seed": 1987,
        "deal": 17,
    }


class Player:
    """Plays all seats of one game into `record`."""

    def __init__(self, rules: Rules, players: int, rng: random.Random) -> None:
        self.rules, self.players, self.rng = rules, players, rng
        self.record = [header(rules, players)]
        self.lying = Position(read("1@0,0"), frozenset(), "", rules)
        self.hands, self.deck = [""] * players, self.shuffled_deck()
        self.points, self.won, self.turn, self.passes = [0] * players, [0] * players, 0, 0

    def shuffled_deck(self) -> list[str]:
        """The cards that are not on the table at the start."""
        left, right, lids, open_cards = (
            self.rules[name] for name in ("left", "right", "lids", "open")
        )
        deck = list("T" * (lids - 1) + "O" * open_cards + "L" * (left - 1) + "R" * (right - 1))
        self.rng.shuffle(deck)
        return deck

    def with_hand(self, hand: str) -> Position:
        """What lies on the table, to be built upon with a hand."""
        return Position(self.lying.pile, self.lying.open, hand, self.rules)

    def note(self, kind: str, **fields: Any) -> None:
        """Add a line to the record."""
        self.record.append({"event": kind, **fields})

    def any_build(self, hand: str) -> Build | None:
        """A random build within the box, or None."""
        position = self.with_hand(hand)
        found = targets(position, tuple(self.rules["box"]))
        return self.with_open_cards(position, self.rng.choice(found)) if found else None

    def with_open_cards(self, position: Position, target: Target) -> Build:
        """A target with the open cards that lay and any allowed number of new ones anywhere."""
        text, _, least, most = target
        pile, number = read(text), self.rng.randint(least, most)
        new = self.rng.sample(places(position, pile), number)
        old = [cell for cell in pile if top_place(pile, cell) in position.open_places]
        return Build(text, sorted([*old, *new]))

    def lay(self, build: Build, hand: str, gainer: int) -> Event:
        """Make a legal build; the fields that tell of it."""
        position = self.with_hand(hand)
        points, self.lying = check(position, build), after(position, build)
        self.points[gainer] += points
        pile, cells = write(self.lying.pile), [list(cell) for cell in sorted(self.lying.open)]
        return {"pile": pile, "open": cells, "points": points, "hand": self.lying.hand}

    def play(self) -> Record:
        """The record of the whole game."""
        while self.deck or self.passes < self.players:
            self.play_turn()
        self.end_with_pool()
        while self.rules["take_down"] and self.lying.pile:
            self.take_one()
        won = self.won if self.rules["take_down"] else None
        counts = won or self.points
        winners = [seat for seat, count in enumerate(counts) if count == max(counts)]
        told = {"points": self.points, "cards": won, "winners": winners, "reason": "done"}
        self.note("end", turns=self.turn, **told)
        return self.record

    def play_turn(self) -> None:
        """Draw, then build or pass; a pass under `knock` may be taken."""
        seat, card = self.turn % self.players, self.deck.pop() if self.deck else None
        self.turn += 1
        self.hands[seat] = in_order(Counter(self.hands[seat] + (card or "")))
        build = self.any_build(self.hands[seat])
        if build and (self.rules["duty"] == "strict" or self.rng.random() < 0.4):
            told = self.lay(build, self.hands[seat], seat)
            self.hands[seat], self.passes = told["hand"], 0
            self.note("build", turn=self.turn, seat=seat, card=card, **told)
            return
        self.passes += 1
        self.note("pass", turn=self.turn, seat=seat, card=card)
        if self.rules["duty"] == "knock":
            self.knock(seat, build)

    def knock(self, passer: int, build: Build | None) -> None:
        """Some knock wrongly with the pile that lies there, then perhaps one rightly."""
        others = [seat for seat in range(self.players) if seat != passer]
        heard = self.rng.sample(others, self.rng.randint(0, len(others)))
        for seat in heard[1:]:
            self.knock_wrongly(passer, seat)
        if heard and build:
            told = self.lay(build, self.hands[passer], heard[0])
            self.hands[passer], self.passes = told["hand"], 0
            self.note("knock", turn=self.turn, seat=heard[0], right=True, **told)

    def knock_wrongly(self, passer: int, seat: int) -> None:
        """R19: a build that brings nothing, or no pile at all."""
        pile = self.rng.choice([write(self.lying.pile), "", "0@0,0", "101@0,0"])
        told = {"pile": pile, "open": [[0, 0], [0, 0]], "points": 0, "hand": self.hands[passer]}
        self.note("knock", turn=self.turn, seat=seat, right=False, **told)
        for other in range(self.players):
            self.points[other] += self.rules["wrong_knock"] if other != seat else 0

    def end_with_pool(self) -> None:
        """R22, as the rules have it."""
        pool = in_order(Counter("".join(self.hands)))
        waiting = [(self.turn + step) % self.players for step in range(self.players)]
        poorest = min(waiting, key=lambda seat: self.points[seat])
        builders = {"none": [], "best": [self.rng.choice(waiting)], "last": [poorest] * 9}
        for seat in builders[self.rules["ending"]]:
            build = self.any_build(pool)
            if build:
                told = self.lay(build, pool, seat)
                pool = told["hand"]
                self.note("ending", seat=seat, **told)

    def take_one(self) -> None:
        """R23 and R24: a random take within the box; freed cards are laid for want of lids."""
        seat = self.turn % self.players
        self.turn += 1
        before, position = cards(self.lying.pile, self.lying.open), self.with_hand("")
        self.lying = self.any_take(position)
        won = before - cards(self.lying.pile, self.lying.open)
        self.won[seat] += won.total()
        text = write(self.lying.pile) if self.lying.pile else ""
        cells = [list(cell) for cell in sorted(self.lying.open)]
        told = {"pile": text, "open": cells, "cards": in_order(won)}
        self.note("take", turn=self.turn, seat=seat, **told)

    def any_take(self, position: Position) -> Position:
        """What lies on the table after a random take."""
        if crates(position.pile) == 1:
            return Position({}, frozenset(), "", self.rules)
        _, found = freed_and_takes(position, tuple(self.rules["box"]))
        pile = read(self.rng.choice(found)[0])
        kept = [cell for cell in pile if top_place(pile, cell) in position.open_places]
        lids = position.held["T"]
        bare = [cell for cell in sorted(pile) if cell not in kept]
        laid = bare[: max(0, len(pile) - len(kept) - lids)]
        return after(position, Build(write(pile), [*kept, *laid]))
