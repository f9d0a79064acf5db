"""In CI a test is skipped for an expected reason, or fails."""

import pytest
from conftest import NO_SANDBOX, without_unexpected_skip


@pytest.mark.skipif("sys.platform != 'linux'", reason="the list is that of Linux")
@pytest.mark.parametrize(
    ("reason", "in_ci"),
    [
        ("needs LaTeX", "skipped"),
        (f"{NO_SANDBOX}bwrap is not installed", "skipped"),
        ("could not import 'pandas': No module named 'pandas'", "failed"),
    ],
)
def test_a_skip_that_nobody_expects_fails_in_ci(
    reason: str, in_ci: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def outcome() -> str:
        skipped = ("file.py", 1, f"Skipped: {reason}")
        report = pytest.TestReport("test", ("file.py", 1, ""), {}, "skipped", skipped, "call")
        return without_unexpected_skip(report).outcome

    monkeypatch.delenv("CI", raising=False)
    assert outcome() == "skipped"
    monkeypatch.setenv("CI", "1")
    assert outcome() == in_ci
