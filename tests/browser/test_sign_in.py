"""Sign-in by a provider: what each role sees and may do, in a browser and by hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.browser.provider import PEOPLE, STRANGER, Provider
from tests.browser.server import Server
from tests.browser.tab import Tab
from tests.browser.test_classes import in_a_thread, offered
from tests.browser.visitor import table, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.usefixtures("undrawn")]

CURATOR, ANALYST, VIEWER = PEOPLE
REFUSED = "your role does not permit"
RELEASE = "Release and spend"
AGES = table(range(100))


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A server that people sign in to."""
    folder = tmp_path_factory.mktemp("signed")
    with Provider() as provider, pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_STUDIO_SIGN_IN", str(provider.settings(folder)))
        with Server(folder, entry="asgi.py") as server:
            yield server


def sign_in(visitor, name):
    """Sign in from the start page, as a person does."""
    visitor.button("Sign in").click()
    visitor.page.get_by_role("link", name=name).click()
    visitor.page.get_by_role("button", name="Sign out").wait_for()
    visitor.settle()
    return visitor


def released(server):
    """How many answers the ledger holds."""
    ledger = server.home / "ledger.sqlite3"
    if not ledger.exists():
        return 0
    with closing(sqlite3.connect(ledger)) as book:
        (found,) = book.execute("SELECT count(*) FROM entries WHERE kind = 'release'").fetchone()
    return found


def test_nobody_gets_in_without_a_role(context, signed):
    assert in_a_thread(offered(signed.url, "released")) == {"Sign in"}
    visitor = visit(context, signed.url, "?example=rand-hie")
    expect(visitor.button("Sign in")).to_be_visible()
    assert visitor.page.get_by_role("button").count() == 1
    assert "RAND" not in visitor.text
    sign_in(visitor, STRANGER)
    assert "have no role here" in visitor.text
    assert visitor.page.get_by_role("link", name="Data").count() == 0


def test_roles_have_their_parts(browser, signed):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    curator = sign_in(visit(context, signed.url), CURATOR)
    curator.use_common(AGES)
    curator.press_release()
    expect(curator.page.get_by_role("button", name="Released")).to_be_visible()
    before = released(signed)
    assert before == 1
    context.close()

    context = browser.new_context(viewport={"width": 1280, "height": 900})
    analyst = sign_in(visit(context, signed.url), ANALYST)
    analyst.use_common(AGES)
    # They see what was released of this table, and what another question would cost.
    analyst.number("ε for this release", 0.25)
    analyst.press_release()
    analyst.settle()
    assert REFUSED in analyst.text
    assert "Nothing was charged" in analyst.text
    analyst.go("privacy_loss")
    assert "Only a curator can open the confidential part" in analyst.text
    assert analyst.page.get_by_text("Show everybody").count() == 0
    cookies = {cookie["name"]: cookie["value"] for cookie in context.cookies()}
    messages_written_by_hand_get_no_further(signed, cookies)
    assert released(signed) == before
    context.close()

    context = browser.new_context(viewport={"width": 1280, "height": 900})
    viewer = sign_in(visit(context, signed.url), VIEWER)
    viewer.go("released")
    assert '"mean of age"' in viewer.download("Download JSON")
    viewer.go("data")
    file = {"name": "people.csv", "mimeType": "text/csv", "buffer": AGES.encode()}
    viewer.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
    expect(viewer.page.get_by_text("use a table of your own")).to_be_visible()
    assert viewer.page.get_by_role("heading", name="Columns").count() == 0
    context.close()
    assert released(signed) == before


async def by_hand(url, cookies):
    """Ask for a real release of a built-in survey by messages of one's own."""
    async with Tab(url, "release", "example=rand-hie", cookies) as tab:
        if "Sign in" not in tab.buttons:
            await tab.put("Mode", "Live")
            await tab.press(next(name for name in tab.buttons if name.startswith(RELEASE)))
        return tab.buttons, tab.texts


def messages_written_by_hand_get_no_further(signed, cookies):
    buttons, _ = in_a_thread(by_hand(signed.url, {}))
    assert buttons == {"Sign in"}
    buttons, texts = in_a_thread(by_hand(signed.url, cookies))
    assert "Sign in" not in buttons
    assert REFUSED in "".join(texts)
    forged = cookies | {"_streamlit_user": cookies["_streamlit_user"][:-4] + "AAAA"}
    buttons, _ = in_a_thread(by_hand(signed.url, forged))
    assert buttons == {"Sign in"}
