"""Requests read back from the parameters of their releases."""

import json
import math
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.analyses.reading import as_declared, request_from
from dpcore.analyses.resized import Form, ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.bounds import Interval
from dpcore.data.columns import ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.errors import DataError
from dpcore.postprocessing.share_constraints import ConstraintKind
from dpcore.privacy.bootstrap_cost import Correction
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import OF_ONE, StatisticKind
from dpcore.statistics.pooled import GroupSizes
from tests.releases.questions import (
    AGE,
    apart,
    asked,
    bounds,
    by_group,
    chained,
    crossed,
    found_labels,
    labels_in_rounds,
    marginals,
    matrix,
    means,
    ranks,
    shares,
    synthetic,
    terms,
    weighted,
)
from tests.statistics.columns import DROP, category, number, yes_no
from tests.terms import ADD_REMOVE

INCOME = number("income", 5000.0, unit="euros", description="a year", missing=DROP)
HIDDEN = {"relation": ADD_REMOVE}
PRIVATE = terms(5, relation=ADD_REMOVE)


def of_one(kind, column=AGE, *, key="laplace", known=None, **parts):
    query = Query(kind=kind, column=column, **(known or terms()), **parts)
    return asked(query, key)


def joint(kind, *columns, key="laplace", known=None, **parts):
    query = JointQuery(kind=kind, numbers=columns, **(known or terms()), **parts)
    return asked(query, key)


SCALARS = (
    "sum",
    "mean",
    "variance",
    "standard deviation",
    "variance, divisor n",
    "standard deviation, divisor n",
    "mean and standard deviation",
)
PUBLIC_GROUPS = GroupSizes(sizes=(2, 3))
REQUESTS = {
    **{name: of_one(StatisticKind(name)) for name in SCALARS},
    "mean, dropped": of_one(StatisticKind.MEAN, INCOME, known=PRIVATE),
    "gaussian": replace(of_one(StatisticKind.MEAN, key="gaussian"), delta=1e-6, draw=3),
    "households": of_one(StatisticKind.SUM, known=terms(rows=3)),
    "count of a label": of_one(StatisticKind.COUNT, yes_no(), membership=Membership(label="yes")),
    "count of a range": of_one(
        StatisticKind.COUNT, membership=Membership(interval=Interval(lower=65, upper=math.inf))
    ),
    "whole number": of_one(
        StatisticKind.COUNT, yes_no(), key="bit-discrete", membership=Membership(label="yes")
    ),
    "noise of limited range": replace(of_one(StatisticKind.MEAN, key="limited"), delta=1e-6),
    "clamped Gaussian noise": replace(of_one(StatisticKind.MEAN, key="bit-gaussian"), delta=1e-6),
    "count of everybody": of_one(StatisticKind.COUNT, known=PRIVATE, membership=Membership()),
    "proportion": of_one(
        StatisticKind.PROPORTION,
        membership=Membership(interval=Interval(lower=-math.inf, upper=18)),
    ),
    "histogram": of_one(StatisticKind.HISTOGRAM, edges=(0.0, 50.0, 100.0)),
    "histogram of labels": of_one(StatisticKind.HISTOGRAM, category(), known=PRIVATE),
    "shares": of_one(StatisticKind.PROPORTIONS, edges=(0.0, 50.0, 100.0)),
    **{
        f"shares, {kind}": shares(kind=kind)
        for kind in ConstraintKind
        if kind != ConstraintKind.ALL_BUT_ONE
    },
    "shares, all but the first": shares(kind=ConstraintKind.ALL_BUT_ONE, remainder=0, syntheses=2),
    "shares, wide tree": shares(kind=ConstraintKind.TREE, cells=5, branching=3),
    "median": ranks(),
    "quantile": ranks(q=0.9),
    "covariance": joint(StatisticKind.COVARIANCE, AGE, number("weight")),
    "correlation": matrix(kind=StatisticKind.CORRELATION),
    "matrix": matrix(columns=3, weights=(1.0, 2.0, 1.0, 1.0, 1.0, 3.0)),
    "pooled variance": joint(
        StatisticKind.POOLED_VARIANCE,
        AGE,
        group=Grouping.of(category(labels=("north",))),
        groups=PUBLIC_GROUPS,
    ),
    "pooled covariance, private": joint(
        StatisticKind.POOLED_COVARIANCE,
        AGE,
        number("weight"),
        group=Grouping.of(category(labels=("north",))),
        groups=GroupSizes(sizes=(5, 0), labels_public=False),
    ),
    "by group": by_group(),
    "variance by group": by_group(relation=ADD_REMOVE, kind=StatisticKind.VARIANCE),
    "mean and standard deviation by group": by_group(kind=StatisticKind.MEAN_AND_SPREAD),
    "sum by group": by_group(kind=StatisticKind.SUM, rows=2),
    "difference of groups": apart(),
    "means of several columns": means(numbers=(AGE, INCOME)),
    "weighted mean": weighted(),
    "weighted share": weighted(
        member=Membership(label="yes"), group=(category(),), relation=ADD_REMOVE
    ),
    "cross table": crossed(),
    "several quantiles": chained(),
    "bounds": bounds(),
    "labels": found_labels(),
    "labels in rounds": labels_in_rounds(),
    "synthetic table": synthetic(),
    "marginals": marginals("laplace"),
    "Gaussian marginals as drawn": marginals(consistent=False, **HIDDEN),
    "cross table of bins": crossed(
        columns=(AGE, category()), edges=((0.0, 50.0, 100.0), None), **HIDDEN
    ),
}


def table_of(request):
    """A table that declares the columns otherwise than the request did."""
    columns = tuple(
        replace(column, bounds=None, missing=DROP, replacement=None)
        if column.kind is ColumnKind.NUMBER
        else column
        for column in request.query.columns
    )
    cells = {
        column.name: [1.0, 2.0, 3.0, 4.0, 5.0]
        if column.kind is ColumnKind.NUMBER
        else [*column.labels[:1], "x"][:1] * 5
        for column in columns
    }
    return Dataset(name="t", frame=pd.DataFrame(cells), columns=columns)


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_comes_back_from_its_parameters(name):
    request = REQUESTS[name]
    stored = json.loads(json.dumps(request.parameters(), allow_nan=False))
    table = table_of(request)
    again = request_from(stored, table, draw=request.draw)
    assert again == request
    assert again.analysis("table") == request.analysis("table")
    assert again.plan.noise == request.plan.noise
    declared = as_declared(again, table)
    assert {column.name: column for column in declared.columns} == {
        column.name: column for column in request.query.columns
    }


def test_every_kind_of_question_is_covered():
    covered = {request.query.kind for request in REQUESTS.values()}
    assert covered == set(StatisticKind)
    assert set(OF_ONE) <= covered


def test_sizes_of_private_groups_are_not_stored_and_not_needed():
    query = JointQuery(
        kind=StatisticKind.POOLED_VARIANCE,
        numbers=(AGE,),
        group=Grouping.of(category(labels=("north",))),
        groups=GroupSizes(sizes=(2, 3), labels_public=False),
        **terms(),
    )
    request = asked(query, "laplace")
    again = request_from(request.parameters(), table_of(request))
    assert again.parameters() == request.parameters()
    assert again.plan.noise == request.plan.noise


GOOD = of_one(StatisticKind.MEAN)


@pytest.mark.parametrize(
    "change",
    [
        {"query": None},
        {"query": {}},
        {"query": {"kind": "mean"}},
        {"query": GOOD.parameters()["query"] | {"kind": "mode"}},
        {"query": GOOD.parameters()["query"] | {"relation": "none"}},
        {"query": GOOD.parameters()["query"] | {"size": {"people": 5, "public": 1}}},
        {"query": GOOD.parameters()["query"] | {"edges": "01"}},
        {"mechanism": "magic"},
        {"epsilon": "1"},
        {"delta": None},
        {"constraint": {}},
        {"weights": [1.0]},
    ],
)
def test_other_parameters_are_refused_without_quoting_them(change):
    parameters = GOOD.parameters() | change
    with pytest.raises(DataError, match="cannot be traced back"):
        request_from(parameters, table_of(GOOD))


def test_a_column_that_the_table_does_not_have_is_refused():
    other = table_of(of_one(StatisticKind.MEAN, number("weight")))
    with pytest.raises(DataError):
        request_from(GOOD.parameters(), other)
    with pytest.raises(DataError):
        request_from({"kind": "model"}, other)


MEMBERS = Membership(interval=Interval(lower=30.0, upper=math.inf))
positive = st.floats(1e-3, 5.0)
tiny = st.sampled_from([1e-9, 1e-6, 1e-5])
draws = st.integers(1, 9)
fixed = st.builds(
    lambda kind, people: Query(
        kind=kind, column=AGE, membership=MEMBERS if kind.of_members else None, **terms(people)
    ),
    st.sampled_from(
        [StatisticKind.MEAN, StatisticKind.PROPORTION, StatisticKind.SUM, StatisticKind.COUNT]
    ),
    st.integers(20, 3000),
)
moving = st.builds(
    lambda kind, people: Query(
        kind=kind,
        column=INCOME,
        membership=MEMBERS if kind.of_members else None,
        **terms(people, relation=ADD_REMOVE),
    ),
    st.sampled_from([StatisticKind.MEAN, StatisticKind.COUNT, StatisticKind.SUM]),
    st.integers(20, 3000),
)


@st.composite
def bootstraps(draw):
    correction = draw(st.sampled_from(Correction))
    finite = correction is Correction.FINITE
    bounds = [Bound.GENERIC, Bound.MEAN] if finite else [Bound.GENERIC]
    return BootstrapRequest(
        query=draw(fixed),
        rho=draw(positive),
        delta=draw(tiny),
        times=draw(st.integers(1, 200)),
        correction=correction,
        bound=draw(st.sampled_from(bounds)),
        draw=draw(draws),
    )


@st.composite
def samples(draw):
    query = draw(st.one_of(fixed, moving))
    law, size = draw(st.sampled_from(["laplace", "gaussian"])), query.size.people
    return SubsampledRequest(
        query=query,
        law=law,
        epsilon=draw(positive),
        share=draw(st.floats(0.1, 1.0)),
        delta=draw(tiny) if law == "gaussian" else 0.0,
        people=None if query.relation is ADD_REMOVE else size + draw(draws) - 1,
        draw=draw(draws),
    )


@st.composite
def resized(draw):
    query = draw(
        fixed.filter(lambda query: query.kind in {StatisticKind.MEAN, StatisticKind.PROPORTION})
    )
    form = draw(st.sampled_from(Form))
    known = (
        {"epsilon": draw(positive), "delta": draw(st.sampled_from([0.0, 1e-6]))}
        if form is Form.REPAIRED
        else {}
    )
    return ResizedRequest(
        query=query,
        draws=draw(st.integers(2, query.size.people)),
        form=form,
        draw=draw(draws),
        **known,
    )


@given(st.one_of(bootstraps(), samples(), resized()))
def test_requests_of_resamples_come_back_from_their_parameters(request):
    stored = json.loads(json.dumps(request.parameters(), allow_nan=False))
    table = table_of(request)
    again = request_from(stored, table, draw=request.draw)
    assert again == request
    assert type(again) is type(request)
    assert again.analysis("table") == request.analysis("table")
    assert as_declared(again, table).columns == request.query.columns


def test_what_a_request_of_resamples_does_not_use_is_not_stored():
    of_age = of_one(StatisticKind.PROPORTION, membership=MEMBERS).query
    settings = {"query": of_age, "rho": 0.5, "delta": 1e-6, "times": 3}
    limit = BootstrapRequest(**settings, correction=Correction.ASYMPTOTIC, bound=Bound.MEAN)
    again = request_from(limit.parameters(), table_of(limit))
    assert again.plan == limit.plan
    assert again.cost == limit.cost
    published = ResizedRequest(query=of_age, draws=3, form=Form.PUBLISHED, epsilon=9.0, delta=1e-3)
    again = request_from(published.parameters(), table_of(published))
    assert again.plan == published.plan
    assert again.cost == published.cost


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "resample"},
        {"mechanism": "laplace"},
        {"query": by_group().query.parameters()},
        {"share": 0},
        {"people": "5"},
        {"epsilon": True},
        {"delta": None},
    ],
)
def test_other_parameters_of_resamples_are_refused(change):
    query = of_one(StatisticKind.MEAN).query
    sample = SubsampledRequest(query=query, law="laplace", epsilon=1.0, share=0.5, people=5)
    table = table_of(sample)
    assert request_from(sample.parameters(), table) == sample
    with pytest.raises(DataError, match="cannot be traced back"):
        request_from(sample.parameters() | change, table)
    resample = ResizedRequest(query=query, draws=2).parameters()
    for wrong in ({"mechanism": "magic"}, {"draws": 2.0}, {"epsilon": "1"}):
        with pytest.raises(DataError, match="cannot be traced back"):
            request_from(resample | wrong, table)
