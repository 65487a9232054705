"""Every term can be looked up beside a page, and those of a lesson in it."""

import pytest

from dpcore.glossary import mentioned, term
from dpcore.lessons.paths import LESSONS
from tests.app.test_pages import by_label


@pytest.mark.usefixtures("framed")
def test_a_term_is_looked_up_beside_a_page(app):
    entry = term("zCDP")
    look_up = by_label(app.sidebar.selectbox, "Term")
    assert entry.word in look_up.options
    look_up.set_value(entry.word).run()
    assert any(f"**{entry.word}:** " in element.value for element in app.sidebar.markdown)


def test_a_lesson_offers_the_terms_that_it_uses(open_page):
    app = open_page("lessons")
    shown = "\n".join(element.value for element in app.main.markdown)
    used = mentioned(next(iter(LESSONS.values())).text().text)
    assert used
    assert all(f"**{one.word}:** " in shown for one in used)
