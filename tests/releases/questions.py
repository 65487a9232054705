"""Requests of every kind of plan, with small settings that tests can change."""

import string

from dpcore.analyses.base import Request
from dpcore.analyses.bounds import BoundsQuery
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import DifferenceQuery
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.label_rounds import LabelRoundsQuery
from dpcore.analyses.labels import LabelsQuery
from dpcore.analyses.marginals import MarginalsQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.means import MeansQuery
from dpcore.analyses.number import Query
from dpcore.analyses.spanning_tree import SyntheticQuery
from dpcore.analyses.weighted import WeightedQuery
from dpcore.data.columns import Column, ColumnKind
from dpcore.postprocessing.share_constraints import Constraint, ConstraintKind
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.statistics.columns import REPLACE, category, number, yes_no
from tests.terms import SUBSTITUTION

AGE = number("age", unit="years")


def terms(people=5, *, relation=SUBSTITUTION, rows=1):
    """Whom a guarantee protects, and what is public about their number."""
    unit = PrivacyUnit(rows=rows)
    return {
        "relation": relation,
        "unit": unit,
        "size": TableSize(people=people, public=unit.keeps_number(relation)),
    }


def asked(query, key, *, epsilon=1.0, **changes):
    return Request(query=query, mechanism_key=key, epsilon=epsilon, **changes)


def shares(key="bit", kind=ConstraintKind.RESCALE, *, cells=3, epsilon=1.0, **changes):
    """All shares of ``cells`` cells; changes of the procedure, then of the terms."""
    procedure = {
        name: changes.pop(name)
        for name in ("remainder", "branching", "syntheses")
        if name in changes
    }
    if kind is ConstraintKind.ALL_BUT_ONE:
        procedure.setdefault("remainder", cells - 1)
    column = labels("color", *string.ascii_lowercase[: cells - 1])
    query = Query(kind=StatisticKind.PROPORTIONS, column=column, **terms(**changes))
    constraint = Constraint(kind=kind, **procedure)
    return asked(query, key, epsilon=epsilon, constraint=constraint)


def ranks(*, q=None, epsilon=1.0, **changes):
    """The median of an age, or another quantile."""
    kind = StatisticKind.MEDIAN if q is None else StatisticKind.QUANTILE
    query = Query(kind=kind, column=AGE, q=q, **terms(**changes))
    return asked(query, "exponential", epsilon=epsilon)


def chained(key="laplace", *, qs=(0.1, 0.5, 0.9), **changes):
    """Several quantiles of an age."""
    query = Query(kind=StatisticKind.QUANTILES, column=AGE, qs=qs, **terms(**changes))
    return asked(query, key)


def bounds(column=AGE, *, relation=SUBSTITUTION, unit=None, epsilon=1.0, **changes):
    """The bounds of an age, as if nobody knew them."""
    query = BoundsQuery.of(column, relation=relation, unit=unit or PrivacyUnit())
    return asked(query, "laplace", epsilon=epsilon, **changes)


def found_labels(column=None, *, relation=SUBSTITUTION, unit=None, epsilon=1.0, delta=1e-5):
    """The labels of a town, as if nobody knew them."""
    town = column or Column(name="town", kind=ColumnKind.CATEGORY)
    query = LabelsQuery.of(town, relation=relation, unit=unit or PrivacyUnit())
    return asked(query, "label-selection", epsilon=epsilon, delta=delta)


def labels_in_rounds(*, relation=SUBSTITUTION, cap=2, epsilon=1.0, delta=1e-5):
    """The labels of a town in rounds, where several rows of each person count."""
    town = Column(name="town", kind=ColumnKind.CATEGORY)
    query = LabelRoundsQuery.of(town, relation=relation, unit=PrivacyUnit(cap=cap))
    return asked(query, "label-rounds", epsilon=epsilon, delta=delta)


def synthetic(*columns, relation=SUBSTITUTION, people=5, epsilon=1.0, delta=1e-5):
    """A synthetic table of a region and an age, or of other columns."""
    known = terms(people, relation=relation)
    pairs = columns or ((category(), None), (AGE, (0.0, 50.0, 100.0)))
    query = SyntheticQuery.of(pairs, **known)
    return asked(query, "spanning-tree", epsilon=epsilon, delta=delta)


def apart(key="laplace", *, pair=("south", "north"), rows=1, **changes):
    """By how much the mean ages of two regions differ."""
    known = terms(relation=changes.pop("relation", SUBSTITUTION), rows=rows)
    known["size"] = ANY_SIZE
    part = Query(kind=StatisticKind.MEAN, column=AGE, **known)
    query = DifferenceQuery(part=part, group=Grouping.of(category()), pair=pair)
    return asked(query, key, **changes)


def means(key="laplace", *, numbers=(), rows=1, relation=SUBSTITUTION, **changes):
    """The mean age and weight by region."""
    query = MeansQuery(
        numbers=numbers or (AGE, number("weight", 200.0, unit="kg")),
        group=Grouping.of(category()),
        relation=relation,
        unit=PrivacyUnit(rows=rows),
    )
    return asked(query, key, **changes)


def matrix(key="bit", *, columns=2, epsilon=1.0, weights=None, kind=None, **changes):
    """Variances and covariances of numbers between 0 and 1."""
    names = string.ascii_lowercase[:columns]
    query = JointQuery(
        kind=kind or StatisticKind.COVARIANCE_MATRIX,
        numbers=tuple(number(name, 1.0) for name in names),
        **terms(**changes),
    )
    return asked(query, key, epsilon=epsilon, weights=weights)


def labels(name, *listed):
    """A category; people without one count as the first."""
    return Column(
        name=name, kind=ColumnKind.CATEGORY, labels=listed, missing=REPLACE, replacement=listed[0]
    )


def crossed(key="laplace", *, columns=(), edges=(None, None, None), **changes):
    """How many people have each combination of answers, of two columns unless named."""
    columns = columns or (labels("region", "north", "south"), yes_no())
    each = (
        Query(kind=StatisticKind.HISTOGRAM, column=column, edges=cuts, **terms(**changes))
        for column, cuts in zip(columns, edges, strict=False)
    )
    return asked(CrossedQuery(crossed=tuple(each)), key)


def marginals(key="gaussian", *, tables=((0,), (0, 1), (1, 2)), consistent=True, **changes):
    """Counts of several tables of three columns."""
    columns = (labels("region", "north", "south"), yes_no(), labels("level", "low", "high"))
    parts = crossed(columns=columns, **changes).query.crossed
    query = MarginalsQuery(crossed=parts, tables=tables, consistent=consistent)
    return asked(query, key, delta=0.0 if key == "laplace" else 1e-6)


def weighted(key="laplace", *, member=None, group=(), relation=SUBSTITUTION, rows=1, **changes):
    """The weighted mean age, or the weighted share of a label of smokers."""
    known = terms(relation=relation, rows=rows) | {"size": ANY_SIZE}
    of = {"kind": StatisticKind.MEAN, "column": AGE}
    if member is not None:
        of = {"kind": StatisticKind.PROPORTION, "column": yes_no(), "membership": member}
    query = WeightedQuery(
        part=Query(**of, **known), group=Grouping.of(*group), weight=number("design", 4.0)
    )
    return asked(query, key, **changes)


def by_group(key="laplace", *, kind=StatisticKind.MEAN, rows=1, **changes):
    """The mean age by region, or another statistic."""
    known = terms(relation=changes.pop("relation", SUBSTITUTION), rows=rows)
    known["size"] = ANY_SIZE
    part = Query(kind=kind, column=AGE, **known)
    return asked(GroupedQuery(part=part, group=Grouping.of(category())), key, **changes)
