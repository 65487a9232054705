"""Models as questions: what they are called, what they refuse, what they fit."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.data.dataset import Dataset
from dpcore.errors import DataError, ParameterError
from dpcore.models.design import Design, UnitRows
from dpcore.models.diagnostics import diagnose
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from tests.releases.models import COLUMNS, question, table, without_anybody


def test_title_says_what_is_explained_by_what():
    assert question().title == "linear regression of y on a and b"
    assert question(ModelKind.POISSON).title == "Poisson regression of count on a and b"


@pytest.mark.parametrize("model", ModelKind)
def test_fit_makes_the_gradient_of_its_objective_vanish(model):
    asked = question(model)
    fit = asked.fit(table())
    eta = fit.features @ fit.theta
    slopes = eta - fit.target if asked.loss is None else asked.loss.slope(eta, fit.target)
    gradient = fit.features.T @ slopes + 20.0 * fit.theta
    np.testing.assert_allclose(gradient, 0, atol=1e-9)


def first(people):
    whole = table(200)
    return Dataset(name="few", frame=whole.frame.iloc[:people], columns=whole.columns)


def test_of_more_people_than_the_public_maximum_the_first_ones_are_fitted():
    asked = question(most_people=60)
    fits = [asked.fit(table(200)), asked.fit(first(60)), asked.fit(first(61))]
    for fit in fits:
        assert fit.people == 60
        np.testing.assert_array_equal(fit.theta, fits[0].theta)
    assert asked.rows(table(200)).tolist() == list(range(60))


@pytest.mark.parametrize("model", ModelKind)
def test_of_nobody_the_penalty_makes_coefficients_0(model):
    asked, empty = without_anybody(model)
    fit = asked.fit(empty)
    assert fit.people == 0
    np.testing.assert_array_equal(fit.theta, np.zeros(3))
    np.testing.assert_allclose(fit.factor.hessian, 20 * np.eye(3))
    with pytest.raises(DataError, match="nothing but noise"):
        diagnose(fit)
    with pytest.raises(DataError, match="nobody"):
        replace(asked, penalty=Penalty(strength=0.0)).fit(empty)


def test_nonsense_is_refused():
    wrong = Design(target=COLUMNS[0], features=COLUMNS[3:], unit_rows=UnitRows.OFF)
    with pytest.raises(ParameterError, match="at most 1 long"):
        question(design=wrong)
    with pytest.raises(ParameterError, match="needs a yes/no target"):
        question(model=ModelKind.LOGISTIC, design=question().design)
    with pytest.raises(ParameterError, match="about counts"):
        question(model=ModelKind.POISSON, design=question().design)
    with pytest.raises(ParameterError, match="needs a threshold"):
        question(ModelKind.HUBER, threshold=None)
    with pytest.raises(ParameterError, match="has no use for a threshold"):
        question(threshold=1.0)
    with pytest.raises(ParameterError, match="at least 1"):
        question(most_people=0)
