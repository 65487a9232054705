"""A ratio of every group: those that can be said, and those with too few people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import NAME, line, note, points, ring
from dpcore.figures.theme import (
    HEIGHT,
    TRUTH,
    Picture,
    Stroke,
    axis,
    below,
    frame,
    plain,
)
from dpcore.releases.table import TOO_FEW
from dpcore.wording import interval_ends, measured

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray

_NOISE = "#0072B2"
_TOTAL = "rgba(0,114,178,0.35)"
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNumbers:
    """What was released of each of ``G`` groups. PUBLIC.

    Attributes:
        groups: Their names.
        ratios: The number of each; NaN where there are too few people to say.
        noise: Its interval in the table, shape ``(G, 2)``; NaN likewise.
        total: The same for the population; None where the table is all of it.
        counts: People in each group.
        counts_noise: Their intervals, shape ``(G, 2)``.

    """

    groups: tuple[str, ...]
    ratios: FloatArray
    noise: FloatArray
    total: FloatArray | None
    counts: FloatArray
    counts_noise: FloatArray


def groups_picture(
    numbers: GroupNumbers,
    *,
    statement: str,
    noun: str,
    unit: str,
    counted: str,
    truth: FloatArray | None,
) -> Picture:
    """Return sanitized ratios as dots with intervals that hold together.

    A group whose count cannot tell it from an empty one has no dot and no rank: the
    words "too few to say" stand in its place.

    Args:
        numbers: What was released.
        statement: Of what they are answers.
        noun: What each is called, such as "mean".
        unit: Their unit, or nothing.
        counted: What the groups count, such as "people".
        truth: The ratios of the table, NaN where there is none; in Classroom mode only.

    """
    shown = [plain(group) for group in numbers.groups]
    said = ~np.isnan(numbers.ratios)
    drawn = (
        ("noise and sampling", numbers.total, Stroke(color=_TOTAL, width=12)),
        ("noise alone", numbers.noise, Stroke(color=_NOISE, width=5)),
    )
    hover = "%{x}: %{y:,.4g}"
    traces = [
        line(*_bars(shown, ends, said), name, stroke, hover=hover, aside=NAME)
        for name, ends, stroke in drawn
        if ends is not None
    ]
    traces.append(
        points(
            [name for name, there in zip(shown, said, strict=True) if there],
            numbers.ratios[said],
            f"sanitized {noun}",
            ring(_NOISE, 12),
            hover=hover,
        )
    )
    table = _table(numbers, noun=noun, counted=counted)
    if truth is not None:
        known = ~np.isnan(truth)
        there = [name for name, there in zip(shown, known, strict=True) if there]
        traces.append(points(there, truth[known], f"{noun} without noise", TRUTH))
        table[f"{noun} without noise"] = truth
    figure = frame(
        height=HEIGHT + below(statement),
        traces=traces,
        annotations=[
            note(TOO_FEW, int(place), 0.5, yref="paper", textangle=-90)
            | {"font": {"size": 13}}
            for place in np.flatnonzero(~said)
        ],
        # All groups, in their order, those without a dot included.
        xaxis=axis(
            plain(statement),
            type="category",
            categoryorder="array",
            categoryarray=shown,
            range=[-0.5, len(shown) - 0.5],
        ),
        yaxis=axis(plain(unit or noun)),
    )
    title = groups_text(numbers, noun=noun, unit=unit)
    return Picture.of(
        title,
        figure,
        f"{len(shown)} groups, {int(said.sum())} with a dot and bars for a "
        f"sanitized {noun}: {statement}",
        table,
    )


def groups_text(numbers: GroupNumbers, *, noun: str, unit: str) -> str:
    """Return which group has the largest number, as far as that can be told."""
    said = np.flatnonzero(~np.isnan(numbers.ratios))
    few = [
        f"“{group}”"
        for place, group in enumerate(numbers.groups)
        if place not in set(said.tolist())
    ]
    if len(said) == 0:
        return (
            f"No {noun} can be told: no group's count can be told from that of an "
            "empty one. Spend more, or ask for fewer groups"
        )
    order = said[np.argsort(numbers.ratios[said])[::-1]]
    first = order[0]
    if len(order) == 1:
        text = f"One {noun} can be told: {_named(numbers, first, unit)}"
    elif numbers.noise[first, 0] > numbers.noise[order[1:], 1].max():
        largest = "largest" if not few else f"largest {noun} that can be told"
        noun = "" if few else f" {noun}"
        text = f"The {largest}{noun} is that of {_named(numbers, first, unit)}"
    else:
        # Whoever may have more than somebody surely has, however small the draw.
        surest = numbers.noise[order, 0].max()
        open_ = [place for place in order if numbers.noise[place, 1] >= surest]
        names = [f"“{numbers.groups[place]}”" for place in open_]
        others = len(names) - _NAMED
        listed = ", ".join(names[:_NAMED]) + (
            f" and {others} more" if others > 0 else ""
        )
        text = (
            f"Which {noun} is the largest cannot be told: it may be that of any of "
            f"{len(names)}, {listed}. The largest that was drawn is "
            f"{_named(numbers, first, unit)}"
        )
    text += "; all intervals hold at once"
    if few:
        others = len(few) - _NAMED
        more = f" and {others} more" if others > 0 else ""
        text += f"; too few to say: {', '.join(few[:_NAMED])}{more}"
    return text


def _named(numbers: GroupNumbers, place: int, unit: str) -> str:
    """Return a group with its number and interval in words."""
    low, high = numbers.noise[place]
    error = float(high - low) / 2
    value = measured(float(numbers.ratios[place]), error)
    lower, upper = interval_ends(float(low), float(high))
    unit = f" {unit}" if unit else ""
    return f"“{numbers.groups[place]}” with {value}{unit} (95 %: {lower} to {upper})"


def _bars(
    shown: list[str], ends: FloatArray, said: FloatArray
) -> tuple[list[str | None], list[float | None]]:
    """Return the points of one upright bar a group, with gaps between them."""
    across: list[str | None] = []
    up: list[float | None] = []
    for place in np.flatnonzero(said):
        across += [shown[place], shown[place], None]
        up += [float(ends[place, 0]), float(ends[place, 1]), None]
    return across, up


def _table(numbers: GroupNumbers, *, noun: str, counted: str) -> pd.DataFrame:
    said = ~np.isnan(numbers.ratios)
    table = pd.DataFrame(
        {
            "group": list(numbers.groups),
            f"sanitized {noun}": numbers.ratios,
            "noise, lower": numbers.noise[:, 0],
            "noise, upper": numbers.noise[:, 1],
        }
    )
    if numbers.total is not None:
        table["with sampling, lower"] = numbers.total[:, 0]
        table["with sampling, upper"] = numbers.total[:, 1]
    table[f"sanitized {counted}"] = numbers.counts
    table[f"{counted}, lower"] = numbers.counts_noise[:, 0]
    table[f"{counted}, upper"] = numbers.counts_noise[:, 1]
    table["note"] = np.where(said, "", TOO_FEW)
    return table
