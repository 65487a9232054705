"""A sharper answer is released from the popover below the first one."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dpcore.analyses.base import Mode
from dpcore.releases.record import Release
from tests.browser.test_accessibility import fits
from tests.browser.visitor import table, visit

pytestmark = pytest.mark.browser

AGES = [18 + i * i % 67 for i in range(1500)]


def test_an_answer_is_sharpened_for_the_difference(context, server):
    visitor = visit(context, server.url)
    page = visitor.page
    visitor.use_upload(table(AGES, flag="sharpened"), bounds=(18, 90), budget=3.0)
    visitor.press_release()
    first = Release.from_json(visitor.download("Download JSON"))
    visitor.button("Sharpen this answer").click()
    visitor.button("Sharpen and spend ε = 0.5").click()
    visitor.settle()
    expect(page.get_by_text("for this one ε = 0.5 was charged").first).to_be_visible()
    page.keyboard.press("Escape")
    second = Release.from_json(visitor.download("Download JSON"))
    assert (second.sharpens, second.mode) == (first.id, Mode.RELEASE)
    assert float(second.debit.epsilon) == 0.5
    assert float(second.cost.epsilon) == 1.0
    fits(page, "release")
    visitor.go("budget")
    assert "1" in visitor.metric("Spent")
