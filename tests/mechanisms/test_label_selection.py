"""The law of released labels: recurrence, optimality, privacy by enumeration."""

import math

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.mechanisms.label_selection import LabelSelection, laplace_threshold

SETTINGS = ((1.0, 1e-5), (math.log(2), 0.1001), (3.0, 0.3), (0.2, 1e-3), (0.01, 0.2))


def optimal(epsilon, delta, most):
    """The recurrence of Desfontaines and others for the best rule there is."""
    found = [0.0]
    for _ in range(most):
        before = found[-1]
        here = math.exp(epsilon) * before + delta
        there = 1 - math.exp(-epsilon) * (1 - before - delta)
        found.append(min(here, there, 1.0))
    return np.array(found)


def divergence(one, other, epsilon):
    return float(np.maximum(one - math.exp(epsilon) * other, 0).sum())


def laws(rule, most):
    size = most + rule.threshold + 1
    return [rule.outcomes(people, size) for people in range(most + 1)]


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS)
def test_it_is_the_optimal_rule_at_its_own_delta(epsilon, delta):
    rule = LabelSelection.calibrate(epsilon=epsilon, delta=delta)
    people = np.arange(2 * rule.threshold + 3)
    best = optimal(rule.epsilon, rule.end_probability, people[-1])
    assert rule.released(people) == pytest.approx(best, abs=1e-13)
    assert rule.released(2 * rule.threshold + 1) == 1
    # At the δ that was asked for no rule gains more than two people.
    bound = optimal(epsilon, delta, people[-1])
    assert (rule.released(people) <= bound + 1e-13).all()
    assert (rule.released(people[2:]) >= bound[:-2] - 1e-13).all()


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS)
def test_the_closed_form_of_the_threshold_is_the_least_whole_number(epsilon, delta):
    rule = LabelSelection.calibrate(epsilon=epsilon, delta=delta)
    noise = np.arange(-rule.threshold, rule.threshold + 1)
    assert rule.probability(noise).sum() == pytest.approx(1, abs=1e-12)
    assert np.cumsum(rule.probability(noise)) == pytest.approx(rule.at_most(noise), abs=1e-12)
    assert rule.end_probability <= delta
    if rule.threshold > 1:
        one_less = LabelSelection(epsilon=epsilon, threshold=rule.threshold - 1)
        assert one_less.end_probability > delta * (1 - 1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS[:3])
def test_the_loss_between_two_sizes_is_the_least_that_holds(epsilon, delta):
    rule = LabelSelection.calibrate(epsilon=epsilon, delta=delta)
    every = laws(rule, 2 * rule.threshold + 3)
    for people in range(1, len(every)):
        one, other = every[people], every[people - 1]
        least = rule.epsilon_between(people, people - 1, delta)
        most = max(divergence(one, other, least), divergence(other, one, least))
        assert most <= delta * (1 + 1e-9)
        if least > 0:
            below = least - 1e-6
            assert max(divergence(one, other, below), divergence(other, one, below)) > delta
    assert rule.epsilon_between(1, 0, delta) == 0
    assert rule.epsilon_between(1, 0, 0.0) == math.inf


def test_the_chance_that_a_label_appears_because_of_one_is_a_sum_over_all_noise():
    rule = LabelSelection.calibrate(epsilon=0.7, delta=0.01)
    noise = np.arange(-rule.threshold, rule.threshold + 1)
    for people in range(1, 2 * rule.threshold + 4):
        only = (people + noise > rule.threshold) & (people - 1 + noise <= rule.threshold)
        exact = float(rule.probability(noise)[only].sum())
        assert float(rule.because_of_one(people)) == pytest.approx(exact, abs=1e-15)


def test_people_needed_is_the_first_size_that_often_released():
    rule = LabelSelection.calibrate(epsilon=0.5, delta=1e-6)
    for often in (0.05, 0.5, 0.95, 1.0):
        size = rule.people_needed(often)
        assert rule.released(size) >= often > rule.released(size - 1)
    people = np.arange(2 * rule.threshold)
    other = laplace_threshold(epsilon=0.5, delta=1e-6, people=people)
    assert (rule.released(people[2:]) >= other[2:] - 1e-12).all()


def test_numbers_of_people_are_enclosed_as_often_as_is_said_of_labels_that_are_released():
    rule = LabelSelection.calibrate(epsilon=0.6, delta=1e-3)
    for people in range(1, 3 * rule.threshold):
        shown = np.arange(rule.threshold + 1, people + rule.threshold + 1)
        law = rule.probability(shown - people)
        ends = np.array([rule.people_between(int(one), 0.95) for one in shown])
        inside = (ends[:, 0] <= people) & (people <= ends[:, 1])
        assert law[inside].sum() >= 0.95 * law.sum() * (1 - 1e-12)


@pytest.mark.parametrize(
    "part", [{"delta": 0.0}, {"epsilon": 0.0}, {"epsilon": 1e-9, "delta": 1e-9}]
)
def test_what_gives_no_label_is_refused(part):
    with pytest.raises(ParameterError):
        LabelSelection.calibrate(**{"epsilon": 1.0, "delta": 1e-6} | part)
