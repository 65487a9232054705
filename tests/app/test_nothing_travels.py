"""What was chosen for one column or table does not stay chosen for another."""

from __future__ import annotations

from dpcore.relations import NeighboringRelation
from tests.app.asking import COLUMNS, choose, go, use_survey
from tests.app.test_one_person import lesson
from tests.app.test_pages import by_label, fill, release_buttons, use_example
from tests.app.test_questions import set_to, shown


def labels(app):
    return {box.label: box for box in (*app.selectbox, *app.multiselect)}


def test_epsilon_starts_anew_for_another_column_and_another_table(open_page):
    app = use_example(open_page)
    app = open_page("release")
    epsilon = "ε for this release"
    fill(app, number_input={epsilon: 2.5}, selectbox={"Statistic": "sum"})
    assert by_label(app.number_input, epsilon).value == 2.5
    choose(app, "Column", 1)
    assert by_label(app.number_input, epsilon).value == 0.5
    told = "ε starts at 0.5 again"
    assert told in shown(app)
    choose(app, "Column", 0)
    assert told not in shown(app)
    fill(app, selectbox={"Column": 1}, number_input={epsilon: 2.5})
    assert by_label(go(app, "accuracy").number_input, epsilon).value == 2.5
    use_example(open_page, "fair")
    app = open_page("release")
    assert by_label(app.number_input, epsilon).value == 0.5
    assert by_label(app.selectbox, "Column").value == 0


def test_a_link_keeps_its_epsilon(open_page):
    use_example(open_page)
    open_page("about").query_params["epsilon"] = "1.25"
    assert by_label(open_page("release").number_input, "ε for this release").value == 1.25


def test_groups_belong_to_one_column(open_page):
    use_survey(open_page)
    app = open_page("release")
    choose(app, "Statistic", "mean")
    fill(app, multiselect={"By group": [0]}, selectbox={"Column": 1})
    assert labels(app)["By group"].value == []
    fill(app, multiselect={"By group": [0]}, selectbox={"Column": 0})
    assert labels(app)["By group"].value == [0]


def test_nobody_is_asked_about_before_somebody_is_chosen(open_page):
    use_survey(open_page)
    app = open_page("release")
    for column in ("region", "smoker"):
        choose(app, "Column", COLUMNS.index(column))
        set_to(app, "selectbox", "Statistic", "proportion")
        assert labels(app)["Who counts"].value is None
        assert "Choose who counts" in shown(app)
        assert not release_buttons(app)
        choose(app, "Who counts", labels(app)["Who counts"].options[0])
        assert release_buttons(app)


def statistics(app, place):
    choose(app, "Column", place)
    return list(by_label(app.selectbox, "Statistic").options)


def test_no_column_is_grouped_by_itself(open_page):
    use_example(open_page)
    app = open_page("release")
    names, seen = list(by_label(app.selectbox, "Column").options), 0
    for place, name in enumerate(names):
        for statistic in statistics(app, place):
            set_to(app, "selectbox", "Statistic", statistic)
            for label, box in labels(app).items():
                if "roup" in label:
                    assert name not in box.options
                    seen += 1
    assert seen


def test_losses_are_compared_as_the_guarantee_is(open_page):
    app = lesson(open_page, "rand-hie")
    assert by_label(app.radio, "Compared with").value is NeighboringRelation.SUBSTITUTION
