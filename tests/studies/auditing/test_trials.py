"""What is audited of a release is what a release draws."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.analyses.matrix import MatrixPlan
from dpcore.analyses.resized import Form, ResizedRequest
from dpcore.analyses.shares import SharePlan
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import (
    TrialDraws,
    batches,
    claim,
    narrowed,
    neighboring,
    of_mechanism,
    of_person,
    typed,
    worst,
)
from dpcore.studies.meaning.attacker import Guarantee
from dpcore.studies.teaching.laboratory import Setup
from tests.conftest import few
from tests.releases import models
from tests.releases.test_rebuilding import REQUESTS, table_of

CERTAIN = 1 - 1e-9
"""So sure that a promise that is kept is refuted once in 1e9 runs."""
FEW = 16
NOT_KNOWN = (SharePlan, MatrixPlan)


def audited(trial, draws=FEW):
    few = replace(trial, batch=min(trial.batch, draws))
    return audit(few, TrialDraws.together(batches(few, draws)), confidence=CERTAIN)


@pytest.mark.parametrize("name", few(17, *REQUESTS))
def test_every_question_can_be_audited_or_says_how(name):
    request = REQUESTS[name]
    if isinstance(request.plan, NOT_KNOWN):
        with pytest.raises(ParameterError, match="on a row of the table"):
            worst(request)
        return
    trial = worst(request)
    assert trial.draw(0, 3).shape == (3, len(trial.labels))
    assert trial.claim == Guarantee(epsilon=request.epsilon, delta=request.used_delta)
    assert not audited(trial).refuted


@pytest.mark.parametrize("name", ["mean", "histogram", "by group", "cross table"])
def test_worst_pair_is_as_far_apart_as_the_promise_allows(name):
    trial = worst(REQUESTS[name])
    assert trial.exact == pytest.approx(trial.claim.epsilon, rel=1e-6)


# The small table has other sizes of groups than are public, and one row of each person.
@pytest.mark.parametrize(
    "name", few(16, *sorted(REQUESTS.keys() - {"pooled variance", "labels in rounds"}))
)
def test_person_of_a_table_is_audited(name):
    request = REQUESTS[name]
    trial = of_person(request, table_of(request), 0, 1)
    assert trial.draw(1, 2).shape == (2, len(trial.labels))


def test_promise_that_is_far_too_small_is_refuted_by_real_draws():
    # 5 standard errors are missing to a bound of 0.01 once in far more than 1e8 runs.
    trial = replace(worst(REQUESTS["mean"]), claim=Guarantee(epsilon=0.01))
    assert audited(trial, 4000).refuted


def test_a_mean_square_of_four_times_the_weight_is_refuted_and_the_right_one_is_not():
    request = REQUESTS["mean and standard deviation"]
    trial = worst(request)
    fault = 4 * request.query.bounds.width / request.query.size.people

    def too_far(world, size):
        return trial.draw(world, size) + world * np.array([0.0, fault])

    assert not audited(trial, 4000).refuted
    assert audited(replace(trial, draw=too_far), 4000).refuted


@pytest.mark.parametrize("key", CATALOG)
def test_every_mechanism_can_be_audited(key):
    setup = Setup(key=key, epsilon=1.0, place=0.0, shift=0.5)
    for far in (False, True):
        trial = of_mechanism(setup, rng=np.random.default_rng(1), worst=far)
        assert trial.draw(0, 4).shape == (4, 1)
        assert math.isfinite(trial.exact)
        assert trial.claim.delta == setup.delta


def test_typed_values_are_no_farther_apart_than_a_person_moves_them():
    request = REQUESTS["mean"]
    reach = request.sensitivity.largest
    assert typed(request, 50.0, 50.0 + reach).exact == pytest.approx(request.epsilon, rel=1e-6)
    with pytest.raises(ParameterError, match="at most"):
        typed(request, 50.0, 50.0 + 2 * reach)
    for name in ("histogram", "median"):
        with pytest.raises(ParameterError, match="one number plus noise"):
            typed(REQUESTS[name], 1.0, 2.0)


def test_a_mechanism_without_a_secure_sampler_has_no_release_to_test():
    request = replace(REQUESTS["mean"], mechanism_key="generalized", delta=1e-6)
    for trial in (lambda: worst(request), lambda: typed(request, 50.0, 50.0)):
        with pytest.raises(ParameterError, match="no secure sampler"):
            trial()


def test_published_resample_promises_a_delta_alone():
    request = ResizedRequest(query=REQUESTS["proportion"].query, draws=2, form=Form.PUBLISHED)
    promised = claim(request)
    assert promised.epsilon == pytest.approx(0.0, abs=1e-5)
    assert promised.delta == pytest.approx(request.bootstrap.delta())
    assert not audited(worst(request)).refuted


def test_columns_that_are_not_asked_about_are_not_copied():
    request = REQUESTS["mean"]
    table = table_of(request)
    other = replace(table.columns[0], name="other")
    wide = Dataset(name="t", frame=table.frame.assign(other=1.0), columns=(*table.columns, other))
    assert [*narrowed(request, wide).frame.columns] == [*table.frame.columns]
    counted = REQUESTS["count of everybody"]
    assert narrowed(counted, table_of(counted)).people == 5


def test_neighbors_of_a_table():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    columns = (REQUESTS["mean"].query.columns[0],)
    table = Dataset(name="t", frame=frame, columns=(replace(columns[0], name="a"),))
    assert neighboring(table, 1).frame["a"].tolist() == [1.0, 3.0]
    assert neighboring(table, 1, 2).frame["a"].tolist() == [1.0, 3.0, 3.0]
    for wrong in (-1, 3):
        with pytest.raises(ParameterError, match="rows 1 to 3"):
            neighboring(table, wrong)
    single = replace(table, frame=frame.iloc[:1])
    with pytest.raises(ParameterError, match="only row"):
        neighboring(single, 0)


@pytest.mark.parametrize("key", ["output-public", "posterior"])
def test_a_model_is_audited_on_a_person(key):
    request = models.request(key)
    trial = of_person(request, models.table(), 0, 1)
    assert trial.draw(0, 2).shape == (2, len(trial.labels))
    with pytest.raises(ParameterError, match="on a row of the table"):
        worst(request)
