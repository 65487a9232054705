"""The Meaning page speaks of the question and account on screen; it spends nothing."""

from dpcore.figures.attackers import surest
from tests.app.test_pages import button, by_label, release_button, use_upload
from tests.app.test_questions import set_to
from tests.conftest import assert_says

OF = "Speak of"
BUDGET, QUESTION, OWN = (
    "the whole budget of this table",
    "the question on Release",
    "an ε of your own",
)


def said(app):
    return " ".join(element.value for element in app.markdown).replace("\\", "")


def look(app, side):
    app.query_params["meaning-side"] = side
    return app.run()


def test_it_takes_the_question_and_the_account_on_screen(open_page):
    use_upload(open_page)
    app = open_page("release")
    set_to(app, "number_input", "ε for this release", 0.7)
    app = open_page("meaning")
    assert surest(3.0, delta=1e-5) in said(app)  # the usual budget
    set_to(app, "radio", OF, QUESTION)
    assert by_label(app.number_input, "ε for this release").value == 0.7
    assert_says(said(app), f"becomes at most {surest(0.7)} sure", "from the released mean of age")
    label = look(app, "Label").code[0].value
    assert_says(label, "number of people (200)", "Nothing is spent so far")


def test_it_speaks_of_a_plan_where_there_is_one(open_page):
    use_upload(open_page)
    app = open_page("meaning")
    assert "the plan" not in by_label(app.radio, OF).options
    app = open_page("release")
    set_to(app, "number_input", "ε for this release", 0.9)
    button(app, "Add to plan").click().run()
    app = open_page("meaning")
    set_to(app, "radio", OF, "the plan")
    # The plan shares what is left.
    assert_says(said(app), f"becomes at most {surest(3.0)} sure", "from the plan, its one answer")


def test_what_is_spent_before_a_plan_is_told_beside_it(open_page):
    use_upload(open_page)
    app = open_page("release")
    set_to(app, "number_input", "ε for this release", 0.5)
    release_button(app).click().run()
    button(app, "Spend ε = 0.5").click().run()
    set_to(app, "number_input", "ε for this release", 0.9)
    button(app, "Add to plan").click().run()
    app = open_page("meaning")
    set_to(app, "radio", OF, "the plan")
    assert f"becomes at most {surest(2.5)} sure" in said(app)
    told = next(each.value for each in app.caption if "already spent" in each.value)
    assert told.startswith("ε 0.5 ")
    assert_says(told, "come to ε 3", surest(3.0))


def test_it_works_without_a_table(open_page):
    app = open_page("meaning")
    set_to(app, "number_input", "Privacy parameter ε", 2.0)
    assert f"becomes at most {surest(2.0)} sure" in said(app)
    assert "not agreed" in look(app, "Label").code[0].value
    look(app, "Before and after")
    set_to(app, "slider", "How sure the attacker was before, %", 10)
    assert surest(2.0, prior=0.1) in said(app)
    look(app, "What others promised")
    assert "Broadband Coverage" in said(app)
    set_to(app, "number_input", "ρ as ε at δ", 1e-10)
    assert "Worked out here: ε 17.5 at most, at δ 10⁻¹⁰." in said(app)
    assert "not confirmed by its board" in " ".join(c.value for c in app.caption)
