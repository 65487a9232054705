"""What a release tells is never more than its price, whatever the question."""

import math

import numpy as np
import pytest

from dpcore.privacy.interpretation import laplace_detection
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.meaning import attacker
from dpcore.studies.meaning.attacker import ValuePair
from tests.releases.test_rebuilding import REQUESTS


@pytest.mark.parametrize("name", REQUESTS)
def test_no_question_tells_more_than_is_charged_for_it(name):
    request = REQUESTS[name]
    found = attacker.of_request(request)
    sure, attack = found.guarantee, found.attack
    assert sure.epsilon <= float(request.cost.epsilon) * (1 + 1e-9)
    assert sure.delta == float(request.cost.delta)
    alarm = np.linspace(0, 1, 51)
    assert np.all(attack.detection(alarm) <= sure.detection(alarm) + 1e-9)
    for prior in (0.05, 0.5, 0.9):
        assert attack.best_guess(prior) <= sure.best_guess(prior) + 1e-9
        assert attack.best_guess(prior) >= max(prior, 1 - prior) - 1e-12
    assert attack.advantage <= sure.advantage + 1e-9
    assert found.exact == isinstance(attack, ValuePair)
    if sure.delta == 0:
        assert found.largest_loss == pytest.approx(sure.epsilon, rel=1e-9)
    else:
        assert math.isinf(found.largest_loss)


def test_a_mean_is_read_exactly():
    means = [
        request
        for request in REQUESTS.values()
        if request.query.kind is StatisticKind.MEAN and request.mechanism_key == "laplace"
    ]
    exact = [found for found in map(attacker.of_request, means) if found.exact]
    assert exact
    alarm = np.linspace(0, 1, 101)
    for found in exact:
        told = laplace_detection(alarm, r=found.guarantee.epsilon)
        assert found.attack.detection(alarm) == pytest.approx(told, abs=1e-9)
