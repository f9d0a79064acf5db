"""Views of Cubus as JSON and back, so that their helpers also work in isolated bots."""

from collections.abc import Callable, Mapping
from typing import Any

from cantstop_arena.extensions.cubus.builds.build import TableCards
from cantstop_arena.extensions.cubus.builds.cards import cards_from_text
from cantstop_arena.extensions.cubus.builds.piles import parse
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.extensions.cubus.rules import RuleSet
from cantstop_arena.game_api.codec import Codec

_AS_THEY_ARE = ("seat", "players", "turn", "asked", "owner", "drawn", "deck", "passes")
_LISTS = ("scores", "won")


class CubusCodec(Codec):
    """Cards are texts in the order T O L R; a pile is its pile text, heights, crates and cards."""

    def view_as_json(self, view: CubusBotView) -> dict[str, Any]:
        pile = view.pile
        return {
            **{name: getattr(view, name) for name in _AS_THEY_ARE},
            **{name: list(getattr(view, name)) for name in _LISTS},
            "hand": view.hand.text(),
            "hands": [hand.text() for hand in view.hands],
            "pile": pile.text,
            "heights": [list(row) for row in pile.heights],
            "crates": pile.crates,
            "cards": pile.cards.text(),
            "open": [list(cell) for cell in view.open],
            "unseen": view.unseen.text(),
        }

    def view_from_json(
        self, kind: Any, data: Mapping[str, Any], rules: RuleSet, random: Callable[[], float]
    ) -> CubusBotView:
        opened = tuple((x, y) for x, y in data["open"])
        plain: dict[str, Any] = {name: data[name] for name in _AS_THEY_ARE}
        plain |= {name: tuple(data[name]) for name in _LISTS}
        return CubusBotView(
            **plain,
            hand=cards_from_text(data["hand"]),
            hands=tuple(map(cards_from_text, data["hands"])),
            table=TableCards(parse(data["pile"]), opened),
            unseen=cards_from_text(data["unseen"]),
            rules=rules,
            random=random,
            kept=[],
        )
