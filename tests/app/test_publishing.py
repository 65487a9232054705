"""Why losses are not published: attacks find the truth. What may be published instead."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.app.test_pages import by_label, charts, use_example, use_upload
from tests.app.test_questions import set_to, shown

SIDE = "Publishing losses"


def look(open_page, view):
    app = open_page("privacy_loss")
    app.session_state["individual-view"] = SIDE
    app.session_state["publishing-view"] = view
    app.run()
    if app.toggle and not app.toggle[0].value:
        app.toggle[0].set_value(True).run()
    assert not app.error
    return app


def found(app):
    return {metric.label: metric.value for metric in app.metric}


def test_mean_is_found_exactly_from_anybodys_loss(open_page):
    use_upload(open_page)
    app = look(open_page, "Attack on a mean")
    # 200 ages from 20 to 69, four of each.
    assert found(app)["Attacker finds"] == found(app)["Without noise"] == "44.5"
    for row in (7, 200):
        set_to(app, "number_input", "Row of the person who learns it", row)
        assert found(app)["Attacker finds"] == "44.5"
    assert "the exact answer" in shown(app)
    assert len(charts(app)) == 1
    set_to(app, "selectbox", "Digits of the loss", "3 digits, rounded up")
    assert "off by" in shown(app)
    assert float(found(app)["Attacker finds"]) == pytest.approx(44.5, abs=0.2)


def test_count_is_found_exactly_whatever_is_drawn(open_page):
    use_upload(open_page)
    app = look(open_page, "Attack on a count")
    assert found(app)["Attacker finds"] == found(app)["Without noise"] == "80"
    set_to(app, "number_input", "Draw", 9)
    assert found(app)["Attacker finds"] == "80"
    set_to(app, "number_input", "Who counts: a value of at least", 20.0)
    assert found(app)["Attacker finds"] == found(app)["Without noise"] == "200"
    set_to(app, "selectbox", "Column under attack", 1)
    assert found(app)["Attacker finds"] == found(app)["Without noise"] == "67"


def test_reports_stand_beside_the_truth(open_page):
    use_example(open_page)
    app = look(open_page, "What may be published")
    assert len(charts(app)) == 1
    assert len(charts(app)[0]["data"]) == 3
    coverage = next(d.value for d in app.dataframe if "held" in d.value)
    assert (coverage["held"].str.removesuffix("%").astype(float) >= 95).all()
    one = next(d.value for d in app.dataframe if "may be published" in d.value)
    assert one["may be published"].tolist() == ["no", *["to this person-year"] * 2]
    assert pd.to_numeric(one["epsilon"]).gt(0).all()
    assert "costs ε = 1 at δ = 0\\.001" in shown(app) or "costs ε = 1 at δ = 0.001" in shown(app)
    set_to(app, "number_input", "Further ε for a noisy Hessian", 1.0)
    assert "costs ε = 2" in shown(app)
    assert len(charts(app)[0]["data"]) == 4
    before = shown(app)
    by_label(app.button, "Draw 20 more releases").click().run()
    assert "over 40 simulated" in shown(app) != before


def test_nothing_shows_in_release_mode_until_it_is_opened(open_page):
    use_upload(open_page)
    app = open_page("privacy_loss")
    app.session_state["individual-view"] = SIDE
    app.session_state["publishing-view"] = "Attack on a mean"
    app.run()
    assert not charts(app)
    assert "Attacker finds" not in found(app)
