"""The page to sign is made in German where that is asked for."""

from tests.app.test_pages import button, by_label, use_upload


def test_papers_are_made_in_the_language_that_is_asked_for(open_page, files):
    use_upload(open_page)
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("mean").run()
    button(app, "Add to plan").click().run()
    app = open_page("decision")
    sheet = "Download the page to sign (HTML)"
    assert 'lang="en"' in files[sheet]()
    by_label(app.radio, "Language of the paper").set_value("Deutsch").run()
    assert not app.exception
    assert "Mittelwert von „age“" in files[sheet]()
    # German papers have German numbers: there is nothing to choose.
    assert not [radio for radio in app.radio if radio.label == "Numbers in it"]
    app = open_page("plan")
    app.session_state["documents-plan"] = True
    app.run()
    by_label(app.radio, "Language of the paper").set_value("Deutsch").run()
    assert (
        "Was über Sie veröffentlicht werden soll" in files["Download: Public notice"]()
    )
    by_label(app.selectbox, "Document").set_value("Full report").run()
    assert "Bericht über einen Plan" in files["Download: Full report"]()
    # Those that are handed in are English, whatever was chosen.
    checklist = "Checklist after NIST SP 800-226"
    by_label(app.selectbox, "Document").set_value(checklist).run()
    assert not app.exception
    assert 'lang="en"' in files[f"Download: {checklist}"]()
