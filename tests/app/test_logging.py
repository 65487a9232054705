"""What the log says of errors, and of a part of the page that is gone."""

from __future__ import annotations

import logging
import sys
from types import ModuleType

import pytest

from ui.logging import warn_without_wall, withhold_messages

CELL = "a cell of the table"
LOGGER = logging.getLogger("streamlit.runtime.scriptrunner.script_runner")


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    withhold_messages()
    monkeypatch.setattr(LOGGER, "propagate", True)
    return caplog


def test_errors_and_warnings_are_logged_without_what_they_say(logged):
    LOGGER.warning(ValueError(CELL))
    LOGGER.error("failed: %s", CELL, exc_info=ValueError(CELL))
    assert len(logged.records) == 2
    assert CELL not in logged.text
    assert "ValueError at" in logged.text


def test_a_press_in_a_part_of_the_page_that_is_gone_is_no_error(logged):
    LOGGER.warning("Couldn't find fragment with id %s. It may be gone.", "d481")
    assert "fragment with id d481" in logged.text
    assert "may quote data" not in logged.text


def test_the_log_says_that_the_checks_of_asgi_are_missing(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "asgi", ModuleType("asgi"))
    warn_without_wall()
    assert caplog.text == ""
    monkeypatch.delitem(sys.modules, "asgi")
    warn_without_wall()
    assert "Started without asgi.py" in caplog.text
