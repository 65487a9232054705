"""A table in which one person may own several rows: how many there are is private."""

import pytest

from tests.app.test_model_exposure import shown
from tests.app.test_pages import by_label, fill, put_in_use
from tests.conftest import assert_says

PEOPLE = 137
TEXT = "age,visits\n" + "".join(f"{k % 90},{k % 7}\n" for k in range(PEOPLE))
PAGES = ("release", "regression", "accuracy", "privacy_loss", "budget", "subsampling")


@pytest.fixture
def several_rows(open_page):
    app = open_page("data")
    app.file_uploader[0].set_value(("visits.csv", TEXT.encode(), "text/csv")).run()
    for column in (0, 1):
        fill(
            app,
            selectbox={"Column": column},
            number_input={"Lower bound": 0.0, "Upper bound": 90.0},
        )
    next(box for box in app.checkbox if box.label.startswith("Every row is")).set_value(False).run()
    by_label(app.number_input, "Public minimum number of rows").set_value(100).run()
    put_in_use(app)


@pytest.mark.usefixtures("several_rows")
def test_no_page_names_the_number_of_rows(open_page):
    for page in PAGES:
        text = shown(open_page(page))
        assert f"{PEOPLE} people" not in text
        assert f"{PEOPLE} rows" not in text
    app = open_page("regression")
    assert by_label(app.number_input, "Public maximum number of rows").value == 1000
    sidebar = app.switch_page("app.py").run().sidebar
    card = " ".join(caption.value for caption in sidebar.caption)
    assert_says(card, "number of people: private", "one person (substitution)")
