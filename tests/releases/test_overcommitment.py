"""Limits that promise more than is left are seen, whatever lies inside what."""

from dataclasses import replace
from datetime import date

import pytest

from dpcore.budget_filter import PrivacyBudget, PrivacyCost
from dpcore.releases.overcommitment import sharings
from tests.releases.test_periods import Q3_2026, Q4_2026, YEAR, period

TODAY = date(2026, 8, 3)
FIRST = period("Q1 2027", date(2027, 1, 1), date(2027, 3, 31), 0.3)


def beyond(*periods, epsilon=1.0, spent=0.0, day=TODAY):
    found = sharings(
        periods,
        budget=PrivacyBudget.of(epsilon=epsilon),
        spent=PrivacyCost.of(epsilon=spent),
        day=day,
    )
    return [one.whole and one.whole.name for one in found if one.beyond]


@pytest.mark.parametrize(
    ("periods", "settings", "said"),
    [
        # 0.2 and 0.2 of a year of 0.5, of 1 in all.
        ((YEAR, Q3_2026, Q4_2026), {}, []),
        ((YEAR, Q3_2026, replace(Q4_2026, budget=YEAR.budget)), {}, ["2026"]),
        # A year inside, and a quarter beside it, share the account.
        ((YEAR, FIRST), {"epsilon": 0.75}, [None]),
        ((YEAR, FIRST), {"epsilon": 0.8}, []),
        ((YEAR, FIRST), {"spent": 0.25}, [None]),
        # What is over, or closed, promises nothing more.
        ((YEAR, FIRST), {"epsilon": 0.5, "day": date(2027, 1, 1)}, []),
        ((replace(YEAR, closed="why"), FIRST), {"epsilon": 0.5}, []),
        # What was spent in a part is gone from it, and from the whole.
        (
            (replace(Q3_2026, spent=PrivacyCost.of(epsilon=0.2)), Q4_2026),
            {"epsilon": 0.4, "spent": 0.2},
            [],
        ),
        # A rest that is taken over is promised once.
        ((Q3_2026, replace(Q4_2026, carries="Q3 2026")), {"epsilon": 0.4}, []),
        ((Q3_2026, replace(Q4_2026, carries="Q3 2026")), {"epsilon": 0.39}, [None]),
    ],
)
def test_limits_beyond_what_is_left_are_named_by_what_they_share(periods, settings, said):
    assert beyond(*periods, **settings) == said


def test_deltas_add_up_too():
    def tiny(one):
        return replace(one, budget=PrivacyBudget.of(epsilon=0.1, delta=1e-5))

    found = sharings(
        (tiny(Q3_2026), tiny(Q4_2026)),
        budget=PrivacyBudget.of(epsilon=1.0, delta=1e-5),
        spent=PrivacyCost(),
        day=TODAY,
    )
    assert [one.beyond for one in found] == [True]
