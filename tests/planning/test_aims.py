"""An error as wide as all that an answer can be is said to say nothing."""

import pytest

from dpcore.planning.aims import says_nothing
from dpcore.planning.item import Item
from dpcore.statistics.kinds import StatisticKind
from tests.planning.planned import PEOPLE, item, of_age
from tests.releases.questions import ADD_REMOVE, AGE, ranks


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
        assert says_nothing(asked) == (asked.width.half >= span)
        seen.add(says_nothing(asked))
    assert seen == {True, False}


def test_nothing_is_said_where_a_private_number_of_people_decides():
    request = ranks(people=PEOPLE, relation=ADD_REMOVE, epsilon=1e-6)
    assert not request.asked.size.public
    assert not says_nothing(Item.of(request))
    assert says_nothing(Item.of(of_age(StatisticKind.MEAN)).at(1e-9))
    assert not says_nothing(item("model"))
