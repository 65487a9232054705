"""Links with settings that no control can hold."""

import pytest

from tests.browser.rest import settled

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("place", ["study1?s1-people", "study2?study2-seed"])
def test_an_infinite_setting_does_not_break_the_page(page, place):
    page.goto(f"{page.url.rstrip('/')}/{place}=1e309")
    settled(page)
    assert page.get_by_test_id("stException").count() == 0
    assert place.split("?")[0] in page.url
    assert "1e309" not in page.url
