"""The picture of a ratio by group: who is named, and who never is."""

import numpy as np

from dpcore.data.quantities import Quantity
from dpcore.figures.answers import GroupNumbers, groups_text


def numbers(ratios, off, groups=("a", "b", "c", "d")):
    ratios = np.array(ratios, dtype=float)
    ends = ratios[:, np.newaxis] + np.array(off)[:, np.newaxis] * np.array([-1, 1])
    counts = np.full(len(ratios), 50.0)
    return GroupNumbers(
        groups=groups,
        ratios=ratios,
        noise=ends,
        total=ends,
        counts=counts,
        counts_noise=np.stack([counts - 5, counts + 5], axis=-1),
    )


def text(found):
    return groups_text(found, noun="mean", quantity=Quantity(unit="days"))


def test_largest_is_named_only_where_no_other_may_be_larger():
    sure = text(numbers([7, 3, 2, 1], [1, 1, 1, 1]))
    assert sure == "“a” has the largest mean: 7.0 days (95%: 6.0 to 8.0)"
    close = text(numbers([7, 3, 2, 1], [1, 1, 4, 5.5]))
    # The rival is who may have more, not who drew more.
    assert close == "“a”, “c” or “d” has the largest mean"
    # Who has too few may be the largest, too: the list is not of all.
    open_ = text(numbers([np.nan, 3, 2.9, 0], [1, 1, 1, 1]))
    assert open_ == "Among the groups that are large enough, “b” or “c” has the largest mean"
