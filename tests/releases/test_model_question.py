"""Models as questions: what they are called, what they refuse, what they fit."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dpcore.errors import DataError, ParameterError
from dpcore.models.design import Design, UnitRows
from dpcore.models.kinds import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.relations import PrivacyUnit
from dpcore.releases.identity import canonical
from tests.releases.models import COLUMNS, SUBSTITUTION, question, table


def test_title_says_what_is_explained_by_what():
    assert question().title == "linear regression of y on a and b"
    assert question(ModelKind.POISSON).title == "Poisson regression of count on a and b"


@pytest.mark.parametrize("model", ModelKind)
def test_parameters_are_json_and_tell_questions_apart(model):
    asked = question(model)
    text = canonical(asked.parameters())
    assert json.loads(text)["model"] == model.value
    others = (
        replace(asked, penalty=Penalty(strength=21.0)),
        replace(asked, relation=SUBSTITUTION),
        replace(asked, unit=PrivacyUnit(rows=2)),
        replace(asked, most_people=201),
        replace(asked, design=replace(asked.design, intercept=False)),
        replace(asked, design=replace(asked.design, unit_rows=UnitRows.CLIP)),
        replace(asked, design=replace(asked.design, features=COLUMNS[3:4])),
        replace(asked, design=replace(asked.design, others_apart=True)),
    )
    texts = {canonical(other.parameters()) for other in others}
    assert len(texts | {text}) == len(others) + 1


@pytest.mark.parametrize("model", ModelKind)
def test_fit_makes_the_gradient_of_its_objective_vanish(model):
    asked = question(model)
    fit = asked.fit(table())
    eta = fit.features @ fit.theta
    slopes = (
        eta - fit.target if asked.loss is None else asked.loss.slope(eta, fit.target)
    )
    gradient = fit.features.T @ slopes + 20.0 * fit.theta
    np.testing.assert_allclose(gradient, 0, atol=1e-9)


def test_moves_count_rows_that_come_and_go():
    assert question().moves == 1
    assert question(relation=SUBSTITUTION).moves == 2
    assert question(relation=SUBSTITUTION, unit=PrivacyUnit(rows=5)).moves == 10


def test_more_people_than_the_public_bound_are_refused_without_their_number():
    with pytest.raises(DataError, match="more people than the public bound") as error:
        question(most_people=199).fit(table(200))
    assert "200" not in str(error.value)
    assert "raise the public maximum number of people" in str(error.value)


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
