"""Foreign text made harmless: names and messages that no form of output takes for its own signs."""

import re

_MARKDOWN = re.compile(
    r"[\\`*\[\]<>|~&$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # inner_underscores are plain
    r"|^[#+=-]|(?<=^\d)[.)](?=\s|$)"  # headings and lists
)
_LATEX = {
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "[": "{[}",  # these two, at the beginning of a row, would belong to the end of the one before
    "*": "{*}",
    "-": "-{}",
    "±": r"$\pm$",
    "…": r"\ldots{}",
}
_LATEX_SIGNS = re.compile(r'-(?=-)|[&%$#_{}\\~^<>|"[*±…]')  # two hyphens would be a dash


def printable(text: str) -> str:
    """Text on one line: line breaks, terminal codes and the like are spelled out."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def markdown(text: str) -> str:
    """Printable text in which Markdown finds nothing to interpret."""
    return _MARKDOWN.sub(lambda sign: "\\" + sign[0], printable(text))


def latex(text: str) -> str:
    """Printable text in which LaTeX finds no commands."""
    return _LATEX_SIGNS.sub(lambda sign: _LATEX[sign[0]], printable(text))
