"""Accuracy shows the errors of every kind of answer, and its margin against ε."""

from __future__ import annotations

import pytest

from dpcore.figures.plans import margin_picture
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.comparison import around, compare
from tests.app.asking import choose, go, use_survey
from tests.app.figures import figures
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import shown
from tests.app.test_several_columns import table
from tests.conftest import few
from tests.planning.planned import item

SIMULATED = {
    "correlation": {},
    "variance": {"selectbox": {"By group": 0}},
    "mean": {"selectbox": {"By group": 0}},
    "mean and standard deviation": {},
    "difference of groups": {},
    "means of several columns": {"selectbox": {"By group": 0}},
    "covariance matrix": {},
}


def accuracy(open_page, statistic, *, epsilon=20.0, **settings):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", statistic)
    fill(app, number_input={"ε for this release": epsilon}, **settings)
    return go(app, "accuracy")


def title(app):
    (figure,) = figures(app)
    return figure.title


@pytest.mark.parametrize("statistic", few(1, *SIMULATED))
def test_answers_of_several_numbers_have_bias_sd_and_rmse(open_page, statistic):
    app = accuracy(open_page, statistic, **SIMULATED[statistic])
    for axis in ("number of people", "true value", "epsilon"):
        choose(app, "x-axis", axis)
        names = {trace["name"] for trace in charts(app)[0]["data"]}
        assert "Laplace" in names
        assert len(names) >= 2
        (figure,) = figures(app)
        assert figure.title.startswith("RMSE of the ")
        assert figure.alt
    assert "Simulated: 4,000 releases for assumed values of " in shown(app)
    choose(app, "Metric", "margin of error")
    unknown = statistic == "correlation"
    said = "No margin of error can be given" if unknown else "Margin of error at ε = 20: ± "
    assert title(app).startswith(said)
    assert by_label(app.selectbox, "x-axis").disabled


def test_every_statistic_has_its_accuracy(open_page):
    use_survey(open_page)
    app = open_page("accuracy")
    for statistic in by_label(app.selectbox, "Statistic").options:
        choose(app, "Statistic", statistic)
        assert figures(app), statistic


@pytest.mark.parametrize("statistic", ["median", "several quantiles"])
def test_quantiles_show_their_errors_to_the_curator_alone(open_page, statistic):
    app = accuracy(open_page, statistic, epsilon=1.0)
    assert " ranks (" in title(app)
    by_label(app.toggle, "Show bias, SD and RMSE for this table").set_value(True).run()
    margin, errors = figures(app)
    assert " ranks (" in margin.title
    assert errors.title.startswith("RMSE of the ")
    if statistic == "several quantiles":
        assert len(table(app, "quantile")) == 5
        choose(app, "Quantile", 4)
        assert figures(app)[1].title != errors.title


@pytest.mark.parametrize(("wanted", "verdict"), [(1e-6, "misses"), (1e6, "meets")])
def test_a_margin_says_whether_it_meets_the_target(wanted, verdict):
    asked = item("mean", epsilon=0.5, wanted=wanted)
    plan = AnalysisPlan(items=(asked,), total=0.5)
    picture = margin_picture(compare(plan, around(0.5)))
    assert f", which {verdict} the target of ± " in picture.title
    assert picture.title in picture.alt
    assert (picture.table["ε"].diff().dropna() > 0).all()
