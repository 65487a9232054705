"""The switch of the confidential area says what is shown, wherever one comes from."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor, table, visit

pytestmark = pytest.mark.browser

TEXT = table([20 + i % 60 for i in range(300)])
SHOWN = "Who is most exposed"


def agrees(visitor: Visitor, *, shown: bool) -> None:
    """Check that the switch and the page say the same."""
    switch = visitor.page.get_by_role("switch").first
    expect(switch).to_be_checked(checked=shown)
    expect(visitor.page.get_by_text(SHOWN)).to_have_count(int(shown))


def test_the_switch_and_what_is_shown_always_agree(context, server):
    visitor = visit(context, server.url)
    visitor.use_upload(TEXT)
    visitor.go("privacy_loss")
    agrees(visitor, shown=False)
    for shown in (True, False, True):
        visitor.open_confidential()  # and, where it is open, closes it
        agrees(visitor, shown=shown)
    # Whoever comes back finds it closed, as after a reload.
    visitor.go("budget")
    visitor.go("privacy_loss")
    agrees(visitor, shown=False)
    visitor.open_confidential()
    agrees(visitor, shown=True)
    visitor.page.reload()
    visitor.settle()
    visitor.use_upload(TEXT)
    visitor.go("privacy_loss")
    agrees(visitor, shown=False)
