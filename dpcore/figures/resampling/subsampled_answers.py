"""An answer from a secret sample: its intervals are about table and population."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.figures import answers
from dpcore.figures.wording import measured

if TYPE_CHECKING:
    from dpcore.figures.theme import Picture
    from dpcore.inference.intervals import Intervals

_NAMES = {"noise alone": "this table", "noise and sampling": "the population"}


def subsampled_picture(
    value: float, around: Intervals, *, axis: str, unit: str, watermark: bool
) -> Picture:
    """Return the sanitized value with an interval for the table, and a wider one.

    Both cover the noise and who happened to be sampled.
    """
    picture = answers.answer_picture(
        value, around, axis=axis, unit=unit, watermark=watermark
    )
    for trace in picture.figure.data:
        trace.name = _NAMES.get(trace.name, trace.name)
    noise, total = around.noise[0], around.total[0]
    error = float(noise[1] - noise[0]) / 2
    ends = [measured(float(end), error) for end in (*noise, *total)]
    title = (
        f"{measured(value, error)}{f' {unit}' if unit else ''}; 95 %: {ends[0]} to "
        f"{ends[1]} for this table, {ends[2]} to {ends[3]} for the population behind it"
    )
    table = picture.table.replace({"what": _NAMES})
    alt = f"One point with a thin and a thick bar around it. {title}."
    return replace(picture, title=title, alt=alt, table=table)
