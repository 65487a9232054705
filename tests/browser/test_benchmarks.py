"""The benchmark of the pages comes to its end, each control beside an empty page."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def test_small_form_measures_every_control_beside_an_empty_page(browser):
    assert browser  # Skipped where there is none.
    command = [sys.executable, "-m", "benchmarks", "--small"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    measured = [line for line in done.stdout.splitlines() if ": median " in line]
    assert len(measured) >= 19
    for line in measured:
        assert "an empty page: " in line
