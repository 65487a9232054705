"""Every known mistake is refuted, its repair is not, and none beyond what is real."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpcore.studies.auditing.lower_bound import audit, detectable
from dpcore.studies.auditing.mistakes import CATALOG_OF_MISTAKES
from dpcore.studies.auditing.trials import Trial, TrialDraws, batches
from dpcore.studies.meaning.attacker import Guarantee

ALL = list(CATALOG_OF_MISTAKES.values())
DRAWS = 20_000


def audited(one, seed, *, repaired=False, draws=DRAWS):
    trial = one.trial(rng=np.random.default_rng(seed), repaired=repaired)
    return audit(trial, TrialDraws.together(batches(trial, draws)))


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.key)
def test_mistake_is_refuted_and_never_beyond_what_it_really_gives(one):
    found = audited(one, 1)
    assert found.refuted
    assert found.claim.epsilon < found.lower <= one.real


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.key)
def test_repair_is_not_refuted(one):
    found = audited(one, 1, repaired=True)
    assert not found.refuted
    assert found.lower <= found.claim.epsilon


def test_same_seed_finds_the_same():
    first, second = (audited(ALL[0], 5, draws=2000) for _ in range(2))
    assert (first.lower, first.best.hits) == (second.lower, second.best.hits)


def test_honest_noise_is_refuted_no_more_often_than_stated():
    # At the confidence 0.9 refuted wrongly at most once in ten: of the tightest claim.
    small = CATALOG_OF_MISTAKES["small-noise"]
    wrong, runs = 0, 100
    for seed in range(runs):
        trial = small.trial(rng=np.random.default_rng(seed), repaired=True)
        drawn = TrialDraws.together(batches(trial, 2000))
        wrong += audit(trial, drawn, confidence=0.9).refuted
    assert binom.sf(wrong - 1, runs, 0.1) > 1e-3
    assert wrong < runs // 10


def test_what_could_have_been_seen_is_seen_nine_times_out_of_ten():
    claim, draws = Guarantee(epsilon=1.0), 4000
    real = detectable(claim, draws=draws // 2, share=(math.exp(-1) / 2))
    seen = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        trial = Trial(
            claim=claim,
            labels=("the answer",),
            sides=("one", "other"),
            draw=lambda world, size, rng=rng: (
                rng.laplace(0, 1 / real, size) + (world == 0)
            ).reshape(-1, 1),
        )
        seen += audit(trial, TrialDraws.together(batches(trial, draws))).refuted
    assert seen >= 30


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_more_draws_see_more(delta):
    claim = Guarantee(epsilon=0.5, delta=delta)
    found = [detectable(claim, draws=n, share=0.2) for n in (100, 1000, 10_000, 10**6)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.55
    assert all(epsilon > claim.epsilon for epsilon in found)
