"""The glossary: found by a part of a word, by its link, and from word to word."""

from dpcore.glossary import TERMS, term
from tests.app.asking import shown
from tests.app.test_pages import button


def test_a_part_of_a_word_is_enough(open_page):
    app = open_page("glossary")
    assert len(app.header) == len(TERMS)
    app.text_input[0].set_value("clip").run()
    assert [one.value for one in app.header] == ["clamping"]
    button(app, "What is: bounds?").click().run()
    assert app.text_input[0].value == "bounds"
    assert term("bounds").plain.split(".")[0] in shown(app)
