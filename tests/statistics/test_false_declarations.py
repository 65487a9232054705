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
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from tests.conftest import few
from tests.releases.questions import AGE, apart, asked, by_group, crossed, means, terms
from tests.statistics.columns import DROP, REPLACE, category, number, yes_no
from tests.terms import ADD_REMOVE, SUBSTITUTION

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
            group=Grouping.of(COUNTED),
            groups=GroupSizes(sizes=(known["size"].people, 0, 0), labels_public=False),
            **known,
        )
    return found


ROW = st.fixed_dictionaries({name: st.sampled_from(of) for name, of in CELLS.items()})


def dataset(rows):
    """Return a table of rows, whose cells are read once for all questions."""
    frame = pd.DataFrame({name: [row[name] for row in rows] for name in CELLS})
    for column in (AGE, WEIGHT, DROPPED):
        frame[column.name] = frame[column.name].astype(float)
    return Dataset(name="t", frame=frame, columns=COLUMNS)


def exceeds(question, one, other):
    """Return whether neighbors are further apart, in a norm, than is charged."""
    value, there = (question.value(table.with_columns(*question.columns)) for table in (one, other))
    charged, moved = question.sensitivity, np.abs(there - value)
    norms = np.array([charged.l1, charged.l2, charged.largest])
    found = np.array([moved.sum(), np.linalg.norm(moved), moved.max()])
    return not (found <= norms * (1 + 1e-9) + 1e-9).all()


def exceeding(questions, one, *others):
    """Return the questions, by name, whose answer changes by more than is charged."""
    here, *there = map(dataset, (one, *others))
    return [
        name
        for name, question in questions.items()
        if any(exceeds(question, here, other) for other in there)
    ]


PRIVATE = {
    (relation, rows): requests_of(terms(FEWEST, relation=relation, rows=rows))
    for relation, rows in ((ADD_REMOVE, 1), (ADD_REMOVE, 2), (SUBSTITUTION, 2))
}


@pytest.mark.parametrize(("relation", "unit"), few(1, *PRIVATE))
@settings(max_examples=8, deadline=None)
@given(
    rows=st.lists(ROW, min_size=2, max_size=FEWEST + 3),
    others=st.lists(ROW, min_size=2, max_size=2),
    place=st.integers(0, FEWEST + 1),
)
def test_no_unit_changes_an_answer_by_more_than_charged(relation, unit, rows, others, place):
    place = min(place, len(rows) - unit)
    left = rows[:place] + rows[place + unit :]
    neighbors = [left]
    if relation is SUBSTITUTION:
        # With nobody in their place the table is the one above.
        neighbors += [left[:place] + others[:come] + left[place:] for come in range(1, unit + 1)]
    assert exceeding(PRIVATE[relation, unit], rows, *neighbors) == []


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


def refuses(question, table):
    """Return whether a question is refused of a table, with the one reason."""
    try:
        question.value(table.with_columns(*question.columns))
    except ParameterError as error:
        return "public number of rows" in str(error)
    return False


@settings(max_examples=8, deadline=None)
@given(rows=st.lists(ROW, min_size=3, max_size=5), other=ROW, place=st.integers(0, 2))
def test_a_false_public_number_is_refused_for_all_tables_alike(rows, other, place):
    replaced = [*rows[:place], other, *rows[place + 1 :]]
    public = {name: one for name, one in PUBLIC.items() if one.size.public}
    private = {name: one for name, one in PUBLIC.items() if not one.size.public}
    if len(rows) == 4:
        assert exceeding(PUBLIC, rows, replaced) == []
        return
    assert exceeding(private, rows, replaced) == []
    for table in map(dataset, (rows, replaced)):
        assert [name for name, one in public.items() if not refuses(one, table)] == []


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


@pytest.mark.parametrize("name", few(2, *RESAMPLED))
@settings(max_examples=10, deadline=None)
@given(rows=st.lists(ROW, min_size=2, max_size=6))
def test_resamples_are_drawn_from_as_many_rows_as_are_public(name, rows):
    request = RESAMPLED[name]
    table = dataset(rows).with_columns(*request.query.columns)
    if len(rows) == 4:
        request.value(table)
        return
    with pytest.raises(ParameterError, match="public number of"):
        request.value(table)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(ROW, min_size=1, max_size=6),
    left=st.integers(0, 5),
    taken=st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_the_statistic_of_a_sample_keeps_its_sensitivity_below_its_minimum(rows, left, taken):
    """Whoever else is drawn: a secret sample may hold fewer than were expected."""
    request = SubsampledRequest(
        query=PRIVATE[ADD_REMOVE, 1]["mean of dropped"], law="laplace", epsilon=1.0, share=0.7
    )
    base = request.plan.base
    sampled = [row for row, drawn in zip(rows, taken, strict=False) if drawn]
    if sampled:
        left = min(left, len(sampled) - 1)
        smaller = sampled[:left] + sampled[left + 1 :]
        assert exceeding({"sample": base.query}, sampled, smaller) == []
