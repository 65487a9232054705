"""Two plans side by side, and the dots of what could come out."""

import numpy as np
import pytest

from dpcore.data.quantities import Quantity
from dpcore.figures.plans import Possible, outcomes_picture
from dpcore.planning.outcomes import DOTS, outcomes, usual
from tests.planning.planned import ALL, item
from tests.releases.questions import apart, means


@pytest.mark.parametrize("name", ALL)
def test_dots_stand_in_equal_parts_of_the_law_around_the_assumed_value(name):
    planned = item(name)
    start = usual(planned)
    if start is None:
        assert name in {"median", "matrix", "shares", "shares but one", "model"}
        return
    values = outcomes(planned, start)
    assert len(values) == DOTS
    assert (np.diff(values) >= 0).all()
    assert np.median(values) == pytest.approx(start, abs=planned.width.half / 5)
    if "group" not in name:
        mechanism = planned.request.plan.mechanism
        shares = mechanism.cdf(values, start)
        assert shares == pytest.approx((np.arange(DOTS) + 0.5) / DOTS, abs=1e-9)


@pytest.mark.parametrize(
    ("asked", "away"),
    [(ALL["group"], 30.0), (apart(), 30.0), (means(), 0.3)],
    ids=["group", "apart", "means"],
)
def test_dots_of_groups_keep_within_their_half_width(asked, away):
    planned = item("mean", request=asked, group=500)
    far = usual(planned) + away
    assert np.median(outcomes(planned, far)) == pytest.approx(far, abs=planned.width.half / 5)
    values = outcomes(planned, usual(planned), dots=200)
    off = np.abs(values - usual(planned))
    assert np.mean(off <= planned.width.half) >= 0.95
    # It is for the least favorable mean, and not so wide as to say nothing.
    assert np.quantile(off, 0.95) >= planned.width.half / 4


def test_picture_counts_the_answers_that_are_near_enough():
    planned = item("mean")
    start = usual(planned)
    shown = [
        Possible(name=name, values=outcomes(planned.at(eps), start), key="laplace")
        for name, eps in (("plan", 0.1), ("other", 10.0))
    ]
    wanted = float(np.abs(shown[0].values - start)[3])
    picture = outcomes_picture(
        "mean", shown, assumed=start, quantity=Quantity(unit="years"), wanted=wanted
    )
    counts = [np.count_nonzero(np.abs(one.values - start) <= wanted) for one in shown]
    assert f"{counts[0]} of 20 under plan, {counts[1]} of 20 under other" in picture.title
    assert counts[1] == DOTS
    assert list(picture.table) == ["plan", "other"]
    free = outcomes_picture("mean", shown, assumed=start, quantity=Quantity(), wanted=None)
    assert "Half of the results for mean are within" in free.title


@pytest.mark.parametrize("near", range(2, 19, 4))
def test_as_many_dots_stand_within_the_lines_as_answers_are_near_enough(near):
    planned, start = item("mean", epsilon=0.1), usual(item("mean"))
    values = outcomes(planned, start)
    off = np.sort(np.abs(values - start))
    wanted = float(off[near - 1] + off[near]) / 2
    shown = [Possible(name="plan", values=values, key="laplace")]
    picture = outcomes_picture("mean", shown, assumed=start, quantity=Quantity(), wanted=wanted)
    (dots,) = (trace for trace in picture.figure.data if len(trace.x) == DOTS)
    within = np.abs(np.array(dots.x) - start) <= wanted
    assert np.count_nonzero(within) == np.count_nonzero(off <= wanted)
