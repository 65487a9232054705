"""The picture of a ratio by group: who is named, and who never is."""

import numpy as np

from dpcore.data.quantities import Quantity
from dpcore.figures.answers import GroupNumbers, groups_picture, groups_text


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
    assert sure == "“a” has the largest mean: 7.0 days (95% CI 6.0 to 8.0, noise only)"
    close = text(numbers([7, 3, 2, 1], [1, 1, 4, 5.5]))
    # The rival is who may have more, not who drew more.
    assert close == "“a”, “c” or “d” has the largest mean"
    # Who has too few may be the largest, too: the list is not of all.
    open_ = text(numbers([np.nan, 3, 2.9, 0], [1, 1, 1, 1]))
    assert open_ == "Among the groups that are large enough, “b” or “c” has the largest mean"


def test_the_title_and_its_table_have_the_same_numbers():
    found = numbers([7.149, np.nan, 3, 1], [0.8571, np.nan, 1, 1])
    known = {"noun": "mean", "quantity": Quantity(), "counted": "people", "truth": None}
    picture = groups_picture(found, statement="mean by group", **known)
    first = picture.table.iloc[0]
    assert f"{first['released mean']} (" in picture.title
    assert f"{first['noise, lower']} to {first['noise, upper']}" in picture.title
    assert (
        picture.table.iloc[1][["released mean", "noise, lower", "noise, upper"]].tolist()
        == [""] * 3
    )
    assert first["people, upper"] == "55"
