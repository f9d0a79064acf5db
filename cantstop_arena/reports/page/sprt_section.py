"""The sequential test of a match: its hypotheses, its verdict, and the deals that decided it."""

from cantstop_arena.pages.document import Section
from cantstop_arena.reports.match_report import MatchFinding, points_text, test_claims, verdict


def sprt_section(result: MatchFinding) -> Section:
    """The section on the test that ended a match."""
    points = [points_text(result)] if result.players == 2 else []
    paragraphs = [" ".join(test_claims(result)), *points]
    return Section("test", "Sequential test", paragraphs, finding=verdict(result))
