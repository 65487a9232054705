"""The Plan page: filled from other pages, changed both ways, kept with the account."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.ledger.ledger import Ledger
from dpcore.ledger.store import LEDGER, default_folder
from tests.app.conftest import close_tab
from tests.app.test_pages import CSV, button, by_label, fill, use_upload
from tests.app.test_questions import shown
from tests.app.test_same_people import draft
from tests.conftest import PATIENCE, ROOT, assert_says
from ui import approval


def listed(app):
    """Return the table of planned questions."""
    frames = [frame.value for frame in app.dataframe]
    return next(frame for frame in frames if "must show" in frame)


def opened(app, name):
    app.switch_page(f"pages/{name}.py").run()
    return app


@pytest.fixture
def planned(open_page):
    """A plan of a mean, from Release, and of a sum, typed on Plan."""
    use_upload(open_page)
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("mean").run()
    button(app, "Add to plan").click().run()
    assert button(app, "Add to plan").disabled
    assert "In the plan with ε" in shown(app)
    app = open_page("plan")
    by_label(app.selectbox, "Statistic").set_value("sum").run()
    button(app, "Add to plan").click().run()
    return app


def test_plan_outlives_the_tab_and_spends_nothing(planned):
    fill(planned, number_input={"Must show": 2.0, "Total ε": 2.0})
    before = listed(planned)
    assert list(before["question"]) == ["mean of age", "sum of age"]
    assert list(before["ε"]) == ["1", "1"]
    assert list(before["shown"]) == ["✓ yes", ""]
    close_tab()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()

    def go(name):
        return opened(app, name)

    use_upload(go)
    assert listed(go("plan")).equals(before)
    (kept,) = (default_folder() / "plans").iterdir()
    text = kept.read_text()
    assert '"age"' in text
    button(app, "Empty the plan").click().run()
    assert "Nothing is planned yet" in shown(app)
    assert '"items": []' in kept.read_text()
    app.file_uploader[0].set_value(("no.json", b"{}", "application/json")).run()
    assert "this is no plan" in shown(app)
    app.file_uploader[0].set_value(("plan.json", text.encode(), "application/json")).run()
    assert listed(app).equals(before)
    assert kept.read_text() == text


def test_error_and_epsilon_are_typed_both_ways(planned):
    app = planned
    fill(app, radio={"Split": "equal parts"}, number_input={"ε of this question": 0.5})
    first = listed(app).iloc[0]
    assert (first["ε"], first["ε is"]) == ("0.5", "locked")
    by_label(app.radio, "Work out").set_value("ε from the error").run()
    box = by_label(app.number_input, "Error at 95 %")
    assert box.value == pytest.approx(2.9957, rel=1e-4)
    box.set_value(box.value / 4).run()
    assert listed(app).iloc[0]["ε"] == "2"
    fill(app, radio={"Work out": "people from both"}, number_input={"Error at 95 %": 0.1})
    assert next(m.value for m in app.metric if m.label == "Rows needed") == "1,498"
    # What no question can have is refused in its place, and changes nothing.
    before = listed(app)
    by_label(app.radio, "Work out").set_value("error from ε").run()
    for wrong in (0.0, -1.0, 1e308):
        by_label(app.number_input, "ε of this question").set_value(wrong).run()
        assert app.info
        by_label(app.number_input, "Total ε").set_value(wrong).run()
        assert listed(app).equals(before)


def test_splits_say_what_is_in_their_way(planned):
    app = planned
    by_label(app.radio, "Split").set_value("best for what must be seen").run()
    assert "Nobody said what must be seen of 2 questions" in shown(app)
    assert list(listed(app)["must show"]) == ["10 (assumed)", "2,000 (assumed)"]
    assert list(listed(app)["shown"]) == ["", ""]
    by_label(app.number_input, "Must show").set_value(1.0).run()
    next(b for b in app.selectbox if str(b.key).startswith("plan-item")).set_value(1).run()
    by_label(app.number_input, "Must show").set_value(200.0).run()
    assert not app.warning
    # A sum of 200 people is their mean, 200 times.
    first, second = listed(app)["ε"].astype(float)
    assert first == pytest.approx(second, rel=1e-5)
    button(app, "Take it out of the plan").click().run()
    assert list(listed(app)["question"]) == ["mean of age"]


def test_a_plan_for_another_number_of_people_is_refused_before_it_is_pressed(planned):
    app = planned
    text = next((default_folder() / "plans").iterdir()).read_text()
    people = re.search(r'"people": ?(\d+)', text)
    other = text.replace(people[0], people[0].replace(people[1], "150"))
    assert not button(app, "Release the whole plan").disabled
    app.file_uploader[0].set_value(("plan.json", other.encode(), "application/json")).run()
    assert "planned for 150 people, a public number" in shown(app).replace("\\", "")
    assert button(app, "Release the whole plan").disabled


def test_what_was_signed_is_not_said_of_the_next_plan(planned):
    app, label = planned, "Is the page signed?"
    text = next((default_folder() / "plans").iterdir()).read_bytes()
    by_label(app.radio, label).set_value("yes, it is signed").run()
    assert by_label(app.radio, label).value == "yes, it is signed"
    button(app, "Empty the plan").click().run()
    app.file_uploader[0].set_value(("plan.json", text, "application/json")).run()
    assert by_label(app.radio, label).value == "nobody said so yet"


def test_a_question_is_shown_as_the_split_leaves_it(planned):
    app = planned
    by_label(app.radio, "Split").set_value("best for what must be seen").run()
    for wanted in (1.0, 30.0):
        by_label(app.number_input, "Must show").set_value(wanted).run()
        dealt = float(listed(app)["ε"].iloc[0])
        box = by_label(app.number_input, "ε of this question")
        assert box.value == pytest.approx(dealt, rel=1e-5)


def spent():
    """Return the ε that the ledger says to be spent."""
    (account,) = Ledger.at(default_folder() / LEDGER).accounts()
    return float(account.spent.epsilon)


def test_plan_is_released_as_a_whole_and_answered_once(planned, files):
    app = planned
    by_label(app.number_input, "Total ε").set_value(1.0).run()
    assert "Nobody is named yet as deciding" in shown(app)
    fill(
        app,
        radio={"Is the page signed?": "yes, it is signed"},
        text_input={"When, and by whom?": "3 May, A. B."},
    )
    button(app, "Release the whole plan").click().run()
    # The first real release of a tab is confirmed.
    assert spent() == 0
    assert not any(head.value == "Answers" for head in app.header)
    button(app, "Spend ε = 1").click().run()
    assert spent() == 1
    assert "Every question of the plan has its answer" in shown(app)
    assert "Private mean of age" in [metric.label for metric in app.metric]
    assert button(app, "Release the whole plan").disabled
    assert list(listed(app)["ε is"]) == ["locked", "locked"]
    app.session_state["releases-2"] = {"selection": {"rows": [0]}}
    app.run()
    assert "in a plan, 2 releases together: ε = 1" in shown(app)
    # What is released can still be held against another total.
    opened(app, "compare")
    assert "all of them share its total" in shown(app)
    assert by_label(app.text_area, "Purpose")
    by_label(app.text_area, "Who decides (one name a line)").set_value("A. B.\nC. D.").run()
    opened(app, "documents")
    app.session_state["documents-ledger"] = True
    by_label(app.run().selectbox, "Document").set_value("Full report").run()
    report = files["Download: Full report"]()
    assert "Decided by A. B., C. D.; the page was signed: 3 May, A. B." in report
    opened(app, "plan")
    # Another question is paid for alone, and the others keep their answers.
    by_label(app.selectbox, "Statistic").set_value("median").run()
    button(app, "Add to plan").click().run()
    by_label(app.number_input, "Total ε").set_value(1.5).run()
    assert next(metric for metric in app.metric if metric.label == "As a plan").value == "ε 0.5"
    button(app, "Release the whole plan").click().run()
    assert spent() == 1.5


def test_plan_beyond_the_budget_or_under_other_terms_is_not_released(planned):
    app = planned
    # No total is too large to be looked at.
    by_label(app.number_input, "Total ε").set_value(700.0).run()
    opened(app, "plan_privacy_loss")
    opened(app, "plan")
    by_label(app.number_input, "Total ε").set_value(30.0).run()
    assert button(app, "Release the whole plan").disabled
    assert "is left" in shown(app)
    by_label(app.number_input, "Total ε").set_value(1.0).run()
    assert not button(app, "Release the whole plan").disabled
    opened(app, "data")
    by_label(app.radio, "Neighboring relation").set_value("add-remove").run()
    button(app, "Use this data").click().run()
    opened(app, "plan")
    assert shown(app).count("planned under other terms") == 2
    assert button(app, "Release the whole plan").disabled
    # In a lesson, likewise; nothing is spent, and the plan stays.
    assert len(listed(app)) == 2


def test_a_price_that_is_rounded_up_says_what_is_charged(planned):
    fill(planned, radio={"Split": "as typed"}, number_input={"Total ε": 0.200004})
    assert "charged are exactly ε 0.20000" in shown(planned)
    by_label(planned.number_input, "Total ε").set_value(0.2).run()
    assert "charged are exactly" not in shown(planned)


def test_what_a_need_takes_is_told_where_the_plan_does_not_meet_it(planned):
    app = planned
    assert "plan-needs" not in app.session_state
    by_label(app.number_input, "Must show").set_value(0.01).run()
    app.session_state["plan-needs"] = True
    app.run()
    told = unescaped(app)
    assert_says(
        told,
        "The plan misses the target with ε = 1; ε = ",
        "meets the target (best split, beside 1 question without",
    )
    assert "bounds no wider than" in shown(app)
    (found,) = (f.value for f in app.dataframe if "needs ε" in f.value)
    assert list(found["met"]) == ["✗ no"]


def test_bounds_changed_after_planning_are_told_and_taken_over(planned, open_page):
    assert "What is declared has changed" not in shown(planned)
    app = open_page("data")
    by_label(app.number_input, "Upper bound").set_value(50.0).run()
    app = open_page("plan")
    told = shown(app).replace("\\", "")
    assert_says(
        told,
        "What is declared has changed since 2 of 2 questions were planned",
        "bounds of age: 0 to 100, now 0 to 50",
    )
    before = listed(app)
    button(app, "Plan with what is declared now").click().run()
    assert "What is declared has changed" not in shown(app)
    after = listed(app)
    half = [float(text.split()[0].replace(",", "")) for text in after["± at 95 %"]]
    old = [float(text.split()[0].replace(",", "")) for text in before["± at 95 %"]]
    assert half == pytest.approx([each / 2 for each in old], rel=0.01)
    assert list(after["ε"]) == list(before["ε"])


def test_the_next_table_of_these_people_takes_the_plan_over(planned, open_page):
    app = planned
    fill(app, number_input={"Must show": 2.0}, text_input={"Name": "Age, as a mean"})
    by_label(app.number_input, "Total ε").set_value(2.0).run()
    button(app, "Release the whole plan").click().run()
    next(b for b in app.button if b.label.startswith("Spend ")).click().run()
    app = draft(open_page, f"{CSV}61,no\n62,yes\n")
    button(app, "Use this data").click().run()
    assert not app.error
    app = open_page("plan")
    assert "Nothing is planned yet" in shown(app)
    (offered,) = (b for b in app.button if b.label.startswith("Take over the plan of"))
    assert_says(offered.label, "people", "2 questions")
    offered.click().run()
    plan = listed(app)
    assert list(plan["question"]) == ["Age, as a mean", "sum of age"]
    assert plan["must show"].tolist() == ["2", ""]
    assert list(plan["ε is"]) == ["shared", "shared"]
    # Both share what the first table has left, and are about the people of now.
    left = float(by_label(app.number_input, "Total ε").value)
    assert sum(map(float, plan["ε"])) == pytest.approx(left, rel=1e-3)
    # In few digits, and no more than there is.
    assert left == 1.0
    assert "planned for 200 people" not in shown(app)
    assert not button(app, "Release the whole plan").disabled


def test_an_emptied_plan_shares_what_is_left_and_names_what_is_not(planned):
    app = planned
    whole = by_label(app.number_input, "Total ε").value
    assert "cannot be paid from it" in shown(app)
    by_label(app.number_input, "Total ε").set_value(0.3).run()
    assert by_label(app.number_input, "Total ε").value == 0.3
    button(app, "Empty the plan").click().run()
    by_label(app.selectbox, "Statistic").set_value("sum").run()
    button(app, "Add to plan").click().run()
    assert by_label(app.number_input, "Total ε").value == whole


def test_an_epsilon_that_was_typed_elsewhere_is_said_not_to_be_in_the_plan(planned):
    app = planned
    by_label(app.number_input, "Total ε").set_value(2.0).run()
    app = opened(app, "release")
    fill(app, selectbox={"Statistic": "mean"}, number_input={"ε for this release": 0.25})
    assert "The plan does not have the ε 0.25 typed here" in shown(app)


def epsilons(app):
    return [float(epsilon) for epsilon in listed(app)["ε"]]


@pytest.fixture
def typed(open_page):
    """A plan of a mean that was typed with ε 0.3 on Release."""
    use_upload(open_page)
    app = open_page("release")
    fill(app, selectbox={"Statistic": "mean"}, number_input={"ε for this release": 0.3})
    button(app, "Add to plan").click().run()
    return open_page("plan")


def test_a_typed_epsilon_is_kept_until_a_total_is_shared_out(typed):
    app = typed
    assert epsilons(app) == [0.3]
    assert by_label(app.radio, "Split").value == "as typed"
    assert by_label(app.number_input, "Total ε").value == 3.0
    assert "Of the total of ε 3, 0.3 is dealt out" in shown(app)
    fill(app, selectbox={"Statistic": "sum"}, number_input={"ε for this release": 0.2})
    button(app, "Add to plan").click().run()
    assert epsilons(opened(app, "plan")) == [0.3, 0.2]
    # The plan outlives the tab as it was typed.
    (kept,) = (default_folder() / "plans").iterdir()
    assert '"follows_budget": true' in kept.read_text()
    by_label(app.number_input, "Total ε").set_value(1.0).run()
    assert epsilons(app) == [0.5, 0.5]
    assert by_label(app.radio, "Split").value == "equal parts"
    assert "follows_budget" not in kept.read_text()


def test_epsilons_that_are_more_than_is_left_are_kept_and_named(typed):
    app = typed
    by_label(app.number_input, "ε of this question").set_value(4.0).run()
    assert epsilons(app) == [4.0]
    assert by_label(app.number_input, "Total ε").value in {3.0, 4.0}
    assert button(app, "Release the whole plan").disabled
    button(app, "Share out what is left, ε 3").click().run()
    assert epsilons(app) == [3.0]
    assert not button(app, "Release the whole plan").disabled


def spend_half(app):
    """Release a sum for ε 0.5, outside of the plan."""
    opened(app, "release")
    fill(app, selectbox={"Statistic": "sum"}, number_input={"ε for this release": 0.5})
    next(b for b in app.button if b.label.startswith("Release")).click().run()
    for each in [b for b in app.button if b.label.startswith("Spend ")]:
        each.click().run()
    assert spent() == 0.5
    return opened(app, "plan")


def test_the_total_starts_from_what_is_left(typed):
    app = spend_half(typed)
    assert by_label(app.number_input, "Total ε").value == 2.5
    by_label(app.radio, "Split").set_value("equal parts").run()
    assert epsilons(app) == [2.5]
    button(app, "Release the whole plan").click().run()
    for each in [b for b in app.button if b.label.startswith("Spend ")]:
        each.click().run()
    assert spent() == 3.0
    # What an answered question has is part of the total, and of what is spent.
    assert by_label(app.number_input, "Total ε").value == 2.5
    assert epsilons(app) == [2.5]


def test_a_total_of_more_than_is_left_is_no_dead_end(typed):
    app = typed
    by_label(app.number_input, "Total ε").set_value(2.9).run()
    app = spend_half(app)
    assert by_label(app.number_input, "Total ε").value == 2.9
    assert button(app, "Release the whole plan").disabled
    button(app, "Share out what is left, ε 2.5").click().run()
    assert by_label(app.number_input, "Total ε").value == 2.5
    assert not button(app, "Release the whole plan").disabled


def test_the_smallest_total_is_in_every_headline(typed, monkeypatch):
    made = []
    real = approval.decision_page
    monkeypatch.setattr(approval, "decision_page", lambda *a: made.append(real(*a)) or made[-1])
    app = typed
    by_label(app.number_input, "Must show").set_value(2.0).run()
    said = "ε = 0.749 meets the target (best split)"
    assert f"The plan misses the target with ε = 0.3; {said}" in unescaped(app)
    opened(app, "compare")
    assert f". {said}" in unescaped(app)
    assert_says(made[-1].html(), "Smallest total", said)
    opened(app, "plan")
    fill(app, radio={"Split": "best for what must be seen"}, number_input={"Total ε": 0.749})
    assert list(listed(app)["shown"]) == ["✓ yes"]
    assert "and no smaller total does" in unescaped(app)


def unescaped(app):
    return shown(app).replace("\\", "")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", "-1"])
def test_a_plan_with_an_epsilon_that_is_none_is_refused_by_name(planned, number):
    (kept,) = (default_folder() / "plans").iterdir()
    text = re.sub(r'"epsilon": [^,\n]+', f'"epsilon": {number}', kept.read_text())
    planned.file_uploader[0].set_value(("plan.json", text.encode(), "application/json")).run()
    (error,) = planned.error
    assert "The plan" in error.value or "the plan" in error.value
    assert "epsilon" in error.value or "ε" in error.value
    # The plan that was there is still in use, on both pages that read plans.
    assert list(listed(planned)["question"]) == ["mean of age", "sum of age"]
    planned.switch_page("pages/compare.py").run()
