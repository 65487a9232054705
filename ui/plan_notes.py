"""What is said beside the questions of a plan: group sizes paid twice, and imputed values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from dpcore.analyses.base import Releasable
from dpcore.data.quantities import replacement_text
from dpcore.documents import assumptions
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.group_sizes import (
    SmallestGroup,
    earlier_group_sizes,
    paid_twice,
    smallest_group,
)
from dpcore.releases.record import Release
from dpcore.statistics.conditions import PAIR_ONLY
from ui import accounts, session
from ui.study import Study
from ui.text import literal


def in_plan(basket: AnalysisPlan) -> None:
    """Say which head counts a plan pays for twice, and who has no value counts as."""
    for one in paid_twice(basket.items):
        st.info(
            f"“{literal(one.beside.name)}” releases the group sizes, too. Remove "
            f"“{literal(one.counts.name)}”: it costs twice and the counts differ."
        )
    differ = assumptions.treatments(item.request.asked for item in basket.items)
    for name, each in differ.items():
        # Who is in neither of two groups that are compared is missed in neither.
        told = [one for one in each if one != PAIR_ONLY]
        if len(told) > 1:
            st.info(
                f"Missing values of **{literal(name)}** are treated differently by questions "
                f"of this plan: {literal('; or '.join(told))}. Counts of the same group may "
                "differ. To have one treatment, choose “leave out” on Data."
            )


def before_release(request: Releasable, releases: Iterable[Release]) -> None:
    """Say that a release has told the head counts that a question asks for."""
    told = earlier_group_sizes(request.asked, releases)
    if told is not None:
        st.info(
            f"“{literal(told.known_as)}” already includes the group counts: they are among "
            "its numbers on Ledger. Asked for by themselves they cost once more, and differ "
            "by chance."
        )


def smallest_of(items: Sequence[PlannedQuery], study: Study) -> dict[str, SmallestGroup]:
    """Return the smallest group of each question that an answer has told the size of.

    Whatever table of these people it was about: that is public.
    """
    if not any(item.width.assumed for item in items):
        return {}
    releases = accounts.all_releases(session.account(study))
    found = {item.key: smallest_group(item.request.asked, releases) for item in items}
    return {key: one for key, one in found.items() if one is not None}


def imputed(items: Sequence[PlannedQuery]) -> str:
    """Return which imputed values no margin covers, or nothing where there are none.

    How many values are missing is confidential: nothing here hangs on it.
    """
    found = assumptions.imputed_in(items)
    if not found:
        return ""
    values = ", ".join(f"{column.title}: {replacement_text(column)}" for column in found)
    return f"Margins exclude bias from imputed values ({literal(values)})."
