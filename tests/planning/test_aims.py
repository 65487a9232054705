"""An error as wide as all that an answer can be is said to say nothing."""

import pytest

from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.targets import is_uninformative
from dpcore.statistics.kinds import StatisticKind
from tests.planning.planned import PEOPLE, item, of_age
from tests.releases.questions import AGE, ranks
from tests.terms import ADD_REMOVE


@pytest.mark.parametrize("name", ["mean", "median", "sum", "variance"])
def test_what_says_nothing_is_exactly_what_spans_all_answers(name):
    span = {
        "mean": AGE.bounds.width,
        "median": PEOPLE,
        "sum": PEOPLE * AGE.bounds.width,
        "variance": AGE.bounds.width**2 / 4,
    }[name]
    seen = set()
    for power in range(-6, 3):
        asked = item(name, epsilon=10.0**power)
        assert is_uninformative(asked) == (asked.width.half >= span)
        seen.add(is_uninformative(asked))
    assert seen == {True, False}


def test_nothing_is_said_where_a_private_number_of_people_decides():
    request = ranks(people=PEOPLE, relation=ADD_REMOVE, epsilon=1e-6)
    assert not request.asked.size.public
    assert not is_uninformative(PlannedQuery.of(request))
    assert is_uninformative(PlannedQuery.of(of_age(StatisticKind.MEAN)).at(1e-9))
    assert not is_uninformative(item("model"))
