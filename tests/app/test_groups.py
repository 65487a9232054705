"""Statistics by group and within groups, followed over the pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpcore.mechanisms.catalog import CATALOG
from tests.app.asking import PEOPLE, SURVEY, choose, go, number, use_survey
from tests.app.test_pages import by_label, charts, fill, release_button, release_buttons
from tests.app.test_questions import release, set_to, shown

PUBLIC = "The group of every row is public"


def noise(app):
    """The noise before payment: of a group of some size, or of all at once."""
    return number(tile(app).value.removeprefix("± ").split()[0])


def tile(app):
    return next(
        tile for tile in app.metric if tile.label.startswith(("Margin, ", "Margin of error"))
    )


def test_the_margin_of_each_group_is_planned_once(open_page, monkeypatch):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "variance")
    fill(app, selectbox={"By group": 0}, number_input={"ε for this release": 20.0})
    laplace, calibrated = CATALOG["laplace"], []

    def noted(**settings):
        calibrated.append(settings)
        return laplace.calibrate(**settings)

    monkeypatch.setitem(CATALOG, "laplace", replace(laplace, calibrate=noted))
    set_to(app, "number_input", "Assumed group size", 40)
    # However many views the page has of a question, it is planned once.
    assert len(calibrated) == 1
    assert tile(app).label == "Margin, a group of 40"
    assert tile(app).value.startswith("± ")
    assert "10: ±" in shown(app)
    # No group has more people than the table, whose number is public.
    assert by_label(app.number_input, "Assumed group size").max == PEOPLE
    assert "100: ±" in shown(app)
    assert "300: " not in shown(app)
    # Four tiles stand side by side: what is longer would be cut.
    assert max(len(tile.label) for tile in app.metric) <= 26


@pytest.mark.usefixtures("known_noise")
def test_group_of_nobody_gets_no_number_and_no_rank(open_page):
    """The numbers of the issue: a category that nobody has, and mean by group."""
    use_survey(open_page, text=SURVEY.replace(",west,", ",south,"))
    app = choose(open_page("release"), "Statistic", "mean")
    fill(app, selectbox={"By group": 0}, number_input={"ε for this release": 5.0})
    release(app)
    (title,) = (m.value for m in app.markdown if "mong the groups that are large enough" in m.value)
    assert "“west”" not in title
    assert any("“west”" in one.value for one in app.caption if "Too few to say" in one.value)
    assert app.dataframe[-1].value.iloc[0]["result"].endswith(" and 3 more")
    (figure, *_) = charts(app)
    (dots,) = (t for t in figure["data"] if t.get("mode") == "markers")
    assert "west" not in dots["x"]
    assert "too few to say" in [a["text"] for a in figure["layout"]["annotations"]]
    # Nor is it compared with any other, in words, choice or figure.
    one = by_label(app.selectbox, "Compare the group")
    assert one.options == ["north", "south", "other"]
    choose(app, "Compare the group", "other")
    assert by_label(app.selectbox, "With the group").options == ["north", "south"]
    choose(app, "With the group", "south")
    # Another first group leaves the second as it was chosen.
    choose(app, "Compare the group", "north")
    assert by_label(app.selectbox, "With the group").value == "south"
    choose(app, "Compare the group", "other")
    (pairs,) = (one.value for one in app.dataframe if "group" in one.value and len(one.value) == 3)
    assert set(pairs["group"]) == {"north", "south", "other"}
    (_, apart, *_) = charts(app)
    words = apart["layout"]["xaxis"]["title"]["text"]
    assert "“other” − “south”" in words.replace("<br>", " ")
    assert "so not compared: “west”" in shown(app)


def test_public_groups_need_less_noise(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "pooled covariance")
    private = noise(app)
    hidden = follow(app)
    assert hidden.title.endswith("within region")
    assert hidden.exposed[-3] == "region in use"
    go(app, "release")
    by_label(app.checkbox, PUBLIC).set_value(True).run()
    public = noise(app)
    # What a record takes along to another group counts twice in a covariance.
    assert public / private == pytest.approx(0.5, rel=0.05)
    known = follow(app)
    assert known.answer != hidden.answer
    for seen in (hidden, known):
        assert "RMSE at ε" in seen.tradeoffs
    for axis in ("number of people", "true value", "who wins where"):
        choose(app, "x-axis", axis)
        assert len(charts(app)) == 1


def test_public_group_of_one_person_is_explained_without_its_size(open_page):
    lonely = SURVEY.replace(",east,", ",north,").replace(",,no\n", ",south,no\n")
    lonely = lonely.replace(",,yes\n", ",south,yes\n").replace(",,\n", ",south,\n")
    use_survey(open_page, text=lonely + "50,900,70,east,no\n")
    app = choose(open_page("release"), "Statistic", "pooled variance")
    by_label(app.checkbox, PUBLIC).set_value(True).run()
    assert "at least two people each" in app.info[0].value
    assert not release_buttons(app)
    by_label(app.checkbox, PUBLIC).set_value(False).run()
    assert not release_button(app).disabled


def test_several_columns_make_the_cells_of_a_table(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "sum")
    fill(
        app,
        selectbox={"By group": 1, "By group, column 2": 0},
        number_input={"ε for this release": 20.0},
    )
    assert tile(app).value.startswith("± ")
    seen = follow(app)
    assert seen.title == "sum of age by region and smoker"
    # Three regions with two answers each, and who is in none of these cells.
    assert len(seen.answer) == 7
    assert {"row", "age in use", "region and smoker in use"} <= set(seen.exposed)
    (figure, *_) = charts(go(app, "release"))
    (cells,) = figure["data"]
    assert cells["x"] == ["no", "yes"]
    assert cells["y"] == ["north", "south", "west"]
    assert "north × no" in shown(app)
