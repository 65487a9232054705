"""A table of one's own is looked through before a class sees it."""

from tests.app.asking import shown
from tests.app.test_pages import by_label, use_upload
from tests.conftest import assert_says

PUPILS = "age,name\n" + "".join(f"{10 + i % 3},pupil {i}\n" for i in range(60))
SWITCH = "Show disclosure risks of this table"


def test_what_a_class_would_recognize_is_told_when_asked_for(open_page):
    use_upload(open_page, text=PUPILS)
    app = open_page("data")
    assert "Do not show it" not in shown(app)
    by_label(app.toggle, SWITCH).set_value(True).run()
    told = shown(app)
    assert_says(told, "Do not show it unchanged", "**name**: The column name suggests a name")
