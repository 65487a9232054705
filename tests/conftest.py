"""Every test gets a home of its own: ledger and key never touch the user's."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests import postgresql

ROOT = Path(__file__).resolve().parents[1]
# Seconds for what takes one on a quiet machine. How busy a machine is, is no error.
PATIENCE = 600.0
# The examples of a property in each tier; ``--hypothesis-profile`` chooses one.
EXAMPLES = {"quick": 10, "ci": 25, "all": 100}
# A busy machine is no error, neither where a case is judged nor where it is made: speed
# is measured in benchmarks. CI judges by the same cases each time; everywhere else they
# are new ones.
for tier, examples in EXAMPLES.items():
    settings.register_profile(
        tier,
        deadline=None,
        derandomize="CI" in os.environ,
        max_examples=examples,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("quick")
# Tests that need a process beside their own.
SERVERS = {"alone", "cluster", "machines"}


def assert_says(text: Container[str], *parts: str) -> None:
    """Assert that a text, or a collection of them, has all of these parts."""
    missing = [part for part in parts if part not in text]
    assert not missing, text


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by folder and server; properties get the examples of the tier."""
    tests = [item for item in items if isinstance(item, pytest.Function)]
    for test in tests:
        for name in ("app", "browser"):
            if test.nodeid.startswith(f"tests/{name}/"):
                test.add_marker(name)
        if SERVERS.intersection(test.fixturenames):
            test.add_marker("server")
    # One function has many cases.
    for function in {test.function for test in tests}:
        if is_hypothesis_test(function):
            _give_examples(function)


def examples_of(asked: int, tier: int) -> int:
    """Return how many examples a property has that asks for a number of its own.

    A property that asks for few has them in all tiers, one that asks for many has its
    share of them.
    """
    return max(min(asked, tier), asked * tier // EXAMPLES["all"])


def _give_examples(function: Callable[..., object]) -> None:
    # Hypothesis has no public way to change the settings of a test that has its own.
    own = function._hypothesis_internal_use_settings  # noqa: SLF001
    number = examples_of(own.max_examples, settings.default.max_examples)
    function._hypothesis_internal_use_settings = settings(  # noqa: SLF001
        own, max_examples=number
    )


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("EPSILON_STUDIO_HOME", str(folder))
    monkeypatch.delenv("EPSILON_STUDIO_LEDGER", raising=False)
    monkeypatch.delenv("EPSILON_STUDIO_DATABASES", raising=False)
    monkeypatch.delenv("EPSILON_STUDIO_CLUSTER", raising=False)
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say in one line, and not once a test, that there is no PostgreSQL."""
    report = yield
    if report.skipped and postgresql.MISSING in str(report.longrepr):
        report.longrepr = (postgresql.__file__, 1, f"Skipped: {postgresql.MISSING}")
    return report


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgresql.Cluster]:
    with postgresql.running() as started:
        yield started
