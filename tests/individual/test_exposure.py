"""Everybody's own privacy loss against the guarantee and against known values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.data.bounds import Interval
from dpcore.errors import DataError, ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.variance import StandardDeviation, Variance
from tests.individual.plans import Plan
from tests.terms import ADD_REMOVE, SUBSTITUTION

X1 = np.array([-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5])
BOUNDS = Interval(lower=-3.0, upper=3.0)
TEN = TableSize(people=10, public=True)
MEAN = Mean(bounds=BOUNDS, size=TEN)
OF_NUMBERS = (Sum, Mean, Variance, StandardDeviation)
OF_MEMBERS = (Count, Proportion)


def exposure(statistic, values, mechanism=Laplace, relation=SUBSTITUTION, delta=0.0):
    """The losses at epsilon 1."""
    sensitivity = statistic.sensitivity(relation)
    calibrated = mechanism.calibrate(
        sensitivity=sensitivity, epsilon=1.0, delta=delta, bounds=statistic.range
    )
    return per_instance_losses(
        Plan(calibrated, sensitivity),
        statistic,
        np.asarray(values, dtype=float),
        relation=relation,
        delta=delta,
    )


REMOVED = [
    0.2796296296,
    0.2055555556,
    0.15,
    0.07592592593,
    0.05740740741,
    0.001851851852,
    0.0537037037,
    0.1092592593,
    0.2018518519,
    0.4055555556,
]
REPLACED = [
    0.7,
    0.6333333333,
    0.5833333333,
    0.5166666667,
    0.5,
    0.55,
    0.6,
    0.65,
    0.7333333333,
    0.9166666667,
]
REMOVED_GAUSSIAN = [
    0.2553373327,
    0.1837824137,
    0.1312211901,
    0.0632687281,
    0.0468507162,
    0.0010774971,
    0.0436067419,
    0.0934724336,
    0.1802456044,
    0.3798954944,
]


@pytest.mark.parametrize(
    ("mechanism", "relation", "delta", "expected"),
    [
        (Laplace, ADD_REMOVE, 0.0, REMOVED),
        (Laplace, SUBSTITUTION, 0.0, REPLACED),
        (Gaussian, ADD_REMOVE, 1e-6, REMOVED_GAUSSIAN),
    ],
)
def test_losses_of_ten_people(mechanism, relation, delta, expected):
    found = exposure(MEAN, X1, mechanism, relation, delta)
    np.testing.assert_allclose(found.epsilon, expected, rtol=0, atol=1e-9)
    assert found.worst_case == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (Laplace, 0.0),
        (Laplace, 1e-3),
        (BoundaryInflatedLaplace, 0.0),
        (TruncatedLaplace, 0.0),
        (Gaussian, 1e-6),
    ],
)
@pytest.mark.parametrize("relation", NeighboringRelation)
@settings(deadline=None, max_examples=25)
@given(
    values=arrays(np.float64, st.integers(1, 9), elements=st.floats(-4, 4)), least=st.integers(3, 9)
)
def test_nobody_loses_more_than_the_guarantee(mechanism, delta, relation, values, least):
    size = TableSize(people=least, public=False)
    asked = [statistic(bounds=BOUNDS, size=size) for statistic in OF_NUMBERS]
    inputs = [values] * len(asked)
    asked += [statistic(size=size) for statistic in OF_MEMBERS]
    inputs += [(values > 0)] * len(OF_MEMBERS)
    asked.append(Histogram(labels=("a", "b", "c"), size=size))
    inputs.append(np.digitize(values, [-1, 1]))
    for statistic, each in zip(asked, inputs, strict=True):
        found = exposure(statistic, each, mechanism, relation, delta)
        assert found.people == len(values)
        assert found.epsilon.min() >= 0
        # A standard deviation near 0 has lost half of its digits.
        assert found.maximum <= found.for_all <= found.worst_case * (1 + 1e-7)


@pytest.mark.parametrize(
    ("statistic", "relation", "size", "values"),
    [
        (Sum, SUBSTITUTION, TEN, [-3] * 9 + [3]),
        (Sum, ADD_REMOVE, TableSize(people=5, public=False), [0, 0, 3]),
        (Mean, SUBSTITUTION, TEN, [0] * 9 + [3]),
        (Mean, ADD_REMOVE, TableSize(people=9, public=False), [-3] * 9 + [3]),
        (Variance, SUBSTITUTION, TEN, [-3] * 9 + [3]),
        (Variance, ADD_REMOVE, TableSize(people=10, public=False), [-3] * 9 + [3]),
        (StandardDeviation, SUBSTITUTION, TEN, [-3] * 9 + [3]),
    ],
)
@pytest.mark.parametrize("mechanism", [Laplace, BoundaryInflatedLaplace])
def test_the_extreme_record_loses_all_that_is_guaranteed(
    mechanism, statistic, relation, size, values
):
    asked = statistic(bounds=BOUNDS, size=size)
    found = exposure(asked, values, mechanism, relation)
    assert found.epsilon[-1] == pytest.approx(1.0, rel=1e-9)
    assert found.most_exposed(1)[0].epsilon == found.epsilon[-1]
    assert found.exceeding(found.worst_case) == (0, 0)


def test_an_outsider_may_lose_more_than_anybody_inside():
    alike = np.zeros(10)
    size = TableSize(people=10, public=False)
    asked = Mean(bounds=BOUNDS, size=size)
    found = exposure(asked, alike, relation=ADD_REMOVE)
    assert found.maximum == 0
    # Sensitivity 6/11; a newcomer at a bound moves the mean by 3/11.
    assert found.for_all == pytest.approx(0.5)
    inside = exposure(MEAN, alike)
    assert inside.for_all == inside.maximum


def test_counts_lose_by_kind():
    count = Count(size=TableSize(people=4, public=False))
    found = exposure(count, [1, 0, 1, 0, 0], relation=ADD_REMOVE)
    assert found.epsilon.tolist() == [1, 0, 1, 0, 0]
    cells = Histogram(labels=("a", "b", "c"), size=TableSize(people=4, public=True))
    found = exposure(cells, [0, 1, 1, 2])
    np.testing.assert_allclose(found.epsilon, 1.0)


def test_several_rows_of_a_unit_multiply_the_loss():
    once = exposure(MEAN, X1).epsilon
    sensitivity = MEAN.sensitivity(SUBSTITUTION).times(2, coordinates=1)
    mechanism = Laplace(noise=sensitivity.l1 / 1.0)
    twice = per_instance_losses(
        Plan(mechanism, sensitivity), MEAN, X1, relation=SUBSTITUTION, rows=2
    )
    # The same share of twice the sensitivity.
    np.testing.assert_allclose(twice.epsilon, once)


def test_moments_are_power_means():
    found = exposure(MEAN, X1)
    for order in (1, 2, 7.5):
        plain = np.mean(found.epsilon**order) ** (1 / order)
        assert found.moment(order) == pytest.approx(plain)
    assert found.moment(5000) == pytest.approx(found.maximum, rel=1e-3)
    assert found.moment(np.inf) == found.maximum
    with pytest.raises(ParameterError, match="order"):
        found.moment(0)


@settings(deadline=None, max_examples=50)
@given(values=arrays(np.float64, 10, elements=st.floats(-3, 3)))
def test_moments_rise_with_their_order_up_to_the_maximum(values):
    found = exposure(MEAN, values, relation=ADD_REMOVE)
    moments = [found.moment(order) for order in (1, 2, 5, 50)]
    assert (np.diff(moments) >= -1e-12).all()
    assert moments[0] == pytest.approx(found.mean)
    assert moments[-1] <= found.maximum * (1 + 1e-12)


def test_a_table_without_values_is_refused():
    count = Count(size=TableSize(people=4, public=False))
    with pytest.raises(DataError, match="nobody"):
        exposure(count, [], relation=ADD_REMOVE)
    alone = Mean(bounds=BOUNDS, size=TableSize(people=1, public=True))
    with pytest.raises(ParameterError, match="one person less"):
        per_instance_losses(
            Plan(Laplace(noise=1.0), MEAN.sensitivity(ADD_REMOVE)),
            alone,
            np.zeros(1),
            relation=ADD_REMOVE,
        )


def test_nothing_confidential_is_printed():
    found = exposure(MEAN, X1)
    for value in (found, found.shifts):
        assert not any(digit in repr(value) for digit in ("2.5", "0.55", "0.91", "["))
