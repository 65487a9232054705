"""A judgment that hangs on an assumed size of groups says so, and says the size."""

from dataclasses import replace

import pytest

from dpcore.planning.assumed import condition, is_difference
from dpcore.planning.item import Item
from tests.planning.planned import ALL, item
from tests.releases.questions import apart

OF_GROUPS = {"by group": item("group"), "difference": Item(request=apart(), name="gap")}


@pytest.mark.parametrize("name", OF_GROUPS)
@pytest.mark.parametrize("part", [0.5, 2.0])
def test_the_size_that_is_named_is_the_least_that_shows_it(name, part):
    planned = replace(OF_GROUPS[name], group=400)
    judged = replace(planned, wanted=part * planned.width.half)
    assert judged.seen is (part > 1)
    told = condition(judged)
    assert "assumed" in told
    words = told.replace(",", "").split()
    size = next(
        int(words[at])
        for at in range(len(words))
        if words[at].isdigit() and words[at + 1].startswith("people")
    )
    assert replace(judged, group=size).seen
    assert not replace(judged, group=size - 1).seen
    assert is_difference(judged) is (name == "difference")


def test_nothing_is_said_where_no_size_was_assumed_or_nothing_must_be_seen():
    assert condition(OF_GROUPS["by group"]) == ""
    assert condition(replace(Item.of(ALL["mean"]), wanted=1.0)) == ""
