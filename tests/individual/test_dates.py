"""Dates from the cell to everybody's own loss, against brute force on small tables."""

import datetime as dt
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.data import dataset as datasets
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.dates import DateFormat, DateOrder, day_of, end_of_day
from dpcore.data.partitions.table import open_table
from dpcore.data.preparation.conditions import DateCondition
from dpcore.data.preparation.date_columns import Age, DatePart, PartOfDate
from dpcore.data.preparation.derived_columns import Calculated, Calculation
from dpcore.data.preparation.steps import STEPS, PreparationSteps, prepared, prepared_anew, steps_of
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.bins import Period, calendar_edges
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import few

KEY = bytes(range(32))
YEAR = Interval(lower=day_of(dt.date(2024, 1, 1)), upper=day_of(dt.date(2024, 12, 31)))
LIVES = Interval(lower=day_of(dt.date(1920, 1, 1)), upper=YEAR.upper)
FEW = TableSize(people=3, public=False)
PATTERNS = {
    DateOrder.ISO: "%Y-%m-%d",
    DateOrder.DAY_FIRST: "%d.%m.%Y",
    DateOrder.MONTH_FIRST: "%m/%d/%Y",
}
FORMS = [(order, timed) for order in DateOrder for timed in (False, True)]
BORN, ADMITTED, LEFT = (
    [None if text == "-" else dt.datetime.fromisoformat(text) for text in texts]
    for texts in zip(
        ("1960-02-29", "2024-02-28T23:30", "2024-03-01T10:00"),
        ("1950-03-02", "2024-03-02T00:05", "2024-03-12"),
        ("2000-12-31", "2024-12-31T12:00", "-"),
        ("1990-06-15", "2024-06-14", "2024-06-20"),
        ("1930-01-01", "-", "2024-01-05"),
        ("1975-07-04", "2024-03-31T18:45", "2024-04-02T09:00"),
        ("-", "2024-03-09", "2024-03-09"),
        strict=True,
    )
)
AGE = Age(born="birth", at="admission")
STAY = Calculated(calculation=Calculation.DIFFERENCE, first="discharge", second="admission")
MADE = (AGE, STAY, PartOfDate(part=DatePart.WEEKDAY, column="admission"))
SPRING = DateCondition(column="admission", first=dt.date(2024, 3, 1), last=dt.date(2024, 3, 31))


def written(moments, order, *, timed):
    pattern = PATTERNS[order] + " %H:%M" * timed
    return [None if one is None else one.strftime(pattern) for one in moments]


def declared(order, *, timed):
    form = DateFormat(order=order, time_of_day=timed)
    kind = ColumnKind.DATE
    return (
        Column(name="birth", kind=kind, bounds=LIVES, dates=form),
        Column(name="admission", kind=kind, bounds=YEAR, dates=form),
        Column(name="discharge", kind=kind, bounds=YEAR, dates=form),
    )


def table(order, *, timed, rows=None):
    frame = pd.DataFrame(
        {
            name: pd.Series(written(moments, order, timed=timed), dtype="str")
            for name, moments in (
                ("birth", BORN), ("admission", ADMITTED), ("discharge", LEFT)
            )
        }
    )  # fmt: skip
    frame = frame if rows is None else frame.iloc[rows]
    return Dataset(name="t", frame=frame, columns=declared(order, timed=timed))


def query(kind, column, **more):
    return Query(
        kind=kind,
        column=column,
        relation=NeighboringRelation.ADD_REMOVE,
        unit=PrivacyUnit(),
        size=FEW,
        **more,
    )


def months():
    return calendar_edges(YEAR, Period.MONTH)


def march():
    days = dt.date(2024, 3, 1), dt.date(2024, 3, 31)
    return Interval(lower=day_of(days[0]), upper=end_of_day(days[1]))


def questions(prepared_table):
    """Return each question with its mechanism, by what it is about."""
    names = {one.name: one for one in prepared_table.columns}
    ending = prepared_table.ending
    admission = names[f"admission{ending}"]
    return {
        "mean age": (query(StatisticKind.MEAN, names[AGE.name + ending]), "laplace"),
        "mean stay": (query(StatisticKind.MEAN, names[STAY.name + ending]), "laplace"),
        "median date": (query(StatisticKind.MEDIAN, admission), "exponential"),
        "mean date": (query(StatisticKind.MEAN, admission), "laplace"),
        "stays per month": (query(StatisticKind.HISTOGRAM, admission, edges=months()), "laplace"),
        "stays in March": (
            query(StatisticKind.COUNT, admission, membership=Membership(interval=march())),
            "laplace",
        ),
        "quantiles": (query(StatisticKind.QUANTILES, admission, qs=(0.25, 0.5)), "laplace"),
        "weekdays": (query(StatisticKind.HISTOGRAM, names[MADE[2].name + ending]), "laplace"),
    }


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize(("order", "timed"), FORMS)
def test_own_losses_are_those_of_the_table_without_each_row(order, timed, filtered):
    steps = PreparationSteps(made=MADE, conditions=(SPRING,) * filtered)
    whole = prepared(table(order, timed=timed), steps, key=KEY)
    people = len(BORN)
    others = [
        prepared(
            table(order, timed=timed, rows=[row for row in range(people) if row != one]),
            steps,
            key=KEY,
        )
        for one in range(people)
    ]
    lines = whole.frame.index.to_numpy()
    for name, (question, key) in questions(whole).items():
        plan = Request(query=question, mechanism_key=key, epsilon=1.0).plan
        found = per_instance_losses(
            plan, question.statistic, question.values(whole), relation=question.relation
        )
        own = np.zeros(people)
        own[lines[question.rows(whole)]] = found.epsilon
        value = question.value(whole)
        brute = [
            float(np.max(plan.pairwise_epsilon(value, question.value(other)))) for other in others
        ]
        np.testing.assert_allclose(own, brute, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(("order", "timed"), few(2, *FORMS))
def test_every_notation_says_the_same(order, timed):
    made = prepared(table(order, timed=timed), PreparationSteps(made=MADE), key=KEY)
    ages = made.numbers(AGE.name)
    np.testing.assert_array_equal(ages, [63, 74, 24, 33, np.nan, 48, np.nan])
    expected = [2, 10, np.nan, 6, np.nan, 2, 0]
    if timed:
        expected = [
            np.nan if a is None or b is None else (b - a) / dt.timedelta(days=1)
            for a, b in zip(ADMITTED, LEFT, strict=True)
        ]
    np.testing.assert_allclose(made.numbers(STAY.name), expected, atol=1e-9)
    kind = ColumnKind.NUMBER if timed else ColumnKind.WHOLE
    assert made.column(STAY.name).kind is kind
    assert made.column(STAY.name).unit == "days"
    stays = query(StatisticKind.HISTOGRAM, made.column("admission"), edges=months())
    assert stays.statistic.labels[2] == "2024-03"
    np.testing.assert_array_equal(stays.value(made), [0, 1, 3, 0, 0, 1, 0, 0, 0, 0, 0, 1])


def test_bounds_of_derived_columns_follow_from_those_of_dates():
    made = prepared(table(DateOrder.ISO, timed=False), PreparationSteps(made=MADE), key=KEY)
    assert made.column(AGE.name).bounds == Interval(lower=-1.0, upper=104.0)
    assert made.column(STAY.name).bounds == Interval(lower=-365.0, upper=365.0)
    at = Age(born="birth", at=dt.date(2024, 12, 31))
    year = PartOfDate(part=DatePart.YEAR, column="birth")
    more = prepared(table(DateOrder.ISO, timed=False), PreparationSteps(made=(at, year)), key=KEY)
    assert more.column(at.name).bounds == Interval(lower=0.0, upper=104.0)
    assert more.column(year.name).bounds == Interval(lower=1920.0, upper=2024.0)
    assert made.column(MADE[2].name).labels[0] == "Monday"


@given(
    born=st.dates(min_value=dt.date(1600, 1, 1), max_value=dt.date(2400, 1, 1)),
    at=st.dates(min_value=dt.date(1600, 1, 1), max_value=dt.date(2400, 1, 1)),
)
def test_an_age_is_the_number_of_birthdays(born, at):
    frame = pd.DataFrame({"a": [born.isoformat()], "b": [at.isoformat()]}, dtype="str")
    columns = tuple(Column(name=name, kind=ColumnKind.DATE) for name in "ab")
    dataset = Dataset(name="t", frame=frame, columns=columns)
    before = (at.month, at.day) < (born.month, born.day)
    expected = at.year - born.year - before
    for age in (Age(born="a", at="b"), Age(born="a", at=at)):
        made = prepared(dataset, PreparationSteps(made=(age,)), key=KEY)
        assert made.numbers(age.name).tolist() == [expected]
        assert STEPS.read(STEPS.write(steps_of(made))) == PreparationSteps(made=(age,))
    for part, expected in (
        (DatePart.QUARTER, (born.month - 1) // 3),
        (DatePart.MONTH, born.month - 1),
        (DatePart.WEEKDAY, born.weekday()),
    ):
        one = PartOfDate(part=part, column="a")
        made = prepared(dataset, PreparationSteps(made=(one,)), key=KEY)
        assert made.codes(one.name).tolist() == [expected]


CELLS = st.one_of(
    st.none(),
    st.sampled_from(["", "32.13.2024", "unknown", "2024-02-30"]),
    st.datetimes(
        min_value=dt.datetime.fromisoformat("2023-11-01"),
        max_value=dt.datetime.fromisoformat("2025-03-01"),
    ),
)


@pytest.mark.slow
@settings(
    deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    cells=st.lists(CELLS, min_size=1, max_size=12),
    form=st.sampled_from(FORMS),
    cuts=st.sets(st.integers(1, 11), max_size=3),
    offset=st.sampled_from(["", "Z", " +02:00"]),
)
def test_all_of_it_is_the_same_in_memory_and_in_parts(
    tmp_path_factory, monkeypatch, cells, form, cuts, offset
):
    order, timed = form
    pattern = PATTERNS[order] + f" %H:%M:%S{offset}" * timed
    texts = [one.strftime(pattern) if isinstance(one, dt.datetime) else one for one in cells]
    column = replace(declared(order, timed=timed)[1], missing_codes=("unknown",))
    frame = pd.DataFrame({"admission": pd.Series(texts, dtype="str")})
    blank = frame.where(frame != "")
    whole = Dataset(name="t", frame=blank, columns=(column,))
    folder = tmp_path_factory.mktemp("parts")
    place = folder / "visits"
    place.mkdir()
    ends = [0, *sorted(cut for cut in cuts if cut < len(cells)), len(cells)]
    arrow = pa.table({"admission": pa.array(texts, pa.string())})
    for part, (start, end) in enumerate(pairwise(ends)):
        pq.write_table(arrow.slice(start, end - start), place / f"{part}.parquet")
    parts = open_table(folder, "visits").with_columns(column)
    asked = (
        query(StatisticKind.MEAN, column),
        query(StatisticKind.MEDIAN, column),
        query(StatisticKind.QUANTILES, column, qs=(0.1, 0.9)),
        query(StatisticKind.STANDARD_DEVIATION, column),
        *(
            query(StatisticKind.HISTOGRAM, column, edges=calendar_edges(YEAR, period))
            for period in (Period.WEEK, Period.MONTH, Period.QUARTER)
        ),
        query(StatisticKind.COUNT, column, membership=Membership(interval=march())),
    )
    for question in asked:
        np.testing.assert_allclose(
            question.value(whole), question.value(parts), rtol=1e-12, atol=1e-9
        )
    made = (
        Age(born="admission", at=dt.date(2030, 6, 1)),
        PartOfDate(part=DatePart.QUARTER, column="admission"),
    )
    derived = prepared(whole, PreparationSteps(made=made), key=KEY)
    with monkeypatch.context() as patched:
        patched.setattr(datasets, "_BLOCK", 3)
        blocks = [*derived.each(lambda part: part, [one.name for one in made])]
    ages = np.concatenate([block.numbers(made[0].name) for block in blocks])
    np.testing.assert_array_equal(derived.numbers(made[0].name), ages)
    codes = np.concatenate([block.codes(made[1].name) for block in blocks])
    np.testing.assert_array_equal(derived.codes(made[1].name), codes)


def test_derived_columns_and_conditions_follow_when_dates_are_declared_otherwise():
    """Cells such as 03.02.2024 are dates of two orders."""
    days = pd.DataFrame({"a": ["03.02.2024", "02.03.2024"], "b": ["01.01.2000"] * 2})
    day_first, month_first = (
        DateFormat(order=order) for order in (DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST)
    )
    columns = tuple(Column(name=name, kind=ColumnKind.DATE, dates=day_first) for name in "ab")
    source = Dataset(name="t", frame=days.astype("str"), columns=columns)
    month = PartOfDate(part=DatePart.MONTH, column="a")
    march = DateCondition(column="a", first=dt.date(2024, 3, 1), last=dt.date(2024, 3, 31))
    for conditions in ((), (march,)):
        steps = PreparationSteps(made=(month,), conditions=conditions)
        before = prepared(source, steps, key=KEY)
        name = before.columns[0].name
        again = replace(before.column(name), dates=month_first)
        after = prepared_anew(before.with_columns(again), key=KEY)
        expected = prepared(
            source.with_columns(replace(columns[0], dates=month_first)), steps, key=KEY
        )
        pd.testing.assert_frame_equal(after.frame, expected.frame)
        assert after.columns == expected.columns
        assert not after.frame.equals(before.frame)
    other = Column(name="a", kind=ColumnKind.CATEGORY)
    widened = prepared(source, PreparationSteps(made=(month,)), key=KEY)
    with pytest.raises(ParameterError, match="no column of dates"):
        prepared_anew(widened.with_columns(other), key=KEY)
