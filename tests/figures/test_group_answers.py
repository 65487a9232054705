"""The picture of a ratio by group: who is named, and who never is."""

import numpy as np
import pytest

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
    assert sure.startswith("Largest mean: “a” with 7.0 days (95%: 6.0 to 8.0)")
    close = text(numbers([7, 3, 2, 1], [1, 1, 4, 5.5]))
    assert "is uncertain" in close
    # The rival is who may have more, not who drew more.
    assert "“d”" in close
    assert "“b”" not in close
    assert "those that can be told" not in close
    # Who has too few may be the largest, too: the list is not of all.
    open_ = text(numbers([np.nan, 3, 2.9, 0], [1, 1, 1, 1]))
    assert "Among the groups that are large enough, 2 groups may have it" in open_


@pytest.mark.parametrize("place", range(4))
def test_group_with_too_few_has_no_rank_and_no_dot(place):
    ratios = [7.0, 3.0, 2.0, 1.0]
    ratios[place] = np.nan
    found = numbers(ratios, [0.1] * 4)
    name = found.groups[place]
    before, after = text(found).split("; too few to say: ")
    assert f"“{name}”" not in before
    assert after == f"“{name}”"
    assert "largest mean of groups that are large enough:" in before
    picture = groups_picture(
        found,
        statement="mean of x by y",
        noun="mean",
        quantity=Quantity(unit="days"),
        counted="people",
        truth=np.array([7.0, 3.0, 2.0, np.nan]),
    )
    dots = {trace.name: trace for trace in picture.figure.data}
    assert name not in dots["released mean"].x
    assert list(dots["mean without noise"].x) == ["a", "b", "c"]
    assert "too few to say" in [note.text for note in picture.figure.layout.annotations]
    assert picture.table["note"].tolist().count("too few to say") == 1
    assert picture.table["note"][place] == "too few to say"
    assert "too few to say" in picture.alt
    # Beside true numbers the title says that it is about the released ones.
    assert picture.title.startswith("As released, ")


def test_one_group_and_none_are_told_without_rank():
    one = text(numbers([5.0, np.nan], [1, 1], groups=("a", "b")))
    assert "largest" not in one
    assert "“a”" in one
    assert text(numbers([np.nan] * 2, [1, 1], groups=("a", "b"))).startswith(
        "Every mean is uncertain"
    )
    many = text(numbers([np.nan] * 5 + [1.0], [1] * 6, groups=tuple("abcdef")))
    assert many.endswith("too few to say: “a”, “b”, “c” and 2 more")
