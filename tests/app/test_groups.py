"""Statistics by group and within groups, followed over the pages."""

from __future__ import annotations

import pytest

from tests.app.asking import SURVEY, choose, go, number, use_survey
from tests.app.test_pages import button, by_label, charts, use_example
from tests.app.test_questions import set_to

PUBLIC = "Everybody's group is public"
NOISE = "Noise, 95 times of 100"


def noise(app):
    return number(by_label(app.metric, NOISE).value.removeprefix("± ").split()[0])


@pytest.mark.parametrize("statistic", ["variance", "mean"])
def test_each_group_has_its_number_and_all_others_too(open_page, follow, statistic):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", statistic)
    choose(app, "By group", 0)
    set_to(app, "number_input", "People in a group, at least", 40)
    seen = follow(app)
    assert seen.title == f"{statistic} of age by region"
    # North, south, west and "other", which nobody listed.
    assert len(seen.answer) == 4
    assert {"row", "age in use", "region in use"} <= set(seen.exposed)
    assert f"of the {statistic} of one group is that of" in seen.tradeoffs
    choose(app, "Compare along", "number of people")
    (figure,) = charts(app)
    assert "people in a group" in figure["layout"]["xaxis"]["title"]["text"]


@pytest.mark.parametrize("statistic", ["pooled variance", "pooled covariance"])
def test_public_groups_need_less_noise(open_page, follow, statistic):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", statistic)
    private = noise(app)
    hidden = follow(app)
    assert hidden.title.endswith("within region")
    assert hidden.exposed[-3] == "region in use"
    go(app, "release")
    by_label(app.checkbox, PUBLIC).set_value(True).run()
    public = noise(app)
    # What a record takes along to another group counts twice in a covariance.
    ratio = 0.5 if statistic == "pooled covariance" else 1.0
    assert public / private == pytest.approx(ratio, rel=0.05)
    known = follow(app)
    assert known.answer != hidden.answer
    for seen in (hidden, known):
        assert "the least typical error is that of" in seen.tradeoffs
    for axis in ("number of people", "true value", "who wins where"):
        choose(app, "Compare along", axis)
        assert len(charts(app)) == 1


def test_public_groups_without_others_are_the_listed_ones(open_page, follow):
    use_example(open_page)
    app = choose(open_page("release"), "Statistic", "pooled variance")
    by_label(app.checkbox, PUBLIC).set_value(True).run()
    assert not app.info
    assert len(follow(app).answer) == 1


def test_public_group_of_one_person_is_explained_without_its_size(open_page):
    lonely = SURVEY.replace(",east,", ",north,").replace(",,no\n", ",south,no\n")
    lonely = lonely.replace(",,yes\n", ",south,yes\n").replace(",,\n", ",south,\n")
    use_survey(open_page, text=lonely + "50,900,70,east,no\n")
    app = choose(open_page("release"), "Statistic", "pooled variance")
    by_label(app.checkbox, PUBLIC).set_value(True).run()
    assert "at least two people each" in app.info[0].value
    assert "Release" not in [each.label for each in app.button]
    by_label(app.checkbox, PUBLIC).set_value(False).run()
    assert not button(app, "Release").disabled
