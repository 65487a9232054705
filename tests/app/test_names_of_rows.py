"""What one row is called: typed once, and used on every page and in every document."""

from __future__ import annotations

import json

from dpcore.releases.record import Release
from tests.app.asking import go
from tests.app.test_pages import by_label, fill, in_use, put_in_use
from tests.app.test_questions import release, shown
from tests.app.test_uploads import said, upload
from tests.conftest import assert_says

HOUSEHOLDS = "income,city\n" + "".join(
    f"{20 + i % 50},{('Ulm', 'Bonn')[i % 2]}\n" for i in range(300)
)


def use(open_page, names=("household", ""), text=HOUSEHOLDS):
    """Declare the table of households, and take it into use under a name of rows."""
    app = upload(open_page("data"), text)
    fill(app, selectbox={"Column": 0}, number_input={"Lower bound": 0.0, "Upper bound": 100.0})
    fill(
        app,
        selectbox={"Column": 1, "Type": "category"},
        text_area={"Public list of categories": "Ulm\nBonn"},
    )
    rename(app, names)
    put_in_use(app)
    assert in_use(app), said(app)
    return app


def sidebar(app):
    app.switch_page("app.py").run()
    return " ".join(caption.value for caption in app.sidebar.caption)


def rename(app, names):
    fill(app, text_input={"Name of one row": names[0], "Plural": names[1]})


def histogram(app):
    fill(app, selectbox={"Column": 1, "Statistic": "histogram"})
    return app


def test_pages_and_records_use_the_name(open_page, monkeypatch):
    records = []
    real = Release.__init__

    def noted(self, **fields):
        real(self, **fields)
        records.append(self)

    app = use(open_page)
    said_of = sidebar(app)
    assert_says(said_of, "300 households", "one household (substitution)")
    assert "people" not in said_of
    app = histogram(open_page("release"))
    monkeypatch.setattr(Release, "__init__", noted)
    release(app)
    (answer,) = {one.id: one for one in records}.values()
    assert (answer.unit, answer.nouns) == ("households", "households")
    assert json.loads(answer.to_json())["request"]["query"]["unit"] == {"noun": "person", "rows": 1}
    assert "of 300 households" in shown(app) or "households" in shown(app)


def test_a_new_name_costs_nothing_and_reaches_earlier_answers(open_page):
    app = use(open_page, ("person", ""))
    app = open_page("release")
    fill(app, selectbox={"Column": 0, "Statistic": "mean", "By group": 0})
    release(app)
    spent = by_label(go(app, "budget").metric, "Spent").value
    app = open_page("data")
    rename(app, ("household", "homes"))
    put_in_use(app)
    app = open_page("release")
    assert "Released so far" in [header.value for header in app.header]
    assert "homes" in shown(app)
    assert by_label(go(app, "budget").metric, "Spent").value == spent
    assert_says(shown(app).replace("\\", ""), "left; ", " like “mean of ", "” (ε = ")
    assert len(next(frame.value for frame in app.dataframe if "question" in frame.value)) == 1
