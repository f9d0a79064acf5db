"""Standard input and output, kept for the arena: a bot that reads or prints must not disturb."""

import os
from typing import BinaryIO


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes from and to the arena; the bot reads nothing, and what it prints goes to stderr."""
    questions, answers = os.dup(0), os.dup(1)  # not passed on to programs that the bot starts
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(questions, "rb"), os.fdopen(answers, "wb", buffering=0)
