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
    assert "penalized coefficient certain for 1 of 3 (95%, noise only)" in picture().title
    assert "sign of 1 of 3" in picture(samples=4).title
    assert "as they were drawn" in picture(ends=None).title


def test_truth_is_beside_the_release_only_if_given():
    assert len(picture().figure.data) == 1
    shown = picture(truth=np.array([0.4, -0.2, 0.3]))
    assert "at most 0.2" in shown.title
    assert list(shown.table["without noise"]) == [0.4, -0.2, 0.3]
    assert [trace.name for trace in shown.figure.data] == ["released", "without noise"]
    assert picture(simulated=True).figure.data[0].name == "simulated"


def test_names_are_no_markup():
    shown = picture()
    assert "<b>" not in shown.figure.to_json().replace("\\u003c", "<")
    assert list(shown.table["coefficient"]) == list(LABELS)
