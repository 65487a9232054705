"""What ε allows an attacker is one number on all pages; other numbers say why."""

from __future__ import annotations

from dpcore.relations import NeighboringRelation
from tests.app.test_lab import choose
from tests.app.test_one_person import ATTACKER, lesson, look, titles
from tests.app.test_pages import by_label
from tests.app.test_questions import set_to

LIMIT = "becomes at most 73.2% sure"


def said(app):
    texts = (*app.markdown, *app.caption, *app.success, *app.warning)
    return "\n".join(text.value.replace("\\", "") for text in texts)


def test_the_guarantee_has_one_number_and_one_sentence(open_page):
    certainty = "73.2%"
    home = open_page("home")
    assert certainty in said(home) or any(certainty in one.value for one in home.metric)
    lab = open_page("lab")
    assert LIMIT in by_label(lab.slider, "Claimed ε").help
    choose(lab, "Mechanism", "bit")
    assert LIMIT in by_label(lab.metric, "Actual ε").help
    lesson(open_page, "rand-hie")
    release = open_page("release")
    set_to(release, "number_input", "ε for this release", 1.0)
    assert f"at most {certainty}" in said(release)
    app = look(open_page("privacy_loss"), ATTACKER)
    set_to(app, "number_input", "ε for this release", 1.0)
    by_label(app.radio, "Compared with").set_value(NeighboringRelation.ADD_REMOVE).run()
    assert "The guarantee is about another change" in said(app)
    by_label(app.radio, "Compared with").set_value(NeighboringRelation.SUBSTITUTION).run()
    text = said(app)
    assert "By the guarantee, ε = 1, an attacker who was 50% sure " + LIMIT in text
    for why in ("On average over all results", "In another game the attacker sees two releases"):
        assert why in text
    assert "73.1%" not in titles(app)[1]
