"""What only people know: typed once, kept with its table, and offered to the next."""

from __future__ import annotations

import json
from html import unescape

from streamlit.testing.v1 import AppTest

from dpcore.ledger.store import default_folder
from tests.app.conftest import close_tab
from tests.app.test_pages import (
    CSV,
    by_label,
    fill,
    mode,
    put_in_use,
    release_button,
    use_example,
    use_upload,
)
from tests.app.test_questions import shown
from tests.app.test_same_people import draft
from tests.conftest import PATIENCE, ROOT

NAMES = "Who decides (one name a line)"
OFFER = "Fill in what is empty as for"
NEXT = f"{CSV}61,no\n62,yes\n"


def released(open_page):
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("mean").run()
    release_button(app).click().run()
    for confirm in [b for b in app.button if b.label.startswith("Spend ")]:
        confirm.click().run()


def documents(open_page, name="Full report"):
    app = open_page("documents")
    by_label(app.selectbox, "Document").set_value(name).run()
    return app


def describe(app, **fields):
    fill(
        app,
        text_area={"Purpose": fields["purpose"], NAMES: fields["names"]},
        text_input={"People and period": fields["period"]},
    )


def typed(app):
    return tuple(
        by_label(kind, label).value or ""
        for kind, label in (
            (app.text_area, "Purpose"),
            (app.text_area, NAMES),
            (app.text_input, "People and period"),
        )
    )


def test_each_table_of_these_people_keeps_its_own_words(open_page, files):
    use_upload(open_page)
    released(open_page)
    app = documents(open_page)
    assert not any(b.label.startswith(OFFER) for b in app.button)
    describe(app, purpose="to plan", names="A. Berger", period="Q3")
    draft(open_page, NEXT)
    app = open_page("data")
    put_in_use(app)
    released(open_page)
    app = documents(open_page)
    # Nothing of the first stands for the second until somebody says so.
    assert typed(app) == ("", "", "")
    (offered,) = (b for b in app.button if b.label.startswith(OFFER))
    assert offered.label.replace("\\", "") == f"{OFFER} “people.csv”"
    offered.click().run()
    assert typed(app) == ("to plan", "A. Berger", "")
    assert not any(b.label.startswith(OFFER) for b in app.button)
    describe(app, purpose="to check", names="B. Aydin", period="Q4")
    report = unescape(files["Download: Full report"]())
    for told in (
        "“people.csv”: to plan; “people Q4.csv”: to check",
        "“people.csv”: Q3; “people Q4.csv”: Q4",
        "“people.csv”: Decided by A. Berger; “people Q4.csv”: Decided by B. Aydin",
    ):
        assert told in report
    # In another tab, the words come again with their table.
    close_tab()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()

    def go(name):
        app.switch_page(f"pages/{name}.py").run()
        return app

    use_upload(go)
    assert typed(documents(go)) == ("to plan", "A. Berger", "Q3")
    assert "to check" in unescape(files["Download: Full report"]())
    kept = [*(default_folder() / "typed").iterdir()]
    assert sorted(json.loads(one.read_text())["period"] for one in kept) == ["Q3", "Q4"]


def test_a_file_that_is_not_what_was_kept_is_as_if_there_was_none(open_page):
    use_upload(open_page)
    released(open_page)
    describe(documents(open_page), purpose="x", names="y", period="z")
    (kept,) = (default_folder() / "typed").iterdir()
    for broken in ("{", "[]", '{"purpose": 3}', '{"deciders": "A"}', "[" * 9_000):
        kept.write_text(broken)
        close_tab()
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()

        def go(name, app=app):
            app.switch_page(f"pages/{name}.py").run()
            return app

        use_upload(go)
        assert typed(documents(go)) == ("", "", "")


def test_words_of_a_lesson_are_not_kept(open_page):

    mode(use_example(open_page)).set_value("classroom").run()
    released(open_page)
    describe(documents(open_page), purpose="a lesson", names="", period="")
    assert not (default_folder() / "typed").exists()
    assert "a lesson" not in shown(open_page("home"))
