"""The losses of ten people, for what no other test of them covers."""

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.generalized import GeneralizedGaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.covariance import Covariance
from dpcore.statistics.quantiles import RankScores
from dpcore.statistics.variance import Variance
from tests.individual.plans import Plan
from tests.terms import ADD_REMOVE, SUBSTITUTION

X1 = np.array([-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5])
Y = np.array([-0.9, -0.2, -0.6, 0.4, -0.3, 0.7, 0.1, -0.4, 1.5, 0.6])
BOUNDS = Interval(lower=-3.0, upper=3.0)
TEN = TableSize(people=10, public=True)


@pytest.mark.parametrize(
    ("order", "shift", "epsilon", "delta"),
    [
        (3.0, 0.5, 0.5, 0.16514581816933194),
        (4.0, 1.0, 1.0, 0.40768561054427654),
        (1.5, 0.2, 0.1, 0.06563191645773503),
    ],
)
def test_profile_of_generalized_gaussian_noise(order, shift, epsilon, delta):
    mechanism = GeneralizedGaussian(noise=1.0, order=order)
    for pair in ([0.0], [shift]), ([shift], [0.0]):
        got = mechanism.pairwise_delta(*pair, epsilon=epsilon)
        assert got == pytest.approx(delta, rel=1e-10)
        level = mechanism.pairwise_epsilon(*pair, delta=delta)
        assert level == pytest.approx(epsilon, rel=1e-9)


def test_replacing_a_record_in_a_variance_over_n():
    shifts = Variance(bounds=BOUNDS, size=TEN, ddof=0).neighbors(X1, SUBSTITUTION)
    expected = [*(0.8352, 0.924, 0.9675, 0.9947, 0.996), *(0.9867, 0.9576, 0.9087, 0.7832, 0.5329)]
    np.testing.assert_allclose(shifts.distances(), expected, rtol=1e-9)


def test_a_loss_is_the_shift_over_the_scale_for_every_statistic():
    box = Covariance(bounds=(BOUNDS, BOUNDS), size=TEN)
    both = np.column_stack([X1, Y])
    for relation in NeighboringRelation:
        shifts = box.neighbors(both, relation)
        epsilon = Laplace(noise=0.5).pairwise_epsilon(shifts.actual, shifts.alternatives)
        each = shifts.distances() / 0.5
        np.testing.assert_allclose(epsilon.max(axis=-1), each, rtol=1e-12)


def test_everybody_on_one_side_of_the_median_loses_the_same():
    without = [np.median(np.delete(X1, person)) for person in range(10)]
    np.testing.assert_allclose(np.abs(without - np.median(X1)), 0.15)
    # Choices by rank tell more people apart, within the guarantee.
    scores = RankScores(bounds=BOUNDS, q=0.5, size=TableSize(people=1, public=False), candidates=61)
    sensitivity = scores.sensitivity(ADD_REMOVE)
    mechanism = Exponential.calibrate(sensitivity=sensitivity, epsilon=1.0, bounds=BOUNDS)
    found = per_instance_losses(Plan(mechanism, sensitivity), scores, X1, relation=ADD_REMOVE)
    assert found.worst_case == 1
    assert 0.4 < found.epsilon.min() <= found.maximum < 0.7
