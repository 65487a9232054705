"""Published sensitivities: where they agree with the exact ones, and where not."""

import pytest

from dpcore.data.bounds import Interval
from dpcore.relations import TableSize
from dpcore.statistics import pooled as published
from dpcore.statistics.pooled import GroupSizes, adding_variance, removing_variance
from dpcore.statistics.variance import Variance


def sizes(*people):
    return GroupSizes(sizes=people)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (sizes(2, 2, 2, 2), 0.1458333333),
        (sizes(3, 3, 3, 3, 3), 0.0666666667),
        (sizes(*(2,) * 50), 0.0101020408),
    ],
)
def test_pooled_variance(groups, expected):
    assert published.published_pooled_variance(groups) == pytest.approx(expected, abs=6e-11)
    # Safe for a person who leaves, whatever the groups.
    assert published.published_pooled_variance(groups) >= removing_variance(groups)


def test_pooled_variance_is_too_small_for_a_person_who_joins_many_small_groups():
    for groups in (sizes(3, 3, 3, 3, 3), sizes(*(2,) * 50)):
        assert published.published_pooled_variance(groups) < adding_variance(groups)
    large = sizes(40, 60)
    assert published.published_pooled_variance(large) > adding_variance(large)


@pytest.mark.parametrize("people", range(3, 30))
def test_largest_variance_is_tight_for_even_numbers_only(people):
    size = TableSize(people=people, public=True)
    exact = Variance(bounds=Interval(lower=0.0, upper=1.0), size=size).range.upper
    claimed = published.published_largest_variance(people)
    assert claimed == pytest.approx(exact) if people % 2 == 0 else claimed > exact
