"""Sign-in by a provider: what each role sees and may do, in a browser and by hand."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from http.cookiejar import CookieJar
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Navigation_pb2 import Navigation

from tests.browser.provider import PEOPLE, STRANGER, Provider
from tests.browser.server import Server
from tests.browser.tab import Tab
from tests.browser.test_classes import in_a_thread, offered
from tests.browser.visitor import table, visit
from tests.conftest import assert_says

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


def cookies_of(signed, name):
    """Sign somebody in without a browser; return the cookies."""
    jar = CookieJar()
    browser = build_opener(HTTPCookieProcessor(jar))
    browser.open(f"{signed.url}/_stcore/health").close()
    with browser.open(signed.url + in_a_thread(way_in(signed.url))) as answer:
        place = re.search(f'href="([^"]+)">{name}<', answer.read().decode())
    browser.open(place[1]).close()
    return {cookie.name: cookie.value for cookie in jar}


async def way_in(url):
    async with Tab(url) as tab:
        await tab.press("Sign in")
        return next(one.auth_redirect.url for one in heard(tab) if one.HasField("auth_redirect"))


def heard(tab):
    return map(ForwardMsg.FromString, tab.frames)


async def seen(url, query="", cookies=None):
    """What somebody sees of the start page: its buttons and words, and no bar with links."""
    async with Tab(url, "", query, cookies) as tab:
        bars = [one.navigation.position for one in heard(tab) if one.HasField("navigation")]
        assert Navigation.Position.TOP not in bars
        return tab.buttons, "".join(tab.texts)


def test_nobody_gets_in_without_a_role(signed):
    assert in_a_thread(offered(signed.url, "released")) == {"Sign in"}
    buttons, said = in_a_thread(seen(signed.url, "example=rand-hie"))
    assert buttons == {"Sign in"}
    assert "RAND" not in said
    buttons, said = in_a_thread(seen(signed.url, cookies=cookies_of(signed, STRANGER)))
    assert buttons == {"Sign out"}
    assert_says(said, "have no role here")


async def used(url, cookies):
    async with Tab(url, cookies=cookies) as curator:
        await curator.use(AGES.encode())
        await curator.release()
        return curator.buttons


async def viewed(url, cookies):
    async with Tab(url, "released", cookies=cookies) as viewer:
        assert any(b"mean of age" in frame for frame in viewer.frames)
        await viewer.go("data")
        await viewer.upload(AGES.encode())
        assert_says("".join(viewer.texts), "use a table of your own")
        assert "Continue to Release" not in viewer.buttons


def test_roles_have_their_parts(context, signed):
    assert "Released ✓" in in_a_thread(used(signed.url, cookies_of(signed, CURATOR)))
    before = released(signed)
    assert before == 1

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

    in_a_thread(viewed(signed.url, cookies_of(signed, VIEWER)))
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
