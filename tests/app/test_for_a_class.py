"""A table of one's own is looked through before a class sees it."""

from dpcore.analyses.base import Mode
from tests.app.asking import shown
from tests.app.test_pages import by_label, mode, use_upload
from tests.conftest import assert_says

PUPILS = "age,name\n" + "".join(f"{10 + i % 3},pupil {i}\n" for i in range(60))
SWITCH = "Show what people could be recognized by"


def test_what_a_class_would_recognize_is_told_when_asked_for(open_page):
    use_upload(open_page, text=PUPILS)
    app = open_page("data")
    assert "Do not show it" not in shown(app)
    by_label(app.toggle, SWITCH).set_value(True).run()
    told = shown(app)
    assert_says(told, "Do not show it unchanged", "**name**: The heading sounds like a name")


def test_classroom_mode_does_not_open_it(open_page):
    app = use_upload(open_page, text=PUPILS)
    mode(app).set_value(Mode.CLASSROOM).run()
    app = open_page("data")
    assert not by_label(app.toggle, SWITCH).value
    assert "Do not show it" not in shown(app)
