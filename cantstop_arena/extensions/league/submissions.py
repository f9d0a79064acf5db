"""Participants' folders read as versions of bots: which of them are active.

Of each participant the version in the folder plays if its check has passed, else the one that was
seen last of those that have. A version is checked once; in the league a fault loses its game and
nobody is disqualified.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_paths import NET, own_file, real_path
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.league.league_file import League, Participant
from cantstop_arena.extensions.league.submission_check import (
    check_conditions,
    check_submission,
    entrant_for,
)
from cantstop_arena.extensions.league.submission_store import (
    FAILED,
    PASSED,
    StoredSubmission,
    SubmissionStore,
)
from cantstop_arena.texts import how_many, in_a_line, listed
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.tournament import COPIES

_MAX_REASON_LENGTH = 300
_MAX_LISTED = 8  # names of participants in a line
_MAX_FILES = 5000  # of a participant's folder


class Active(msgspec.Struct, frozen=True):
    """A participant's version that plays."""

    entrant: Entrant
    submission: StoredSubmission


class Submission(msgspec.Struct, frozen=True):
    """What a participant has handed in.

    `active` is the version that plays, None if none does. `problem` is why the folder's version
    does not. `is_new` tells that it has been checked now. `versions` are all that were ever seen,
    the last one first.
    """

    participant: Participant
    active: Active | None = None
    problem: str = ""
    is_new: bool = False
    versions: Sequence[StoredSubmission] = ()

    @property
    def remark(self) -> str:
        """The problem, and what counts in its place."""
        if not self.problem:
            return ""
        earlier = "; an earlier version counts" if self.active else ""
        return f"{self.problem}{earlier}"


class SubmissionReader:
    """Reads and checks the submissions of a league; with `checks` off, new ones count as passed."""

    def __init__(
        self,
        league: League,
        catalogue: Catalogue,
        store: SubmissionStore,
        seed: Seed,
        now: datetime,
        observer: RunObserver,
        results: Path,
        checks: bool = True,
    ) -> None:
        self.league, self.store, self.seed = league, store, seed
        self.catalogue = catalogue.isolated(league.isolate, (), [league.source.absolute()])
        self.time = now.isoformat(timespec="seconds")
        self.observer, self.checks = observer, checks
        self.copies = results / COPIES
        self.conditions = check_conditions(league, seed)

    def read(self) -> list[Submission]:
        """The submissions of all participants."""
        return [self._submission(each) for each in self.league.participants]

    def _submission(self, participant: Participant) -> Submission:
        problem, is_new, active = "", False, None
        stored = self.store.versions(participant.id)
        last_check = {version.digest: version for version in stored}
        try:
            path = submitted_file(self.league, participant)
            bot = self.catalogue.load_file(path)
        except BotError as error:
            problem = (
                in_a_line(str(error).partition("\n")[0], _MAX_REASON_LENGTH) or "it cannot be used"
            )
        else:
            is_new = bot.digest not in last_check
            verdict = self._verdict(participant, bot, last_check.get(bot.digest), self.time)
            if verdict.has_passed:
                active = Active(entrant_for(self.league, participant.id, bot), verdict)
            else:
                problem = f"check failed: {verdict.reason}"
        if active is None:
            active = self._last_passed(participant, stored)
        versions = self.store.versions(participant.id)
        return Submission(participant, active, problem, is_new, versions)

    def _verdict(
        self,
        participant: Participant,
        bot: BotDescription,
        last_check: StoredSubmission | None,
        last_seen: str,
    ) -> StoredSubmission:
        """The verdict on a version that was seen last at this time; stored."""
        if last_check and last_check.conditions == self.conditions:
            verdict = replace(last_check, last_seen=last_seen)
        else:
            reason = self._check(entrant_for(self.league, participant.id, bot))
            verdict = StoredSubmission(
                participant.id,
                bot.digest,
                last_check.first_seen if last_check else self.time,
                last_seen,
                self.conditions,
                FAILED if reason else PASSED,
                in_a_line(reason, _MAX_REASON_LENGTH),
            )
        if self.checks:
            self.store.add(verdict)
            if verdict.has_passed and bot.source:
                bot.source.copied(self.copies)
        return verdict

    def _check(self, entrant: Entrant) -> str:
        """Why a version does not pass; empty if it does."""
        if not self.checks:
            return ""
        self.observer.on_notice(f"Checking {entrant.name} ...")
        return check_submission(self.league, self.catalogue, entrant, self.seed, self.observer)

    def earlier(self, submission: Submission) -> Submission:
        """A submission whose version lacks its games: the one before counts, if there is one."""
        if submission.active is None:
            return submission
        new = submission.active.submission
        versions = [each for each in submission.versions if each.digest != new.digest]
        active = self._last_passed(submission.participant, versions)
        problem = "the new version has not played the base rounds yet"
        return replace(submission, active=active, problem=problem) if active else submission

    def _last_passed(
        self, participant: Participant, stored: Sequence[StoredSubmission]
    ) -> Active | None:
        """The version of a participant that was seen last of those that pass."""
        file = real_path(self.league.folder / participant.id / self.league.entry)
        for version in stored:
            if not version.has_passed:
                continue
            try:
                bot = self.catalogue.version(file, version.digest)
            except BotError:
                continue  # its copy has been removed
            verdict = self._verdict(participant, bot, version, version.last_seen)
            if verdict.has_passed:
                return Active(entrant_for(self.league, participant.id, bot), verdict)
        return None


def submitted_file(league: League, participant: Participant) -> Path:
    """The own file of the bot in a participant's folder. Raises BotError if there is none.

    Links are refused: they could lead to other participants' bots, or to the league's seed.
    """
    folder = league.folder / participant.id
    if not os.path.lexists(folder):
        raise BotError("no submission")
    _refuse_links(folder)
    entry = folder / league.entry
    candidates = (entry, entry.with_suffix(NET), entry.with_suffix(""))
    files = [file for path in candidates if (file := own_file(path))]
    if not files:
        raise BotError(f"no {league.entry}")
    return real_path(files[0])


def _refuse_links(folder: Path) -> None:
    """Raise BotError where a folder is a link or has one."""
    if folder.is_symlink():
        raise BotError("the folder is a link, and links are not allowed")
    count = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *names):
            count += 1
            if Path(parent, name).is_symlink():
                raise BotError(f"{name} is a link, and links are not allowed")
        if count > _MAX_FILES:
            raise BotError(f"more than {_MAX_FILES:,} files")


def about_submissions(submissions: Sequence[Submission]) -> list[str]:
    """Sentences: how many new versions have passed, why others have not, and who is left out."""
    new = [each for each in submissions if each.is_new]
    passed = [each.participant.id for each in new if not each.problem]
    failed = [_failure(each) for each in new if each.problem]
    if not new:
        return ["", *_left_out(submissions)]
    who = listed(passed) if len(passed) <= _MAX_LISTED else str(len(passed))
    first = f"{how_many(len(new), 'new version')}: {who if passed else 'none'} passed."
    return [first, *failed, *_left_out(submissions)]


def _left_out(submissions: Sequence[Submission]) -> list[str]:
    """A sentence about the participants without a version that could be checked."""
    texts = [
        f"{each.participant.id} ({each.problem})"
        for each in submissions
        if each.problem and not each.is_new and each.active is None and not each.versions
    ]
    if len(texts) > _MAX_LISTED:
        texts[_MAX_LISTED:] = [f"and {len(texts) - _MAX_LISTED} more"]
    return [f"Left out: {', '.join(texts)}."] if texts else []


def _failure(submission: Submission) -> str:
    reason = submission.problem.removeprefix("check failed: ")
    text = f"{submission.participant.id} failed: {reason}"
    if submission.active:
        text += f"; its version of {submission.active.submission.day} counts"
    return f"{text}."


def same_files(actives: Sequence[Active]) -> Mapping[str, str]:
    """For participants whose version somebody else handed in before: that participant's id."""
    first: dict[str, Active] = {}
    ordered = sorted(actives, key=lambda a: (a.submission.first_seen, a.entrant.name))
    copies: dict[str, str] = {}
    for active in ordered:
        original = first.setdefault(active.submission.digest, active)
        if original is not active:
            copies[active.entrant.name] = original.entrant.name
    return copies
