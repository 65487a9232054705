"""One person's two laws, and what sticks out of one of them. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.figures.marks import FAINT, Mark, area, band, densities, line, lollipop
from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    OTHER,
    STROKES,
    Picture,
    Stroke,
    axis,
)
from dpcore.wording import percent, significant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpcore.arrays import FloatArray
    from dpcore.mechanisms.person_laws import Line

WITH, WITHOUT = "with the person", "without"
_HEADROOM = 1.15
_EDGE = Stroke(color=NEUTRAL, dash="dot", width=1)
_LABELED = 0.02
_NEGLIGIBLE = 1e-12
_SMALLEST = 1e-290
_SEEN = 0.01
_MOST = 1.6
"""Ends of the evidence, in own epsilons: the page's slider goes up to 1.5."""


def laws_picture(
    curve: Line, *, epsilon: float, delta: float, own: float, presence: bool, key: str
) -> Picture:
    """Return both laws, with the hockey-stick area at ``epsilon`` shaded.

    Below them stands the log of their ratio, with the band that ``epsilon`` allows:
    it shows how the laws differ where the eye cannot tell them apart. Densities are
    drawn over the highest of them and the ratio over the person's own loss, so that no
    axis moves with epsilon.

    ``epsilon`` is allowed for free and ``delta`` is left above it; ``presence`` says
    whether the law with the person is the one that sticks out.
    """
    color = STROKES[key].color
    laws = {WITH: curve.present, WITHOUT: curve.absent}
    above, below = (
        (curve.present, curve.absent) if presence else (curve.absent, curve.present)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        allowed = np.exp(min(epsilon, 700.0)) * below
    known = np.concatenate(list(laws.values()))
    highest = float(np.max(known[np.isfinite(known)], initial=0.0)) or 1.0
    unit = own if 0 < own < np.inf else 1.0
    ratio = _log_ratio(curve)
    traces = densities(curve.x, laws, (Stroke(color=color), OTHER), hover="%{x:.4g}")
    traces.append(
        line(
            curve.x,
            np.minimum(allowed / highest, 2 * _HEADROOM),
            f"e^ε times “{WITHOUT if presence else WITH}”",
            Stroke(color=NEUTRAL, dash="dot", width=1.5),
            hover="",
        )
    )
    traces += [
        area(
            curve.x[part],
            above[part] / highest,
            allowed[part] / highest,
            CONFIDENTIAL,
            "δ: sticks out",
            opacity=0.7,
            showlegend=place == 0,
        )
        for place, part in enumerate(_excesses(above, allowed))
    ]
    traces += _spikes(curve, color)
    traces.append(
        line(
            curve.x,
            ratio / unit,
            stroke=Stroke(color=color),
            hover="%{x:.4g}: %{customdata:.3g}",
            aside="log of ratio",
            customdata=ratio,
            yaxis="y3",
            showlegend=False,
        )
    )
    title = _laws_title(epsilon, delta, presence=presence)
    if curve.beyond > _SEEN:
        title += f"; {percent(curve.beyond)} of the releases lie beyond the picture"
    return Picture.of(
        title,
        {curve.label: curve.x} | laws,
        alt=f"The law of {curve.label}, with the person and without. {title}."
        f"{_spikes_text(curve)}",
        traces=traces,
        height=460,
        xaxis=axis(
            curve.label, anchor="y3", range=[float(curve.x[0]), float(curve.x[-1])]
        ),
        yaxis=axis(
            "how likely<br>(1: likeliest)",
            tickvals=[0, 1],
            range=[0, _HEADROOM],
            domain=[0.42, 1],
        ),
        yaxis3=_ratio_axis(own) | {"domain": [0, 0.34]},
        shapes=[band(-epsilon / unit, epsilon / unit, FAINT, _EDGE, yref="y3")],
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "range": [0, _HEADROOM],
            "visible": False,
        },
    )


def _ratio_axis(own: float) -> dict[str, Any]:
    """Return the axis of the ratio, in the person's own loss where that is finite."""
    if not 0 < own < np.inf:
        return axis("log of ratio")
    title = "log of ratio,<br>in own ε"
    return axis(title, range=[-_MOST, _MOST], tickvals=[-1, 0, 1])


def _log_ratio(curve: Line) -> FloatArray:
    """Return ``log(with/without)``, NaN where a float cannot tell."""
    ratio = np.full(curve.x.shape, np.nan)
    seen = (curve.present > _SMALLEST) & (curve.absent > _SMALLEST)
    ratio[seen] = np.log(curve.present[seen]) - np.log(curve.absent[seen])
    return ratio


def _laws_title(epsilon: float, delta: float, *, presence: bool) -> str:
    side = "with the person" if presence else "without the person"
    times = significant(float(np.exp(min(epsilon, 700.0))), up=True)
    if delta <= 0:
        return (
            f"At ε {significant(epsilon)} nothing sticks out: no release is more than "
            f"{times} times as likely in one world as in the other"
        )
    return (
        f"At ε {significant(epsilon)} a release may be {times} times as likely in one "
        f"world as in the other; what sticks out above that has probability "
        f"{delta_text(delta)} {side}"
    )


def delta_text(delta: float) -> str:
    """Return a delta, rounded up; a very small one as less than 1e-12.

    >>> delta_text(0.12345), delta_text(3e-40), delta_text(0.0)
    ('δ 0.124', 'δ below 1e-12', 'δ 0')
    """
    if 0 < delta < _NEGLIGIBLE:
        return "δ below 1e-12"
    return f"δ {significant(delta, up=True)}"


def _excesses(above: FloatArray, allowed: FloatArray) -> Iterator[slice]:
    """Yield every stretch where ``above`` exceeds what is allowed."""
    with np.errstate(invalid="ignore"):
        outside = above > allowed
    edges = np.flatnonzero(np.diff(outside, prepend=False, append=False))
    for start, stop in edges.reshape(-1, 2):
        yield slice(start, stop)


def _spikes(curve: Line, color: str) -> list[Mark]:
    width = float(curve.x[-1] - curve.x[0])
    traces = []
    for spike in curve.spikes:
        inward = 1 if spike.at < curve.x[len(curve.x) // 2] else -1
        for share, aside, stroke in (
            (spike.present, 0, Stroke(color=color)),
            (spike.absent, 1, OTHER),
        ):
            label = f"exactly {significant(spike.at)}: {percent(share)}"
            traces.append(
                lollipop(
                    spike.at + inward * aside * 0.008 * width,
                    share,
                    stroke,
                    hover="%{y:.4f} exactly on the bound",
                    text=label if share > _LABELED and not aside else "",
                    side="right" if inward > 0 else "left",
                    yaxis="y2",
                )
            )
    return traces


def _spikes_text(curve: Line) -> str:
    return "".join(
        f" Exactly {significant(spike.at)} is released with probability "
        f"{percent(spike.present)} with the person and {percent(spike.absent)} without."
        for spike in curve.spikes
    )
