"""Audit and Test: a mistake is refuted, a repair is not, and a question can be tested."""

from dpcore.studies.auditing.mistakes import CATALOG_OF_MISTAKES
from tests.app.test_pages import by_label, fill, use_example
from ui import auditing


def said(app):
    return " ".join(
        element.value for element in (*app.markdown, *app.warning, *app.info, *app.caption)
    )


def through(app, most=60):
    """Run until the draws are there."""
    for _ in range(most):
        if not app.get("progress"):
            return app
        app.run()
    raise AssertionError("the audit never came to an end")


def test_first_view_refutes_a_promise(open_page):
    app = through(open_page("audit"))
    assert "Refuted: ε = 1 is claimed" in app.warning[0].value.replace("\\", "")
    assert "Draws outside the bounds are rejected" in said(app)
    by_label(app.selectbox, "Version").set_value("repaired").run()
    app = through(app)
    assert "Not refuted" in app.info[0].value
    assert "cannot prove it" in said(app)


def test_every_mistake_is_on_offer_and_refuted(open_page):
    app = through(open_page("audit"))
    assert len(by_label(app.selectbox, "Mistake").options) == len(CATALOG_OF_MISTAKES)
    for key in ("groups", "seed"):
        by_label(app.selectbox, "Mistake").set_value(key).run()
        app = through(app)
        assert "Refuted" in app.warning[0].value


def test_mechanism_is_drawn_by_the_real_sampler(open_page):
    app = through(open_page("audit"))
    by_label(app.select_slider, "Draws per dataset").set_value(2000)
    app.radio(key=auditing.WHAT).set_value(auditing.MECHANISM).run()
    fill(app, selectbox={"Mechanism": "laplace"}, select_slider={"Draws per dataset": 2000})
    app = through(app)
    labels = {metric.label: metric.value for metric in app.metric}
    assert labels["Claimed ε"] == labels["Exact ε"] == "1"


def test_question_on_screen_is_audited_and_charges_nothing(open_page):
    use_example(open_page)
    app = open_page("mechanism_test")
    pair = "a person of this table"
    fill(app, selectbox={"Neighboring datasets": pair}, select_slider={"Draws per dataset": 2000})
    assert not app.metric
    app.toggle(key="show-audit").set_value(True).run()
    app = through(app)
    assert not app.error
    assert {"Claimed ε", "Lower bound on ε"} <= {each.label for each in app.metric}
    app.toggle(key="show-audit-checks").set_value(True).run()
    app = through(app)
    assert "checks, none failed" in said(app)
    fill(app, selectbox={"Mechanism": "generalized"})
    assert "so there is no release to test" in said(app)
    app = open_page("release")
    assert "Released so far" not in [each.value for each in app.header]
