"""What was chosen for one column or table does not stay chosen for another."""

from __future__ import annotations

from tests.app.asking import choose, go
from tests.app.test_pages import by_label, fill, use_example


def test_epsilon_stays_for_another_column_and_starts_anew_for_another_table(open_page):
    app = use_example(open_page)
    app = open_page("release")
    epsilon = "ε for this release"
    fill(app, number_input={epsilon: 2.5}, selectbox={"Statistic": "sum"})
    assert by_label(app.number_input, epsilon).value == 2.5
    choose(app, "Column", 1)
    assert by_label(app.number_input, epsilon).value == 2.5
    assert by_label(go(app, "accuracy").number_input, epsilon).value == 2.5
    use_example(open_page, "fair")
    app = open_page("release")
    assert by_label(app.number_input, epsilon).value == 0.5
    assert by_label(app.selectbox, "Column").value == 0
