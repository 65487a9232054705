"""Every test gets a home of its own: ledger and key never touch the user's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests import postgresql

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

ROOT = Path(__file__).resolve().parents[1]
# Seconds for what takes one on a quiet machine. How busy a machine is, is no error.
PATIENCE = 600.0
# A busy machine is no error, neither where a case is judged nor where it is made: speed
# is measured in benchmarks. CI judges by the same cases each time; everywhere else they
# are new ones.
settings.register_profile(
    "house",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("EPSILON_STUDIO_HOME", str(folder))
    monkeypatch.delenv("EPSILON_STUDIO_LEDGER", raising=False)
    monkeypatch.delenv("EPSILON_STUDIO_DATABASES", raising=False)
    monkeypatch.delenv("EPSILON_STUDIO_CLUSTER", raising=False)
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Say in one line, and not once a test, that there is no PostgreSQL."""
    report = yield
    if report.skipped and postgresql.MISSING in str(report.longrepr):
        report.longrepr = (postgresql.__file__, 1, f"Skipped: {postgresql.MISSING}")
    return report


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgresql.Cluster]:
    with postgresql.running() as started:
        yield started
