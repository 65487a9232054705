"""One thing has one name, and one name is one thing."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.figures.individual.one_person import realized_picture
from dpcore.studies.individual.hypothesis_tests import Realized
from tests.app.test_one_person import MODEL, lesson
from tests.app.test_pages import by_label, fill
from tests.app.test_questions import set_to, shown


def test_a_leverage_is_the_same_on_both_pages(open_page):
    lesson(open_page, "anes96")
    largest = by_label(open_page("regression").metric, "Largest leverage").value
    app = open_page("privacy_loss")
    app.session_state["model-why"] = True
    set_to(app, "radio", "What is released", MODEL)
    (listed,) = (d.value for d in app.dataframe if "leverage" in d.value)
    (why,) = (d.value for d in app.dataframe if "pull" in d.value)
    assert (why["row"] == listed["row"]).all()
    assert (listed["leverage"] <= float(largest) * 1.001).all()
    assert not np.allclose(why["pull"], listed["leverage"], rtol=1e-3)


def test_the_noise_of_a_matrix_is_said_to_be_a_part_of_the_largest(open_page):
    lesson(open_page, "rand-hie")
    app = open_page("release")
    set_to(app, "selectbox", "Statistic", "covariance matrix")
    labels = [metric.label for metric in app.metric]
    assert {"Noise / largest variance", "Noise / largest covariance"} <= set(labels)


@pytest.mark.parametrize("loss", [0.163, 0.05])
def test_a_loss_of_one_person_is_no_promise(loss):
    found = Realized(losses=np.full(100, loss), share=(np.arange(100) + 1) / 100)
    picture = realized_picture((found, found), own=0.163, delta=0.0, observed=None)
    assert "promised" not in picture.title
    assert "their own ε = 0.163" in picture.title


def test_a_table_is_not_said_to_be_cut_off_where_all_is_seen(open_page):
    app = open_page("lab")
    app.session_state["twin-worlds"] = True
    app.run()
    assert "to see all" not in shown(app)


def test_where_two_shares_move_the_noise_is_made_for_both(open_page):
    # 20,190 people: one share moves by 1/n, and the one that is left by as much.
    lesson(open_page, "rand-hie")
    app = open_page("release")
    fill(app, selectbox={"Column": "health", "Statistic": "all shares"})
    said = shown(app)
    assert "Up to 2 of them move at once." in said
    share = 1 / 20_190
    assert f"{2 * share:.3g}"[:4] in said.split("Up to 2 of them")[1]
