"""A judgment that hangs on an assumed size of groups says so, and says the size."""

from dataclasses import replace

import pytest

from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.targets import is_difference, size_condition_text
from tests.planning.planned import ALL, item
from tests.releases.questions import apart

OF_GROUPS = {"by group": item("group"), "difference": PlannedQuery(request=apart(), name="gap")}


@pytest.mark.parametrize("name", OF_GROUPS)
@pytest.mark.parametrize("part", [0.5, 2.0])
def test_the_size_that_is_named_is_the_least_that_shows_it(name, part):
    planned = replace(OF_GROUPS[name], group=400)
    judged = replace(planned, wanted=part * planned.width.half)
    assert judged.seen is (part > 1)
    told = size_condition_text(judged)
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
    assert size_condition_text(OF_GROUPS["by group"]) == ""
    assert size_condition_text(replace(PlannedQuery.of(ALL["mean"]), wanted=1.0)) == ""
