"""Head counts that come with other answers are found, in plans and in the ledger."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.number import Query
from dpcore.data.columns import MissingPolicy
from dpcore.ledger.transaction import release
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.group_sizes import (
    earlier_group_sizes,
    paid_twice,
    released_sizes,
    smallest_group,
)
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.documents.subjects import NOW, opened, table
from tests.releases import questions
from tests.releases.questions import apart, asked, by_group, means
from tests.statistics.columns import category
from tests.terms import SUBSTITUTION

PEOPLE = 812


REGION = replace(category(), missing=MissingPolicy.REPLACE, replacement="north")


def counts(column=REGION):
    known = questions.terms(PEOPLE)
    query = Query(
        kind=StatisticKind.HISTOGRAM,
        column=column,
        **known,
        **({} if column.labels else {"edges": (0.0, 50.0, 100.0)}),
    )
    return asked(query, "laplace")


@pytest.mark.parametrize("kind", [StatisticKind.MEAN, StatisticKind.VARIANCE])
def test_what_divides_by_the_size_of_a_group_tells_it(kind):
    assert released_sizes(by_group(kind=kind).asked) == "region"
    assert released_sizes(means().asked) == released_sizes(apart().asked) == "region"


def test_sums_of_groups_tell_no_size():
    assert released_sizes(by_group(kind=StatisticKind.SUM).asked) == ""


def test_counts_of_those_who_have_a_value_are_no_counts_of_all():
    part = by_group().asked.part
    age = replace(part.column, missing=MissingPolicy.DROP, replacement=None)
    some = replace(by_group().asked, part=replace(part, column=age))
    items = (PlannedQuery.of(counts()), PlannedQuery.of(asked(some, "laplace")))
    assert paid_twice(items) == ()
    assert paid_twice((items[0], PlannedQuery.of(by_group()))) != ()
    ledger = opened(SUBSTITUTION)
    request = asked(some, "laplace")
    release(
        request,
        request.value(table().with_columns(age)),
        ledger=ledger,
        fingerprint="f",
        mode=Mode.RELEASE,
        now=NOW,
    )
    assert earlier_group_sizes(counts().asked, ledger.releases("f")) is None


def test_head_counts_that_were_released_are_found():
    ledger = opened(SUBSTITUTION)
    assert earlier_group_sizes(counts().asked, ledger.releases("f")) is None
    for request in (by_group(epsilon=1.0), by_group(kind=StatisticKind.SUM)):
        value = request.value(table())
        release(request, value, ledger=ledger, fingerprint="f", mode=Mode.RELEASE, now=NOW)
    found = earlier_group_sizes(counts().asked, ledger.releases("f"))
    assert found is not None
    assert found.title == "mean of age by region"
    sex = counts(replace(REGION, name="sex"))
    assert earlier_group_sizes(sex.asked, ledger.releases("f")) is None
    assert earlier_group_sizes(by_group().asked, ledger.releases("f")) is None


def test_the_smallest_group_is_that_of_the_latest_answer_that_told_it():
    ledger = opened(SUBSTITUTION)

    def spend(request):
        value = request.value(table())
        return release(request, value, ledger=ledger, fingerprint="f", mode=Mode.RELEASE, now=NOW)

    def found(request):
        return smallest_group(request.asked, ledger.releases("f"))

    assert found(by_group()) is None
    spend(by_group(kind=StatisticKind.SUM))
    assert found(by_group()) is None
    two = spend(apart(epsilon=1.0))
    told = found(apart())
    name = f"people in {told.label}"
    ends = [two.intervals.noise[f"people in {one}"] for one in ("south", "north")]
    assert two.intervals.noise[name][0] == min(low for low, _ in ends)
    assert (told.least, told.day) == (np.floor(min(low for low, _ in ends)), "2026-11-23")
    assert told.most == np.ceil(two.intervals.noise[name][1])
    later = spend(by_group(epsilon=2.0))
    (again,) = {found(apart()), found(by_group())}
    assert again != told
    assert again.least == np.floor(later.intervals.noise[f"people in {again.label}"][0])
    other = replace(by_group().asked, group=Grouping.of(replace(category(), name="sex")))
    assert smallest_group(other, ledger.releases("f")) is None
    assert found(counts()) is None
