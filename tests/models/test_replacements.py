"""The search for the worst other record of each person, against all records."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.models.influence import substitution_certificates
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import largest_substitutions, removals
from tests.conftest import few
from tests.releases.models import question

GRID = np.linspace(-1, 1, 41)


def records(design):
    """Return a fine grid of all legal rows of a model of one or two numbers."""
    width = len(design.labels) - int(design.intercept)
    grid = np.stack(np.meshgrid(*[GRID] * width), axis=-1).reshape(-1, width)
    ones = np.ones((len(grid), int(design.intercept)))
    return np.hstack([ones, grid]) / design.root


def brute(fit, rows):
    """Return the largest shift over all rows and both ends of the target."""
    most = np.zeros(fit.people)
    hessian = fit.factor.hessian
    right = fit.features.T @ fit.target
    outer = rows[:, :, np.newaxis] * rows[:, np.newaxis]
    for person in range(fit.people):
        own, y = fit.features[person], fit.target[person]
        left = hessian - np.outer(own, own) + outer
        for end in (-1.0, 1.0):
            sums = right - own * y + rows * end
            theta = np.linalg.solve(left, sums[..., np.newaxis])[..., 0]
            moved = np.linalg.norm(theta - fit.theta, axis=1).max()
            most[person] = max(most[person], moved)
    return most


@pytest.mark.parametrize("seed", few(20, *range(60)))
def test_search_finds_nearly_all_of_the_worst_record(seed):
    rng = np.random.default_rng(seed)
    people, wide, intercept = 5 + seed % 6, seed % 3 == 0, seed % 2 == 0
    design = question().design
    design = replace(
        design, intercept=intercept, features=design.features if wide else design.features[:1]
    )
    rows = records(design)
    x = rows[rng.choice(len(rows), people)]
    y = rng.choice(GRID, people)
    fit = fit_ridge(x, y, penalty=Penalty(strength=(0.1, 0.5, 3.0)[seed % 3]))
    found = largest_substitutions(fit, legal=design.legal, targets=design.target_range)
    most = brute(fit, rows)
    assert (found >= 0.95 * most).all()
    bound = substitution_certificates(fit, removals(fit).move)
    assert (np.maximum(found, most) <= bound * (1 + 1e-12)).all()
