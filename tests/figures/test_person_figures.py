"""The figures of one person: takeaways from the numbers, one look, few points."""

import numpy as np
import pytest

from dpcore.figures.individual import counterfactuals
from dpcore.figures.individual.counterfactuals import crowd_picture, moved_picture
from dpcore.figures.individual.one_person import (
    belief_picture,
    bounds_picture,
    detection_picture,
    laws_picture,
    realized_picture,
)
from dpcore.individual.counterfactual import Moved, move_in_ridge, move_in_statistic, ridge_base
from dpcore.individual.published_bounds import DELTAS, at_delta, epsilon_at, profile
from dpcore.mechanisms.person_laws import gaussian_laws
from dpcore.models.ridge import fit_ridge
from dpcore.studies.individual import hypothesis_tests
from dpcore.studies.individual.hypothesis_tests import ProfileLaws
from tests.conftest import few
from tests.figures.complete import assert_complete
from tests.individual.test_moves import DELTA, LAWS, PENALTY
from tests.models.regression_tables import NUMBERS, TEN
from tests.studies.test_one_person import AGES, OF_MODELS, exposed, mean, scalar

KEYS = {"one sample": "posterior", "five samples": "posterior", "perturbed": "objective"}
EVERYBODY = {
    **{key: (scalar(key, 0.3, 0.1), key) for key in ("laplace", "bit", "truncated")},
    "gaussian": (gaussian_laws(1.0), "gaussian"),
    **{name: (laws, KEYS[name]) for name, laws in OF_MODELS.items()},
}


def of_laws(laws, key, *, epsilon=0.4):
    delta, presence = hypothesis_tests.hockey_stick(laws, epsilon)
    return laws_picture(
        laws.line(), epsilon=epsilon, delta=delta, own=epsilon / 0.5, presence=presence, key=key
    )


def of_evidence(laws, key):
    rng = np.random.default_rng(1)
    evidence = tuple(laws.evidence(2000, present=there, rng=rng) for there in (0, 1))
    found = tuple(
        hypothesis_tests.realized(laws, present=bool(there), draws=2000, rng=rng)
        for there in (0, 1)
    )
    yield belief_picture(evidence, prior=0.3, guarantee=1.0, key=key)
    for observed in (None, 0.2):
        yield realized_picture(found, own=1.0, delta=1e-6, observed=observed)


def pictures():
    for laws, key in EVERYBODY.values():
        yield of_laws(laws, key)
        guess = hypothesis_tests.best_guess(laws, 0.3)
        yield detection_picture(laws.roc(), prior=0.3, guess=guess, key=key)
        yield bounds_picture(profile(laws), delta=1e-6, own=1.0, key=key)
        yield from of_evidence(laws, key)
    fit = fit_ridge(TEN, NUMBERS, penalty=PENALTY)
    law = LAWS["noise"]
    for person in (9, None):
        moved = move_in_ridge(
            ridge_base(fit, law, np.arange(10), delta=DELTA),
            law,
            person,
            (np.array([1.0, 2.0, 2.0]), 1.0),
            delta=DELTA,
        )
        yield moved_picture(moved, key="output")
    for crowd in (counterfactuals.COPIES, counterfactuals.PEOPLE, counterfactuals.PENALTY):
        yield crowd_picture(crowd, (1, 2, 4), np.array([2.0, 1.0, 0.5]), today=2, key="posterior")


@pytest.mark.slow
def test_every_picture_has_title_words_numbers_and_few_points():
    assert_complete(*pictures())


@pytest.mark.parametrize("name", few(3, *EVERYBODY))
def test_the_shaded_area_is_delta(name):
    laws, key = EVERYBODY[name]
    delta, presence = hypothesis_tests.hockey_stick(laws, 0.4)
    line = laws.line()
    above, below = (line.present, line.absent) if presence else (line.absent, line.present)
    area = np.trapezoid(np.nan_to_num(np.maximum(above - np.exp(0.4) * below, 0)), line.x)
    for spike in line.spikes:
        shares = (spike.present, spike.absent)
        first, second = shares if presence else shares[::-1]
        area += max(first - np.exp(0.4) * second, 0)
    assert area == pytest.approx(delta, abs=0.03)
    shaded = [trace for trace in of_laws(laws, key).figure.data if trace.fill == "toself"]
    assert shaded or area < 0.01 or line.spikes


def test_published_bounds_that_understate_are_named_and_marked():
    curves = profile(gaussian_laws(1.0))
    picture = bounds_picture(curves, delta=1e-6, own=4.886554117462, key="gaussian")
    assert "“Lemma 4, as published” says 3.75, and claims too much" in picture.title
    lemma, textbook, tail, chernoff = curves.bounds
    assert at_delta(lemma, 1e-6) == pytest.approx(3.74682, abs=1e-3)
    assert lemma.understates[DELTAS <= 1e-3].all()
    assert not textbook.understates[np.searchsorted(DELTAS, 1e-6)]
    assert not np.any([tail.understates, chernoff.understates])
    crosses = [t.name for t in picture.figure.data if t.name.endswith("understates")]
    assert "Lemma 4, as published: understates" in crosses
    posterior = profile(OF_MODELS["one sample"])
    assert {bound.label for bound in posterior.bounds if not bound.published} == {
        "equation 7, corrected",
        "equation 8, corrected",
        "Remark 15, corrected",
    }
    assert not profile(scalar("laplace", 0.1, 0.3)).bounds


def test_epsilon_of_two_laws_is_the_pure_level_at_a_small_delta():
    assert epsilon_at(scalar("laplace", 0.1, 0.3), 1e-9) == pytest.approx(1.0, abs=1e-8)
    assert epsilon_at(gaussian_laws(0.0), 1e-9) == 0
    assert epsilon_at(OF_MODELS["one sample"], 1e-6) == pytest.approx(2.311479758491, abs=1e-9)


def test_moves_are_told_in_words():
    moved = Moved(
        before=np.array([1.0, 1.0, 1.0]),
        after=np.array([2.0, 0.5, 1.0]),
        own_before=0.25,
        own_after=4.0,
    )
    assert moved_picture(moved, key="output").title == (
        "The own loss becomes 4 (it was 0.25); of 3 others 1 lose more than "
        "before, 1 less and 1 as much; the largest rise is to 2 times"
    )
    alone = Moved(before=np.empty(0), after=np.empty(0), own_before=np.nan, own_after=1.0)
    assert "no other loss changes" in moved_picture(alone, key="output").title
    request = mean("bit")
    same = move_in_statistic(request, exposed(request, AGES), 0, float(AGES[0]))
    assert "no other loss changes" in moved_picture(same, key="bit").title


def test_crowds_say_how_fast_losses_fall():
    x = (10, 20, 40)
    title = crowd_picture(
        counterfactuals.PEOPLE, x, np.array([4.0, 2.0, 1.0]), today=10, key="output"
    ).title
    assert title == ("In a table of 40 rows, the own loss would be 1 instead of 4: it falls as 1/n")
    slow = crowd_picture(
        counterfactuals.COPIES, x, np.array([4.0, 4.0, 4.0]), today=10, key="output"
    )
    assert "falls" not in slow.title


def test_a_profile_alone_has_a_curve_but_no_line():
    levels = np.linspace(0, 3, 50)
    laws = ProfileLaws(levels=levels, deltas=gaussian_laws(0.5).delta(levels))
    assert laws.line() is None
    picture = detection_picture(laws.roc(), prior=0.5, guess=0.6, key="gaussian")
    assert "60% of the time at best" in picture.title
