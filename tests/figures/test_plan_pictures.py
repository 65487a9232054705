"""Pictures of plans: their takeaway is that of their numbers, and no color is alone."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.figures.compositions import prices_picture
from dpcore.figures.plans import slide_picture
from dpcore.planning.analysis_plan import AnalysisPlan, Split
from dpcore.planning.comparison import compare
from dpcore.planning.plan_cost import cost_of_plan
from dpcore.planning.splits import settled
from tests.planning.planned import QUICK, item, of_age


def plan(*wanted, total=1.0, **changes):
    names = ("mean", "median", "group")
    items = tuple(item(name, wanted=w) for name, w in zip(names, wanted, strict=False))
    return settled(AnalysisPlan(items=items, total=total, **changes))


def cells(picture):
    (heat,) = picture.figure.data
    return np.array(heat.text)[1::2]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ((None, None), "say what must be seen"),
        ((2.0, 80.0), "both targets with ε = 1; ε = 0.415 would do (best split)"),
        ((1.2, 20.0), "1 of 2 targets with ε = 1; ε = 1.23 meets both targets (best split)"),
        ((1e-6, 1e-6), "none of 2 targets with ε = 1; no total meets both"),
        ((1.2, 40.0), "both targets with ε = 1; ε = 0.769 would do"),
    ],
)
def test_slide_says_what_the_plan_shows(wanted, said):
    found = compare(plan(*wanted))
    picture = slide_picture(found)
    assert said in picture.title
    assert picture.alt.startswith("Half-widths at 95%")
    marks = found.enough.ravel().tolist()
    for text, mark in zip(cells(picture).ravel().tolist(), marks, strict=True):
        assert text.startswith("✓ ") is (mark == 1)
        assert text.startswith("✗ ") is (mark == 0)


def test_slide_says_where_there_is_no_room_or_nothing_to_say():
    kept = replace(item("mean", epsilon=0.3), locked=True)
    basket = AnalysisPlan(items=(kept, item("group", group=20)), total=1.0)
    picture = slide_picture(compare(settled(basket)))
    assert (cells(picture)[:, 0] == "no room").all()
    assert cells(picture)[1, 1] == "can't say"
    assert np.isnan(picture.table["± at ε = 0.1"]).all()


def test_slide_says_of_an_error_as_wide_as_the_answer_that_it_says_nothing():
    basket = AnalysisPlan(items=(item("median", epsilon=1.0, wanted=80.0),), total=1.0)
    found = compare(basket, (0.001, 1.0))
    (texts,) = cells(slide_picture(found))
    assert found.void.tolist() == [[True, False]]
    assert texts[0] == "✗ says nothing"
    assert texts[1].startswith("✓ ")
    # Places are no more than the people there are, and whole.
    assert item("median", epsilon=0.01).width.half > 812


def test_slide_of_what_is_released_has_its_own_total_alone():
    kept = [replace(item("mean", wanted=2.0), locked=True)]
    found = compare(AnalysisPlan(items=tuple(kept), total=5.0))
    assert found.totals == (1.0,)
    assert slide_picture(found).title == "The plan meets the target with ε = 1"
    free = compare(plan(2.0, total=1.999_999))
    assert [f"{total:.3g}" for total in free.totals] == ["0.1", "0.5", "1", "2", "5"]


def test_slide_keeps_proportions_where_the_best_split_cannot_be_found():
    items = item("mean", epsilon=0.75, wanted=2.0), item("model", epsilon=0.25)
    found = compare(AnalysisPlan(items=items, split=Split.BEST))
    assert found.epsilons[:, found.own] == pytest.approx([0.75, 0.25])
    assert np.isfinite(found.halves[0]).all()


def test_names_from_the_data_are_shown_as_they_are():
    named = replace(item("mean"), name="<b>pay</b> of all the many people there are")
    (note,) = slide_picture(compare(AnalysisPlan(items=(named,)))).figure.layout.annotations
    assert note.text.startswith("&lt;b&gt;pay&lt;/b&gt;")


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
