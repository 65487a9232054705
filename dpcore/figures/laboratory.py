"""Two worlds side by side, the evidence of a release, and what bounding does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.attackers import belief_text
from dpcore.figures.theme import NEUTRAL, OTHER, STYLES, LineStyle, Picture, axis, log_axis, plain
from dpcore.figures.traces import (
    Trace,
    area,
    band,
    curves,
    densities,
    dot,
    line,
    lollipop,
    note,
    now,
    points,
)
from dpcore.formatting import capital, epsilon_text, in_full, significant, three_digits
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.studies.teaching.laboratory import Meter, Setup, TwoWorlds

_FAINT = "rgba(127,127,127,0.10)"
_MOST = 2.3
"""Ends of the evidence, in claimed epsilons: truncation as published gives up to 2."""
_HEADROOM = 1.08
_SIGHT = (-0.3, 1.3)
"""What is seen, whether the bounds are kept or not."""
_STEM = 0.9
"""Height of a stem where a number is certain."""
_SAME = 1e-9
_HALF = 0.5
_LABELED = 0.05
_MARGIN = 0.02
_VALUE = axis("value")
_DRAWS = (0.9, 25.0)
"""Of one release: from hardly more than 1 to 20, the most at any setting of the lab."""


def worlds_picture(worlds: TwoWorlds, meter: Meter, *, setup: Setup) -> Picture:
    """Return both laws, and under them the log ratio with the claimed band.

    Points that are released with positive probability are lollipops, whose height
    shows that probability; below they are single dots. No axis moves with epsilon: a density
    is drawn over the highest one, and evidence over the claim.
    """
    color, epsilon = STYLES[setup.key].color, meter.nominal
    laws = dict(
        zip(
            ((f"value {significant(at)}" for at in worlds.positions)),
            (worlds.first, worlds.second),
            strict=True,
        )
    )
    strokes = (LineStyle(color=color), OTHER)
    title = _takeaway(worlds, meter, setup)
    traces = []
    for atom in worlds.atoms:
        inward = 1 if atom.at < _HALF else -1
        ends = ((atom.first, 0), (atom.second, 2))
        for (share, aside), stroke in zip(ends, strokes, strict=True):
            label = f"exactly {in_full(atom.at)}: {three_digits(share)}"
            traces.append(
                lollipop(
                    atom.at + inward * aside * 0.006,
                    _STEM * share,
                    stroke,
                    hover="%{customdata:.3f} exactly on the bound",
                    text=label if share > _LABELED else "",
                    side="right" if inward > 0 else "left",
                    customdata=[share, share],
                )
            )
    first, second = (significant(at) for at in worlds.positions)
    spikes = "".join(
        f" Exactly {in_full(atom.at)} is released with probability {three_digits(atom.first)} "
        f"or {three_digits(atom.second)}, log ratio {significant(atom.log_ratio)}."
        for atom in worlds.atoms
    )
    return Picture.of(
        title,
        {"release": worlds.x, "log of ratio": worlds.log_ratio}
        | {f"density, {name}": density for name, density in laws.items()},
        alt=(
            f"Above, the laws of the release for the values {first} and {second}; below, "
            f"the logarithm of their ratio with a band of ±{significant(meter.nominal)}."
            f"{spikes} {title}."
        ),
        height=400,
        traces=[
            *densities(worlds.x, laws, strokes, hover="%{x:.3f}", fill=_FAINT),
            *traces,
            *_evidence(worlds, epsilon, setup.key),
        ],
        xaxis=axis("released value", anchor="y2", range=[_SIGHT[0] - _MARGIN, _SIGHT[1] + _MARGIN]),
        yaxis=axis(
            "how likely<br>(1: likeliest)", domain=[0.56, 1], tickvals=[0, 1], range=[0, _HEADROOM]
        ),
        yaxis2=axis(
            "log of ratio<br>(claimed: ±1)",
            domain=[0, 0.5],
            range=[-_MOST, _MOST],
            tickvals=[-2, -1, 0, 1, 2],
        ),
        shapes=[
            band(
                -1,
                1,
                "rgba(127,127,127,0.16)",
                LineStyle(color=NEUTRAL, dash="dash", width=1),
                yref="y2",
            )
        ],
        showlegend=True,
        legend={
            "orientation": "h",
            "yanchor": "bottom",
            "y": 1.0,
            "x": 1,
            "xanchor": "right",
            "traceorder": "normal",
        },
    )


def _evidence(worlds: TwoWorlds, epsilon: float, key: str) -> list[Trace]:
    color = STYLES[key].color
    own: Trace = {"yaxis": "y2", "showlegend": False}
    traces = [
        line(
            worlds.x,
            worlds.log_ratio / epsilon,
            stroke=LineStyle(color=color),
            hover="%{x:.3f}: %{customdata:.3f}",
            aside="log of ratio",
            customdata=worlds.log_ratio,
            **own,
        ),
        *(area(*outline, color, **own) for outline in _excesses(worlds, epsilon)),
    ]
    if worlds.atoms:
        traces.append(
            points(
                [atom.at for atom in worlds.atoms],
                [atom.log_ratio / epsilon for atom in worlds.atoms],
                marker=dot(color, 9),
                hover="exactly %{x:,.6~r}: %{customdata:.3f}",
                customdata=[atom.log_ratio for atom in worlds.atoms],
                cliponaxis=False,
                **own,
            )
        )
    return traces


def _excesses(
    worlds: TwoWorlds, epsilon: float
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Yield every piece of the line outside the band, with the edge of the band."""
    most = epsilon * (1 + _SAME)
    with np.errstate(invalid="ignore"):
        sides = ((worlds.log_ratio > most, 1), (worlds.log_ratio < -most, -1))
    for outside, sign in sides:
        edges = np.flatnonzero(np.diff(outside, prepend=False, append=False))
        for start, stop in edges.reshape(-1, 2):
            x, y = worlds.x[start:stop], worlds.log_ratio[start:stop] / epsilon
            yield x, y, np.full(x.shape, float(sign))


def _takeaway(worlds: TwoWorlds, meter: Meter, setup: Setup) -> str:
    claimed = significant(math.exp(meter.nominal), up=True)
    found = significant(math.exp(worlds.largest), up=True)
    inside = worlds.largest <= meter.nominal * (1 + _SAME)
    if not meter.holds and not inside:
        return (
            f"Near the bound the likelihoods differ by a factor up to {found}; the claim "
            f"was {claimed}"
        )
    if not meter.holds:
        return (
            f"For these two values the factor is at most {found}; move the value to a bound "
            "to break the guarantee"
        )
    if not inside:
        return (
            "The line leaves the band only in the tails, with probability at most δ = "
            f"{significant(setup.delta)}"
        )
    if setup.delta > 0:
        return (
            f"The likelihoods differ by a factor of at most {found}; the guarantee of "
            f"{claimed} fails with probability at most δ = {significant(setup.delta)}"
        )
    return (
        f"The likelihoods differ by a factor of at most {found}: the guarantee of {claimed} holds"
    )


def atoms_picture(mechanism: Mechanism, setup: Setup) -> Picture:
    """Return how often exactly a bound is released, over where the value lies."""
    place = np.linspace(0.0, 1.0, 101)
    lower, upper = mechanism.atoms(place)
    table = {"value": place, "P(exactly 0)": lower, "P(exactly 1)": upper}
    here = tuple(float(atom) for atom in mechanism.atoms(setup.place))
    solid = replace(STYLES[setup.key], dash="solid")
    return Picture.of(
        (
            f"With the value at {significant(setup.place)}, {three_digits(here[0])} of all "
            f"releases are exactly 0 and {three_digits(here[1])} exactly 1"
        ),
        table,
        drawn="Two lines over the value",
        height=320,
        traces=curves(
            table,
            "value",
            {
                "P(exactly 0)": ("exactly 0", solid),
                "P(exactly 1)": ("exactly 1", replace(solid, dash="dash")),
            },
            scale=100,
            hover="value %{x:.2f}: %{y:,.3~r}%",
        ),
        xaxis=_VALUE,
        yaxis=axis("share of releases, %", range=[0, 60]),
        shapes=[_now(setup.place)],
    )


def tries_picture(tries: FloatArray, place: FloatArray, setup: Setup) -> Picture:
    """Return how many draws a release takes on average, over where the value lies."""
    here, there = (float(np.interp(at, place, tries)) for at in (setup.place, setup.other))
    return Picture.of(
        (
            f"A release takes {significant(here)} draws on average at the value "
            f"{significant(setup.place)}, but {significant(there)} at "
            f"{significant(setup.other)}"
        ),
        {"value": place, "draws": tries},
        drawn="A line that is highest at the bounds",
        height=320,
        traces=[
            line(place, tries, stroke=STYLES[setup.key], hover="value %{x:.2f}: %{y:,.3~r} draws")
        ],
        xaxis=_VALUE,
        yaxis=log_axis("draws for one release", *_DRAWS),
        shapes=[_now(setup.place), _now(setup.other, "other world")],
    )


def _now(place: float, name: str = "now") -> Trace:
    return now(place, name, xanchor="left" if place < _HALF else "right", yanchor="top")


def two_worlds_picture(
    mechanism: Mechanism,
    *,
    key: str,
    epsilon: float,
    worlds: tuple[tuple[str, float], tuple[str, float]],
    window: tuple[float, float],
    answer: str,
    title: str = "",
) -> Picture:
    """Return the densities of the release in two worlds that differ in one person.

    The takeaway, unless there is a ``title``, is what the guarantee leaves an attacker
    who was undecided. Neither axis moves with it: ``window`` is public, and the highest
    density has height 1.

    Each of ``worlds`` has a name and the number that the noise is added to;
    ``mechanism`` guarantees ``epsilon`` without a delta.
    """
    x = np.sort(np.concatenate([np.linspace(*window, 400), [position for _, position in worlds]]))
    laws = {name: mechanism.pdf(x, position) for name, position in worlds}
    said = belief_text(epsilon, about=" which of the two is true")
    bumps = "; ".join(f"{name}, around {significant(at)}" for name, at in worlds)
    (left, low), (right, high) = sorted(worlds, key=itemgetter(1))
    return Picture.of(
        title or capital(said),
        {answer: x, **laws},
        drawn=f"Two overlapping bumps: {bumps}. Their ratio never exceeds e to the "
        f"{epsilon_text(epsilon)}",
        traces=densities(
            x,
            {plain(name): density for name, density in laws.items()},
            (LineStyle(color=STYLES[key].color), OTHER),
            hover="%{x:,.4~r}",
            fill="rgba(127,127,127,0.10)",
        ),
        height=260,
        showlegend=False,
        annotations=[
            note(f"{plain(left)} ", low, 1, xanchor="right", yanchor="bottom"),
            note(f" {plain(right)}", high, 1, xanchor="left", yanchor="bottom"),
        ],
        xaxis=axis(plain(answer), range=list(window)),
        yaxis=axis("relative likelihood", range=[0, 1.2], tickvals=[0, 1]),
    )
