"""Checks without draws find what a single answer does not show."""

from dataclasses import replace

import pytest

from dpcore.data.bounds import Interval
from dpcore.studies.auditing import structure
from dpcore.studies.auditing.structure import checks
from tests.conftest import few
from tests.releases import models
from tests.releases.test_rebuilding import REQUESTS, table_of


def found(request, table=None):
    table = table_of(request) if table is None else table
    return {one.name: one for one in checks([request], table)}


@pytest.mark.parametrize("name", few(2, "mean", "histogram of labels", "by group", "median"))
def test_honest_question_fails_no_check(name):
    done = found(REQUESTS[name])
    assert len(done) == 4
    assert all(one.passed for one in done.values())
    assert all(one.question == REQUESTS[name].title for one in done.values())


def test_bounds_that_are_the_least_and_the_largest_number_are_told():
    request = REQUESTS["mean"]
    (column,) = request.query.columns
    tight = replace(column, bounds=Interval(lower=1.0, upper=5.0), replacement=3.0)
    done = found(replace(request, query=replace(request.query, column=tight)))
    check = done["Bounds are not looked up"]
    assert check.passed is False
    assert f"“{column.name}”" in check.how


def test_question_that_draws_afresh_is_told(monkeypatch):
    real, turns = structure.release, iter((1, 2))

    def afresh(request, value, **more):
        return real(replace(request, draw=next(turns)), value, **more)

    monkeypatch.setattr(structure, "release", afresh)
    assert found(REQUESTS["mean"])["The same question has the same answer"].passed is (False)


def test_noise_for_less_than_a_person_moves_is_told():
    # A request of its own: what it keeps of its plan would else reach other tests.
    request = replace(REQUESTS["mean"])
    object.__setattr__(request.plan, "mechanism", replace(request, epsilon=200.0).mechanism)
    check = found(request)["No tested loss exceeds the guarantee"]
    assert check.passed is False
    assert "would lose more" in check.how


def test_model_has_checks_too():
    done = found(models.request("output-public"), models.table())
    assert done["The same question has the same answer"].passed
    assert done["Bounds are not looked up"].passed is not None
