"""A table that stays in its files: from the folder to an answer, and to everybody."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dpcore.releases.record import Release
from tests.app.test_pages import write_table
from tests.browser.held import gate
from tests.browser.server import Server
from tests.browser.visitor import table, visit

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive, pytest.mark.usefixtures("undrawn")]

AGES = [18 + i * i % 71 for i in range(2000)]
MEAN = sum(AGES) / len(AGES)
# The noise has scale 100 / 2000 / 0.5 = 0.1.
OFF = 4.0


@pytest.fixture
def large(tmp_path):
    """A server whose work can be held, with the people of a CSV in a folder."""
    tables = tmp_path / "tables"
    write_table(tables, table(AGES), rows=300)
    program = "tests.browser.held"
    with Server(tmp_path / "server", program=program, tables=tables) as server:
        yield server


def test_from_the_folder_to_an_answer_and_to_everybody(context, large):
    visitor = visit(context, large.url)
    page = visitor.page
    visitor.go("data")
    page.get_by_text("A large table on the server").click()
    visitor.settle()
    visitor.button("Open the table").click()
    expect(page.get_by_text("not in use yet · stays in its files")).to_be_visible()
    visitor.settle()
    visitor.declare(0, 100)

    gate(large.home).touch()
    visitor.button("Continue to Release").click()
    visitor.button("Stop").click()
    expect(visitor.button("Stop")).to_have_count(0)
    visitor.settle()
    assert "not in use yet" in visitor.text
    gate(large.home).unlink()
    visitor.button("Continue to Release").click()
    visitor.heading("Release").wait_for()
    visitor.settle()

    assert "95% CI" in visitor.release()
    record = Release.from_json(visitor.download("Download JSON"))
    assert abs(record.values[0] - MEAN) < OFF
    assert float(record.cost.epsilon) == 0.5

    visitor.go("privacy_loss")
    visitor.open_confidential()
    expect(page.get_by_text("Most exposed", exact=True)).to_be_visible()
    visitor.await_work()
    expect(page.get_by_role("figure")).to_have_count(1)

    visitor.go("budget")
    assert "0.5" in visitor.metric("Spent")
    assert Release.from_json(visitor.download("Download JSON")) == record

    visitor.go("regression")
    visitor.choose("Type", "yes/no")
    visitor.settle()
    visitor.number("ε for this release", 0.25)
    visitor.press_release()
    told = page.get_by_text("Penalized coefficients in the units of the columns.", exact=True)
    expect(told).to_be_visible()
    visitor.open_confidential()
    expect(page.get_by_text("The released model beside the fit")).to_be_visible()
    visitor.await_work()
    log = large.log.read_text()
    assert "Traceback" not in log
    assert str(large.home.parent.parent / "tables") not in log
