"""What a secret sample is worth: the lemma, the Renyi curve, profiles, and errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.theme import NEUTRAL, STYLES, LineStyle, Picture, axis, log_axis, whole_decades
from dpcore.figures.traces import NAME, Trace, dot, interval, line, now, points
from dpcore.formatting import epsilon_text, percent, significant
from dpcore.privacy.subsampling_amplification import NoiseLaw
from dpcore.studies.resampling.subsampling_study import (
    ErrorParts,
    LemmaCurve,
    Measured,
    RenyiCurve,
    SimulatedErrors,
)

_EXACT = LineStyle(color="#0072B2", width=3)
_OTHER = LineStyle(color="#CC79A7", dash="dashdot")
_CLAIM = LineStyle(color="#D55E00", dash="dash")
_SAMPLED = LineStyle(color="#009E73", dash="dot")
_SHARE = "share of the rows in the sample"
_HOVER = "%{x:,.3~r}: %{y:,.4~r}"
_SMALLEST = 1e-300
_CEILING = 1.5
"""In epsilons on the sample: above 1 a bound says nothing."""
_MIDDLE = 0.5


def lemma_picture(curve: LemmaCurve, measured: Measured, *, at: float) -> Picture:
    """Return the epsilon against the share of rows: claimed, measured and exact.

    It is drawn over the epsilon on the sample, so that the axis does not move with it.

    The page is set to the share ``at``.
    """
    shown = np.isfinite(measured.estimate)
    center = np.where(shown, measured.estimate, np.nan)
    whole = curve.epsilon
    # Beyond the level without a sample the bound says nothing: it is left out.
    bound = np.where(curve.claimed <= _CEILING * whole, curve.claimed, np.nan)
    says = np.isfinite(bound)
    far = 10.0 * whole
    bars = interval(
        np.minimum(measured.high - center, far)[shown] / whole,
        np.minimum(center - measured.low, far)[shown] / whole,
        thickness=1.5,
        width=4,
    )
    lines = [
        *([_over(whole, curve.rate, bound, "the source's bound", _CLAIM)] if says.any() else ()),
        _over(whole, curve.rate, curve.one_sided, "if only joining is limited", _OTHER),
        _over(whole, curve.rate, curve.exact, "exact", _EXACT),
        points(
            measured.rate[shown],
            center[shown] / whole,
            "measured",
            dot("#6B6B6B", 8, "diamond"),
            hover="%{x:,.3~r}: %{customdata:,.3~r}",
            aside="measured",
            customdata=center[shown],
            error_y=bars,
        ),
    ]
    exact = float(np.interp(at, curve.rate, curve.exact))
    claim = float(np.interp(at, curve.rate, curve.claimed))
    empty = claim >= curve.epsilon
    said = f"at most {epsilon_text(curve.epsilon)}, which is trivial"
    said = said if empty else epsilon_text(claim)
    return Picture.of(
        (
            f"With {percent(at)} of the rows in a secret sample, ε = "
            f"{epsilon_text(curve.epsilon)} becomes {epsilon_text(exact)}; the source's "
            f"bound says {said}"
        ),
        {
            _SHARE: curve.rate,
            "exact ε": curve.exact,
            "the source's bound": curve.claimed,
            "if only joining is limited": curve.one_sided,
        },
        more=f"Measured on {measured.draws:,} simulated releases with and "
        "without one person, at "
        + ", ".join(
            f"{percent(float(q))}: {significant(float(e))}"
            for q, e in zip(measured.rate[shown], center[shown], strict=True)
        )
        + "",
        traces=lines,
        xaxis=axis(_SHARE, range=[0, 1.02]),
        yaxis=axis("relative ε", range=[0, _CEILING]),
        shapes=[_now(at)],
    )


def renyi_picture(curve: RenyiCurve) -> Picture:
    """Return divergence over order, which climbs to the level without a sample.

    It is drawn over that level, so that the axis does not move with the noise.
    """
    ends = curve.order[[0, -1]]
    top = curve.level
    return Picture.of(
        (
            f"Sampling {percent(curve.rate)} keeps ρ = {significant(curve.level)}: ε is "
            f"{epsilon_text(curve.exact_epsilon)}, not {epsilon_text(curve.claimed_epsilon)}, "
            f"at δ = {significant(curve.delta)}"
        ),
        {"order": curve.order, "divergence over order": curve.slope},
        drawn=f"A curve that rises from {significant(float(curve.slope[0]))} at order "
        f"2 to the level without a sample",
        traces=[
            _over(top, ends, np.full(2, top), "without a sample", replace(_OTHER, color=NEUTRAL)),
            _over(top, ends, np.full(2, curve.claimed_level), "claimed: ρ q²", _CLAIM),
            _over(top, curve.order, curve.slope, "with the sample", _EXACT, marker={}),
        ],
        xaxis=log_axis("order α", dtick=1, range=[*np.log10(ends * [0.9, 1.1])]),
        yaxis=axis("divergence over order, in ρ", range=[0, 1.1]),
    )


def profile_picture(
    epsilon: FloatArray, profiles: Mapping[NoiseLaw, tuple[FloatArray, FloatArray]], *, rate: float
) -> Picture:
    """Return delta against epsilon, of noise on the table and on a sample.

    Each law of noise has a delta without and one with the sample, at ascending
    ``epsilon``; the sample is the share ``rate`` of the rows.
    """
    names = {"laplace": "Laplace", "gaussian": "Gaussian"}
    lines, ends, table = [], [], {"ε": epsilon}
    for law, (whole, sampled) in profiles.items():
        color = STYLES[law].color
        for what, delta, dash in (("whole table", whole, "dot"), ("sample", sampled, "solid")):
            name, stroke = f"{names[law]}, {what}", LineStyle(color=color, dash=dash)
            lines.append(
                line(
                    epsilon,
                    np.where(delta > _SMALLEST, delta, np.nan),
                    name,
                    stroke,
                    hover=_HOVER,
                    aside=NAME,
                )
            )
            ends += ending(epsilon, delta, least=1e-12, color=color)
            table[name] = delta
    parts = [
        f"{significant(float(whole[0]))} to {significant(float(one[0]))} ({names[law]})"
        for law, (whole, one) in profiles.items()
    ]
    return Picture.of(
        (
            f"A secret sample of {percent(rate)} lowers the whole privacy profile; at ε = 0 δ "
            f"falls from {' and from '.join(parts)}"
        ),
        table,
        drawn="Falling curves of δ against ε",
        traces=[*lines, *labeled_once(ends)],
        xaxis=axis("privacy parameter ε", range=[0, float(epsilon[-1])]),
        yaxis=log_axis("δ", range=[-12, 0.1], dtick=3, exponentformat="power"),
    )


def error_picture(
    parts: ErrorParts,
    *,
    full: float,
    simulated: SimulatedErrors | None,
    at: float,
    unit: str,
    ends: tuple[float, float],
) -> Picture:
    """Return the typical error of a release from a sample, and of one from all rows.

    ``full`` is the mean squared error of releasing from the whole table, ``at`` the
    share that the page is set to, and ``ends`` are those of the axis, which no epsilon
    moves.
    """
    total, whole = np.sqrt(parts.total), float(np.sqrt(full))
    label = f"typical error{f', {unit}' if unit else ''}"
    sampling = np.where(parts.sampling > 0, np.sqrt(parts.sampling), np.nan)
    drawn = (
        (parts.rate, np.sqrt(parts.noise), "noise", _OTHER),
        (parts.rate, sampling, "sampling", _SAMPLED),
        (parts.rate, total, "both", _EXACT),
        (
            parts.rate[[0, -1]],
            np.full(2, whole),
            "all rows, same ε",
            LineStyle(color=NEUTRAL, dash="dash"),
        ),
    )
    traces = [line(*each, hover=_HOVER, aside=NAME) for each in drawn]
    if simulated is not None:
        traces.append(
            points(
                simulated.rate,
                simulated.rmse,
                "simulated",
                dot("#6B6B6B", 7, "diamond"),
                hover="%{y:,.4~r}",
                aside="simulated",
                error_y=interval(simulated.error, thickness=1.2, width=3),
            )
        )
    here = float(np.exp(np.interp(np.log(at), np.log(parts.rate), np.log(total))))
    suffix = f" {unit}" if unit else ""
    return Picture.of(
        (
            f"At the same final ε the RMSE is {significant(here)}{suffix} with {percent(at)} of "
            f"the rows and {significant(whole)}{suffix} with all: {significant(here / whole)} "
            "times less"
        ),
        {
            _SHARE: parts.rate,
            "error from sampling": np.sqrt(parts.sampling),
            "error from noise": np.sqrt(parts.noise),
            "both": total,
        },
        drawn="Curves that fall as the sample grows, down to the value for all rows",
        traces=traces,
        xaxis=log_axis(_SHARE, dtick=1, range=[float(np.log10(parts.rate[0])), 0.08]),
        yaxis=log_axis(label, *whole_decades(*ends)),
        shapes=[_now(at)],
    )


def _over(
    unit: float,
    x: FloatArray,
    y: FloatArray,
    name: str,
    stroke: LineStyle,
    **more: Any,  # noqa: ANN401 - Plotly's own vocabulary
) -> Trace:
    """Return a curve over a number that moves with the noise; hovering says ``y``."""
    return line(
        x,
        y / unit,
        name,
        stroke,
        hover="%{x:,.3~r}: %{customdata:,.4~r}",
        aside=NAME,
        customdata=y,
        **more,
    )


def _now(at: float) -> Trace:
    """Return the setting of the page, named on the side that has room."""
    return now(at, xanchor="right" if at > _MIDDLE else "left", yanchor="top")


WORDS = "δ is 0 from here on"


def ending(epsilon: FloatArray, delta: FloatArray, *, least: float, color: str) -> list[Trace]:
    """Return a mark where ``delta`` comes down to 0, or nothing where it does not.

    It stands at ``least``, the lower end of the logarithmic axis; ``epsilon`` ascends.
    """
    (gone,) = np.nonzero(delta <= 0)
    if not len(gone) or gone[0] == 0:
        return []
    at = float(epsilon[gone[0]])
    first, last = float(epsilon[0]), float(epsilon[-1])
    # An axis that starts above 0 is a logarithmic one.
    middle = (first * last) ** 0.5 if first > 0 else last / 2
    mark = points(
        [at],
        [least],
        WORDS,
        dot(color, 9, "x"),
        hover="from ε %{x:,.4~r} on δ is 0",
        text=[WORDS],
        textposition="top right" if at < middle else "top left",
        textfont={"color": NEUTRAL},
        cliponaxis=False,
        showlegend=False,
    )
    return [mark]


def labeled_once(traces: list[Trace]) -> list[Trace]:
    """Return traces with words at the last of them only: two would collide."""
    ordered = sorted(traces, key=lambda trace: trace["x"])
    return [trace | {"mode": "markers"} for trace in ordered[:-1]] + ordered[-1:]
