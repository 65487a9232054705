"""What the penalty takes: bounds from public numbers hold for every table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.shrinkage import moved_predictions, plain_fit, taken


def rows(rng, people, columns):
    x = rng.standard_normal((people, columns)) * rng.uniform(0.01, 1, columns)
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0)


@given(
    seed=st.integers(0, 2**32 - 1),
    people=st.integers(5, 60),
    columns=st.integers(1, 4),
    strength=st.floats(1e-3, 1e3),
)
@settings(max_examples=300)
def test_penalty_moves_predictions_of_no_linear_model_by_more(seed, people, columns, strength):
    rng = np.random.default_rng(seed)
    x = rows(rng, people, columns)
    y = rng.uniform(-1, 1, people)
    fit = fit_ridge(x, y, penalty=Penalty(strength=strength))
    plain = plain_fit(fit)
    length = float(np.linalg.norm(plain.theta))
    moved = np.sqrt(np.mean((x @ (fit.theta - plain.theta)) ** 2))
    assert moved <= moved_predictions(strength, people, length=length) * (1 + 1e-6)
    kept = np.linalg.norm(fit.theta)
    assert kept <= (1 - taken(strength, people)) * length * (1 + 1e-6)


def test_a_column_that_hardly_varies_keeps_what_the_formula_says():
    rng = np.random.default_rng(1)
    for spread in (1.0, 0.5, 0.1):
        x = rng.uniform(-spread, spread, 20_000)[:, np.newaxis]
        fit = fit_ridge(x, 0.5 * x[:, 0], penalty=Penalty(strength=280.0))
        share = taken(280.0, 20_000 * spread**2 / 3)
        assert 1 - fit.theta[0] / 0.5 == pytest.approx(share, rel=0.02)
