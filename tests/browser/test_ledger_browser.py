"""The budget survives reloads, impatient clicks, second tabs and a killed server."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect
from dpcore.data.proposals import proposed
from dpcore.data.readers.csv_reader import read_csv
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.store import keyfile
from dpcore.releases.record import Release
from tests.browser.server import Server
from tests.browser.visitor import Visitor, table, visit

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("undrawn")]


class Book:
    """What the ledger on disk holds about one table."""

    def __init__(self, server: Server, text: str) -> None:
        frame = read_csv(text.encode(), Dialect())
        dataset = Dataset(name="", frame=frame, columns=proposed(frame))
        self._account = dataset.fingerprint(keyfile(server.home))
        self._ledger = Ledger.at(server.home / "ledger.sqlite3")

    @property
    def releases(self) -> tuple[Release, ...]:
        return self._ledger.releases(self._account)

    @property
    def spent(self) -> float:
        account = self._ledger.account(self._account)
        assert account is not None
        return float(account.spent.epsilon)

    def check(self) -> None:
        """Every debit has an answer, and nothing was changed afterwards."""
        self._ledger.verify()
        paid = sum(release.cost.epsilon for release in self.releases)
        assert self.spent == float(paid)


def ages(first: int) -> str:
    """Return a table that no other test uses."""
    return table([first, *(20 + i % 60 for i in range(400))])


def said(visitor: Visitor) -> list[str]:
    """Return the words of the answer, without those of its figure."""
    return visitor.answer.get_by_test_id("stMarkdownContainer").all_inner_texts()


def test_impatient_clicks_are_charged_once_a_reload_keeps_it_and_the_budget_is_changed(
    context, server
):
    text = ages(1)
    book = Book(server, text)
    visitor = visit(context, server.url)
    visitor.use_upload(text)
    visitor.number("ε for this release", 0.1)
    visitor.release_button.click(click_count=3)
    expect(visitor.spend).to_be_visible()
    visitor.settle()
    assert book.releases == ()
    visitor.spend.click(click_count=3)
    expect(visitor.page.get_by_text("Release 1 of this question")).to_be_visible()
    visitor.settle()
    # The third click may have landed on "Draw again", and is ignored there.
    assert [release.draw for release in book.releases] == [1]
    visitor.draw_again(2, clicks=3)
    assert [release.draw for release in book.releases] == [1, 2]
    assert book.spent == 0.2
    visitor.number("ε for this release", 0.4)
    visitor.release()
    shown = said(visitor)
    assert "95%" in " ".join(shown)
    visitor.page.reload()
    expect(visitor.page.get_by_text("Choose a table first")).to_be_visible()
    expect(visitor.page.get_by_text("upload the same file again")).to_be_visible()
    visitor.settle()
    visitor.use_upload(text)
    visitor.number("ε for this release", 0.4)
    assert said(visitor) == shown
    visitor.go("budget")
    assert "0.6" in visitor.metric("Spent")
    assert "0.4" in visitor.metric("Left")
    visitor.go("manage")
    visitor.unfold()
    visitor.page.get_by_role("spinbutton", name="New privacy budget ε").fill("2")
    reason = visitor.page.get_by_role("textbox", name="Reason", exact=True)
    reason.fill("decided by the board")
    reason.press("Enter")
    visitor.settle()
    assert "Budget: ε = 1," in visitor.text
    visitor.button("Change and record").click()
    expect(visitor.page.get_by_text("Budget: ε = 2,")).to_be_visible()


def test_second_tab_shares_the_account_and_cannot_overspend(browser, server):
    text = ages(2)
    book = Book(server, text)
    tabs = [visit(browser.new_context(), server.url) for _ in range(2)]
    for tab, statistic in zip(tabs, ("mean", "sum"), strict=True):
        tab.use_upload(text)
        tab.choose("Statistic", statistic)
        tab.number("ε for this release", 0.6)
    first, second = tabs
    first.release()
    # This screen was drawn while all of the budget was left.
    expect(second.page.get_by_text(re.compile(r"ε = 1\b.* left;"))).to_be_visible()
    second.release_button.click()
    refusal = second.page.get_by_role("alert").filter(has_text="the release costs")
    expect(refusal).to_contain_text(re.compile("only .*0[.]4"))
    second.settle()
    assert "0.6 of 1 ε spent" in second.text
    assert [release.title for release in book.releases] == ["mean of age"]
    second.number("ε for this release", 0.4)
    second.release()
    assert book.spent == 1.0
    book.check()
    for tab in tabs:
        tab.page.context.close()


def test_killed_server_leaves_no_answer_without_debit(context, tmp_path):
    text = ages(3)
    server = Server(tmp_path)
    book = Book(server, text)
    visitor = visit(context, server.url)
    try:
        visitor.use_upload(text)
        visitor.number("ε for this release", 0.3)
        visitor.release()
        shown = said(visitor)
        visitor.number("ε for this release", 0.2)
        # Killed while it releases, or shortly before.
        asked = visitor.page.evaluate("rest.asked")
        visitor.release_button.click()
        visitor.page.wait_for_function("asked => rest.asked > asked", arg=asked)
        server.kill()
        book.check()
        server.start()
        visitor.open()
        visitor.use_upload(text)
        before = book.releases
        visitor.choose("Mechanism", "Gaussian (analytic)")
        visitor.choose("Mechanism", "Laplace")
        visitor.number("ε for this release", 0.3)
        # It is on screen without a press, and no press releases it anew.
        expect(visitor.release_button).to_be_disabled()
        assert said(visitor) == shown
        assert book.releases == before
    finally:
        server.kill()
