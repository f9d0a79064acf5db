"""How a bot in a process of its own can fail to answer."""


class BotProcessFailure(Exception):
    """No answer. The message is one printable line."""


class ProcessLost(BotProcessFailure):
    """The process has ended, or closed its pipe.

    `proven` says that it was certainly the bot's doing: nobody else has ended it.
    """

    def __init__(self, message: str, proven: bool = False) -> None:
        self.proven = proven
        super().__init__(message)


class DecisionTimeout(BotProcessFailure):
    """The time for the answer is up.

    `proven` says that it was certainly the bot's doing: it used that much processor time, or slept
    all the while. Otherwise the machine may have been busy, or somebody stopped the process.
    """

    def __init__(self, message: str, proven: bool) -> None:
        self.proven = proven
        super().__init__(message)


class Nonsense(BotProcessFailure):
    """What came is no answer: not the JSON it should be, too long, or unasked."""


class BotRaised(BotProcessFailure):
    """The bot itself reports that it failed."""
