"""The budget survives reloads, impatient clicks, second tabs and a killed server."""

from __future__ import annotations

import asyncio

import pytest
from playwright.sync_api import expect
from websockets.exceptions import ConnectionClosed

from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect
from dpcore.data.proposals import proposed
from dpcore.data.readers.csv_reader import read_csv
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.store import keyfile
from dpcore.releases.record import Release
from tests.browser.server import Server
from tests.browser.tab import Tab
from tests.browser.test_classes import in_a_thread
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


def ages(first: int, **names: str) -> str:
    """Return a table that no other test uses; with other names it is about other people."""
    return table([first, *(20 + i % 60 for i in range(400))], **names)


def said(visitor: Visitor) -> list[str]:
    """Return the words of the answer, without those of its figure."""
    return visitor.answer.get_by_test_id("stMarkdownContainer").all_inner_texts()


def test_impatient_clicks_are_charged_once_and_a_reload_keeps_it(context, server):
    text = ages(1)
    book = Book(server, text)
    visitor = visit(context, server.url)
    visitor.use_common(text)
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
    shown = said(visitor)
    assert "95%" in " ".join(shown)
    visitor.page.reload()
    expect(visitor.page.get_by_text("Choose a table first")).to_be_visible()
    expect(visitor.page.get_by_text("upload the same file again")).to_be_visible()
    visitor.settle()
    visitor.go("data")
    visitor.use_common(text)
    visitor.number("ε for this release", 0.1)
    assert said(visitor) == shown
    visitor.go("budget")
    assert "0.2" in visitor.metric("Spent")
    assert "2.8" in visitor.metric("Left")


def test_second_tab_shares_the_account_and_cannot_overspend(server):
    in_a_thread(overspent(server, ages(2, column="years", flag="smokes")))


async def overspent(server, text):
    book = Book(server, text)
    async with Tab(server.url) as first, Tab(server.url) as second:
        for tab, statistic in ((first, "mean"), (second, "sum")):
            await tab.use(text.encode())
            await tab.put("Statistic", statistic)
            await tab.put("ε for this release", 1.8)
        await first.release()
        # That page was drawn while all of the budget was left.
        await second.release()
        (refused,) = (text for text in second.texts if "the release costs" in text)
        assert "only ε = 1.2," in refused.replace("\\", "")
        assert [release.title for release in book.releases] == ["mean of years"]
        await second.put("ε for this release", 1.2)
        await second.release()
    assert book.spent == 3.0
    book.check()


@pytest.mark.exhaustive
def test_killed_server_leaves_no_answer_without_debit(tmp_path):
    with Server(tmp_path) as server:
        in_a_thread(killed(server, ages(3)))


async def killed(server, text):
    book = Book(server, text)
    async with Tab(server.url) as tab:
        await tab.use(text.encode())
        await tab.put("ε for this release", 0.3)
        await tab.release()
        shown = [text for text in tab.texts if "95\\% CI" in text]
        await tab.put("ε for this release", 0.2)
        # Killed while it releases, or shortly before.
        heard = len(tab.frames)
        pressed = asyncio.create_task(tab.release())
        while len(tab.frames) == heard:  # noqa: ASYNC110
            await asyncio.sleep(0)
        server.kill()
        with pytest.raises(ConnectionClosed):
            await pressed
    book.check()
    before = book.releases
    server.start()
    async with Tab(server.url) as tab:
        await tab.use(text.encode())
        await tab.put("ε for this release", 0.3)
        # It is on screen without a press.
        assert "Released ✓" in tab.buttons
        assert [text for text in tab.texts if "95\\% CI" in text] == shown
        assert book.releases == before
