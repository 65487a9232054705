"""Every statistic of the Release page is asked for, and shown, by one view."""

from dpcore.statistics.kinds import NOT_ON_RELEASE, StatisticKind
from ui.answering import views


def test_each_statistic_has_one_form_and_each_plan_one_view():
    found = views._views()  # noqa: SLF001 - all of them
    asked = [kind for one in found for kind in one.kinds]
    assert sorted(asked) == sorted({*StatisticKind} - NOT_ON_RELEASE)
    assert len({one.plan for one in found}) == len(found)
