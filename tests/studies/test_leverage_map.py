"""Leverage against residual, as counts of people."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.models.leverage_and_residual import epsilon_of
from dpcore.studies.individual.leverage_map import leverage_map

RNG = np.random.default_rng(5)
N = 3000
LEVERAGE = RNG.gamma(1.0, 0.01, N)
RESIDUAL = RNG.standard_normal(N)


def sample(leverage, residual):
    return epsilon_of(leverage, residual, 1e-6)


EPSILON = sample(LEVERAGE, RESIDUAL)


def mapped(**named):
    return leverage_map(LEVERAGE, RESIDUAL, EPSILON, loss_at=sample, **named)


def test_cells_hold_everybody_and_their_mean_loss():
    found = mapped()
    assert found.people.sum() == N
    total = np.nansum(found.people * np.where(found.people > 0, found.epsilon, 0.0))
    assert total == pytest.approx(EPSILON.sum(), rel=1e-12)
    assert np.isnan(found.epsilon[found.people == 0]).all()


def test_a_cell_is_where_its_people_are():
    found = leverage_map(np.array([1e-3, 1e-1]), np.array([-1.0, 2.0]), np.ones(2))
    for x, y in ((1e-3, -1.0), (1e-1, 2.0)):
        row = np.searchsorted(found.residual_edges, y) - 1
        assert found.people[row, (np.searchsorted(found.leverage_edges, x) - 1)] == 1


def test_most_exposed_come_first_and_stand_where_they_are():
    found = mapped(most=7)
    order = np.argsort(-EPSILON)[:7]
    np.testing.assert_array_equal(found.top, order)
    np.testing.assert_array_equal(found.top_leverage, LEVERAGE[order])
    np.testing.assert_array_equal(found.top_residual, RESIDUAL[order])
    below, smaller = found.above
    assert below == np.mean(LEVERAGE[order[0]] > LEVERAGE)
    assert smaller == np.mean(np.abs(RESIDUAL) < np.abs(RESIDUAL[order[0]]))


def test_everybody_on_a_line_loses_what_it_says():
    found = mapped()
    assert len(found.lines) >= 2
    for line in found.lines:
        losses = sample(line.leverage, line.residual)
        # Interpolated over 241 residuals; near the floor the loss turns fastest.
        np.testing.assert_allclose(losses, line.epsilon, rtol=0.02)


def test_a_perfect_prediction_still_has_a_loss_from_a_sample_only():
    found = mapped()
    assert found.floor == sample(np.array([np.median(LEVERAGE)]), np.zeros(1))[0] > 0
    noise = leverage_map(LEVERAGE, RESIDUAL, EPSILON, loss_at=lambda a, r: np.sqrt(a) * np.abs(r))
    assert noise.floor == 0


def test_people_without_a_place_are_counted():
    leverage = np.array([0.1, 0.0, np.inf, 0.2])
    residual = np.array([1.0, 1.0, np.nan, -1.0])
    found = leverage_map(leverage, residual, np.array([0.1, 0.0, np.inf, 0.3]))
    assert found.left_out == 2
    assert found.people.sum() == 2
    np.testing.assert_array_equal(found.top, [3, 0])


@pytest.mark.parametrize("residual", [0.0, 0.7])
def test_one_person_and_equal_people_are_drawn(residual):
    for people in (1, 50):
        ones = np.ones(people)
        found = leverage_map(0.1 * ones, residual * ones, 0.2 * ones, loss_at=sample)
        assert found.people.sum() == people
        assert np.all(np.diff(found.leverage_edges) > 0)
        assert np.all(np.diff(found.residual_edges) > 0)


def test_nobody_to_draw_is_an_error():
    with pytest.raises(ParameterError, match="nobody"):
        leverage_map(np.zeros(3), np.ones(3), np.ones(3))
    with pytest.raises(ParameterError, match="one shape"):
        leverage_map(np.ones(3), np.ones(2), np.ones(3))
