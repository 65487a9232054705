"""The first visit: four steps that follow what is done, skipped and begun anew."""

from tests.app.asking import button, go, use_survey
from tests.app.test_uploads import labels, said, upload

OFFER = "First time here? Be led through four steps"


def test_visit_follows_what_is_done_and_is_found_again(open_page):
    app = open_page("home")
    assert "First visit" not in said(app)
    button(app, OFFER).click().run()
    assert "step 1 of 4: Choose a table" in said(app)
    assert OFFER not in labels(app)
    go(app, "data")
    upload(app, "age\n30\n40\n")
    assert "step 2 of 4" in said(app)
    go(app, "plan")
    assert "First visit" not in said(app)
    go(app, "data")
    button(app, "Skip the first visit").click().run()
    assert "First visit" not in said(app)
    assert "not in use yet" in said(app)
    go(app, "home")
    button(app, OFFER).click().run()
    assert "step 2 of 4" in said(app)


def test_visit_ends_with_an_answer(open_page):
    app = open_page("home")
    button(app, OFFER).click().run()
    app = use_survey(open_page)
    go(app, "release")
    assert "step 3 of 4: Ask a question" in said(app)
    button(app, "Release").click().run()
    (spend,) = (label for label in labels(app) if label.startswith("Spend"))
    button(app, spend).click().run()
    assert "step 4 of 4: Read the answer" in said(app)
    button(app, "End the first visit").click().run()
    assert "First visit" not in said(app)
