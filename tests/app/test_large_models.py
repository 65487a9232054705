"""A model of a table that stays in its files goes all the way of an uploaded one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpcore.relations import NeighboringRelation
from tests.app.test_large_tables import choose, release_the_plan, spent
from tests.app.test_pages import (
    button,
    by_label,
    charts,
    fill,
    mode,
    open_table,
    press_release,
    put_in_use,
    tables,
    write_table,
)
from tests.app.test_uploads import said
from tests.conftest import few

__all__ = ["tables"]

SHOW_FIT = "Show the fit itself, without noise"
SHOW_LOSSES = "Show everybody's own privacy loss"
LEAVING = NeighboringRelation.ADD_REMOVE
OWN = ("own epsilon", "own epsilon at most")
OUTPUT, OBJECTIVE = "Noise on the coefficients", "Objective perturbation"


def made_up():
    rng = np.random.default_rng(4)
    age = rng.integers(20, 70, 200)
    income = np.clip(20 + 0.7 * age + rng.normal(0, 12, 200), 0, 100).round(1)
    member = np.where(rng.random(200) < age / 100, "yes", "no")
    return pd.DataFrame({"income": income, "age": age, "member": member}).to_csv(index=False)


TABLE = made_up()


@pytest.fixture
def people(tables):
    write_table(tables, TABLE, "people")
    return tables


def use_parts(open_page):
    app = open_table(open_page, "people")
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 100.0})
    return declared(app)


def declared(app):
    choose(app, Column="age")
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 100.0})
    choose(app, Column="member", Type="yes/no")
    for radio in (each for each in app.radio if each.label == "These are"):
        radio.set_value("").run()
        app.checkbox[-1].set_value(True).run()
    put_in_use(app)
    assert not app.error
    return app


def asked(open_page, page="regression", model="Linear", mechanism=None, target="income"):
    """Open a page about a model of what depends on what is there."""
    app = open_page(page)
    if page == "privacy_loss":
        by_label(app.radio, "What is released").set_value("a regression model").run()
    choose(app, Outcome="member" if model == "Logistic" else target)
    choose(app, Model=model)
    if mechanism is not None:
        choose(app, Mechanism=mechanism)
    assert not app.error
    return app


def opened(app, label):
    by_label(app.toggle, label).set_value(True).run()
    assert not app.error
    return app


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(
    ("model", "mechanism"), few(1, ("Logistic", OBJECTIVE), ("Linear", OUTPUT))
)
def test_from_the_table_to_the_ledger_and_to_one_person(open_page, model, mechanism):
    use_parts(open_page)
    app = asked(open_page, model=model, mechanism=mechanism)
    press_release(app)
    assert not app.error
    assert "in the units of the columns" in said(app)
    assert spent() == 1
    opened(app, SHOW_FIT)
    assert "The released model beside the fit" in said(app)

    app = opened(asked(open_page, "privacy_loss", model, mechanism), SHOW_LOSSES)
    listed = app.dataframe[-1].value
    # Of objective perturbation bounds are known, which nothing but a record decides.
    about = ["leverage", "residual", "moves the model by", "own epsilon"]
    bounded = mechanism == OBJECTIVE
    assert [*listed] == ["row", *(["own epsilon at most"] if bounded else about)]
    assert "of the people lose more than" in said(app)
    assert "which rows" not in said(app)
    assert len(charts(app)) == 1
    app.session_state["individual-view"] = "One person"
    app.run()
    row = int(listed["row"].iloc[0])
    by_label(app.number_input, "Row, from 1 to 200").set_value(row).run()
    assert f"Row {row}: own privacy loss" in said(app)
    pd.testing.assert_frame_equal(app.dataframe[-1].value, listed[:1], rtol=1e-6)


def test_whom_the_fit_rests_on_alone_is_told_to_be_given_away(open_page, tables):
    """One person alone is rare; no penalty and nobody else tells of it."""
    rows = [f"{i % 7},{i % 5},no" for i in range(60)]
    write_table(tables, "\n".join(["visits,age,rare", *rows, "3,3,yes", ""]), "rare")
    app = open_table(open_page, "rare")
    for column in ("visits", "age"):
        choose(app, Column=column)
        fill(app, number_input={"Lower bound": 0.0, "Upper bound": 10.0})
    choose(app, Column="rare", Type="yes/no")
    put_in_use(app)
    app = asked(open_page, "privacy_loss", target="visits")
    by_label(app.checkbox, "Balance penalty and noise").uncheck().run()
    fill(app, number_input={"Penalty λ": 0.0}, checkbox={"Set the precision instead of ε": True})
    opened(app, SHOW_LOSSES)
    assert "no bar of the figure shows it: 1 person" in said(app)
    listed = app.dataframe[-1].value
    assert (listed["row"][0], listed["own epsilon"][0]) == (61, float("inf"))
    app.session_state["individual-view"] = "One person"
    app.run()
    by_label(app.number_input, "Row, from 1 to 61").set_value(61).run()
    assert "No finite ε holds for this person" in said(app)


@pytest.mark.usefixtures("people")
def test_a_model_goes_through_a_plan_and_the_pages_about_it(open_page):
    use_parts(open_page)
    button(asked(open_page), "Add to plan").click().run()
    release_the_plan(open_page)
    assert spent() == 1


@pytest.mark.exhaustive
@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(
    ("chosen", "page", "model"),
    [("classroom", "privacy_loss", "Linear"), ("release", "regression", "Huber")],
)
def test_every_release_of_a_model_is_shown_or_says_why_not(open_page, chosen, page, model):
    app = use_parts(open_page)
    mode(app).set_value(chosen).run()
    app = asked(open_page, page, model)
    for label in by_label(app.selectbox, "Mechanism").options:
        choose(app, Mechanism=label)
        for place in app.toggle:
            if place.label.startswith("Show "):
                place.set_value(True)
        app.run()
