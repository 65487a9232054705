"""Bounds that nobody knows, found on Data for a part of the budget."""

from __future__ import annotations

import json

import pytest

from dpcore.data.declaration_grid import Field
from tests.app.asking import rows
from tests.app.conftest import close_tab
from tests.app.hand import turn
from tests.app.test_pages import (
    button,
    by_label,
    fill,
    in_use,
    mode,
    open_table,
    press_release,
    release_button,
    tables,
    write_table,
)
from tests.app.test_questions import set_to, shown
from tests.app.test_uploads import upload
from ui import roles, session
from ui.roles import Role

__all__ = ["tables"]

# 200 ages of 21 to 48, 100 of 60, and one of 999, which is in a bin of its own.
AGES = "age,party\n" + "".join(
    f"{999 if i == 7 else 60 if i % 3 == 0 else 21 + i % 28},{'abc'[i % 3]}\n" for i in range(300)
)
NEEDS = "needs bounds"


def unfold(app):
    """Open the part of Data that finds bounds."""
    turn(app, "find-bounds", view=True)
    return app


def drafted(open_page, text=AGES, name="ages.csv"):
    return unfold(upload(open_page("data"), text, name))


def opened(open_page, text=AGES, name="ages.csv"):
    app = drafted(open_page, text, name)
    return button(app, "Open the account").click().run()


def statuses(app):
    return [*rows(app)[Field.STATUS]]


def accounts():
    return session.kept_ledger().accounts()


def test_the_account_is_opened_before_anything_is_spent(open_page):
    app = drafted(open_page)
    # Whether these people have an account already is known as it is opened.
    assert "Cost: **ε = 0.15**." in shown(app)
    assert "Left afterwards" not in shown(app)
    assert "A bin is found from about" in shown(app)
    assert accounts() == ()
    fill(app, number_input={"Privacy budget ε": 2.0})
    button(app, "Open the account").click().run()
    assert app.title[0].value == "Data"
    assert in_use(app).startswith("ages")
    (account,) = accounts()
    assert (account.budget.epsilon, account.releases) == (2, 0)
    assert statuses(app)[0] == NEEDS
    assert release_button(app).label.startswith("Release and spend ε = ")


@pytest.mark.usefixtures("known_noise")
def test_what_is_found_is_charged_and_becomes_the_bounds_of_the_column(open_page, files):
    app = opened(open_page)
    fill(app, number_input={"ε for the search": 0.5})
    press_release(app)
    assert not app.error
    (account,) = accounts()
    assert (float(account.spent.epsilon), account.releases) == (0.5, 1)
    assert statuses(app)[0] == "found with ε = 0.5"
    grid = rows(app)
    assert (grid[Field.LOWER]["age"], grid[Field.UPPER]["age"]) == ("20", "100")
    assert "20 to 100" in [one.value for one in app.subheader]
    assert "Recorded as the public bounds of this column." in shown(app)
    # What was paid for costs nothing more, and its price is not asked again.
    assert release_button(app).label == "Released ✓"
    assert "Left afterwards" not in shown(app)
    turn(app, "find-bounds", view=False)
    declaration = json.loads(files["Download JSON"]())
    age = next(one for one in declaration["columns"] if one["name"] == "age")
    assert (age["bounds"], age["bounds_epsilon"]) == ([20.0, 100.0], 0.5)
    app = open_page("release")
    set_to(app, "selectbox", "Statistic", "mean")
    press_release(app)
    app = open_page("budget")
    assert "bounds of age" in str([one.value for one in app.dataframe])
    app = open_page("documents")
    assert not app.error


@pytest.mark.usefixtures("known_noise")
def test_the_curator_sees_how_far_they_clamp(open_page):
    app = opened(open_page)
    fill(app, number_input={"ε for the search": 0.5})
    press_release(app)
    assert "above the upper one" not in shown(app)
    toggles = [one for one in app.toggle if one.key == "show-found-fit"]
    toggles[0].set_value(True).run()
    assert "0 rows below the lower bound (0%), 1 row above the upper one (0.3%)" in shown(app)


@pytest.mark.usefixtures("known_noise")
def test_nothing_found_is_paid_for_and_says_what_to_do(open_page):
    app = opened(open_page, "age\n" + "40\n" * 20)
    press_release(app)
    assert "**Nothing found.**" in shown(app)
    assert "Type bounds that you know, or search again with a larger ε." in shown(app)
    (account,) = accounts()
    assert float(account.spent.epsilon) == 0.15
    assert statuses(app) == [NEEDS]
    fill(app, number_input={"ε for the search": 2.0})
    assert "Cost: **ε = 2**. Left afterwards: ε = 0.85." in shown(app)
    press_release(app)
    assert statuses(app) == ["found with ε = 2"]


@pytest.mark.usefixtures("known_noise")
def test_a_classroom_result_is_not_recorded(open_page):
    mode(opened(open_page)).set_value("classroom").run()
    app = unfold(open_page("data"))
    fill(app, number_input={"ε for the search": 0.5})
    press_release(app)
    assert "A classroom result is not private" in shown(app)
    assert statuses(app)[0] == NEEDS
    assert float(accounts()[0].spent.epsilon) == 0


def test_an_analyst_spends_nothing(open_page, monkeypatch):
    monkeypatch.setattr(roles, "role", lambda: Role.ANALYST)
    app = opened(open_page)
    assert accounts() == ()
    release_button(app).click().run()
    assert "Nothing was charged" in "".join(one.value for one in app.error)


def test_a_table_like_another_asks_first_whose_it_is(open_page):
    opened(open_page)
    close_tab()
    app = drafted(open_page, AGES.replace("\n22,", "\n23,"), "later.csv")
    others = by_label(app.radio, "These are")
    others.set_value(others.options[-1]).run()
    button(app, "Open the account").click().run()
    assert "Tick that nobody in this table is in the others" in app.error[0].value
    assert len(accounts()) == 1


@pytest.mark.usefixtures("known_noise")
def test_a_table_that_stays_in_its_files_is_searched_part_by_part(open_page, tables):
    write_table(tables, AGES, "ages")
    app = unfold(open_table(open_page, "ages"))
    button(app, "Open the account").click().run()
    assert app.title[0].value == "Data"
    (account,) = accounts()
    assert account.releases == 0
    fill(app, number_input={"ε for the search": 0.5})
    press_release(app)
    assert not app.error
    assert statuses(app)[0] == "found with ε = 0.5"
    assert "20 to 100" in [one.value for one in app.subheader]
