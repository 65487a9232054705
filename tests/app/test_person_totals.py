"""Totals over the ledger: every release is counted, and nothing shows unasked."""

from __future__ import annotations

import pytest

from dpcore.errors import DataError
from tests.app.asking import choose
from tests.app.test_pages import by_label, charts, fill, mode, use_example
from tests.app.test_questions import release, set_to

VIEW = "All releases"


def epsilon(app, label):
    return float(by_label(app.metric, label).value.removeprefix("ε = "))


def look(open_page):
    app = open_page("privacy_loss")
    app.session_state["individual-view"] = VIEW
    app.run()
    if app.toggle and not app.toggle[0].value:
        app.toggle[0].set_value(True).run()
    assert not app.error
    return app


def test_every_release_counts_and_repeated_answers_do_not(open_page):
    use_example(open_page)
    app = open_page("release")
    release(app)
    app = look(open_page)
    first = epsilon(app, "Largest total loss")
    assert 0 < first <= epsilon(app, "Account was charged") == 0.5
    app = open_page("release")
    fill(app, selectbox={"Mechanism": "gaussian"}, number_input={"δ for this release": 1e-6})
    release(app)
    app = look(open_page)
    both = epsilon(app, "Largest total loss")
    assert first < both <= epsilon(app, "Account was charged") == 1.0
    assert len(charts(app)) == 2
    listed = next(d.value for d in app.dataframe if "most from" in d.value)
    assert len(listed) == 10
    assert listed["total epsilon"].is_monotonic_decreasing
    assert not any("composition" in d.value for d in app.dataframe)
    app.session_state["odometer-ways-open"] = True
    app.run()
    counted = next(d.value for d in app.dataframe if "composition" in d.value)
    ways = dict(zip(counted["composition"], counted["total epsilon"], strict=True))
    assert float(ways["the smallest of those above"]) <= float(ways["added up"])
    set_to(app, "selectbox", "Composition of losses", "zero-concentrated (zCDP)")
    assert epsilon(app, "Largest total loss") >= both


def test_a_release_that_cannot_be_read_back_counts_at_its_worst(open_page, monkeypatch):
    app = use_example(open_page)
    mode(app).set_value("classroom").run()
    release(open_page("release"))

    def fail(*_args, **_named):
        raise DataError("no")

    monkeypatch.setattr("ui.individual.ledger_totals.request_from", fail)
    app = look(open_page)
    assert "Counted at the worst case" in " ".join(caption.value for caption in app.caption)
    listed = next(d.value for d in app.dataframe if "most from" in d.value)
    assert listed["most from"].str.endswith(" (counted at its worst case)").all()
    worst = epsilon(app, "Largest total loss")
    assert worst == pytest.approx(epsilon(app, "Account was charged"), rel=1e-3)


def test_a_released_model_counts_with_everything_else(open_page):
    use_example(open_page)
    release(open_page("release"))
    before = epsilon(look(open_page), "Account was charged")
    release(open_page("regression"))
    app = look(open_page)
    assert epsilon(app, "Account was charged") > before
    assert "Counted at the worst case" not in " ".join(caption.value for caption in app.caption)
    # Compared with the table without the person, nearly nobody loses much.
    what_if = by_label(app.radio, "Compared with")
    what_if.set_value(what_if.options[0]).run()
    assert epsilon(app, "Average total loss") < 0.5 * before


def test_a_mean_with_its_standard_deviation_counts_by_own_losses(open_page):
    use_example(open_page)
    release(choose(open_page("release"), "Statistic", "mean and standard deviation"))
    app = look(open_page)
    assert "Counted at the worst case" not in " ".join(caption.value for caption in app.caption)
    assert epsilon(app, "Average total loss") < epsilon(app, "Account was charged")
