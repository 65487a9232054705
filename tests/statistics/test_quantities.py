"""What is asked of dates and whole numbers, and how their numbers are written."""

import csv
import datetime as dt
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.differences import DifferenceQuery
from dpcore.analyses.groups import ANY_SIZE
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.dates import LAST_DAY, DateFormat, date_of, day_of, end_of_day
from dpcore.data.quantities import DATES, DAYS, MOMENTS, Quantity
from dpcore.errors import ParameterError
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.digits import number_text, quantity_in, with_ends
from dpcore.releases.record import Release
from dpcore.releases.table import to_csv
from dpcore.statistics.bins import (
    Period,
    calendar_edges,
    calendar_labels,
    edges_at,
    edges_for,
    names_of_bins,
    period_of,
    usual_edges,
    whole_edges,
)
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind, allowed

YEAR = Interval(lower=day_of(dt.date(2024, 1, 1)), upper=day_of(dt.date(2024, 12, 31)))
ADMISSION = Column(name="admission", kind=ColumnKind.DATE, bounds=YEAR)
VISITS = Column(name="visits", kind=ColumnKind.WHOLE, bounds=Interval(lower=0.0, upper=20.0))
WARD = Column(name="ward", kind=ColumnKind.CATEGORY, labels=("north", "south"))
FEW = TableSize(people=3, public=False)


def query(kind, column=ADMISSION, **more):
    return Query(
        kind=kind,
        column=column,
        relation=NeighboringRelation.ADD_REMOVE,
        unit=PrivacyUnit(),
        size=FEW,
        **more,
    )


def released(question, values, key="laplace"):
    request = Request(query=question, mechanism_key=key, epsilon=1.0)
    answer = request.plan.answer(values, cost=request.cost)
    return Release(
        id="a",
        request=request.parameters(),
        title=request.title,
        labels=answer.labels,
        values=answer.values,
        mechanism=key,
        mechanism_label=request.mechanism_label,
        noise=request.plan.noise,
        cost=PrivacyCost(),
        event=request.plan.event.to_dict(),
        relation=request.relation,
        unit=request.unit_text,
        created="2026-01-01T00:00:00",
        draw=1,
        mode=Mode.RELEASE,
        sampler="test",
        intervals=answer.intervals,
        derived=answer.derived,
        units=request.units,
        unsaid=answer.unsaid,
    )


def numbers(release):
    values = release.values  # noqa: PD011 - no frame
    return dict(zip(release.labels, values, strict=True))


def table(days=(5, 60, 61, 200), wards=("north", "south", "north", "south")):
    first = dt.date(2024, 1, 1)
    texts = [(first + dt.timedelta(days=day)).isoformat() for day in days]
    frame = pd.DataFrame({"admission": texts, "ward": wards}, dtype="str")
    return Dataset(name="t", frame=frame, columns=(ADMISSION, WARD))


@pytest.mark.parametrize("kind", [ColumnKind.IDENTIFIER, ColumnKind.NOT_USED])
def test_nothing_is_asked_of_identifiers_and_columns_not_used(kind):
    assert allowed(kind) == ()


def test_a_spread_of_dates_is_in_days():
    assert query(StatisticKind.STANDARD_DEVIATION).unit_text == DAYS
    assert query(StatisticKind.MEAN).unit_text == DATES
    timed = replace(ADMISSION, dates=DateFormat(time_of_day=True))
    assert query(StatisticKind.MEAN, timed).unit_text == MOMENTS


def test_a_released_date_is_written_as_a_date_everywhere():
    question = query(StatisticKind.MEAN)
    release = released(question, question.value(table()))
    ((label, value),) = numbers(release).items()
    shown = number_text(release, label, value)
    assert shown == date_of(value + 0.5).isoformat()
    (row,) = csv.DictReader(io.StringIO(to_csv([release])))
    assert row["value"] == shown
    assert row["unit"] == "date"
    assert row["noise_unit"] == DAYS
    assert row["bounds"] == "admission: 2024-01-01 to 2024-12-31"
    low, high = release.intervals.noise[label]
    quantity = quantity_in(release, label)
    _, *ends = with_ends(value, (low, high), quantity)
    assert dt.date.fromisoformat(ends[0]) <= date_of(low)
    assert day_of(dt.date.fromisoformat(ends[1])) >= high
    assert "between 2024-01-01 and 2024-12-31" in question.conditions[0]


def test_a_difference_of_dates_is_in_days_and_no_percentage():
    part = replace(query(StatisticKind.MEAN), size=ANY_SIZE)
    question = DifferenceQuery(part=part, group=Grouping.of(WARD), pair=("north", "south"))
    assert question.unit_text == DAYS
    assert len(question.names) == 5
    assert not any("percent" in name for name in question.names)
    many = table(days=[10] * 400 + [40] * 400, wards=["north"] * 400 + ["south"] * 400)
    release = released(question, question.value(many))
    (apart,) = numbers(release).values()
    assert -60 < apart < 0
    means = [name for name in release.derived if name.startswith("mean of")]
    for name in means:
        text = number_text(release, name, release.derived[name])
        assert text.startswith("2024-")


@given(low=st.integers(-(10**5), 10**5), width=st.integers(1, 4000), period=st.sampled_from(Period))
def test_bins_of_the_calendar_hold_each_day_once(low, width, period):
    bounds = Interval(lower=float(low), upper=float(low + width))
    try:
        edges = calendar_edges(bounds, period)
    except ParameterError:
        return
    assert period_of(edges) is period
    assert edges[0] <= bounds.lower < edges[1]
    assert edges[-2] <= bounds.upper < edges[-1]
    labels = calendar_labels(edges)
    assert len(set(labels)) == len(labels) == len(edges) - 1
    for edge, label in zip(edges, labels, strict=False):
        day = date_of(edge)
        assert period.first(day) == day
        assert label == period.label(day)


def test_bins_beyond_the_calendar_are_refused():
    beyond = Interval(lower=float(LAST_DAY - 3), upper=float(LAST_DAY))
    for period in Period:
        with pytest.raises(ParameterError):
            calendar_edges(beyond, period)


def test_edges_follow_the_bounds_unless_they_were_typed():
    longer = replace(ADMISSION, bounds=Interval(lower=YEAR.lower, upper=YEAR.upper + 9))
    by_month = calendar_edges(YEAR, Period.MONTH)
    assert len(edges_for(by_month, ADMISSION, longer)) == len(by_month) + 1
    typed = edges_at(VISITS.bounds, (3.0, 7.0), whole=True)
    wider = replace(VISITS, bounds=Interval(lower=0.0, upper=40.0))
    assert edges_for(typed, VISITS, wider) == typed
    usual = usual_edges(VISITS, 4)
    assert edges_for(usual, VISITS, wider) == usual_edges(wider, 4)


@given(low=st.integers(-50, 50), width=st.integers(1, 300), bins=st.integers(2, 50))
def test_bins_of_whole_numbers_hold_each_of_them_once(low, width, bins):
    bounds = Interval(lower=float(low), upper=float(low + width))
    column = replace(VISITS, bounds=bounds)
    edges = whole_edges(column.bounds, bins)
    assert len(edges) - 1 <= bins
    question = query(StatisticKind.HISTOGRAM, column, edges=edges)
    values = np.arange(low, low + width + 1, dtype=np.float64)
    frame = pd.DataFrame({"visits": values})
    counts = question.value(Dataset(name="t", frame=frame, columns=(column,)))
    sizes = []
    for label in names_of_bins(column, edges):
        first, _, last = label.partition(" to ")
        sizes.append(int(last or first) - int(first) + 1)
    assert counts.tolist() == sizes


@pytest.mark.parametrize("upper", [20.0, 5000.0])
def test_quantiles_of_whole_numbers_are_whole(upper):
    column = replace(VISITS, bounds=Interval(lower=0.0, upper=upper))
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"visits": np.rint(rng.uniform(0, upper, 500))})
    dataset = Dataset(name="t", frame=frame, columns=(column,))
    for question, key in (
        (query(StatisticKind.MEDIAN, column), "exponential"),
        (query(StatisticKind.QUANTILES, column, qs=(0.25, 0.5, 0.9)), "laplace"),
    ):
        release = released(question, question.value(dataset), key)
        found = numbers(release)
        assert all(value.is_integer() for value in found.values())
        if release.intervals is not None:
            ends = [end for pair in release.intervals.noise.values() for end in pair]
            assert all(end.is_integer() for end in ends)
        texts = [number_text(release, *pair) for pair in found.items()]
        assert not any("." in text for text in texts)
    if upper <= 500:
        assert query(StatisticKind.MEDIAN, column).statistic.candidates == upper + 1


@pytest.mark.parametrize("upper", [20.0, 511.0, 5000.0])
def test_the_interval_of_a_place_holds_every_whole_number_that_counts_there(upper):
    column = replace(VISITS, bounds=Interval(lower=0.0, upper=upper))
    counts = query(StatisticKind.QUANTILES, column, qs=(0.25, 0.5)).statistic
    values = np.arange(upper + 1)
    places = np.rint(values / upper * (len(counts.grid) - 1)).astype(int)
    ends = counts.around(np.stack([places, places], axis=1))
    assert np.all((ends[:, 0] <= values) & (values <= ends[:, 1]))
    if upper <= 511:
        np.testing.assert_array_equal(ends[:, 0], ends[:, 1])


def test_counts_are_written_as_whole_numbers_and_stored_as_drawn():
    interval = Interval(lower=YEAR.lower, upper=YEAR.lower + 90)
    question = query(StatisticKind.COUNT, membership=Membership(interval=interval))
    assert question.title.endswith("admission from 2024-01-01 to 2024-03-31")
    release = released(question, question.value(table()))
    ((label, value),) = numbers(release).items()
    assert not value.is_integer()
    assert number_text(release, label, value) == f"{round(value):,}"
    (row,) = csv.DictReader(io.StringIO(to_csv([release])))
    assert row["value"] == str(round(value))


@given(st.dates())
def test_the_end_of_a_day_is_of_that_day(day):
    end = end_of_day(day)
    assert day_of(day) < end < day_of(day) + 1
    assert Quantity(unit=DATES).exactly(end) == day.isoformat()
    assert Quantity(unit=MOMENTS).exactly(end) == f"{day.isoformat()} 23:59"


@given(
    days=st.floats(-1e5, 1e5), error=st.floats(1e-6, 1e4), unit=st.sampled_from([DATES, MOMENTS])
)
def test_the_ends_of_an_interval_of_dates_are_rounded_outwards(days, error, unit):
    quantity = Quantity(unit=unit)
    low, high = quantity.ends(days - error, days + error, error)
    parsed = [
        (dt.datetime.fromisoformat(text) - dt.datetime.fromisoformat("1970-01-01"))
        / dt.timedelta(days=1)
        for text in (low, high)
    ]
    assert parsed[0] <= days - error + 1e-6
    assert parsed[1] >= days + error - 1e-6
    assert (" " in low) is (unit == MOMENTS and error < 1)
