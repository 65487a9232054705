"""Every test gets a home of its own: ledger and key never touch the user's."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Callable, Container, Generator, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

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
# Their tests share a server that starts once; `make test-rest` has two workers.
TOGETHER = {
    *("tests/browser/test_installed.py", "tests/browser/test_sign_in.py"),
    *("tests/data/partitions/test_cluster.py", "tests/documents/test_reproduction.py"),
}
_homes = count()


def assert_says(text: Container[str], *parts: str) -> None:
    """Assert that a text, or a collection of them, has all of these parts."""
    missing = [part for part in parts if part not in text]
    assert not missing, text


def everything() -> bool:
    """Return whether this is `make test-all`, which leaves nothing out."""
    return settings.default.max_examples >= EXAMPLES["all"]


def few(number: int, *cases: object) -> list[object]:
    """Return cases of which all but the first are those of `make test-all` alone."""
    marked = [case if isinstance(case, tuple) else (case,) for case in cases[number:]]
    return [*cases[:number], *(pytest.param(*c, marks=pytest.mark.exhaustive) for c in marked)]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let two workers import from both ends: each finds half of the files compiled."""
    report = yield
    if isinstance(collector, pytest.Dir) and os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by folder and server; cases and examples are those of the tier."""
    items.sort(key=lambda item: item.path)
    if not everything() and not any("::" in asked for asked in config.args):
        _leave_out_combinations(config, items)
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


class Together(LoadScopeScheduling):
    """Gives each test to the next worker, and those that share a server to one."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", maxsplit=1)[0]
        return file if file in TOGETHER else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Together | None:
    """Schedule the tests of `make test-rest`; the quick ones share no server."""
    return Together(config, log) if config.getvalue("dist") == "loadscope" else None


def _leave_out_combinations(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep each value of each parameter, and not each value with each other one.

    Where a test has several lists of values, the longest one is gone through once, and
    the others beside it, again and again.
    """
    crossed = defaultdict(list)
    for item in items:
        if len(_values(item)) > 1:
            crossed[item.nodeid.split("[")[0]].append(item)
    left_out = set()
    for cases in crossed.values():
        lists = [[*dict.fromkeys(values)] for values in zip(*map(_values, cases), strict=True)]
        longest = max(map(len, lists))
        kept = {tuple(values[i % len(values)] for values in lists) for i in range(longest)}
        left_out.update(case for case in cases if _values(case) not in kept)
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def _values(item: pytest.Item) -> tuple[str, ...]:
    case = getattr(item, "callspec", None)
    return tuple(case._idlist) if case else ()  # noqa: SLF001 - no public way


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


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let the search for garbage pass over all tests and modules: they stay."""
    gc.freeze()


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.getbasetemp() / f"home-{next(_homes)}"
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
