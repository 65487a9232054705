"""Several tables of the same columns in one question, followed over the pages."""

from __future__ import annotations

from tests.app.asking import choose, go, use_survey
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import release, shown


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


def test_counts_of_at_least_0_are_an_option_of_tables_that_agree(open_page):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "set of marginals")
    fill(app, multiselect={"Together with": [0, 1]}, number_input={"ε for this release": 0.05})
    app = release(app)
    assert "are below 0 because of noise" in shown(app)
    app = by_label(app.toggle, "Counts of at least 0").set_value(True).run()
    table = next(each.value for each in app.dataframe if "at least 0" in each.value)
    assert not any(text.startswith("−") for text in table["at least 0"])
    assert "the intervals above do not hold for them" in shown(app)
