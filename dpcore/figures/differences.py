"""How far two released groups lie apart, in their unit and in percent of one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dpcore.figures.marks import NAME, line, points, ring, vertical
from dpcore.figures.theme import TRUTH, Picture, Stroke, axis, below, plain
from dpcore.inference.group_differences import Ends, Held
from dpcore.releases.digits import with_ends
from dpcore.wording import capital, significant

_NOISE, _TOTAL = "#0072B2", "rgba(0,114,178,0.35)"
_HEIGHT = 240
FOR_ALL_PAIRS = "it holds for all pairs of groups at once"
"""How much holds together where any two groups of an answer may be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two groups with what lies between them. PUBLIC: it follows from a release.

    Attributes:
        one: Name of the first group.
        other: Name of the one that it is compared with.
        apart: By how much ``one`` is larger.
        percent: The same in percent of ``other``; None where that cannot be told.

    """

    one: str
    other: str
    apart: Held
    percent: Held | None


def difference_picture(
    found: Compared,
    *,
    noun: str,
    unit: str,
    statement: str,
    holds: str = FOR_ALL_PAIRS,
    truth: float | None = None,
) -> Picture:
    """Return the difference of two groups beside no difference at all.

    ``noun`` is what each group has, such as "mean", in ``unit``; ``statement`` says of
    what the release is an answer, and ``holds`` how much of it holds together.
    ``truth`` is the difference in the table, in Classroom mode only.
    """
    hover = "%{x:,.4g}"
    drawn = (
        ("noise and sampling", found.apart.total, Stroke(color=_TOTAL, width=20)),
        ("noise alone", found.apart.noise, Stroke(color=_NOISE, width=8)),
    )
    traces = [
        line(list(ends), [0, 0], name, stroke, hover=hover, aside=NAME)
        for name, ends, stroke in drawn
        if ends is not None
    ]
    what = "difference"
    dot = points([found.apart.value], [0], what, ring(_NOISE, 14), hover=hover)
    traces.append(dot)
    title = difference_text(found, noun=noun, unit=unit, holds=holds)
    table = difference_table([found], noun=noun, unit=unit)
    if truth is not None:
        title = f"As released: {title}"
        table["difference without noise"] = [truth]
        traces.append(points([truth], [0], "difference without noise", TRUTH))
    caption = f"{noun} of “{found.one}” less that of “{found.other}”"
    caption += f", {unit}" if unit else ""
    return Picture.of(
        title,
        table,
        alt=f"One point with its bars, beside a line at no difference. "
        f"{capital(statement)}: {title}.",
        height=_HEIGHT + below(caption),
        traces=traces,
        shapes=[vertical(0, "no difference")],
        xaxis=axis(plain(caption)),
        yaxis=axis(visible=False, range=[-1, 1]),
    )


def untold_picture(truth: float, *, unit: str) -> Picture:
    """Return the difference in the table where the answer could tell none.

    In Classroom mode only. CONFIDENTIAL.
    """
    what = "difference without noise"
    known = not math.isnan(truth)
    value = f"{significant(truth)} {unit}".strip() if known else "not defined"
    title = f"The answer tells no difference; without noise it is {value}"
    return Picture.of(
        title,
        {what: [truth]},
        drawn="One point beside a line at no difference",
        height=_HEIGHT,
        traces=[points([truth], [0], what, TRUTH)] if known else [],
        shapes=[vertical(0, "no difference")],
        xaxis=axis(plain(unit or "difference")),
        yaxis=axis(visible=False, range=[-1, 1]),
    )


def difference_text(found: Compared, *, noun: str, unit: str, holds: str = FOR_ALL_PAIRS) -> str:
    """Return which of two groups has more, and how much, as far as that can be told.

    >>> from dpcore.inference.group_differences import Held
    >>> apart = Held(value=-5000.0, noise=(-7300.0, -3100.0))
    >>> percent = Held(value=-12.0, noise=(-17.0, -7.0))
    >>> found = Compared(one="women", other="men", apart=apart, percent=percent)
    >>> difference_text(found, noun="mean", unit="euros")[:59]
    'The mean of “women” is lower than that of “men”: by 5,000 e'
    """
    low, high = found.apart.noise
    if low <= 0 <= high:
        text = (
            f"Whether the {noun} of “{found.one}” or that of “{found.other}” is larger "
            f"cannot be told: the difference that was drawn is "
            f"{_amount(found.apart, 1, unit)}"
        )
        sign, words = 1, ""
    else:
        sign, words = (1, "higher") if low > 0 else (-1, "lower")
        text = (
            f"The {noun} of “{found.one}” is {words} than that of “{found.other}”: by "
            f"{_amount(found.apart, sign, unit)}"
        )
    if found.percent is not None:
        text += f", or {_amount(found.percent, sign, '%')} of that of “{found.other}”"
    return f"{text}, from the noise alone; {holds}"


def difference_table(pairs: list[Compared], *, noun: str, unit: str) -> dict[str, list[Any]]:
    """Return pairs of groups as columns, a row for each pair."""
    unit = f", {unit}" if unit else ""
    table: dict[str, list[Any]] = {
        f"{noun} of": [pair.one for pair in pairs],
        "less that of": [pair.other for pair in pairs],
    }
    known = any(pair.apart.total is not None for pair in pairs)
    amounts: dict[str, list[Held | None]] = {
        f"difference{unit}": [pair.apart for pair in pairs],
        "percent of the latter": [pair.percent for pair in pairs],
    }
    for name, held in amounts.items():
        table[name] = [None if one is None else one.value for one in held]
        noise = [None if one is None else one.noise for one in held]
        table[f"{name}: noise, lower"] = [_end(ends, 0) for ends in noise]
        table[f"{name}: noise, upper"] = [_end(ends, 1) for ends in noise]
        if known:
            total = [None if one is None else one.total for one in held]
            table[f"{name}: with sampling, lower"] = [_end(ends, 0) for ends in total]
            table[f"{name}: with sampling, upper"] = [_end(ends, 1) for ends in total]
    return table


def _end(ends: Ends | None, side: int) -> float | None:
    return None if ends is None else float(ends[side])


def _amount(held: Held, sign: int, unit: str) -> str:
    """Return a number with its interval, turned round where ``sign`` is -1."""
    low, high = held.noise if sign > 0 else (-held.noise[1], -held.noise[0])
    value, *ends = with_ends(sign * held.value, (low, high))
    unit = f" {unit}" if unit else ""
    return f"{value}{unit} (95 %: {ends[0]} to {ends[1]})"
