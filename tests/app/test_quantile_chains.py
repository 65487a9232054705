"""Several quantiles in one question, followed over the pages."""

from __future__ import annotations

import numpy as np

from tests.app.asking import choose, go, use_survey
from tests.app.test_pages import by_label, charts, fill, margin
from tests.app.test_questions import shown


def test_several_quantiles_are_one_question_in_order(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "several quantiles")
    assert by_label(app.selectbox, "Mechanism").options[0] == "Laplace"
    assert by_label(app.metric, "Quantiles").value == "5"
    fill(
        app,
        text_input={"Percent of people below each": "50, 25; 90"},
        number_input={"ε for this release": 5.0},
    )
    assert margin(app).value.endswith(" ranks")
    seen = follow(app)
    assert seen.title == "25, 50 and 90% quantiles of age"
    assert list(seen.answer) == sorted(seen.answer)
    assert seen.tradeoffs.endswith(" ranks (Laplace)**")
    assert "moves the answer by" not in seen.exposed
    go(app, "release")
    (figure,) = charts(app)
    names = [trace["name"] for trace in figure["data"]]
    assert names == ["noise and sampling", "noise only", "released quantile"]
    assert "has no interval" not in shown(app)
    assert np.isfinite(seen.answer).all()
