"""Declared numbers that are false: accuracy may be lost, the guarantee is kept.

A public number of people is checked, and its refusal is the same for all tables of as
many rows, which is what neighbors have. A public minimum may be missed or exceeded, and
so may lists of labels and bounds: no unit changes an answer by more than is charged.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.relations import TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from tests.releases.questions import (
    ADD_REMOVE,
    AGE,
    SUBSTITUTION,
    apart,
    asked,
    by_group,
    crossed,
    means,
    terms,
)
from tests.statistics.columns import DROP, REPLACE, category, number, yes_no

WEIGHT = number("weight", 200.0)
DROPPED = number("dropped", 10.0, missing=DROP)
COMPLETE = replace(AGE, complete=True)
LISTED = replace(category("region", ("north", "south")), missing=DROP)
COUNTED = replace(category("town", ("A", "B")), missing=REPLACE, replacement="A", complete=True)
COLUMNS = (AGE, WEIGHT, DROPPED, yes_no(), LISTED, COUNTED)
CELLS = {
    "age": (0.0, 100.0, -5.0, 1e9, None),
    "weight": (0.0, 200.0, 1e300, None),
    "dropped": (0.0, 10.0, None),
    "smoker": ("no", "yes", None),
    "region": ("north", "south", "elsewhere", None),
    "town": ("A", "B", "C", None),
}
FEWEST = 3
NUMBERS = (
    StatisticKind.SUM,
    StatisticKind.MEAN,
    StatisticKind.VARIANCE,
    StatisticKind.STANDARD_DEVIATION,
    StatisticKind.POPULATION_VARIANCE,
    StatisticKind.POPULATION_STANDARD_DEVIATION,
)
JOINT = (StatisticKind.COVARIANCE, StatisticKind.COVARIANCE_MATRIX)


def requests_of(known, columns=(AGE, DROPPED, COMPLETE)):
    """Return every kind of question about one row a person or several, by name."""
    found = {}
    for column in columns:
        if known["size"].public and column.missing is DROP:
            continue
        about = f"{column.name}{', complete' * column.complete}"
        for kind in NUMBERS:
            found[f"{kind} of {about}"] = Query(kind=kind, column=column, **known)
        found[f"histogram of {about}"] = Query(
            kind=StatisticKind.HISTOGRAM, column=column, edges=(0.0, 4.0, 10.0), **known
        )
        found[f"quantiles of {about}"] = Query(
            kind=StatisticKind.QUANTILES, column=column, qs=(0.25, 0.5), **known
        )
        found[f"median of {about}"] = Query(kind=StatisticKind.MEDIAN, column=column, **known)
    for column in (yes_no(), COUNTED) + (LISTED,) * (not known["size"].public):
        label = Membership(label=column.labels[1])
        for kind in (StatisticKind.COUNT, StatisticKind.PROPORTION):
            found[f"{kind} of {column.name}"] = Query(
                kind=kind, column=column, membership=label, **known
            )
        for kind in (StatisticKind.HISTOGRAM, StatisticKind.PROPORTIONS):
            found[f"{kind} of {column.name}"] = Query(kind=kind, column=column, **known)
    relation, rows = known["relation"], known["unit"].rows
    of_groups = {"relation": relation, "rows": rows}
    found |= {
        "mean by group": by_group(**of_groups).query,
        "variance by group": by_group(kind=StatisticKind.VARIANCE, **of_groups).query,
        "sum by group": by_group(kind=StatisticKind.SUM, **of_groups).query,
        "difference": apart(**of_groups).query,
        "means": means(numbers=(AGE, DROPPED), **of_groups).query,
        "cross table": crossed(
            columns=(COUNTED, yes_no()), people=known["size"].people, **of_groups
        ).query,
    }
    if rows == 1:
        found |= {
            f"{kind}": JointQuery(kind=kind, numbers=(AGE, WEIGHT), **known) for kind in JOINT
        }
    if known["size"].public:
        found["pooled variance"] = JointQuery(
            kind=StatisticKind.POOLED_VARIANCE,
            numbers=(AGE,),
            group=COUNTED,
            groups=GroupSizes(sizes=(known["size"].people, 0, 0), labels_public=False),
            **known,
        )
    return found


ROW = st.fixed_dictionaries({name: st.sampled_from(of) for name, of in CELLS.items()})


def dataset(rows, question):
    """Return a table of rows, declared as the question has it."""
    frame = pd.DataFrame({name: [row[name] for row in rows] for name in CELLS})
    for name, column in (("age", AGE), ("weight", WEIGHT), ("dropped", DROPPED)):
        frame[name] = frame[name].astype(float)
        assert column.name == name
    table = Dataset(name="t", frame=frame, columns=COLUMNS)
    return table.with_columns(*question.columns)


def check_change(question, one, *others):
    """Check how far the answers of neighbors are from that of a table, in each norm."""
    charged, here = question.sensitivity, question.value(dataset(one, question))
    for other in others:
        moved = question.value(dataset(other, question)) - here
        assert np.abs(moved).sum() <= charged.l1 * (1 + 1e-9) + 1e-9
        assert np.linalg.norm(moved) <= charged.l2 * (1 + 1e-9) + 1e-9
        assert np.abs(moved).max() <= charged.largest * (1 + 1e-9) + 1e-9


PRIVATE = {
    f"{name}; {relation}, {rows} rows": question
    for relation, rows in ((ADD_REMOVE, 1), (ADD_REMOVE, 2), (SUBSTITUTION, 2))
    for name, question in requests_of(terms(FEWEST, relation=relation, rows=rows)).items()
}


@pytest.mark.parametrize("name", PRIVATE)
@settings(max_examples=8, deadline=None)
@given(
    rows=st.lists(ROW, min_size=2, max_size=FEWEST + 3),
    others=st.lists(ROW, min_size=2, max_size=2),
    place=st.integers(0, FEWEST + 1),
)
def test_no_unit_changes_an_answer_by_more_than_charged(name, rows, others, place):
    question = PRIVATE[name]
    unit = question.unit.rows
    place = min(place, len(rows) - unit)
    left = rows[:place] + rows[place + unit :]
    neighbors = [left]
    if question.relation is SUBSTITUTION:
        # With nobody in their place the table is the one above.
        neighbors += [left[:place] + others[:come] + left[place:] for come in range(1, unit + 1)]
    check_change(question, rows, *neighbors)


@pytest.mark.parametrize("relation", [ADD_REMOVE, SUBSTITUTION])
@pytest.mark.parametrize("fewest", [3, 4, 50])
def test_a_matrix_is_released_by_steps_that_cover_a_false_minimum(relation, fewest):
    known = terms(fewest, relation=relation)
    known["size"] = TableSize(people=fewest, public=False)
    query = JointQuery(
        kind=StatisticKind.COVARIANCE_MATRIX,
        numbers=(DROPPED, replace(WEIGHT, missing=DROP, replacement=None)),
        **known,
    )
    steps = asked(query, "laplace").plan.release
    charged = query.statistic.sensitivities(relation)
    assert (np.array(charged) <= steps.sensitivities * (1 + 1e-12)).all()
    tops = [part.range.upper for part in query.statistic.parts]
    assert (np.array(tops) <= steps.largest * (1 + 1e-9)).all()


PUBLIC = requests_of(terms(4))


@pytest.mark.parametrize("name", PUBLIC)
@settings(max_examples=8, deadline=None)
@given(rows=st.lists(ROW, min_size=3, max_size=5), other=ROW, place=st.integers(0, 2))
def test_a_false_public_number_is_refused_for_all_tables_alike(name, rows, other, place):
    question = PUBLIC[name]
    replaced = [*rows[:place], other, *rows[place + 1 :]]
    if len(rows) == 4 or not question.size.public:
        check_change(question, rows, replaced)
        return
    for table in (rows, replaced):
        with pytest.raises(ParameterError, match="public number of rows"):
            question.value(dataset(table, question))


RESAMPLED = {
    **{
        f"bootstraps, {kind}": BootstrapRequest(
            query=PUBLIC[f"{kind} of {name}"], rho=0.5, delta=1e-6, times=3
        )
        for kind, name in (("mean", "age"), ("sum", "age"), ("proportion", "smoker"))
    },
    "resized": ResizedRequest(query=PUBLIC["mean of age"], draws=2),
    "sample of fixed size": SubsampledRequest(
        query=PUBLIC["mean of age"], law="laplace", epsilon=1.0, share=0.5, people=4
    ),
}


@pytest.mark.parametrize("name", RESAMPLED)
@settings(max_examples=10, deadline=None)
@given(rows=st.lists(ROW, min_size=2, max_size=6))
def test_resamples_are_drawn_from_as_many_rows_as_are_public(name, rows):
    request = RESAMPLED[name]
    if len(rows) == 4:
        request.value(dataset(rows, request.query))
        return
    with pytest.raises(ParameterError, match="public number of"):
        request.value(dataset(rows, request.query))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(ROW, min_size=1, max_size=6),
    left=st.integers(0, 5),
    taken=st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_the_statistic_of_a_sample_keeps_its_sensitivity_below_its_minimum(rows, left, taken):
    """Whoever else is drawn: a secret sample may hold fewer than were expected."""
    request = SubsampledRequest(
        query=PRIVATE["mean of dropped; add-remove, 1 rows"], law="laplace", epsilon=1.0, share=0.7
    )
    base = request.plan.base
    sampled = [row for row, drawn in zip(rows, taken, strict=False) if drawn]
    if sampled:
        left = min(left, len(sampled) - 1)
        check_change(base.query, sampled, sampled[:left] + sampled[left + 1 :])
