"""Figures of secret samples: takeaways with numbers, twins, few points, no markup."""

import numpy as np
import pytest

from dpcore.data.quantities import Quantity
from dpcore.figures.answers import resampled_picture
from dpcore.figures.resampling import subsampling as figures
from dpcore.inference.intervals import Intervals
from dpcore.privacy import gaussian, laplace, subsampling_amplification
from dpcore.studies.resampling.subsampling_study import (
    SampledMean,
    lemma_curve,
    measure,
    renyi_curve,
    simulate,
)
from tests.figures.complete import assert_complete

RATES = np.linspace(0.01, 1, 100)
EVEN = np.arange(200) / 199
HOSTILE = "<b>years</b>"


def lemma():
    rng = np.random.default_rng(0)
    found = measure(1.0, np.array([0.1, 0.5]), draws=2000, rng=rng)
    return figures.lemma_picture(lemma_curve(1.0, RATES), found, at=0.1)


def unseen():
    rng = np.random.default_rng(0)
    found = measure(20.0, np.array([0.1]), draws=1000, rng=rng)
    return figures.lemma_picture(lemma_curve(20.0, RATES), found, at=0.1)


def renyi():
    return figures.renyi_picture(renyi_curve(1.0, 0.1, 1e-6))


def profiles():
    epsilon = np.linspace(0, 4, 100)
    both = {
        "laplace": (
            laplace.delta_of(1.0, epsilon),
            subsampling_amplification.subsampled_delta("laplace", 1.0, 0.1, epsilon),
        ),
        "gaussian": (
            gaussian.delta_of(1.0, epsilon),
            subsampling_amplification.subsampled_delta("gaussian", 1.0, 0.1, epsilon),
        ),
    }
    return figures.profile_picture(epsilon, both, rate=0.1)


def errors():
    rng = np.random.default_rng(0)
    study = SampledMean.of(EVEN, width=1.0, epsilon=0.5)
    seen = simulate(EVEN, width=1.0, epsilon=0.5, rates=[0.1, 1], draws=20, rng=rng)
    return figures.error_picture(
        study.fixed_size(RATES),
        full=study.full_error,
        simulated=seen,
        at=0.1,
        unit=HOSTILE,
        ends=(1e-3, 1.0),
    )


def answer():
    around = Intervals(level=0.95, noise=np.array([[40.0, 50.0]]), total=np.array([[38.0, 52.0]]))
    return resampled_picture(
        45.0, around, statement=HOSTILE, quantity=Quantity(unit="years"), sampled=True
    )


@pytest.mark.parametrize(
    "draw", [lemma, unseen, renyi, profiles, errors, answer], ids=lambda f: f.__name__
)
def test_figures_keep_the_house_rules(draw):
    picture = draw()
    assert_complete(picture)
    titles = [
        axis["title"]["text"]
        for name, axis in picture.figure.to_dict()["layout"].items()
        if name.startswith(("xaxis", "yaxis")) and "title" in axis
    ]
    assert all("<b>" not in title for title in titles)
    assert any(character.isdigit() for character in picture.title)


def test_intervals_that_read_alike_are_labeled_once():
    def picture(*, apart, sampled=True):
        around = Intervals(
            noise=np.array([[40.0, 50.0]]),
            total=np.array([[40.0 - apart, 50.0 + apart]]),
            level=0.95,
        )
        return resampled_picture(
            45.0, around, statement="mean age", quantity=Quantity(unit="years"), sampled=sampled
        )

    same, other = picture(apart=0.0), picture(apart=3.0)
    assert len(same.figure.data) == len(other.figure.data) - 1
    assert "for this table and the population" in same.title
    assert "40.0 to 50.0 for this table, 37.0 to 53.0 for the population" in other.title
