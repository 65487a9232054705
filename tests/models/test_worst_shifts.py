"""Nobody moves coefficients further than the certificates and sensitivities say."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.models.added_records import largest_addition
from dpcore.models.glm import fit_glm
from dpcore.models.glm_influence import exact_refits, newton_steps
from dpcore.models.guarantees import gaussian_gamma
from dpcore.models.influence import (
    Influence,
    addition_certificate,
    max_glm_influence,
    max_ridge_influence,
    steepness,
    substitution_certificates,
    unit_substitution_certificate,
)
from dpcore.models.loss_functions import Huber, Logistic, Poisson
from dpcore.models.metrics import DEMOCRATIC, FISHER, ISOTROPIC, Metric
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import additions, removals, substitutions
from dpcore.privacy import gaussian
from tests.conftest import few
from tests.models.regression_tables import unit_table

HALF = Penalty(strength=0.5)


def small_table(seed, people=12, columns=3):
    """Return rows at most 1 long and targets within -1 and 1."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(people, columns))
    x *= rng.random((people, 1)) / np.linalg.norm(x, axis=1, keepdims=True)
    return x, rng.uniform(-1, 1, people)


def hidden(gamma, moves):
    """Everybody's epsilon under noise of that precision."""
    people = Influence.of_moves(np.asarray(moves))
    return NoisyFit(gamma=gamma).losses(people, delta=1e-6)


@pytest.mark.parametrize(
    ("strength", "sigma", "mean", "largest", "found", "certified"),
    few(
        2,
        (1.0, 35.511, 3.2e-5, 2.17e-4, 0.00123, 0.00146),
        (10.0, 2.3044, 7.91e-4, 0.00432, 0.02175, 0.02545),
        (1000**0.5, 0.49362, 0.00407, 0.01932, 0.08670, 0.09906),
        (2 * 1000**0.5, 0.1964974525, 0.01044734341, 0.04683374504, 0.16976621, None),
        (100.0, 0.10797, 0.01841, 0.07874, 0.24264, 0.26568),
    ),
)
def test_a_thousand_people(strength, sigma, mean, largest, found, certified):
    x, y = unit_table()
    penalty = Penalty(strength=strength)
    fit = fit_ridge(x, y, penalty=penalty)
    worst = max_ridge_influence(penalty, people=1000)
    gamma = gaussian_gamma(worst, epsilon=1, delta=1e-6)
    digits = 1e-9 if certified is None else 3e-3
    assert 1 / np.sqrt(gamma) == pytest.approx(sigma, rel=max(digits, 1e-4))
    losses = hidden(gamma, removals(fit).move)
    assert losses.mean() == pytest.approx(mean, rel=max(digits, 1e-6))
    assert losses.max() == pytest.approx(largest, rel=max(digits, 1e-6))
    anybody = largest_addition(fit)
    assert hidden(gamma, anybody.found) == pytest.approx(found, rel=5e-3)
    bound = float(hidden(gamma, anybody.certificate))
    assert losses.max() < found < bound < 1
    if certified is not None:
        # The published certificate holds for rows of length 1 only, and is looser.
        assert 0.98 * certified < bound <= 1.003 * certified


@settings(deadline=None, max_examples=60)
@given(st.floats(1e-4, 1e3), st.integers(1, 4), st.integers(0, 2**32))
def test_steepness_bounds_every_row(smallest, columns, seed):
    rng = np.random.default_rng(seed)
    roots = np.linalg.qr(rng.normal(size=(columns, columns)))[0]
    values = smallest * np.append(1.0, 1 + 10 * rng.random(columns - 1))
    inverse = (roots / values) @ roots.T
    x = rng.normal(size=(200, columns))
    x *= rng.random((200, 1)) ** 2 / np.linalg.norm(x, axis=1, keepdims=True)
    solved = x @ inverse
    ratio = np.linalg.norm(solved, axis=1) / (1 + np.einsum("ij,ij->i", x, solved))
    assert ratio.max() <= steepness(smallest) * (1 + 1e-12)
    attained = min(1.0, smallest**0.5) * roots[:, 0]
    solved = inverse @ attained
    ratio = np.linalg.norm(solved) / (1 + attained @ solved)
    assert ratio == pytest.approx(steepness(smallest), rel=1e-9)


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32), st.sampled_from([0.01, 0.3, 1.0, 8.0]))
def test_certificates_are_upper_bounds(seed, strength):
    x, y = small_table(seed)
    penalty = Penalty(strength=strength)
    fit = fit_ridge(x, y, penalty=penalty)
    newcomers, _ = small_table(seed + 1, people=300)
    newcomers[:50] /= np.linalg.norm(newcomers[:50], axis=1, keepdims=True)
    targets = np.where(np.arange(300) % 2, 1.0, -1.0)
    for metric in (ISOTROPIC, Metric.fixed(np.diag([1.0, 2.0, 0.5]))):
        bound = addition_certificate(fit, metric)
        shifts = additions(fit, newcomers, targets, metric)
        anybody = largest_addition(fit, metric)
        assert shifts.max() <= anybody.found * (1 + 1e-3)
        assert anybody.found <= bound == anybody.certificate
        again = additions(fit, anybody.row[None], np.array([anybody.target]), metric)
        assert again[0] == pytest.approx(anybody.found, rel=1e-12)
        overall = max_ridge_influence(penalty, people=12, metric=metric)
        assert anybody.found <= overall
        assert removals(fit, metric).move.max() <= overall
    left = removals(fit).move
    bounds = substitution_certificates(fit, left)
    twice = 2 * max_ridge_influence(penalty, people=12)
    for record in zip(newcomers[:8], targets, strict=False):
        moved = substitutions(fit, record)
        assert (moved <= bounds).all()
        assert moved.max() <= twice


def test_a_certificate_adds_leaving_to_joining_the_fit_without():
    one = np.array([[1.0]])
    fit = fit_ridge(one, np.array([1.0]), penalty=Penalty(strength=3.0))
    # Coefficient and shift are 1/4; whoever joins meets a fit of at most their sum.
    (bound,) = substitution_certificates(fit, removals(fit).move)
    assert bound == pytest.approx(1 / 4 + (1 + 1 / 4 + 1 / 4) * steepness(3.0))
    # A unit of one row is a person.
    assert unit_substitution_certificate(fit, rows=1) == pytest.approx(bound)
    (moved,) = substitutions(fit, (one[0], -1.0))
    assert moved == pytest.approx(1 / 2)
    joining_alone = (1 + 1 / 4) * steepness(3.0)
    assert joining_alone < moved <= bound


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("strength", [0.02, 0.28, 1.0, 6.0])
def test_no_rows_together_move_a_fit_farther_than_their_certificate(rows, strength):
    rng = np.random.default_rng(rows)
    for seed in range(8):
        x, y = small_table(seed, people=rows + 2, columns=2)
        fit = fit_ridge(x, y, penalty=Penalty(strength=strength))
        bound = unit_substitution_certificate(fit, rows=rows)
        # What comes: 600 times any number of rows, many alike and at the ends.
        angles = rng.uniform(0, 2 * np.pi, (600, rows))
        angles[::2] = angles[::2, :1]
        lengths = rng.random((600, rows, 1)) ** 0.5
        come = lengths * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        come[::3, rng.integers(rows) :] = 0.0
        targets = np.sign(rng.normal(size=(600, rows)))
        targets[::4] = targets[::4, :1]
        for leaving in itertools.combinations(range(rows + 2), rows):
            stay = np.delete(np.arange(rows + 2), leaving)
            gram = x[stay].T @ x[stay] + strength * np.eye(2)
            gram = gram + np.einsum("tri,trj->tij", come, come)
            right = x[stay].T @ y[stay] + np.einsum("tri,tr->ti", come, targets)
            theta = np.linalg.solve(gram, right[..., np.newaxis])[..., 0]
            assert np.linalg.norm(theta - fit.theta, axis=1).max() <= bound


def test_two_rows_in_place_of_two_others_reach_the_certificate():
    x = np.array([[-1.0], [1.0]])
    fit = fit_ridge(x, np.zeros(2), penalty=Penalty(strength=0.28))
    bound = unit_substitution_certificate(fit, rows=2)
    come = np.full((2, 1), (0.28 / 2) ** 0.5)
    reached = fit_ridge(come, np.ones(2), penalty=Penalty(strength=0.28)).theta[0]
    assert reached == pytest.approx(bound)
    assert bound > 2 * substitution_certificates(fit, np.zeros(2)).max()
    spared = Penalty(strength=0.28, spares_first=True)
    per_person = Penalty(strength=0.28, per_person=True)
    for penalty in (spared, per_person):
        other = fit_ridge(x, np.zeros(2), penalty=penalty)
        assert np.isinf(unit_substitution_certificate(other, rows=2))


def test_a_certificate_below_convexity_one_covers_short_rows():
    fit = fit_ridge(np.array([[0.1]]), np.array([0.1]), penalty=Penalty(strength=0.09))
    anybody = largest_addition(fit)
    assert np.abs(anybody.row) == pytest.approx(np.sqrt(0.1), rel=0.1)
    assert anybody.found <= addition_certificate(fit)
    on_the_sphere = (1 + fit.theta[0]) / (0.1 * (1 + 1 / 0.1))
    assert anybody.found > on_the_sphere


def test_legal_rows_only():
    x, y = small_table(3, people=60)
    fit = fit_ridge(x, y, penalty=HALF)

    def legal(rows):
        rows = np.clip(rows, -0.5, 0.5)
        rows[:, 0] = 0.5
        return rows

    anybody = largest_addition(fit, legal=legal, targets=(0.0, 1.0))
    assert anybody.row[0] == 0.5
    assert np.abs(anybody.row).max() <= 0.5
    assert anybody.target in {0.0, 1.0}
    assert anybody.found <= largest_addition(fit).found * (1 + 1e-6)


def test_domains():
    fit = fit_ridge(*small_table(0), penalty=HALF)
    with pytest.raises(ParameterError, match="within -1 and 1"):
        largest_addition(fit, targets=(0.0, 2.0))
    with pytest.raises(ParameterError, match="at most 1 long"):
        largest_addition(fit, legal=lambda rows: 2 + 0 * rows)
    mean = Penalty(strength=1.0, per_person=True)
    with pytest.raises(ParameterError, match="per person"):
        max_ridge_influence(mean, people=3)
    with pytest.raises(ParameterError, match="per person"):
        max_glm_influence(Logistic(), mean)
    with pytest.raises(ParameterError, match="at least 1"):
        max_ridge_influence(HALF, people=0)


def test_where_no_bound_exists():
    spared = Penalty(strength=1.0, spares_first=True)
    for penalty, metric in ((spared, ISOTROPIC), (HALF, FISHER), (HALF, DEMOCRATIC)):
        assert max_ridge_influence(penalty, people=9, metric=metric) == np.inf
        assert max_glm_influence(Logistic(), penalty, metric=metric) == np.inf
    assert max_glm_influence(Poisson(), HALF) == np.inf
    fit = fit_ridge(*small_table(0), penalty=HALF)
    assert addition_certificate(fit, FISHER) == np.inf
    mean = Penalty(strength=0.1, per_person=True)
    mean_fit = fit_ridge(*small_table(0), penalty=mean)
    assert largest_addition(mean_fit).certificate == np.inf
    assert steepness(0.0) == np.inf
    assert steepness(0.64) == pytest.approx(0.625)
    free = fit_ridge(*small_table(0), penalty=Penalty(strength=0.0))
    assert np.isinf(substitution_certificates(free, np.zeros(12))).any()


@settings(deadline=None, max_examples=8)
@given(
    st.integers(0, 2**32), st.sampled_from([0.05, 1.0]), st.sampled_from([Logistic(), Huber(k=0.2)])
)
def test_sensitivity_of_flat_losses(seed, strength, loss):
    x, y = small_table(seed)
    y = (y > 0) * 1.0 if isinstance(loss, Logistic) else 5 * y
    penalty = Penalty(strength=strength)
    fit = fit_glm(x, y, loss=loss, penalty=penalty)
    refits = exact_refits(fit, newton_steps(fit), np.arange(len(y)))
    moved = np.linalg.norm(fit.theta - refits, axis=1).max()
    worst = max_glm_influence(loss, penalty)
    assert moved <= worst == loss.steepest / strength


@settings(deadline=None, max_examples=30)
@given(st.floats(1e-6, 1e6), st.floats(0, 10), st.floats(1e-12, 0.5))
def test_calibrated_noise_costs_no_more_than_asked(shift, epsilon, delta):
    mu = np.sqrt(gaussian_gamma(shift, epsilon=epsilon, delta=delta)) * shift
    assert gaussian.delta_of(mu, epsilon) <= delta
    assert gaussian.delta_of(mu * (1 + 1e-6), epsilon) > delta * (1 - 1e-4)
