"""Labels that nobody knows, found on Data for a part of the budget."""

from __future__ import annotations

import json

from dpcore.data.declaration_grid import Field
from tests.app.asking import rows
from tests.app.conftest import close_tab
from tests.app.hand import turn, views
from tests.app.test_pages import button, fill, press_release, put_in_use, release_button, tables
from tests.app.test_person_totals import VIEW, epsilon
from tests.app.test_questions import set_to, shown
from tests.app.test_uploads import upload
from ui import session

__all__ = ["tables"]

# 200 in Bern and 150 in Chur, which always pass, and three who are the only ones.
TOWNS = "town,age\n" + "".join(
    f"{'Bern' if i < 200 else 'Chur' if i < 350 else f'Alone{i}'},{20 + i % 50}\n"
    for i in range(353)
)


def unfold(app):
    turn(app, "find-labels", view=True)
    return app


def opened(open_page, text=TOWNS):
    app = unfold(upload(open_page("data"), text, "towns.csv"))
    return button(app, "Open the account").click().run()


def spent():
    (account,) = session.kept_ledger().accounts()
    return float(account.spent.epsilon), float(account.spent.delta)


def status(app):
    return rows(app)[Field.STATUS]["town"]


def search(app, epsilon=1.0):
    fill(app, number_input={"ε for the labels": epsilon})
    press_release(app)
    assert not app.error
    return app


def test_what_is_found_is_charged_and_becomes_the_list_by_one_press(open_page, files):
    app = search(opened(open_page))
    assert spent() == (1.0, 1e-6)
    assert "2 labels found" in [one.value for one in app.subheader]
    table = next(one.value for one in app.dataframe if "95% interval" in one.value.columns)
    assert [*table["label"]] == ["Bern", "Chur"]
    assert "Alone" not in str([one.value for one in app.dataframe]) + shown(app)
    assert status(app) == "needs a list"
    assert "Values that are not on the list will count as “other”" in shown(app)
    button(app, "Use as the column's list").click().run()
    assert status(app) == "found with ε = 1"
    assert rows(app)[Field.LABELS]["town"] == "Bern; Chur"
    assert "Recorded as the public list of this column." in shown(app)
    assert release_button(app).label == "Released ✓"
    turn(app, "find-labels", view=False)
    town = next(
        one for one in json.loads(files["Download JSON"]())["columns"] if one["name"] == "town"
    )
    assert (town["labels"], town["bounds_epsilon"]) == (["Bern", "Chur"], 1.0)
    app = open_page("release")
    set_to(app, "selectbox", "Statistic", "histogram")
    press_release(app)
    app = open_page("privacy_loss")
    app.session_state["individual-view"] = VIEW
    set_to(app, "selectbox", "Statistic", "histogram")
    app.toggle[0].set_value(True).run()
    assert "Counted at the worst case" not in shown(app)
    assert 1 < epsilon(app, "Largest total loss") <= epsilon(app, "Account was charged") == 1.5
    app = open_page("budget")
    assert "labels of town" in str([one.value for one in app.dataframe])
    app = open_page("documents")
    assert not app.error
    close_tab()
    app = upload(open_page("data"), TOWNS, "towns.csv")
    button(app, "Use what was declared before").click().run()
    assert status(app) == "found with ε = 1"


def test_the_curator_alone_sees_whose_label_depends_on_them(open_page):
    app = opened(open_page)
    assert "Largest chance here" not in shown(app)
    (toggle,) = [one for one in app.toggle if one.key == "show-label-chances"]
    toggle.set_value(True).run()
    assert "Largest chance here" in shown(app)
    assert spent() == (0.0, 0.0)


def test_all_labels_of_a_person_are_paid_for_together(open_page):
    visits = "patient,ward\n" + "".join(
        f"{i % 400},{'surgery' if i < 400 else 'only me' if i == 400 else 'maternity'}\n"
        for i in range(800)
    )
    app = upload(open_page("data"), visits, "visits.csv")
    unfold_rows(app)
    fill(
        app,
        multiselect={"Person ID columns": ["patient"]},
        radio={"What is used of each person": "their rows, up to a limit"},
        number_input={"At most so many rows of each patient count": 2},
    )
    button(app, "Count at most 2 rows of each").click().run()
    button(unfold(app), "Open the account").click().run()
    assert "One person may have up to 2 labels." in shown(app)
    app = search(app, 2.0)
    table = next(one.value for one in app.dataframe if "95% interval" in one.value.columns)
    assert sorted(table["label"]) == ["maternity", "surgery"]
    assert spent() == (2.0, 1e-6)
    # The same question in rounds is another one, with a price of its own and no counts.
    set_to(app, "radio", "Method", "label-rounds")
    assert "without the number of people of each" in shown(app)
    app = search(app, 0.9)
    table = next(one.value for one in app.dataframe if "round" in one.value.columns)
    assert sorted(table["label"]) == ["maternity", "surgery"]
    assert {*table["round"]} <= {"1", "2", "3"}
    assert spent() == (2.9, 2e-6)
    (toggle,) = [one for one in app.toggle if one.key == "show-label-chances"]
    toggle.set_value(True).run()
    assert "Labels of one person alone: 1." in shown(app)
    button(app, "Use as the column's list").click().run()
    assert "maternity; surgery" in [*rows(app)[Field.LABELS]]
    close_tab()
    for page in ("budget", "documents", "privacy_loss"):
        assert not open_page(page).error


def unfold_rows(app):
    turn(app, next(key for key in views(app) if "whose-rows" in key), view=True)


def test_an_address_opens_the_search_and_a_column_without_a_list_leads_to_it(open_page):
    app = upload(open_page("data"), TOWNS, "towns.csv")
    assert "Cost: **ε" not in shown(app)
    put_in_use(app)
    app = open_page("release")
    set_to(app, "selectbox", "Column", 0)
    (link,) = [one.proto for one in app.get("page_link") if "Find labels" in one.proto.label]
    assert link.query_string == "find=labels"
    app.query_params["find"] = "labels"
    assert "Cost: **ε = 0.3, δ = 10⁻⁶**" in shown(open_page("data"))
