"""Two groups of a released answer compared: free, as it follows from the answer."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.figures.differences import Compared, difference_picture, difference_table
from dpcore.inference.group_differences import Held, difference, more_in_percent
from dpcore.releases.record import WATERMARK, Mode
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.kinds import StatisticKind
from dpcore.wording import interval_ends, percent
from ui import controls, results, session
from ui.text import after_number, literal

if TYPE_CHECKING:
    from dpcore.releases.record import Release
    from dpcore.releases.request import Request

_PAIR = 2
_IN_POINTS = 100.0


def show(answer: Release, asked: Request) -> None:
    """Offer to compare two groups of an answer by group, where two can be told."""
    known = answer.intervals
    if not isinstance(asked.query, GroupedQuery) or known is None:
        return
    if known.noise is None or len(answer.labels) < _PAIR:
        return
    groups = _held(answer, asked)
    edge = "classroom" if answer.mode is Mode.CLASSROOM else "public"
    with st.container(border=True, key=f"{edge}-difference"):
        results.public_badge()
        st.markdown(
            "**Compare two groups.** This follows from the answer above and costs "
            "nothing."
        )
        one, other = _pair(asked, tuple(groups))
        noun, unit = _noun(asked), _unit(asked)
        found = compared(groups, one, other)
        picture = difference_picture(
            found, noun=noun, unit=unit, statement=asked.statement
        )
        results.show(picture, "difference")
        _remarks(found, asked, answer, level=known.level)
        results.table_files(
            partial(_every_pair, groups, noun, unit, answer.mode),
            "differences-of-groups",
            "differences",
        )


def compared(groups: dict[str, Held], one: str, other: str) -> Compared:
    """Return two groups with what lies between them."""
    return Compared(
        one=one,
        other=other,
        apart=difference(groups[one], groups[other]),
        percent=more_in_percent(groups[one], groups[other]),
    )


def _held(answer: Release, asked: Request) -> dict[str, Held]:
    """Return the number of each group that can be told; shares in percent."""
    known, scale = answer.intervals, _scale(asked)
    noise = (known.noise if known else None) or {}
    sampled = session.require_study().sampled
    total = ((known.total if known else None) or {}) if sampled else {}

    def times(ends: tuple[float, float]) -> tuple[float, float]:
        return scale * ends[0], scale * ends[1]

    return {
        label: Held(
            value=scale * value,
            noise=times(noise[label]),
            total=times(total[label]) if label in total else None,
        )
        for label, value in zip(answer.labels, answer.values, strict=True)
        if label in noise
    }


def _pair(asked: Request, groups: tuple[str, ...]) -> tuple[str, str]:
    """Let two different groups be chosen, at first the first two."""
    key = f"{session.generation()}-{asked.query.columns[-1].name}-{hash(groups)}"
    left, right = controls.row(2)
    one = left.selectbox(
        "Compare the group", groups, key=f"compare-{key}", kept="session"
    )
    others = tuple(group for group in groups if group != one)
    other = right.selectbox(
        "With the group",
        others,
        key=f"compared-with-{key}-{hash(one)}",
        kept="session",
        note="The difference is that of the first less this one, and its percentage is "
        "of this one.",
    )
    return one, other


def _remarks(found: Compared, asked: Request, answer: Release, *, level: float) -> None:
    """Say what is told of the population, what cannot be told, and what holds."""
    total, unit = found.apart.total, _unit(asked)
    if total is not None:
        untold = total[0] <= 0 <= total[1]
        low, high = interval_ends(*total)
        st.caption(
            "In the population behind the table, "
            + ("which is larger cannot be told: " if untold else "")
            + f"the difference is from {low} to {high}{after_number(unit)}, noise and "
            "sampling together."
        )
    if found.percent is None:
        st.caption(
            f"No percentage: the {_noun(asked)} of “{literal(found.other)}” may be 0, "
            "or less, and of that there is no part."
        )
    if answer.unsaid:
        names = ", ".join(f"“{literal(group)}”" for group in answer.unsaid)
        st.caption(f"Too few to say, and so not to be compared: {names}.")
    st.caption(
        f"With {percent(level)} all intervals above hold, and then so do those of all "
        "differences: you may choose the pair after seeing the answer. It is the "
        "difference of these two numbers, and says nothing of why they differ."
    )


def _every_pair(
    groups: dict[str, Held], noun: str, unit: str, mode: Mode
) -> pd.DataFrame:
    """Return the differences of all pairs, both ways round, for a file."""
    pairs = [compared(groups, one, other) for one, other in permutations(groups, 2)]
    table = pd.DataFrame(difference_table(pairs, noun=noun, unit=unit))
    table["watermark"] = WATERMARK if mode is Mode.CLASSROOM else ""
    return table


def _noun(asked: Request) -> str:
    kind = asked.query.kind
    return "share" if kind is StatisticKind.PROPORTION else kind.value


def _unit(asked: Request) -> str:
    if asked.query.kind is StatisticKind.PROPORTION:
        return "percentage points"
    return asked.query.unit_text


def _scale(asked: Request) -> float:
    return _IN_POINTS if asked.query.kind is StatisticKind.PROPORTION else 1.0
