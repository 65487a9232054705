"""Pictures of plans: their takeaway is that of their numbers, and no color is alone."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.figures.compositions import prices_picture
from dpcore.figures.plans import losses_picture, margins_picture
from dpcore.individual.losses import Losses
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.comparison import around, compare
from dpcore.planning.plan_cost import cost_of_plan
from dpcore.planning.splits import settled
from tests.planning.planned import QUICK, item, of_age


def test_a_margin_that_is_not_known_leaves_a_gap():
    kept = replace(item("mean", epsilon=0.3), locked=True)
    basket = settled(AnalysisPlan(items=(kept, item("group", group=20)), total=1.0))
    picture = margins_picture(compare(basket, around(1.0)))
    # A total below what is locked has no shares, and a group of 20 says little at first.
    assert np.isnan(picture.table.iloc[0, 1])
    assert np.isinf(picture.table.iloc[:, 2]).any()


def test_names_from_the_data_are_shown_as_they_are():
    named = replace(item("mean"), name="<b>pay</b> of all the many people there are")
    (note,) = margins_picture(compare(AnalysisPlan(items=(named,)))).figure.layout.annotations
    assert note.text.startswith("1. &lt;b&gt;pay&lt;/b&gt;")


@pytest.mark.parametrize(
    ("requests", "delta", "said"),
    [
        ([QUICK["mean"]], 0.0, "costs ε = 1, the same as sequential releases"),
        (
            [of_age(people=800 + k, epsilon=0.1) for k in range(40)],
            1e-6,
            "Joint composition (privacy loss distribution (PLD)): ε = 2.74",
        ),
    ],
)
def test_price_says_what_is_charged(requests, delta, said):
    price = cost_of_plan(requests, delta=delta)
    picture = prices_picture(price)
    assert said in picture.title
    (bars,) = picture.figure.data
    (charged,) = [text for text in bars.text if "charged" in text]
    assert len(picture.table) == 5
    assert float(charged.split()[0]) == pytest.approx(float(price.cost.epsilon), rel=1e-2)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("guarantee", [1.0, np.inf])
def test_everybody_is_in_the_histogram_of_losses(log, guarantee):
    losses = Losses.of(np.array([0.0, 0.0, 0.001, 0.2, 0.9]))
    picture = losses_picture(losses, guarantee=guarantee, limit=0.1, log=log)
    assert picture.title == "2 of 5 people lose more than ε = 0.1"
    assert picture.table["people"].sum() == 5
    words = [shape.label.text for shape in picture.figure.layout.shapes]
    assert words == ["threshold", *["guarantee"] * bool(np.isfinite(guarantee))]


def test_a_table_in_which_nobody_loses_anything_has_a_histogram():
    picture = losses_picture(Losses.of(np.zeros(3)), guarantee=0.0, limit=0.0, log=True)
    assert picture.table["people"].sum() == 3
