"""The questions of the plan: added, edited in their rows, shared out, and released."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.ledger.ledger import Ledger
from dpcore.ledger.store import LEDGER, default_folder
from dpcore.planning.analysis_plan import Split
from tests.app.beginnings import begun_once
from tests.app.conftest import close_tab
from tests.app.test_pages import CSV, button, by_label, fill, put_in_use, use_upload
from tests.app.test_questions import shown
from tests.app.test_same_people import draft
from tests.conftest import PATIENCE, ROOT, assert_says
from ui import session

RELEASE = "plan-release"


def listed(app):
    """Return the plan of the table in use, as this tab has it."""
    (vault,) = session._vaults.all()  # noqa: SLF001 - no public way
    return app.session_state[f"_plan-{vault.study.fingerprint}"]


def names(app):
    return [item.name for item in listed(app).items]


def epsilons(app):
    return [item.epsilon for item in listed(app).items]


def targets(app):
    return [item.wanted for item in listed(app).items]


def split(app, how):
    return by_label(app.selectbox, "Allocation").set_value(how).run()


def details(app, place=0):
    """Open the details of a question."""
    app.session_state[f"plan-details-{listed(app).items[place].key}"] = True
    return app.run()


def ask(app, statistic):
    """Add a question at the top of the plan."""
    if any(b.label == "Add question" for b in app.button):
        button(app, "Add question").click().run()
    by_label(app.selectbox, "Statistic").set_value(statistic).run()
    return button(app, "Add to plan").click().run()


def confirm(app):
    app.button(key=RELEASE).click().run()
    for each in [b for b in app.button if b.label.startswith("Spend ")]:
        each.click().run()
    return app


def opened(app, name):
    app.switch_page(f"pages/{name}.py").run()
    return app


@pytest.fixture
def planned(open_page):
    return plan_two(open_page)


@begun_once
def plan_two(open_page):
    """A plan of a mean, from Release, and of a sum, added on Plan; equal shares of ε = 3."""
    use_upload(open_page)
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("mean").run()
    button(app, "Add to plan").click().run()
    assert button(app, "Add to plan").disabled
    assert "In the plan with ε" in shown(app)
    return ask(open_page("plan"), "sum")


def test_plan_outlives_the_tab_and_spends_nothing(planned):
    fill(planned, number_input={"Target of mean of age": 2.0, "Total ε": 2.0})
    before = listed(planned)
    assert names(planned) == ["mean of age", "sum of age"]
    assert epsilons(planned) == [1.0, 1.0]
    assert [item.seen for item in before.items] == [True, None]
    close_tab()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()

    def go(name):
        return opened(app, name)

    use_upload(go)
    assert listed(go("plan")) == before
    (kept,) = (default_folder() / "plans").iterdir()
    text = kept.read_text()
    assert '"age"' in text
    assert button(app, "Clear plan").disabled
    next(one for one in app.checkbox if one.key.startswith("plan-sure")).check().run()
    button(app, "Clear plan").click().run()
    assert not names(app)
    # What comes next is on the screen.
    assert button(app, "Add to plan")
    assert '"items": []' in kept.read_text()
    app.file_uploader[0].set_value(("no.json", b"{}", "application/json")).run()
    assert "this is no plan" in shown(app)
    app.file_uploader[0].set_value(("plan.json", text.encode(), "application/json")).run()
    assert listed(app) == before
    assert kept.read_text() == text


def test_rows_are_edited_in_place(planned):
    app = planned
    by_label(app.number_input, "ε of mean of age").set_value(0.5).run()
    assert epsilons(app) == [0.5, 2.5]
    assert [item.locked for item in listed(app).items] == [True, False]
    by_label(details(app).checkbox, "Lock ε").set_value(False).run()
    assert epsilons(app) == [1.5, 1.5]
    split(app, Split.WEIGHTS)
    by_label(app.number_input, "Weight of sum of age").set_value(2.0).run()
    assert epsilons(app) == pytest.approx([1.0, 2.0])
    split(app, Split.TYPED)
    by_label(app.number_input, "ε of sum of age").set_value(1.0).run()
    assert epsilons(app) == [1.0, 1.0]
    assert by_label(app.number_input, "Total ε").value == 2.0
    app.button(key=f"plan-out-{listed(app).items[0].key}").click().run()
    assert names(app) == ["sum of age"]


@pytest.mark.parametrize("wrong", [0.0, 1e308])
def test_what_no_question_can_have_is_refused_and_changes_nothing(planned, wrong):
    app, before = planned, listed(planned)
    for label in ("Total ε", "ε of mean of age"):
        by_label(app.number_input, label).set_value(wrong).run()
        assert app.error
        assert listed(app) == before
        # Nothing is on the screen that is not in force.
        assert by_label(app.number_input, label).value != wrong


def test_an_optimal_allocation_assumes_targets_until_they_are_set(planned):
    app = split(planned, Split.BEST)
    assert "a tenth of the range of the answer is assumed" in shown(app)
    boxes = {box.label: box.proto.placeholder for box in app.number_input}
    assert boxes["Target of mean of age"] == "(10)"
    assert boxes["Target of sum of age"] == "(2,000)"
    fill(app, number_input={"Target of mean of age": 1.0, "Target of sum of age": 200.0})
    assert not app.warning
    # A sum of 200 people is their mean, 200 times.
    first, second = epsilons(app)
    assert first == pytest.approx(second, rel=1e-5)
    for wanted in (1.0, 30.0):
        by_label(app.number_input, "Target of mean of age").set_value(wanted).run()
        box = by_label(app.number_input, "ε of mean of age")
        assert box.value == epsilons(app)[0]


def test_a_plan_for_another_number_of_people_is_refused_before_it_is_pressed(planned):
    app = planned
    text = next((default_folder() / "plans").iterdir()).read_text()
    people = re.search(r'"people": ?(\d+)', text)
    other = text.replace(people[0], people[0].replace(people[1], "150"))
    assert not app.button(key=RELEASE).disabled
    app.file_uploader[0].set_value(("plan.json", other.encode(), "application/json")).run()
    assert "planned for 150 people, and the dataset has 200" in unescaped(app)
    assert app.button(key=RELEASE).disabled


def spent():
    """Return the ε that the ledger says to be spent."""
    (account,) = Ledger.at(default_folder() / LEDGER).accounts()
    return float(account.spent.epsilon)


def test_plan_is_released_as_a_whole_and_answered_once(planned, files):
    app = planned
    by_label(app.number_input, "Total ε").set_value(1.0).run()
    assert "No approver named · not signed" in shown(app)
    opened(app, "sign_off")
    by_label(app.radio, "Signature").set_value("Signed").run()
    by_label(app.text_input, "Date and person").set_value("3 May, A. B.").run()
    opened(app, "plan").button(key=RELEASE).click().run()
    # The first real release of a tab is confirmed.
    assert spent() == 0
    assert not any(head.value == "Answers" for head in app.header)
    app.button(key="spend-plan").click().run()
    assert spent() == 1
    assert any(head.value == "Answers" for head in app.header)
    assert app.button(key=RELEASE).disabled
    assert all(item.locked for item in listed(app).items)
    app.session_state["releases-2"] = {"selection": {"rows": [0]}}
    app.run()
    assert "in a plan, 2 releases together: ε = 1" in shown(app)
    # What is released can still be compared with another total.
    opened(app, "compare")
    assert "The alternative" in shown(app)
    opened(app, "sign_off")
    assert "The plan has been released" in shown(app)
    by_label(app.text_area, "Who decides (one name a line)").set_value("A. B.\nC. D.").run()
    opened(app, "documents")
    by_label(app.selectbox, "Document").set_value("Full report").run()
    report = files["Download: Full report"]()
    assert "Decided by A. B., C. D.; the page was signed: 3 May, A. B." in report
    # Another question is paid for alone, and the others keep their answers.
    ask(opened(app, "plan"), "median")
    by_label(app.number_input, "Total ε").set_value(1.5).run()
    assert app.button(key=RELEASE).label.startswith("Release and spend ε")
    app.button(key=RELEASE).click().run()
    assert spent() == 1.5


def test_a_plan_beyond_the_budget_offers_the_total_that_fits(planned):
    app = planned
    # No total is too large to be looked at.
    by_label(app.number_input, "Total ε").set_value(700.0).run()
    opened(app, "plan_privacy_loss")
    opened(app, "plan")
    by_label(app.number_input, "Total ε").set_value(30.0).run()
    assert app.button(key=RELEASE).disabled
    assert "is left" in shown(app)
    button(app, "Use what is left: ε = 3").click().run()
    assert epsilons(app) == [1.5, 1.5]
    assert not app.button(key=RELEASE).disabled


def test_a_plan_of_other_terms_is_not_released(planned):
    app = planned
    opened(app, "data")
    by_label(app.button_group, "Neighboring relation").set_value("add-remove").run()
    put_in_use(app)
    opened(app, "plan")
    assert shown(app).count("planned under another neighboring relation") == 2
    assert app.button(key=RELEASE).disabled
    # In a lesson, likewise; nothing is spent, and the plan stays.
    assert len(names(app)) == 2


def test_bounds_changed_after_planning_are_told_and_taken_over(planned, open_page):
    assert "The declaration changed" not in shown(planned)
    app = open_page("data")
    by_label(app.number_input, "Upper bound").set_value(50.0).run()
    app = open_page("plan")
    told = shown(app).replace("\\", "")
    assert_says(
        told,
        "The declaration changed since 2 of 2 questions were planned",
        "bounds of age: 0 to 100, now 0 to 50",
    )
    before = listed(app)
    button(app, "Update to the current declaration").click().run()
    assert "The declaration changed" not in shown(app)
    after = listed(app)
    half = [item.width.half for item in after.items]
    assert half == pytest.approx([item.width.half / 2 for item in before.items], rel=0.01)
    assert [item.epsilon for item in before.items] == epsilons(app)


def test_the_next_table_of_these_people_takes_the_plan_over(planned, open_page):
    app = planned
    by_label(app.number_input, "Target of mean of age").set_value(2.0).run()
    by_label(details(app).text_input, "Name").set_value("Age, as a mean").run()
    by_label(app.number_input, "Total ε").set_value(2.0).run()
    confirm(app)
    app = draft(open_page, f"{CSV}61,no\n62,yes\n")
    put_in_use(app)
    assert not app.error
    app = open_page("plan")
    (offered,) = (b for b in app.button if b.label.startswith("Use the plan of"))
    assert_says(offered.label, "people", "2 questions")
    offered.click().run()
    assert names(app) == ["Age, as a mean", "sum of age"]
    assert targets(app) == [2.0, None]
    assert not any(item.locked for item in listed(app).items)
    # Both share what the first table has left, and are about the people of now.
    left = float(by_label(app.number_input, "Total ε").value)
    assert sum(epsilons(app)) == pytest.approx(left, rel=1e-3)
    # In few digits, and no more than there is.
    assert left == 1.0
    assert "planned for 200 people" not in shown(app)
    assert not app.button(key=RELEASE).disabled


def test_the_total_is_what_is_left_until_another_one_is_typed(open_page):
    use_upload(open_page)
    app = open_page("release")
    fill(app, selectbox={"Statistic": "mean"}, number_input={"ε for this release": 0.3})
    button(app, "Add to plan").click().run()
    app = open_page("plan")
    assert epsilons(app) == [3.0]
    assert by_label(app.number_input, "Total ε").value == 3.0
    # The plan follows the budget.
    (kept,) = (default_folder() / "plans").iterdir()
    assert '"follows_budget": true' in kept.read_text()
    app = spend_half(app)
    assert by_label(app.number_input, "Total ε").value == 2.5
    assert epsilons(app) == [2.5]
    by_label(app.number_input, "Total ε").set_value(2.9).run()
    assert "follows_budget" not in kept.read_text()
    assert app.button(key=RELEASE).disabled
    # Emptied, the box is what is left again.
    by_label(app.number_input, "Total ε").set_value(None).run()
    assert epsilons(app) == [2.5]
    confirm(app)
    assert spent() == 3.0
    # What an answered question has is part of the total, and of what is spent.
    assert by_label(app.number_input, "Total ε").value == 2.5
    assert epsilons(app) == [2.5]


def spend_half(app):
    """Release a sum for ε = 0.5, outside of the plan."""
    opened(app, "release")
    fill(app, selectbox={"Statistic": "sum"}, number_input={"ε for this release": 0.5})
    next(b for b in app.button if b.label.startswith("Release")).click().run()
    for each in [b for b in app.button if b.label.startswith("Spend ")]:
        each.click().run()
    assert spent() == 0.5
    return opened(app, "plan")


def unescaped(app):
    return shown(app).replace("\\", "")
