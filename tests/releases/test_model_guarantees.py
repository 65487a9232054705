"""What releases of models guarantee: against small tables and definitions."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.models import guarantees, leverage_and_residual
from dpcore.models.loss_functions import ModelKind
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.penalty import Penalty
from dpcore.privacy import gaussian
from dpcore.relations import PrivacyUnit
from tests.models.plain_pairs import PosteriorPairs
from tests.releases.models import question, request
from tests.terms import ADD_REMOVE, SUBSTITUTION


@given(st.floats(1e-3, 20), st.floats(-12, -2).map(lambda power: 10**power), st.integers(1, 12))
def test_moves_together_make_no_more_than_asked_for(epsilon, delta, moves):
    each, left = guarantees.per_move(epsilon, delta, moves)
    total = sum(math.exp(k * each) for k in range(moves)) * left
    assert moves * each <= epsilon
    assert total <= delta * (1 + 1e-12)
    assert total >= delta * (1 - 1e-9)


@pytest.mark.parametrize("strength", [0.3, 1.0, 20.0])
@pytest.mark.parametrize("matrix", [None, np.diag([1.0, 4.0])])
def test_no_row_moves_a_linear_fit_farther_than_the_worst_shift(strength, matrix):
    metric = ISOTROPIC if matrix is None else Metric.fixed(matrix)
    asked = question(penalty=Penalty(strength=strength), most_people=6)
    worst = guarantees.max_influence(asked, metric)
    rng = np.random.default_rng(1)
    # 4,000 tables of 1 to 6 rows on the circle with targets at their bounds.
    for n in range(1, 7):
        angle = rng.uniform(0, 2 * np.pi, (4000, n))
        x = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        y = rng.choice([-1.0, 1.0], (4000, n))

        def fitted(x, y):
            gram = np.einsum("tni,tnj->tij", x, x) + strength * np.eye(2)
            right = np.einsum("tni,tn->ti", x, y)
            return np.linalg.solve(gram, right[..., np.newaxis])[..., 0]

        moved = fitted(x, y) - fitted(x[:, 1:], y[:, 1:])
        root = np.eye(2) if matrix is None else np.sqrt(matrix)
        assert np.linalg.norm(moved @ root, axis=1).max() <= worst


def test_worst_shift_grows_with_rows_and_replacement():
    for model, replaced in ((ModelKind.HUBER, 2), (ModelKind.LINEAR, 1)):
        alone, twice, household = (
            guarantees.max_influence(question(model, **change), ISOTROPIC)
            for change in ({}, {"relation": SUBSTITUTION}, {"unit": PrivacyUnit(rows=3)})
        )
        # A row of a truncated table may be exchanged where it comes or goes, too.
        assert twice == pytest.approx(replaced * alone, rel=1e-9)
        assert household == pytest.approx(3 * alone, rel=1e-9)


@pytest.mark.parametrize("relation", [ADD_REMOVE, SUBSTITUTION])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_units_of_any_number_of_rows_move_no_fit_farther_than_charged(rows, relation):
    """All numbers of rows before and after, from none to so many; ends and between."""
    rng = np.random.default_rng(rows)
    for strength, others in ((0.05, 0), (0.3, 1), (2.0, 2)):
        asked = question(
            penalty=Penalty(strength=strength),
            relation=relation,
            unit=PrivacyUnit(rows=rows),
            most_people=others + rows,
        )
        worst, farthest = guarantees.max_influence(asked, ISOTROPIC), 0.0
        most_after = rows if relation is SUBSTITUTION else 0
        for before, after in itertools.product(range(rows + 1), range(most_after + 1)):
            thetas = []
            rest = records(rng, others)
            for own in (before, after):
                x, y = records(rng, own)
                x, y = np.hstack([x, rest[0]]), np.hstack([y, rest[1]])
                gram = np.einsum("tni,tnj->tij", x, x) + strength * np.eye(2)
                right = np.einsum("tni,tn->ti", x, y)[..., np.newaxis]
                thetas.append(np.linalg.solve(gram, right)[..., 0])
            moved = np.linalg.norm(thetas[0] - thetas[1], axis=1).max()
            farthest = max(farthest, float(moved))
        assert farthest <= worst


def records(rng, people, tables=3000):
    """Return rows of length at most 1, many alike, and targets at their ends."""
    angle = rng.uniform(0, 2 * np.pi, (tables, people))
    angle[::2] = angle[::2, :1]
    length = rng.random((tables, people, 1)) ** 0.5
    length[::4] = length[::4, :1]
    y = rng.choice([-1.0, 1.0], (tables, people))
    y[::2] = y[::2, :1]
    return length * np.stack([np.cos(angle), np.sin(angle)], axis=-1), y


@pytest.mark.parametrize("model", ModelKind)
def test_no_shift_is_bounded_without_a_penalty_or_for_counts(model):
    free = question(model, penalty=Penalty(strength=0.0))
    spared = question(model, penalty=Penalty(strength=5.0, spares_first=True))
    assert math.isinf(guarantees.max_influence(free, ISOTROPIC))
    assert math.isinf(guarantees.max_influence(spared, ISOTROPIC))
    bounded = model is not ModelKind.POISSON
    assert math.isfinite(guarantees.max_influence(question(model), ISOTROPIC)) is bounded


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("unit", [PrivacyUnit(), PrivacyUnit(rows=2)])
def test_posterior_precision_and_guarantee_are_inverse(samples, unit):
    asked = question(unit=unit, penalty=Penalty(strength=50.0))
    gamma = guarantees.posterior_gamma(asked, epsilon=2.0, delta=1e-6, samples=samples)
    level = guarantees.posterior_epsilon(asked, gamma=gamma, samples=samples, delta=1e-6)
    assert level == pytest.approx(2.0, rel=1e-6)
    less = guarantees.posterior_epsilon(asked, gamma=gamma / 2, samples=samples, delta=1e-6)
    assert less < level


@pytest.mark.parametrize("samples", [1, 3])
def test_no_pair_within_the_bounds_loses_more_than_the_posterior_guarantee(samples):
    # One move: that of a single row, which pairs are about.
    asked = question(most_people=30, covers_excess=False)
    gamma = guarantees.posterior_gamma(asked, epsilon=1.0, delta=1e-6, samples=samples)
    rng = np.random.default_rng(3)
    leverage = rng.uniform(0, 1 / 20.0, 300)
    residual = rng.uniform(0, 1 + math.sqrt(30) / (2 * math.sqrt(20.0)), 300)
    pairs = PosteriorPairs.of_newcomers(leverage=leverage, residual=residual, gamma=gamma)
    lost = leverage_and_residual.delta_of(pairs.leverage, pairs.residual, 1.0, samples=samples)
    assert lost.max() <= 1e-6


def test_several_samples_are_less_precise_each():
    asked = question(penalty=Penalty(strength=100.0))
    gammas = [
        guarantees.posterior_gamma(asked, epsilon=1.0, delta=1e-6, samples=samples)
        for samples in (1, 2, 5)
    ]
    assert gammas[0] > gammas[1] > gammas[2] > 0


def test_too_small_a_penalty_leaves_no_posterior_sample():
    asked = question(penalty=Penalty(strength=0.01))
    assert guarantees.posterior_gamma(asked, epsilon=0.1, delta=1e-6, samples=1) == 0
    assert leverage_and_residual.delta_of(100.0, 0.0, 0.1) > 1e-6


@given(st.floats(0.05, 10), st.floats(-10, -3).map(lambda power: 10**power))
def test_objective_perturbation_keeps_its_promise_in_both_parts(epsilon, delta):
    """The determinant takes at most half of epsilon, the gradient the other half."""
    asked = question(ModelKind.LOGISTIC)
    sigma = guarantees.objective_sigma(asked, epsilon=epsilon, delta=delta)
    penalty = guarantees.objective_penalty(asked, epsilon=epsilon)
    assert math.log1p(0.25 / penalty) <= epsilon / 2
    tail = math.sqrt(2 * math.log(2 / delta))
    assert 1 / (2 * sigma**2) + tail / sigma <= epsilon / 2 * (1 + 1e-12)


@pytest.mark.parametrize("unit", [PrivacyUnit(), PrivacyUnit(rows=2)])
@pytest.mark.parametrize("epsilon", [0.3, 2.0, 10.0])
def test_noise_and_guarantee_of_objective_perturbation_are_inverse(unit, epsilon):
    asked = question(ModelKind.LOGISTIC, unit=unit)
    sigma = guarantees.objective_sigma(asked, epsilon=epsilon, delta=1e-6)
    level = guarantees.objective_epsilon(asked, sigma, 1e-6)
    assert level == pytest.approx(epsilon, rel=1e-9)
    assert guarantees.objective_epsilon(asked, 2 * sigma, 1e-6) < level
    weak = question(ModelKind.LOGISTIC, unit=unit, penalty=Penalty(strength=0.0))
    assert math.isinf(guarantees.objective_epsilon(weak, sigma, 1e-6))


@pytest.mark.parametrize("model", [ModelKind.LINEAR, ModelKind.LOGISTIC])
def test_gaussian_precision_is_the_one_of_the_exact_profile(model):
    asked = request(model=model)
    mu = math.sqrt(2 * asked.rho)
    assert float(gaussian.delta_of(mu, 1.0)) == pytest.approx(1e-6, rel=1e-9)
