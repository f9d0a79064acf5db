"""The ways in which an isolated bot can fail to answer."""


class BotProcessFailure(Exception):
    """No answer. The message is one printable line."""


class ProcessLost(BotProcessFailure):
    """The process has ended, or closed its pipe.

    `proven` is true when the bot certainly caused it: no other process has ended it.
    """

    def __init__(self, message: str, proven: bool = False) -> None:
        self.proven = proven
        super().__init__(message)


class DecisionTimeout(BotProcessFailure):
    """The time for the answer is up.

    `proven` is true when the bot certainly caused it: it used that much processor time, or slept
    throughout. Otherwise the machine may have been busy, or somebody stopped the process.
    """

    def __init__(self, message: str, proven: bool) -> None:
        self.proven = proven
        super().__init__(message)


class InvalidAnswer(BotProcessFailure):
    """The answer is not the JSON that it should be, is too long, or came before the question."""


class BotRaised(BotProcessFailure):
    """The bot has raised an exception and reports it."""
