"""Every page runs, in both modes, before and after a table is chosen."""

from __future__ import annotations

import io
import re

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import streamlit as st

from dpcore.data.examples import EXAMPLES
from dpcore.data.partitions.row_groups import VARIABLE
from tests.app.beginnings import begun_once
from tests.app.figures import figures
from tests.conftest import few
from tests.registry import HEADINGS

CSV = "age,smoker\n" + "".join(
    f"{20 + i % 50},{'yes' if i % 3 == 0 else 'no'}\n" for i in range(200)
)
CHOICES = ("button_group", "checkbox", "multiselect", "radio", "selectbox", "toggle")


@begun_once
def use_example(open_page, key="rand-hie"):
    app = open_page("data")
    by_label(app.selectbox, "Example data").set_value(key).run()
    put_in_use(app)
    return app


@begun_once
def use_upload(open_page, text=CSV, lower=0.0, upper=100.0):
    app = open_page("data")
    app.file_uploader[0].set_value(("people.csv", text.encode(), "text/csv")).run()
    fill(app, number_input={"Lower bound": lower, "Upper bound": upper})
    return put_in_use(app)


def put_in_use(app):
    """Put the table on Data in use, and stay there: Release is opened by a test."""
    (offered,) = (one for one in app.button if one.label in {"Continue to Release", "Save"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ui.session.go", lambda _: st.rerun())
        return offered.click().run()


def in_use(app):
    """Return the name of the table that Data says is in use; empty where none is."""
    found = (re.match(r"\*\*(.*)\*\* · in use", each.value) for each in app.markdown)
    return next((match[1] for match in found if match), "")


def write_table(folder, text, name="visits", rows=30):
    """Write the table of a CSV as two files of several groups of rows."""
    frame = pd.read_csv(io.StringIO(text))
    place = folder / name
    place.mkdir(parents=True)
    for i, part in enumerate((frame[:70], frame[70:])):
        path = place / f"part-{i}.parquet"
        pq.write_table(pa.Table.from_pandas(part), path, row_group_size=rows)
    return place


def open_table(open_page, name="visits"):
    app = open_page("data")
    by_label(app.selectbox, "Table in the folder").set_value(name)
    button(app, "Open the table").click().run()
    return app


def use_large_table(open_page, name="visits"):
    app = open_table(open_page, name)
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 100.0})
    put_in_use(app)
    return app


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """A folder of large tables, with the people of the CSV in two files."""
    monkeypatch.setattr("ui.work._AT_FIRST", 60.0)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "tables"))
    write_table(tmp_path / "tables", CSV)
    return tmp_path / "tables"


def mode(app):
    return by_label(app.switch_page("app.py").run().sidebar.radio, "Mode")


def by_label(elements, label):
    return next(element for element in elements if element.label == label)


def fill(app, **kinds):
    """Set fields by kind and label: choices one after the other, all else at once.

    What was chosen decides which other fields there are.
    """
    for kind, fields in kinds.items():
        for label, value in fields.items():
            by_label(getattr(app, kind), label).set_value(value)
            if kind in CHOICES:
                app.run()
    return app if [*kinds][-1] in CHOICES else app.run()


def button(app, label):
    return by_label(app.button, label)


def release_buttons(app):
    """Return the button that releases the question of the page, if it can be asked."""
    return [one for one in app.button if (one.key or "").startswith("release-")]


def release_button(app):
    """Return the button that releases the question of the page."""
    return release_buttons(app)[0]


def again_button(app):
    """Return the button that releases the question of the page again."""
    return next(one for one in app.button if (one.key or "").startswith("again-"))


def price(app):
    """Return what the question of the page costs, as its button says."""
    label = release_button(app).label
    if label.startswith("Released"):
        return again_button(app).label.removeprefix("Release again (").removesuffix(")")
    return label.removeprefix("Release and spend ")


def margin(app):
    """Return the tile of the margin of error of the question of the page."""
    return next(one for one in app.metric if one.label.startswith("Margin of error"))


def press_release(app):
    """Press the button, and confirm where the first real release asks for it."""
    release_button(app).click().run()
    for spend in (each for each in app.button if each.label.startswith("Spend ")):
        spend.click().run()
        break


def charts(app):
    return [figure.json for figure in figures(app)]


def run_all(open_page):
    """Run each page in turn, and yield its name."""
    for name, heading in HEADINGS.items():
        app = open_page(name)
        assert app.title[0].value == heading
        assert not app.error, name
        yield name


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("chosen", few(1, "classroom", "release"))
def test_every_page_runs_on_a_table_in_parts(open_page, chosen):
    app = use_large_table(open_page)
    mode(app).set_value(chosen).run()
    for name in run_all(open_page):
        if offered := [each for each in app.toggle if each.label.startswith("Show ")]:
            for place in offered:
                place.set_value(True)
            assert not app.run().error, name


def test_the_example_in_use_stays_chosen_until_another_table_is_read(open_page):
    app = use_example(open_page)
    assert by_label(app.selectbox, "Example data").value == "rand-hie"
    sentence = next(one.sentence for one in EXAMPLES if one.key == "rand-hie")
    assert sentence in [caption.value for caption in app.caption]
    app.file_uploader[0].set_value(("people.csv", CSV.encode(), "text/csv")).run()
    assert by_label(app.selectbox, "Example data").value is None
    by_label(app.selectbox, "Example data").set_value("rand-hie").run()
    assert by_label(app.selectbox, "Example data").value == "rand-hie"
    put_in_use(app)
    assert by_label(app.selectbox, "Example data").value == "rand-hie"


def test_every_number_of_a_release_can_be_read_and_its_files_saved(open_page):
    use_example(open_page)
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("histogram").run()
    press_release(app)
    app = open_page("budget")
    assert "privacy cost" in app.dataframe[0].value
    app.session_state["releases-1"] = {"selection": {"rows": [0]}}
    app.run()
    (words,) = (m.value for m in app.markdown if " · " in m.value)
    assert words.count("**") == 2 * words.count(":")
    assert len(app.get("download_button")) == 6


def test_same_request_has_the_same_answer_and_one_charge(open_page):
    use_upload(open_page)
    app = open_page("release")
    press_release(app)
    listing = app.dataframe[-1].value
    assert len(listing) == 1
    by_label(app.selectbox, "Mechanism").set_value("bit").run()
    by_label(app.selectbox, "Mechanism").set_value("laplace").run()
    assert release_button(app).disabled
    assert app.dataframe[-1].value.equals(listing)


@pytest.mark.parametrize("chosen", ["release", "classroom"])
def test_every_figure_is_watermarked_in_classroom_mode_only(open_page, chosen):
    app = use_example(open_page)
    mode(app).set_value(chosen).run()
    app = open_page("release")
    press_release(app)
    for name in ("release", "accuracy", "privacy_loss", "budget"):
        app = open_page(name)
        figures = charts(app)
        if name != "privacy_loss" or chosen == "classroom":
            assert figures
        for figure in figures:
            notes = figure["layout"].get("shapes", [])
            assert any(note.get("name") == "watermark" for note in notes) is (chosen == "classroom")


def test_published_truncation_prints_its_effective_epsilon_and_is_refused(open_page):
    use_upload(open_page)
    app = open_page("release")
    by_label(app.selectbox, "Mechanism").set_value("truncated-published").run()
    assert release_button(app).disabled
    assert "really gives ε = 0.832" in app.warning[0].value
