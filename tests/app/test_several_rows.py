"""A table of visits: whose rows they are, and one row a person made of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.releases.table import to_csv
from dpcore.statistics.kinds import ASKED_OF_PEOPLE
from tests.app.conftest import close_tab
from tests.app.hand import nodes, turn, views
from tests.app.test_pages import button, by_label, fill, press_release, put_in_use
from tests.app.test_uploads import said, upload
from tests.conftest import PATIENCE, ROOT, assert_says

PAGES = (
    "app.py",
    *(f"pages/{name}.py" for name in ("data", "release", "plan", "accuracy", "meaning", "budget")),
)
KEYED = re.compile(r"[0-9a-f]{8,}|\d+:\d+")
HEADER = ["patient", "stay", "ward", "age"]
WARDS = ("north", "south", "west")


def visits(*, more=0):
    """Visits of 120 patients, and as many more of one who has none otherwise."""
    rows = [
        f"p{i % 120},{1 + i * i % 9},{WARDS[i % 7 % 3]},{20 + i % 120 % 60}" for i in range(300)
    ]
    mine = [f"q,{40 + i % 3},west,70" for i in range(more)]
    return "\n".join(["patient,stay,ward,age", *rows[:50], *mine, *rows[50:], ""])


def unfold(app, start):
    """Open a part of the page, by how its key starts."""
    turn(app, next(key for key in views(app) if key.startswith(start)), view=True)


def put_together(app, owner="patient"):
    unfold(app, "whose-rows")
    fill(app, multiselect={"Person ID columns": [owner], "Sum": ["stay"]})
    button(app, "Combine the rows of each person").click().run()


def columns(app):
    return list(by_label(app.selectbox, "Column").options)


def in_use(app, text):
    upload(app, text, "visits.csv")
    put_together(app)
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 30.0})
    put_in_use(app)
    return app


def test_visits_become_people_and_the_answer_is_about_people(open_page):
    app = upload(open_page("data"), visits(), "visits.csv")
    put_together(app)
    assert columns(app) == [
        "average stay",
        "average age",
        "total stay",
        "most frequent ward",
        "number of rows",
    ]
    assert "Prepared: " in said(app)
    unfold(app, "whose-rows")
    assert by_label(app.button_group, "Neighboring relation").value == "add-remove"
    assert button(app, "Combine the rows of each person").disabled
    fill(
        app,
        number_input={"Lower bound": 0.0, "Upper bound": 30.0},
        button_group={"Neighboring relation": "substitution"},
    )
    put_in_use(app)
    app.switch_page("app.py").run()
    assert "120 people" in "".join(one.value for one in app.sidebar.caption)
    app = open_page("release")
    press_release(app)
    assert "Mean of average stay" in said(app)
    app = open_page("privacy_loss")
    by_label(app.toggle, "Show everybody's own privacy loss").set_value(True).run()
    first = next(one.value for one in app.dataframe if "own epsilon" in one.value)
    lines = visits().splitlines()[1:]
    patients = [*dict.fromkeys(line.split(",")[0] for line in lines)]
    assert first["patient, whose rows"].tolist() == [patients[row - 1] for row in first["row"]]
    app = open_page("data")
    unfold(app, "whose-rows")
    button(app, "Treat every row as one person again").click().run()
    assert columns(app) == HEADER
    button(app, "Remove").click().run()
    assert "visits\\.csv** · in use" in said(app)
    assert columns(app)[0] == "average stay"


def test_ties_of_the_most_frequent_value_are_stated_where_it_is_chosen_asked_and_reported(
    open_page, records
):
    app = upload(open_page("data"), visits(), "visits.csv")
    unfold(app, "whose-rows")
    fill(app, multiselect={"Person ID columns": ["patient"]})
    assert "Ties go to" in said(app)
    fill(app, multiselect={"Most frequent value": []})
    assert "Ties go to" not in said(app)
    fill(app, multiselect={"Most frequent value": ["ward"]})
    button(app, "Combine the rows of each person").click().run()
    fill(
        app,
        selectbox={"Column": "most frequent ward"},
        text_area={"Public list of categories": "\n".join(WARDS)},
    )
    put_in_use(app)
    app = open_page("release")
    fill(app, selectbox={"Column": "most frequent ward", "Who counts": "north"})
    assert "Most frequent ward: ties go to" in said(app)
    press_release(app)
    assert "ties go to" in records[-1].statement
    assert "ties go to" in to_csv(records)
    by_label(app.toggle, "Show the true value and everybody's loss").set_value(True).run()
    seen = defaultdict(list)
    for line in visits().split()[1:]:
        patient, _, ward, _ = line.split(",")
        seen[patient].append(ward)
    most = [[*Counter(wards).values()] for wards in seen.values()]
    tied = sum(times.count(max(times)) > 1 for times in most)
    assert f"Ties in most frequent ward: {tied} of 120 people." in said(app)
    assert tied > 0


def capped_in_use(app, text, most=3):
    """Visits of whom at most so many count, with bounds and wards, in use."""
    upload(app, text, "visits.csv")
    key = next(key for key in views(app) if "whose-rows" in key)
    turn(app, key, view=True)
    fill(
        app,
        multiselect={"Person ID columns": ["patient"]},
        radio={"What is used of each person": "their rows, up to a limit"},
        number_input={"At most so many rows of each patient count": most},
    )
    button(app, f"Count at most {most} rows of each").click().run()
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 30.0})
    put_in_use(app)
    return app


def most_exposed(app):
    """Who is at the top of the list, and how many of their rows count."""
    table = next(one.value for one in app.dataframe if "rows that count" in one.value)
    return table.iloc[0, 1:3].tolist()


def test_at_most_so_many_rows_of_each_patient_count(open_page):
    app = capped_in_use(open_page("data"), visits(more=40))
    assert columns(app) == ["stay", "ward", "age"]
    app.switch_page("app.py").run()
    told = "".join(one.value for one in app.sidebar.caption)
    assert "Every column: at most 3 rows per patient" in told.replace("\\", "")
    app = open_page("data")
    assert_says(
        said(app), "at most 3 rows of each patient count", "Privacy unit: one person with all rows"
    )
    unfold(app, "whose-rows")
    assert button(app, "Count at most 3 rows of each").disabled
    by_label(app.toggle, "Show bias and noise of a limit").set_value(True).run()
    assert "err least by this guess" in said(app)
    by_label(app.toggle, "Show the effect of limits on this table").set_value(True).run()
    assert "err least in this table" in said(app)
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("mean").run()
    press_release(app)
    assert "Mean of stay, at most 3 rows per patient" in said(app).replace("\\", "")
    app = open_page("privacy_loss")
    by_label(app.toggle, "Show everybody's own privacy loss").set_value(True).run()
    # Whose many rows: three of them count, and they are the longest stays.
    assert "This person has 3 of the" in said(app)
    assert most_exposed(app) == ["q", 3]
    app = open_page("release")
    next(one for one in app.toggle if "true value" in one.label).set_value(True).run()
    assert "Of 340 rows of the table 303 count here" in said(app)
    app = open_page("privacy_loss")
    offered = by_label(app.selectbox, "Statistic")
    assert set(offered.options) == {str(kind) for kind in ASKED_OF_PEOPLE}
    assert "need one row per person" in offered.help


def everything(app):
    """What a browser is sent of a page, but for keyed names and moments."""
    sent = [str(getattr(node, "proto", "")) for node in nodes(app)]
    return [KEYED.sub("", text) for text in sent]


@pytest.mark.parametrize(("begin", "numbers"), [(in_use, (0, 1000)), (capped_in_use, (2, 1000))])
def test_a_person_with_a_thousand_rows_shows_on_no_page_before_a_release(
    monkeypatch, tmp_path, begin, numbers
):
    """The pages as they open, walked with those rows and without."""
    walks = []
    for more in numbers:
        monkeypatch.setenv("EPSILON_STUDIO_HOME", str(tmp_path / str(more)))
        close_tab()
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()
        begin(app.switch_page("pages/data.py").run(), visits(more=more))
        walks.append([everything(app.switch_page(page).run()) for page in PAGES])
        assert "number of people: private" in "".join(walks[-1][0])
    assert walks[0] == walks[1]


def test_rows_are_chosen_by_public_conditions_and_their_number_is_private(open_page):
    app = upload(open_page("data"), visits(), "visits.csv")
    key = next(key for key in views(app) if key.startswith("conditions-"))
    turn(app, key, view=True)
    fill(
        app,
        multiselect={"Columns with a condition": ["age", "ward"]},
        number_input={"Public number for age": 60.0},
    )
    assert "Enter at least one value" in app.error[0].value
    by_label(app.text_area, "ward is one of").set_value("north\nwest").run()
    button(app, "Keep only these rows").click().run()
    where = "where age at least 60 and ward is north or west"
    assert columns(app) == HEADER
    assert f"each column name ends with “{where}”" in said(app).replace("\\", "")
    assert by_label(app.button_group, "Neighboring relation").value == "add-remove"
    by_label(app.button_group, "Neighboring relation").set_value("substitution").run()
    put_in_use(app)
    assert "The number of rows that meet the conditions is private" in app.error[0].value
    fill(
        app,
        button_group={"Neighboring relation": "add-remove"},
        selectbox={"Column": 1},
        number_input={"Lower bound": 0.0, "Upper bound": 30.0},
    )
    put_in_use(app)
    assert not app.error
    app = open_page("data")
    fill(app, number_input={"Public minimum number of people": 40}, selectbox={"Column": 1})
    unfold(app, "conditions-")
    by_label(app.number_input, "Public number for age").set_value(50.0).run()
    for press in ("Keep only these rows", "Use all rows again"):
        unfold(app, "conditions-")
        button(app, press).click().run()
        by_label(app.selectbox, "Column").set_value(1).run()
        # What was declared of the rows that met the conditions holds for all.
        assert by_label(app.number_input, "Upper bound").value == 30.0
        assert by_label(app.number_input, "Public minimum number of people").value == 40
    assert columns(app) == HEADER


@pytest.fixture
def page(open_page):
    return upload(open_page("data"), visits(), "visits.csv")


def test_limits_look_at_the_rows_that_meet_the_conditions(page):
    turn(page, next(key for key in views(page) if key.startswith("cond")), view=True)
    fill(
        page,
        multiselect={"Columns with a condition": ["stay"]},
        number_input={"Public number for stay": 5.0},
    )
    button(page, "Keep only these rows").click().run()
    turn(page, next(key for key in views(page) if "whose-rows" in key), view=True)
    fill(
        page,
        multiselect={"Person ID columns": ["patient"]},
        radio={"What is used of each person": "their rows, up to a limit"},
        toggle={"Show bias and noise of a limit": True},
    )
    fill(
        page,
        radio={"Error of": "a count"},
        toggle={"Show the effect of limits on this table": True},
    )
    rows = visits().splitlines()[1:]
    met = Counter(r.split(",")[0] for r in rows if float(r.split(",")[1]) >= 5)
    assert 0 < met.total() < len(rows)
    turn(page, "twin-row-limits-here", view=True)
    first = page.dataframe[-1].value.iloc[0]
    assert first.iloc[:2].tolist() == [1, pytest.approx(len(met) / met.total())]


def not_taken(app):
    """Return what the page says was chosen and is not part of the table."""
    told = [one.value for one in app.warning if "Not applied yet" in one.value]
    return told[0].split("**")[1].split(" and ") if told else []


def test_conditions_stay_with_rows_that_count_and_are_said_to_go_otherwise(page):
    key = next(key for key in views(page) if key.startswith("conditions-"))
    turn(page, key, view=True)
    fill(
        page,
        multiselect={"Columns with a condition": ["age"]},
        number_input={"Public number for age": 60.0},
    )
    assert any("Not applied until" in one.value for one in page.caption)
    assert not_taken(page) == ["only some of the rows"]
    button(page, "Keep only these rows").click().run()
    assert not any("Not applied until" in one.value for one in page.caption)
    assert not_taken(page) == []
    turn(page, next(key for key in views(page) if "whose-rows" in key), view=True)
    by_label(page.multiselect, "Person ID columns").set_value(["patient"]).run()
    assert any("will hold no longer" in one.value for one in page.warning)
    by_label(page.radio, "What is used of each person").set_value("their rows, up to a limit").run()
    assert not any("will hold no longer" in one.value for one in page.warning)
    assert not_taken(page) == ["several rows of one unit"]
    button(page, "Count at most 5 rows of each").click().run()
    assert not_taken(page) == []
    assert_says(said(page), "only rows where", "age at least 60")


def test_other_recipes_go_on_one_account_and_rows_taken_as_people_are_asked_about(open_page):
    """Otherwise everybody could be charged on two budgets, and nobody would notice."""
    asked = "Does a privacy budget of these people exist already?"
    app = in_use(open_page("data"), visits())
    unfold(app, "whose-rows")
    by_label(app.multiselect, "Sum").set_value([]).run()
    button(app, "Combine the rows of each person").click().run()
    assert asked not in said(app)
    put_in_use(app)
    assert not app.error
    key = next(key for key in views(app) if key.startswith("conditions-"))
    turn(app, key, view=True)
    age = by_label(app.multiselect, "Columns with a condition")
    age.set_value(["mean of age per patient"]).run()
    button(app, "Keep only these rows").click().run()
    assert asked not in said(app)
    assert "Prepared: " in said(app)
    unfold(app, "whose-rows")
    button(app, "Treat every row as one person again").click().run()
    assert columns(app) == HEADER
    assert asked in said(app)
    assert "Here a row is a person" not in said(app)
    put_together(app, "ward")
    assert_says(said(app), asked, "Here a row is a person")


def add_column(app, kind, of, **more):
    """Make a new column of one of numbers; ``more`` are boxes by label."""
    unfold(app, "new-columns")
    fill(app, selectbox={"Derived column": kind, "Of": of})
    for label, value in more.items():
        by_label([*app.text_input, *app.selectbox, *app.number_input], label).set_value(value).run()
    button(app, "Add the column").click().run()
    assert not app.error


def test_codes_for_no_answer_count_as_missing_before_rows_are_put_together(open_page):
    text = visits().replace("p7,", "p7,-9,x,1\np7,", 1)
    app = upload(open_page("data"), text, "visits.csv")
    turn(app, next(key for key in views(app) if key.startswith("new-")), view=True)
    codes = {"Codes for “no answer”": "-9; 99"}
    add_column(app, "a column without codes for “no answer”", "stay", **codes)
    assert columns(app) == [*HEADER, "stay without -9 or 99"]
    turn(app, next(key for key in views(app) if "whose-rows" in key), view=True)
    fill(app, multiselect={"Person ID columns": ["patient"], "Mean": ["stay without -9 or 99"]})
    button(app, "Combine the rows of each person").click().run()
    assert "average stay without -9 or 99" in columns(app)
    fill(
        app,
        number_input={"Lower bound": 0.0, "Upper bound": 30.0},
        toggle={"Show how these bounds fit the data": True},
    )
    assert "below the lower bound" not in said(app)


def test_next_quarters_file_is_prepared_the_same_way(page):
    turn(page, next(key for key in views(page) if key.startswith("new-")), view=True)
    add_column(page, "bins of a number", "age", **{"Edges of the bins": "40; 65"})
    turn(page, next(key for key in views(page) if key.startswith("new-")), view=True)
    add_column(page, "a ratio of two numbers", "stay", Per="age")
    assert columns(page) == [*HEADER, "age in bins at 40; 65", "stay per age"]
    turn(page, next(key for key in views(page) if "whose-rows" in key), view=True)
    fill(
        page,
        multiselect={"Person ID columns": ["patient"]},
        radio={"What is used of each person": "their rows, up to a limit"},
    )
    button(page, "Count at most 5 rows of each").click().run()
    known = columns(page)
    assert known[-2] == "age in bins at 40; 65"
    fill(page, number_input={"Lower bound": 0.0, "Upper bound": 30.0})
    put_in_use(page)
    upload(page, visits(more=30), "visits in spring.csv")
    assert_says(said(page), "was prepared before", "at most 5 rows of each patient count")
    assert columns(page) == HEADER
    button(page, "Prepare it the same way").click().run()
    assert columns(page) == known
    assert by_label(page.number_input, "Upper bound").value == 30.0
    assert "Privacy unit: one person with all rows" in said(page)


def test_a_person_with_several_rows_is_asked_for_before_every_row_counts_as_one(open_page):
    app = upload(open_page("data"), visits(), "visits.csv")
    (told,) = (one.value for one in app.warning if "Each row is treated as one person" in one.value)
    assert "If one patient can have several rows" in told
    # The table is in use, and nothing was spent: its account takes over the new terms.
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 30.0}, selectbox={"Column": 1})
    put_in_use(app)
    put_together(app)
    assert not any("Every row counts" in one.value for one in app.warning)
    assert not any("cannot be added" in one.value for one in app.warning)
    put_in_use(app)
    assert not app.error
    assert "visits\\.csv** · in use" in said(app)
