"""The search finds what tells two worlds apart, and the test does not trust it."""

import numpy as np
import pytest
from scipy.stats import binom

from dpcore.errors import ParameterError
from dpcore.studies.auditing.events import cells, score_limits, scores
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import Trial, TrialDraws, batches, pieces
from dpcore.studies.meaning.attacker import Guarantee

CLAIM = Guarantee(epsilon=0.5)


def trial_of(first, second, *, labels=("the answer",), claim=CLAIM, **more):
    return Trial(
        claim=claim,
        labels=labels,
        sides=("with", "without"),
        draw=lambda world, size: (first, second)[world](size).reshape(size, -1),
        **more,
    )


def audited(trial, draws=8000, **more):
    return audit(trial, TrialDraws.together(batches(trial, draws)), **more)


def test_finds_an_interval_that_no_threshold_shows():
    rng = np.random.default_rng(1)
    first = lambda n: rng.uniform(0.4, 0.6, n)  # noqa: E731 - two laws side by side
    found = audited(trial_of(first, (lambda n: rng.uniform(0.0, 1.0, n))))
    assert found.refuted
    assert any(" or above" in count.event.text for count in found.counts)
    assert any("between" in count.event.text for count in found.counts)


def test_finds_a_point_that_is_released_more_often():
    rng = np.random.default_rng(2)
    law = lambda p: lambda n: np.where(rng.random(n) < p, 7.0, rng.normal(7, 1, n))  # noqa: E731
    found = audited(trial_of(law(0.3), law(0.05)))
    assert found.refuted
    assert "exactly 7" in found.best.event.text


@pytest.mark.parametrize("turned", [False, True])
def test_finds_either_direction(turned):
    rng = np.random.default_rng(3)
    rare = lambda n: (rng.random(n) < 0.2).astype(float)  # noqa: E731
    never = np.zeros
    found = audited(trial_of(*((never, rare) if turned else (rare, never))))
    assert found.refuted
    assert found.best.event.likelier == turned
    assert found.best.shares == (
        pytest.approx(0.0 if turned else 0.2, abs=0.03),
        pytest.approx(0.2 if turned else 0.0, abs=0.03),
    )


def test_finds_a_change_of_spread_and_not_of_place():
    rng = np.random.default_rng(4)
    law = lambda s: lambda n: rng.normal(0, s, (n, 3))  # noqa: E731
    found = audited(trial_of(law(1.0), law(2.0), labels=("a", "b", "c")))
    assert found.refuted
    assert "log-likelihood" in found.best.event.text


def test_exact_evidence_is_looked_at():
    rng = np.random.default_rng(5)
    second = lambda n: rng.laplace(0, 1, (n, 6))  # noqa: E731
    first = lambda n: second(n) + np.array([1.0, -1, 1, -1, 1, -1])  # noqa: E731

    def evidence(x):
        return np.abs(x).sum(axis=1) - np.abs(x - np.array([1.0, -1, 1, -1, 1, -1])).sum(axis=1)

    trial = trial_of(first, second, labels=tuple("abcdef"), evidence=evidence)
    names = [one.name for one in scores(trial, TrialDraws.together(batches(trial, 500)))]
    assert names[-1] == "the exact log-likelihood ratio"
    assert audited(trial).refuted


def test_numbers_that_never_move_are_no_obstacle():
    still = lambda n: np.full((n, 2), 3.0)  # noqa: E731
    found = audited(trial_of(still, still, labels=("a", "b")), draws=400)
    assert not found.refuted
    assert found.lower == 0


def test_what_is_searched_is_not_what_is_tested():
    trial = trial_of(lambda n: np.arange(n) * 1.0, lambda n: np.arange(n) * 1.0)
    drawn = next(batches(trial, 10))
    searched, tested = drawn.halves()
    assert searched.first[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert tested.first[:, 0].tolist() == [5, 6, 7, 8, 9]


def test_alike_worlds_look_alike_within_the_margin():
    rng = np.random.default_rng(6)
    law = lambda n: rng.normal(0, 1, n)  # noqa: E731
    curve = audited(trial_of(law, law)).curve
    assert np.all(np.diff(curve.alarm) >= 0)
    assert np.all(np.diff(curve.detection) >= 0)
    assert curve.alarm[-1] == curve.detection[-1] == 1
    assert np.abs(curve.alarm - curve.detection).max() <= 2 * curve.margin


def test_every_answer_is_in_one_cell():
    rng = np.random.default_rng(7)
    trial = trial_of(lambda n: np.round(rng.normal(0, 1, n), 1), lambda n: rng.normal(0, 1, n))
    drawn = TrialDraws.together(batches(trial, 3000))
    (score,) = scores(trial, drawn)
    assert cells(score, drawn).counts(drawn).sum(axis=1).tolist() == [3000, 3000]


def test_fast_limits_are_close_to_exact_tails():
    low, high = score_limits(np.array([200]), 1000, 2.5)
    assert binom.sf(199, 1000, low[0]) == pytest.approx(0.0062, abs=0.002)
    assert binom.cdf(200, 1000, high[0]) == pytest.approx(0.0062, abs=0.002)


def test_draws_come_in_batches():
    trial = trial_of(np.zeros, np.ones, batch=300)
    assert [piece.number for piece in batches(trial, 1000)] == [300, 300, 300, 100]
    assert pieces(trial, 1000) == 4


def test_refuses_what_is_no_audit():
    trial = trial_of(np.zeros, np.ones)
    with pytest.raises(ParameterError, match="at least 4 draws"):
        next(batches(trial, 3))
    with pytest.raises(ParameterError, match="at least one batch"):
        TrialDraws.together([])
    with pytest.raises(ParameterError, match="confidence"):
        audited(trial, confidence=1.0)
    one = TrialDraws(first=np.zeros((1, 1)), second=np.zeros((1, 1)))
    with pytest.raises(ParameterError, match="4 draws"):
        audit(trial, one)
