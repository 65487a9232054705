"""Two groups of a released answer compared: free, as it follows from the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import permutations

import pandas as pd
import streamlit as st

from dpcore.analyses.base import Mode, NumberOfGroups, Request
from dpcore.figures.group_answers import GroupDifference, difference_picture, difference_table
from dpcore.formatting import in_full, interval_ends, percent
from dpcore.inference.group_differences import IntervalEstimate, difference, more_in_percent
from dpcore.inference.stratified_means import corrected, stratified
from dpcore.releases.digits import ends_text, with_ends
from dpcore.releases.record import WATERMARK, Release
from dpcore.statistics.group_sums import count_names
from ui import controls, results, session
from ui.text import after_number, literal

_PAIR = 2
_IN_POINTS = 100.0
_POINTS = "percentage points"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    """What an answer tells of every group, of one column.

    Attributes:
        number: What it tells of each.
        groups: The number of each group that can be told; shares in percent.
        few: The groups with too few people to say.
        rows: The fewest people of each group whose size was released.

    """

    number: NumberOfGroups
    groups: dict[str, IntervalEstimate]
    few: tuple[str, ...]
    rows: dict[str, float]

    @property
    def noun(self) -> str:
        """Return what each number is called."""
        return self.number.noun

    @property
    def unit(self) -> str:
        """Return the unit of a difference."""
        return _POINTS if self.number.is_share else self.number.quantity.of_differences

    @property
    def dated(self) -> bool:
        """Return whether each number is a date, of which a difference is no part."""
        return self.number.quantity.is_date


def show(answer: Release, asked: Request) -> None:
    """Offer to compare two groups of an answer by group, where two can be told."""
    known = answer.intervals
    told = tuple(_told(answer, asked, each) for each in asked.query.of_each_group)
    if known is None or not told or len(told[0].groups) < _PAIR:
        return
    edge = "classroom" if answer.mode is Mode.CLASSROOM else "public"
    with st.container(border=True, key=f"{edge}-difference"):
        results.public_badge()
        st.markdown("**Compare two groups.** This follows from the answer above and costs nothing.")
        one = told[0] if len(told) == 1 else _column(asked, told)
        if len(one.groups) > _PAIR:
            results.table(larger_than(one.groups), key="larger-groups")
        pair = _pair(asked, tuple(one.groups))
        found = compared(one.groups, *pair, dated=one.dated)
        picture = difference_picture(found, noun=one.noun, unit=one.unit, statement=asked.statement)
        results.show(picture, "difference")
        _remarks(found, one, level=known.level)
        results.table_files(
            partial(_every_pair, one, answer.mode), "differences-of-groups", "differences"
        )
        if one.number.is_average:
            _stratified(answer, one, level=known.level)


def _stratified(answer: Release, one: _Numbers, *, level: float) -> None:
    """Offer the mean of all groups by their public sizes in the population."""
    groups = tuple(one.groups)
    text = controls.HERE.numbers(
        f"Public population sizes of {', '.join(groups)}",
        "",
        key=f"strata-{session.generation()}-{hash((one.noun, groups))}",
        kept="session",
        note="For a stratified mean: the size of each group in the population, in this order, "
        "separated by commas. 0 leaves a group out. They must be known without the table.",
    )
    named = f"Stratified {one.noun}"
    results.conclude(answer, named, "")
    if not text.strip():
        return
    with controls.valid(ends=False):
        sizes = controls.listed(text, float, "sizes")
        strata, how = [*one.groups.values()], ""
        rows = [one.rows.get(group, math.inf) for group in groups]
        sampled = len(sizes) == len(rows) and all(each.total for each in strata)
        if sampled and not any(row > size > 0 for row, size in zip(rows, sizes, strict=True)):
            strata = corrected(strata, sizes, rows)
            how = (
                " The interval for the population has the finite population correction, for a "
                "simple random sample of each group."
            )
        found = stratified(strata, sizes)
        value, low, high = with_ends(found.value, found.noise)
        unit = "%" if one.unit == _POINTS else after_number(one.unit)
        told = f"{percent(level)}: {low} to {high} for these data"
        if found.total is not None:
            told += f", {' to '.join(ends_text(found.total, found.value))} for the population"
        st.markdown(f"**{literal(named)}:** {value}{unit} ({told}).")
        st.caption(
            "The released groups are weighted by these sizes, at no cost. The interval follows "
            f"from those of all groups at once, so it is on the wide side.{how}"
        )
        by = ", ".join(
            f"{group} {in_full(size)}" for group, size in zip(groups, sizes, strict=True)
        )
        results.conclude(answer, named, f"{value}{unit} ({told}), by public sizes: {by}.{how}")


def compared(
    groups: dict[str, IntervalEstimate], one: str, other: str, *, dated: bool = False
) -> GroupDifference:
    """Return two groups with what lies between them; of dates no percentage."""
    percent = None if dated else more_in_percent(groups[one], groups[other])
    return GroupDifference(
        one=one, other=other, apart=difference(groups[one], groups[other]), percent=percent
    )


def larger_than(groups: dict[str, IntervalEstimate]) -> dict[str, list[str]]:
    """Return which groups each is larger than for sure, the largest first, as columns.

    Those are the pairs whose interval of the difference excludes 0.
    """
    order = sorted(groups, key=lambda name: groups[name].value, reverse=True)
    each = {"these data (noise only)": {name: groups[name].noise for name in order}}
    total = {name: held.total for name in order if (held := groups[name]).total}
    if total:
        each["the population (noise and sampling)"] = total
    return {"group": order} | {
        f"larger than, in {whose}": [
            ", ".join(other for other in ends if name in ends and ends[name][0] > ends[other][1])
            or "none for sure"
            for name in order
        ]
        for whose, ends in each.items()
    }


def _told(answer: Release, asked: Request, number: NumberOfGroups) -> _Numbers:
    """Return what is told of every group."""
    ends, sizes = answer.noise_ends, count_names(tuple(number.names), asked.query.unit.counted)
    return _Numbers(
        number=number,
        groups=_held(answer, number.names, _IN_POINTS if number.is_share else 1.0),
        few=tuple(group for group, name in number.names.items() if name in answer.unsaid),
        rows={group: ends[name][0] for group, name in sizes.items() if name in ends},
    )


def _column(asked: Request, told: tuple[_Numbers, ...]) -> _Numbers:
    place = controls.HERE.selectbox(
        "Number to compare",
        range(len(told)),
        format_func=[one.noun for one in told].__getitem__,
        key=f"compare-of-{session.generation()}-{hash(asked.query.title)}",
        kept="session",
    )
    return told[place]


def _held(answer: Release, names: dict[str, str], scale: float) -> dict[str, IntervalEstimate]:
    """Return the number of each group that can be told, which has a name for each."""
    noise, values = answer.noise_ends, answer.numbers
    total = answer.total_ends if session.require_study().sampled else {}

    def times(ends: tuple[float, float]) -> tuple[float, float]:
        return scale * ends[0], scale * ends[1]

    return {
        group: IntervalEstimate(
            value=scale * values[name],
            noise=times(noise[name]),
            total=times(total[name]) if name in total else None,
        )
        for group, name in names.items()
        if name in values and name in noise
    }


def _pair(asked: Request, groups: tuple[str, ...]) -> tuple[str, str]:
    """Let two different groups be chosen, at first the first two."""
    key = f"{session.generation()}-{asked.query.columns[-1].name}-{hash(groups)}"
    left, right = controls.row(2)
    one = left.selectbox("Compare the group", groups, key=f"compare-{key}", kept="session")
    other = right.selectbox(
        "With the group",
        tuple(group for group in groups if group != one),
        key=f"compared-with-{key}",
        kept="session",
        note="The difference is the first group minus this one. Its percentage is relative "
        "to this one.",
    )
    return one, other


def _remarks(found: GroupDifference, one: _Numbers, *, level: float) -> None:
    """Describe the population, what is uncertain, and the joint confidence level."""
    total, unit = found.apart.total, one.unit
    if total is not None:
        untold = total[0] <= 0 <= total[1]
        low, high = interval_ends(*total)
        st.caption(
            "In the population, "
            + ("uncertain which is larger: " if untold else "")
            + f"the difference is from {low} to {high}{after_number(unit)}, noise and "
            "sampling together."
        )
    if found.percent is None and not one.dated:
        st.caption(
            f"No percentage: the {literal(one.noun)} of “{literal(found.other)}” may be "
            f"0{' or negative' * (one.groups[found.other].noise[0] < 0)}."
        )
    if one.few:
        names = ", ".join(f"“{literal(group)}”" for group in one.few)
        st.caption(f"Too few to say, so not compared: {names}.")
    st.caption(
        f"All intervals above hold together in {percent(level)} of releases, and so do those of "
        "all differences, whichever pair you choose. A difference is rounded to its own larger "
        "margin, so its last digits may differ from those of the two numbers. It does not "
        "explain why they differ."
    )


def _every_pair(told: _Numbers, mode: Mode) -> pd.DataFrame:
    """Return the differences of all pairs, both ways round, for a file."""
    groups = told.groups
    pairs = [compared(groups, *pair, dated=told.dated) for pair in permutations(groups, 2)]
    table = pd.DataFrame(difference_table(pairs, noun=told.noun, unit=told.unit))
    table["watermark"] = WATERMARK if mode is Mode.CLASSROOM else ""
    return table
