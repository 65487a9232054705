"""Several tables of the same columns in one question, followed over the pages."""

from __future__ import annotations

from tests.app.asking import choose, go, use_survey
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import shown


def test_tables_of_three_columns_are_one_question_that_agrees(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "set of marginals")
    fill(
        app,
        multiselect={"Together with": [0, 1]},
        number_input={"Bins of equal width": 3, "ε for this release": 5.0},
    )
    # All pairs at first; here a column and two pairs.
    assert by_label(app.multiselect, "Tables").value == [3, 4, 5]
    fill(app, multiselect={"Tables": [0, 3, 5]})
    seen = follow(app)
    assert seen.title == "number of people by age, age × region and region × smoker"
    ages, both = seen.answer[:3], seen.answer[3:15]
    for place, total in enumerate(ages):
        assert abs(sum(both[4 * place : 4 * place + 4]) - total) < 1e-6
    # Everybody's bin and labels, not their codes.
    assert {"age in use", "region in use", "smoker in use"} <= set(seen.exposed)
    assert "count of one cell, before tables are made consistent" in seen.tradeoffs
    go(app, "release")
    assert "Before rounding, the tables agree about every total" in shown(app)
    assert "A sharper answer" not in shown(app)
    (figure,) = charts(app)
    assert figure["data"][0]["x"] == ["0 to 32", "33 to 66", "67 to 100", "total"]
    choose(app, "Table", 2)
    (figure,) = charts(app)
    assert figure["data"][0]["y"] == ["north", "south", "west", "other", "total"]
