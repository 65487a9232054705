"""Simulated regressions against the numbers known for the published figures."""

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.models.guarantees import RecordBounds
from dpcore.studies.wang2019 import GAMMAS, Simulation, nested_losses, sample_losses
from tests.models.plain_pairs import PosteriorPairs
from tests.models.ten_people import ridge


@pytest.mark.parametrize(
    ("penalty", "sigma", "for_all", "largest", "mean"),
    [
        (1.0, 35.511, 0.00123, 2.17e-4, 3.2e-5),
        (10.0, 2.3044, 0.02175, 0.00432, 7.91e-4),
        (31.6227766, 0.49362, 0.08670, 0.01932, 0.00407),
        (63.2455532, 0.1964974525, 0.16976621, 0.04683374504, 0.01044734341),
        (100.0, 0.10797, 0.24264, 0.07874, 0.01841),
    ],
)
def test_first_figure(penalty, sigma, for_all, largest, mean):
    figure = nested_losses(Simulation(strength=penalty / np.sqrt(1000)))
    digits = 1e-6 if penalty == 63.2455532 else 5e-3
    assert figure.sigma == pytest.approx(sigma, rel=digits)
    assert figure.for_all == pytest.approx(for_all, rel=5e-3)
    assert figure.losses.max() == pytest.approx(largest, rel=digits)
    assert figure.losses.mean() == pytest.approx(mean, rel=max(digits, 1e-6))
    assert figure.guarantee > figure.certificate >= figure.for_all
    assert figure.for_all > figure.losses.max()


def test_what_the_text_says_of_the_first_figure():
    figure = nested_losses(Simulation())
    assert figure.times_for_all == pytest.approx(5.89, abs=0.01)
    assert figure.times_in_table == pytest.approx(21.4, abs=0.1)
    assert figure.times_on_average == pytest.approx(95.7, abs=0.1)


def test_left_pane_of_the_second_figure():
    figures = [
        nested_losses(Simulation(people=people, seed=1, strength=1.0))
        for people in (100, 1_000, 10_000)
    ]
    boxes = [
        [1.0e-4, 0.0074, 0.0168, 0.0290, 0.0581],
        [0.0, 0.00143, 0.00344, 0.00580, 0.0228],
        [0.0, 2.35e-4, 5.69e-4, 1.06e-3, 4.25e-3],
    ]
    for figure, box in zip(figures, boxes, strict=True):
        np.testing.assert_allclose(figure.box, box, rtol=6e-3, atol=5e-6)
    for figure, for_all in zip(figures, (0.287, 0.0859, 0.0197), strict=True):
        assert figure.for_all == pytest.approx(for_all, rel=5e-3)
    averages = [figure.times_on_average for figure in figures]
    np.testing.assert_allclose(averages, [51.8, 248.5, 1382.9], rtol=2e-3)
    medians = np.log([figure.box[2] for figure in figures])
    assert -1 < ((medians[2] - medians[0]) / np.log(100)) < -0.6


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


def test_losses_are_those_of_people_left_out():
    simulation = Simulation(people=40, columns=3, seed=5)
    x, y = simulation.table()
    assert np.linalg.norm(x, axis=1) == pytest.approx(np.ones(40))
    assert np.abs(y).max() <= 1
    figure = sample_losses(simulation, 2.0)
    rest = np.arange(40) != 7
    theta, hessian = ridge(x[rest], y[rest], simulation.penalty)
    pairs = PosteriorPairs.of_newcomers(
        leverage=[x[7] @ np.linalg.solve(hessian, x[7])], residual=[y[7] - x[7] @ theta], gamma=2.0
    )
    assert figure.losses[7] == pytest.approx(pairs.epsilon(1e-6)[0], rel=1e-9)
    assert RecordBounds().residual(np.linalg.norm(theta)) > abs(y[7] - x[7] @ theta)


def test_domains():
    for bad in (
        {"people": 0},
        {"columns": 0},
        {"noise": -1.0},
        {"strength": 0.0},
        {"epsilon": np.inf},
        {"delta": 0.0},
    ):
        with pytest.raises(ParameterError):
            Simulation(**bad)
    with pytest.raises(ParameterError, match="raise its strength"):
        sample_losses(Simulation(people=10, strength=0.1), 1.0)
    assert 0 <= nested_losses(Simulation(people=1, columns=1, strength=5.0)).losses[0] <= 1


@pytest.mark.parametrize("people", [1, 2, 3, 5])
def test_rounding_of_an_eigenvalue_leaves_no_table_below_its_penalty(people):
    strength = 1 / np.sqrt(people)
    for seed in range(5):
        simulation = Simulation(people=people, strength=float(strength), seed=seed)
        if simulation.penalty >= 1:
            for gamma in (0.5, 2.0):
                figure = sample_losses(simulation, gamma)
                assert figure.losses.max() <= figure.for_all <= figure.guarantee
