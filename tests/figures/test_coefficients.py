"""Pictures of coefficients say what is on them."""

import numpy as np

from dpcore.figures.coefficients import coefficients_picture

LABELS = ("intercept", "<b>age</b>", "income")
VALUES = np.array([0.5, -0.2, 0.1])
ENDS = np.array([[0.3, 0.7], [-0.4, 0.0], [-0.5, 0.7]])


def picture(**changes):
    named = {"ends": ENDS} | changes
    return coefficients_picture(LABELS, VALUES, named.pop("ends"), **named)


def test_title_counts_the_signs_that_are_beyond_doubt():
    assert "1 of 3 coefficients (95%)" in picture().title
    assert "sign of 1 of 3" in picture(samples=4).title
    assert "as they were drawn" in picture(ends=None).title


def test_truth_is_beside_the_release_only_if_given():
    assert len(picture().figure.data) == 1
    shown = picture(truth=np.array([0.4, -0.2, 0.3]))
    assert "at most 0.2" in shown.title
    assert list(shown.table["without noise"]) == [0.4, -0.2, 0.3]
    assert [trace.name for trace in shown.figure.data] == ["released", "without noise"]
    assert picture(simulated=True).figure.data[0].name == "simulated"


def test_a_released_model_names_what_was_computed():
    statement = "linear regression of y on a, values of a above 9 counted as 9"
    shown = picture(statement=statement)
    assert statement in shown.alt
    title = shown.figure.layout.xaxis.title.text.replace("<br>", " ")
    assert title == "coefficient (model scale): linear regression of y on a"
    assert shown.figure.layout.height > picture().figure.layout.height


def test_names_that_are_cut_short_keep_their_points_apart():
    labels = ("a long name of a column: one", "a long name of a column: none", "b")
    shown = coefficients_picture(labels, VALUES, None).figure
    assert len(set(shown.data[0].y)) == len(labels)
    assert list(shown.data[0].customdata) == list(labels)
    assert max(map(len, shown.layout.yaxis.ticktext)) <= 22


def test_names_are_no_markup():
    shown = picture()
    assert "<b>" not in shown.figure.to_json().replace("\\u003c", "<")
    assert list(shown.table["coefficient"]) == list(LABELS)
