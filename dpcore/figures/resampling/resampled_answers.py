"""An answer from a sample or resample: its intervals are for table and population."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.figures import answers
from dpcore.figures.wording import measured

if TYPE_CHECKING:
    from dpcore.figures.theme import Picture
    from dpcore.inference.intervals import Intervals

_NAMES = {"noise alone": "for this table", "noise and sampling": "for the population"}
_TABLE = "noise alone"
_BOTH = "for this table and the population"


def resampled_picture(
    value: float, around: Intervals, *, axis: str, unit: str, watermark: bool
) -> Picture:
    """Return the sanitized value with an interval for the table, and a wider one.

    Both cover the noise and who happened to be sampled. Where they read alike there is
    one of them.
    """
    picture = answers.answer_picture(
        value, around, axis=axis, unit=unit, watermark=watermark
    )
    noise, total = around.noise[0], around.total[0]
    error = float(noise[1] - noise[0]) / 2
    ends = [measured(float(end), error) for end in (*noise, *total)]
    for trace in picture.figure.data:
        trace.name = _NAMES.get(trace.name, trace.name)
    title = f"{measured(value, error)}{f' {unit}' if unit else ''}; 95 %: "
    table = picture.table.replace({"what": _NAMES})
    alt = "One point with a thin and a thick bar around it."
    if ends[:2] == ends[2:]:
        kept = [each for each in picture.figure.data if each.name != _NAMES[_TABLE]]
        picture.figure.data = kept
        kept[0].name = _BOTH
        title += f"{ends[0]} to {ends[1]}, {_BOTH} behind it"
        alt = "One point with a bar around it."
    else:
        title += (
            f"{ends[0]} to {ends[1]} for this table, {ends[2]} to {ends[3]} for the "
            "population behind it"
        )
    return replace(picture, title=title, alt=f"{alt} {title}.", table=table)
