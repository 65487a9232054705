"""Questions of every kind, to plan with."""

from __future__ import annotations

from dpcore.analyses.number import Query
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.postprocessing.share_constraints import ConstraintKind
from dpcore.statistics.kinds import StatisticKind
from tests.releases import models
from tests.releases.questions import AGE, asked, by_group, matrix, ranks, shares, terms

PEOPLE = 812


def of_age(kind=StatisticKind.MEAN, key="laplace", *, people=PEOPLE, **changes):
    return asked(Query(kind=kind, column=AGE, **terms(people)), key, **changes)


QUICK = {
    "mean": of_age(),
    "bit": of_age(key="bit"),
    "truncated": of_age(key="truncated"),
    "gaussian": of_age(key="gaussian", delta=1e-6),
    "sum": of_age(StatisticKind.SUM),
    "variance": of_age(StatisticKind.VARIANCE),
    "median": ranks(people=PEOPLE),
    "matrix": matrix(people=PEOPLE, columns=3),
    "group": by_group(),
    "group, gaussian": by_group("gaussian", delta=1e-6),
}
"""Questions whose error is worked out in a millisecond."""
ALL = QUICK | {
    "shares": shares(people=PEOPLE),
    "shares but one": shares(kind=ConstraintKind.ALL_BUT_ONE, people=PEOPLE),
    "model": models.request(),
}


def item(key, *, epsilon=1.0, **changes):
    request = PlannedQuery.of(ALL[key]).at(epsilon).request
    return PlannedQuery(**({"request": request, "name": key} | changes))
