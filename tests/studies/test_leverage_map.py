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


def test_everybody_on_a_line_loses_what_it_says():
    found = mapped()
    assert len(found.lines) >= 2
    for line in found.lines:
        losses = sample(line.leverage, line.residual)
        # Interpolated over 241 residuals; near the floor the loss turns fastest.
        np.testing.assert_allclose(losses, line.epsilon, rtol=0.02)


def test_nobody_to_draw_is_an_error():
    with pytest.raises(ParameterError, match="nobody"):
        leverage_map(np.zeros(3), np.ones(3), np.ones(3))
    with pytest.raises(ParameterError, match="one shape"):
        leverage_map(np.ones(3), np.ones(2), np.ones(3))
