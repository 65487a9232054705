"""Simulated regressions against the numbers known for the published figures."""

import numpy as np
import pytest

from dpcore.studies.wang2019 import GAMMAS, Simulation, sample_losses
from tests.conftest import few


def test_right_pane_of_the_second_figure():
    rows = [
        (0.01, 500, 0.5252, 0.1123, 0.06117, 0.05256),
        (0.1, 50, 1.182, 0.2397, 0.0892, 0.0577),
        (1, 5, 3.456, 0.6633, 0.1819, 0.0784),
        (10, 0.5, 12.22, 2.123, 0.4882, 0.1478),
        (100, 0.05, 54.07, 7.547, 1.533, 0.3784),
    ]
    figures = [sample_losses(Simulation(strength=1.0), gamma) for gamma in GAMMAS]
    for figure, row in zip(figures, rows, strict=True):
        found = (
            figure.gamma,
            figure.excess,
            figure.guarantee,
            figure.for_all,
            figure.losses.max(),
            figure.losses.mean(),
        )
        np.testing.assert_allclose(found, row, rtol=1e-3)
    averages = [figure.guarantee / figure.losses.mean() for figure in figures]
    np.testing.assert_allclose(averages, [10.0, 20.5, 44.1, 82.7, 142.9], rtol=5e-3)


@pytest.mark.parametrize("people", few(2, 1, 2, 3, 5))
def test_rounding_of_an_eigenvalue_leaves_no_table_below_its_penalty(people):
    strength = 1 / np.sqrt(people)
    for seed in range(5):
        simulation = Simulation(people=people, strength=float(strength), seed=seed)
        if simulation.penalty >= 1:
            for gamma in (0.5, 2.0):
                figure = sample_losses(simulation, gamma)
                assert figure.losses.max() <= figure.for_all <= figure.guarantee
