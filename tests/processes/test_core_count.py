"""How many cores this process may use, as its affinity and its cgroups say."""

import os
from pathlib import Path

import pytest

from cantstop_arena.processes.system import core_count

V1 = "cpu.cfs_quota_us", "cpu.cfs_period_us"
LIMITS: dict[str, tuple[str, dict[str, str], int]] = {
    "version 2": ("0::/user/job", {"user/job/cpu.max": "200000 100000"}, 2),
    "of a parent": (
        "0::/user/job",
        {"user/cpu.max": "150000 50000", "user/job/cpu.max": "max 100000"},
        3,
    ),
    "the smallest": ("0::/a/b", {"a/cpu.max": "100000 100000", "a/b/cpu.max": "900000 100000"}, 1),
    "in a container": ("0::/", {"cpu.max": "300000 100000"}, 3),
    "with the path of the host": ("0::/kubepods/pod1", {"cpu.max": "400000 100000"}, 4),
    "part of a core": ("0::/", {"cpu.max": "10000 100000"}, 1),
    "one and a half": ("0::/", {"cpu.max": "150000 100000"}, 2),
    "more than there are": ("0::/", {"cpu.max": "9900000 100000"}, 8),
    "none": ("0::/", {"cpu.max": "max 100000"}, 8),
    "no file": ("0::/", {}, 8),
    "nonsense": ("nonsense", {"cpu.max": "1 1"}, 8),
    "version 1": (
        "4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/x",
        {f"cpu/job/{V1[0]}": "250000", f"cpu/job/{V1[1]}": "100000"},
        3,
    ),
    "version 1, none": ("3:cpu:/", {f"cpu/{V1[0]}": "-1", f"cpu/{V1[1]}": "100000"}, 8),
}


@pytest.mark.parametrize(("groups", "files", "expected"), LIMITS.values(), ids=LIMITS)
def test_quotas_of_cgroups_limit_the_cores(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    groups: str,
    files: dict[str, str],
    expected: int,
) -> None:
    texts = {"proc/self/cgroup": groups}
    texts |= {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8), raising=False)
    assert core_count(tmp_path) == expected


def test_where_there_are_no_cgroups_the_affinity_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(5), raising=False)
    assert core_count(tmp_path) == 5
