"""A judgment that hangs on an assumed size of groups says so, and says the size."""

from dataclasses import replace

from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.targets import size_condition_text
from tests.planning.planned import ALL, item
from tests.releases.questions import apart

OF_GROUPS = {"by group": item("group"), "difference": PlannedQuery(request=apart(), name="gap")}


def test_nothing_is_said_where_no_size_was_assumed_or_nothing_must_be_seen():
    assert size_condition_text(OF_GROUPS["by group"]) == ""
    assert size_condition_text(replace(PlannedQuery.of(ALL["mean"]), wanted=1.0)) == ""
