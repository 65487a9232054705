"""Losses in larger tables: formulas against tables that are really built."""

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.model_mechanisms.posterior_samples import SampledFit
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.studies.individual import crowd
from dpcore.studies.individual.crowd import RidgeCrowd, StatisticCrowd
from tests.conftest import few
from tests.individual.test_moves import DELTA, LAWS, PENALTY, everybodys
from tests.models.regression_tables import NUMBERS, TEN
from tests.studies.test_one_person import AGES, exposed, mean


def crowd_of(fit, law, person):
    return RidgeCrowd(fit=fit, law=law, person=person, delta=DELTA)


def crowd_behind(request, exposure, entry):
    return StatisticCrowd(request=request, exposure=exposure, entry=entry)


def built(features, target, law, person, penalty=PENALTY):
    return everybodys(fit_ridge(features, target, penalty=penalty), law, [person])[0]


# As slow as it is exact: objective perturbation is the noise shaped as H^2.
QUICK = {name: law for name, law in LAWS.items() if name != "objective"}


@pytest.mark.parametrize("law", few(2, *QUICK.values()), ids=QUICK)
def test_crowds_of_models_are_those_of_tables_that_are_built(law):
    fit = fit_ridge(TEN, NUMBERS, penalty=PENALTY)
    counts = (0, 1, 5)
    found = crowd_of(fit, law, 9).copies(counts)
    expected = [
        built(np.vstack([TEN, *[TEN[9]] * k]), np.append(NUMBERS, [NUMBERS[9]] * k), law, 9)
        for k in counts
    ]
    assert found == pytest.approx(expected, rel=1e-7)
    assert (np.diff(found) < 0).all()
    found = crowd_of(fit, law, 9).people((1, 3))
    rest, targets = np.repeat(TEN[:9], 3, axis=0), np.repeat(NUMBERS[:9], 3)
    many = built(np.vstack([rest, TEN[9]]), np.append(targets, NUMBERS[9]), law, 27)
    assert found == pytest.approx([expected[0], many], rel=1e-7)
    strengths = (0.1, 0.5, 10.0)
    found = crowd_of(fit, law, 9).penalties(strengths)
    expected = [built(TEN, NUMBERS, law, 9, Penalty(strength=strength)) for strength in strengths]
    assert found == pytest.approx(expected, rel=1e-7)


def test_losses_of_models_decay_like_one_over_n():
    fit = fit_ridge(TEN, NUMBERS, penalty=PENALTY)
    times = (1000, 2000, 4000)
    found = crowd_of(fit, NoisyFit(gamma=4.0), 9).people(times)
    # A little faster than 1/n, for delta forgives more of a smaller shift.
    assert crowd.slope(times, found) == pytest.approx(-1.05, abs=0.1)


def test_tables_that_cannot_be_built_are_refused():
    request = mean("laplace")
    exposure = exposed(request, AGES)
    for wrong in (1, crowd.MOST_ROWS + 1):
        with pytest.raises(ParameterError, match="people"):
            crowd_behind(request, exposure, 0).people((wrong,), rng=np.random.default_rng(1))
    each = fit_ridge(TEN, NUMBERS, penalty=Penalty(strength=0.5, per_person=True))
    with pytest.raises(ParameterError, match="sum of losses"):
        crowd_of(each, SampledFit(gamma=1.0), 0).people((1,))
    with pytest.raises(ParameterError, match="sum of losses"):
        crowd_of(each, PerturbedObjective(sigma=1.0), 0).copies((1,))


def test_nobody_to_hide_among_is_an_infinite_loss():
    alone = fit_ridge(np.eye(3), np.ones(3), penalty=Penalty(strength=0.0))
    found = crowd_of(alone, NoisyFit(gamma=1.0), 0).copies((0, 1))
    assert found[0] == np.inf
    assert found[1] == 0  # copies take over what the person determines
