"""Every word of the trade that a page uses can be looked up beside it."""

import pytest

from dpcore.glossary import mentioned, term
from dpcore.lessons.paths import LESSONS
from tests.app.test_pages import use_example
from tests.registry import NAMES
from ui.glossary_links import WORDS

WITHOUT = {"lessons", "glossary", "about"}
"""Pages whose words are said elsewhere: by the lesson, or by the page itself."""


def said(block):
    """Return the words of a part of a page, in their order."""
    for element in block.children.values():
        if hasattr(element, "children"):
            yield from said(element)
        yield from filter(None, [getattr(element, "label", None)])
        if hasattr(element, "options"):
            yield from map(str, element.options)
        elif isinstance(getattr(element, "value", None), str):
            yield element.value


def test_every_page_has_its_words():
    assert set(WORDS) == {"" if stem == "home" else stem for stem in NAMES}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT])
def test_what_a_page_says_is_said_beside_it(open_page, name):
    use_example(open_page)
    app = open_page(name)
    used = {one.word for one in mentioned("\n".join(said(app.main)))}
    offered = {term(word).word for word in WORDS["" if name == "home" else name]}
    assert used - {"data": {"scale"}}.get(name, set()) <= offered


def test_the_words_of_a_page_are_in_the_side_bar(app):
    beside = "\n".join(element.value for element in app.sidebar.markdown)
    assert f"**{term('epsilon').word}:** " in beside


def test_a_lesson_offers_the_words_that_it_uses(open_page):
    app = open_page("lessons")
    told = "\n".join(element.value for element in app.main.markdown)
    used = mentioned(next(iter(LESSONS.values())).text().text)
    assert used
    assert all(f"**{one.word}:** " in told for one in used)
