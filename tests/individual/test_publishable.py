"""Reports that may be told: coverage against the realized losses they bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, ndtr, ndtri

from dpcore.errors import ParameterError
from dpcore.individual.publishable import AtRelease, NoisyHessian, PerturbedFit
from tests.models.ten_people import T, X


def at(theta, x, t, penalty):
    """Return slope, curvature, length, Hessian at a release."""
    p = expit(x @ theta)
    curvature = p * (1 - p)
    hessian = (x.T * curvature) @ x + penalty * np.eye(x.shape[1])
    numbers = {"slope": p - t, "curvature": curvature}
    return numbers | {"length": np.linalg.norm(x, axis=1)}, hessian


def test_vector_of_ten_people_and_the_change_of_variables():
    theta, penalty, sigma = np.array([0.2, -0.4, 0.7]), 1.0, 3.0
    numbers, hessian = at(theta, X, T, penalty)

    def gradient(x, t):
        return x.T @ (expit(x @ theta) - t) + penalty * theta

    b = -gradient(X, T)
    leverage = np.einsum("ij,ij->i", np.linalg.solve(hessian, X.T).T, X)
    fit = PerturbedFit(penalty=penalty, sigma=sigma)
    losses = AtRelease(fit=fit, **numbers).realized(leverage=leverage, along=X @ b, member=True)
    assert losses[9] == pytest.approx(0.597405500288, abs=1e-11)

    def log_density(x, t):
        curvature = at(theta, x, t, penalty)[1]
        return np.linalg.slogdet(curvature)[1] - gradient(x, t) @ gradient(x, t) / 18

    for person in range(10):
        rest = np.arange(10) != person
        exact = abs(log_density(X, T) - log_density(X[rest], T[rest]))
        assert losses[person] == pytest.approx(exact, rel=1e-10, abs=1e-12)
        out = at(theta, X[rest], T[rest], penalty)[1]
        alone = {key: value[person] for key, value in numbers.items()}
        joined = AtRelease(fit=fit, **alone).realized(
            leverage=X[person] @ np.linalg.solve(out, X[person]),
            along=-X[person] @ gradient(X[rest], T[rest]),
            member=False,
        )
        assert joined == pytest.approx(exact, rel=1e-10, abs=1e-12)


def test_the_free_report_is_attained_in_the_limit():
    """Without curvature it fails as often as it says, on one side."""
    rng = np.random.default_rng(1)
    fit = PerturbedFit(penalty=1.0, sigma=1.0)
    z = rng.standard_normal(40_000)
    numbers = {"slope": 0.5, "curvature": 0.0, "length": 1.0}
    truth = AtRelease(fit=fit, **numbers).realized(leverage=0.7, along=z, member=False)
    told = AtRelease(fit=fit, **numbers).report(0.05)
    missed = (truth > told).mean()
    # The square of 1/8 adds to the loss on one side, and takes from it on the other.
    z = ndtri(0.025)
    expected = ndtr(z) + ndtr(z - 0.5)
    assert missed == pytest.approx(expected, abs=4 * np.sqrt(expected / 40_000))


def test_norm_of_the_noise():
    rng = np.random.default_rng(3)
    noisy = NoisyHessian(columns=5, sigma=1.0)
    assert noisy.quantile(0.025, rng) == pytest.approx(5.652, abs=0.12)
    draws = noisy.noise(40_000, rng)
    np.testing.assert_array_equal(draws, np.swapaxes(draws, 1, 2))
    assert draws[:, 0, 0].std() == pytest.approx(np.sqrt(2), rel=0.02)
    assert draws[:, 0, 1].std() == pytest.approx(1.0, rel=0.02)
    # The shift of one person, in standard deviations of the noise around it.
    x = np.array([0.6, -0.3, 0.2, 0.1, 0.5])
    share = 0.25 * np.outer(x, x)
    scale = np.where(np.eye(5, dtype=bool), np.sqrt(2), 1.0)
    upper = np.triu_indices(5)
    exact = np.linalg.norm((share / scale)[upper])
    assert noisy.cost(0.25, np.linalg.norm(x)) == pytest.approx(exact, rel=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.floats(-3, 3), st.floats(0, 0.25), st.floats(0, 1), st.floats(1e-9, 0.5))
def test_report_grows_with_everything(slope, curvature, length, failure):
    fit = PerturbedFit(penalty=0.5, sigma=2.0)

    def told(**changed):
        numbers = {"slope": slope, "curvature": curvature, "length": length}
        return AtRelease(fit=fit, **(numbers | changed)).report(failure)

    assert told(length=length + 0.1) >= told()
    assert told(curvature=curvature + 0.1) >= told()
    assert told(slope=-slope) == told()
    assert told(length=0.0) == 0
    numbers = {"slope": slope, "curvature": curvature, "length": length}
    here = AtRelease(fit=fit, **numbers)
    assert here.report(failure / 2) >= told()
    for leverage in (0.0, 0.5, 10.0):
        for member in (True, False):
            sharper = here.sharper_report(failure, leverage=leverage, member=member)
            assert sharper <= told() * (1 + 1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: PerturbedFit(penalty=0.0, sigma=1.0),
        lambda: PerturbedFit(penalty=1.0, sigma=np.inf),
        lambda: PerturbedFit.calibrate(epsilon=0.0, delta=0.1),
        lambda: PerturbedFit.calibrate(epsilon=1.0, delta=1.0),
        lambda: NoisyHessian(columns=0, sigma=1.0),
        lambda: NoisyHessian(columns=1, sigma=0.0),
        lambda: NoisyHessian(columns=1, sigma=1.0).quantile(1e-6, np.random.default_rng(0)),
        lambda: NoisyHessian(columns=1, sigma=1.0).leverage(
            [[1.0]], [[1.0]], penalty=1.0, quantile=1.0
        ),
        lambda: AtRelease(
            fit=PerturbedFit(penalty=1.0, sigma=1.0), slope=1, curvature=1, length=1
        ).report(0.0),
    ],
)
def test_domains(wrong):
    with pytest.raises(ParameterError):
        wrong()
