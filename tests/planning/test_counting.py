"""How many numbers answers have is known before they are released."""

import pytest

from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.comparison import numbers_of
from dpcore.statistics.kinds import StatisticKind
from tests.documents.subjects import answered, questions, table
from tests.releases.questions import apart, by_group, matrix, means
from tests.statistics.columns import number


def test_as_many_numbers_stand_in_papers_as_were_announced():
    for request, told in zip(questions(), answered().questions, strict=True):
        known = numbers_of((PlannedQuery.of(request),))
        assert known in {(), (len(told.numbers),)}, told.name


@pytest.mark.parametrize(
    "request_",
    [
        apart(),
        means(numbers=(number("a", 1.0), number("b", 1.0))),
        by_group(),
        by_group(kind=StatisticKind.SUM),
    ],
    ids=["difference", "means", "groups", "sums of groups"],
)
def test_sizes_of_groups_are_counted_that_answers_tell(request_):
    answer = request_.plan.answer(request_.value(table()), cost=request_.cost)
    told = {*answer.labels, *answer.derived, *answer.unsaid}
    assert numbers_of((PlannedQuery.of(request_),)) == (len(told),)


def test_nothing_is_said_where_one_of_the_counts_is_not_known():
    known, unknown = PlannedQuery.of(by_group()), PlannedQuery.of(matrix())
    assert numbers_of((known, known)) == 2 * numbers_of((known,)) != ()
    assert numbers_of((known, unknown)) == ()
