"""HTML and SVG elements as Markup; other values are escaped and made printable."""

from functools import lru_cache

from markupsafe import Markup, escape

from cantstop_arena.texts import printable

_SHAPES = {"circle", "line", "path", "polygon", "rect"}
_VOID = {"input"}


def element(name: str, /, *content: object, **attributes: object) -> Markup:
    """An element: `class_` is written as class, `data_v` as data-v.

    Content is escaped unless it is Markup. Attributes that are None are left out.
    """
    start = f"<{name}{''.join(_attribute(*pair) for pair in attributes.items())}"
    if name in _SHAPES and not content:
        return Markup(f"{start}/>")
    if name in _VOID:
        return Markup(f"{start}>")
    return Markup(f"{start}>{join_markup(*content)}</{name}>")


def join_markup(*content: object) -> Markup:
    """Texts, escaped, and Markup, unchanged, joined into one Markup."""
    return Markup("".join(_safe(part) for part in content))


def hidden(text: str) -> Markup:
    """Text for screen readers only."""
    return element("span", text, class_="unseen")


def _safe(part: object) -> str:
    return part if isinstance(part, Markup) else _escaped(str(part))


@lru_cache(4096)
def _escaped(text: str) -> str:
    """Text that is safe in content and attributes; pages repeat classes, names and numbers."""
    return str(escape(printable(text)))


def _attribute(key: str, value: object) -> str:
    if value is None:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_safe(value)}"'
