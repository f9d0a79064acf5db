"""A bot on trial: looked at in processes of its own, played, and played again elsewhere."""

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.check.check_process import (
    NAME,
    CheckProcess,
    CheckProcessFailed,
    examination_of,
    own_bot,
)
from cantstop_arena.check.findings import NOTE, OK, WRONG, CheckStage, Finding
from cantstop_arena.check.suite import Trace, difference, suite_of
from cantstop_arena.game_api.game import Game
from cantstop_arena.texts import in_a_line


class BotCheck:
    """Everything there is to find about the bots of a file, or about the bot of some name."""

    def __init__(self, target: Path | str, catalogue: Catalogue, limit: float) -> None:
        """Raises UsageError for an unknown name."""
        self._arguments = [f"--bots={catalogue.folder}", *_target_arguments(target, catalogue)]
        self._called = target.stem if isinstance(target, Path) else target
        self._limit = limit

    def findings(self) -> Generator[Finding, None, None]:
        """The findings, each as soon as there is one."""
        first = _CheckedBot(self._arguments, self._called, self._limit)
        yield from first.findings()
        for name in first.names[1:]:
            yield from _CheckedBot(
                [*self._arguments, f"--bot={name}"], name, self._limit
            ).findings()


def _target_arguments(target: Path | str, catalogue: Catalogue) -> list[str]:
    """How the process is told what to look at."""
    path = target if isinstance(target, Path) else catalogue.file_of(target)
    if path:
        return [f"--path={path}"]
    bot = catalogue.find(str(target))
    return (
        [f"--package={bot.package}"] if bot.package else [f"{NAME}{bot.name}", f"--game={bot.game}"]
    )


class _CheckedBot:
    """One bot: looked at, played, and played again in another process."""

    def __init__(self, arguments: Sequence[str], bot: str, limit: float) -> None:
        self.names: list[str] = []
        self.bot = bot
        self._arguments = arguments
        self._limit = limit
        self._traces: list[Trace] = []
        self._game: Game | None = None

    def findings(self) -> Iterator[Finding]:
        """All findings about the bot, under its name."""
        for finding in self._all():
            yield replace(finding, bot=self.bot)

    def _all(self) -> Iterator[Finding]:
        with examination_of(self._arguments, self._limit, "0") as examination:
            yield from self._findings(examination)
        if self._traces:
            yield self._elsewhere()
        if examination.printed:
            yield _prints(examination)

    def _findings(self, examination: CheckProcess) -> Iterator[Finding]:
        try:
            for message in examination.messages():
                if "bots" in message:
                    self.names, self.bot = message["bots"], message["this"]
                    self._game = examination.game
                elif "finding" in message:
                    yield Finding(*message["finding"])
                elif "traces" in message:
                    self._traces = list(map(Trace.read, message["traces"]))
        except CheckProcessFailed as failure:
            yield _fatal_finding(examination.stage, failure)

    def _elsewhere(self) -> Finding:
        """Whether the same games are played in another process, where texts hash otherwise."""
        other = _CheckedBot([*self._arguments, "--only-play"], self.bot, self._limit)
        with examination_of(other._arguments, self._limit, "1") as examination:
            findings = list(other._findings(examination))
        if wrong := next((finding for finding in findings if finding.mark == WRONG), None):
            return replace(wrong, text=f"{wrong.text} (in another process)")
        games = suite_of(self._game, own_bot(self._arguments)) if self._game else ()
        if trace_difference := difference(games, self._traces, other._traces):
            causes = "the order of a set of texts, id(), hash(), or something of the process?"
            text = (
                f"another process, with other hashes of texts, plays otherwise: {trace_difference}"
            )
            return Finding(WRONG, "reproducible", f"{text}; {causes}")
        return Finding(OK, "reproducible", "the same games again, and in another process")


def _fatal_finding(stage: CheckStage, failure: CheckProcessFailed) -> Finding:
    return Finding(stage.mark, stage.subject, f"{failure}, while it {stage.doing}")


def _prints(examination: CheckProcess) -> Finding:
    first = in_a_line(examination.first_print.decode("utf-8", "replace"), 60)
    text = f"prints {examination.printed:,} bytes, which tournaments put in its log: {first!r}"
    return Finding(NOTE, "output", text)
