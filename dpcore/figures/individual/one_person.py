"""One person: two laws, their difference, what releases cost and tell. CONFIDENTIAL.

Published bounds stand beside the exact profile; below 1 times the exact loss, a bound understates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    FITTING,
    GUIDE,
    NEUTRAL,
    OTHER,
    PLATE,
    STYLES,
    LineStyle,
    Picture,
    axis,
    log_axis,
)
from dpcore.figures.traces import (
    FAINT,
    NAME,
    Trace,
    above,
    area,
    band,
    cells,
    date_ticks,
    densities,
    dot,
    interval,
    level,
    line,
    lollipop,
    note,
    points,
    vertical,
)
from dpcore.formatting import at_least, at_most, epsilon_text, nearest, percent, significant
from dpcore.individual.published_bounds import DELTAS, BoundCurve, Profile, at_delta
from dpcore.mechanisms.person_laws import Line
from dpcore.studies.individual.hypothesis_tests import Realized, Round, posterior
from dpcore.studies.individual.loss_comparisons import BoundCheck

WITH, WITHOUT = "with the record", "without"
_HEADROOM = 1.15
_LABELED = 0.02
_NEGLIGIBLE = 1e-12
_SMALLEST = 1e-290
_SEEN = 0.01
_MOST = 1.6
"""Ends of the evidence, in own epsilons: the page's slider goes up to 1.5."""
_POINTS = 400
_HALF = 0.5
_SAME = 1e-9
# So that a jump at the end is not taken for the frame.
_ROOM = 1.12
_GUESS = dot(CONFIDENTIAL, 12, "diamond")
_NUMBER = Quantity()


def laws_picture(
    curve: Line,
    *,
    epsilon: float,
    delta: float,
    own: float,
    presence: bool,
    key: str,
    quantity: Quantity = _NUMBER,
) -> Picture:
    """Return both laws, with the hockey-stick area at ``epsilon`` shaded.

    Below them stands the log of their ratio, with the band that ``epsilon`` allows:
    it shows how the laws differ where the eye cannot tell them apart. Densities are
    drawn over the highest of them and the ratio over the person's own loss, so that no
    axis moves with epsilon.

    ``epsilon`` is allowed for free and ``delta`` is left above it; ``presence`` says
    whether the law with the person is the one that sticks out. The releases are of
    ``quantity``.
    """
    color = STYLES[key].color
    # Curves over dates stand on an axis of days.
    where = "" if quantity.is_date else "%{x:,.4~r}"
    laws = {WITH: curve.present, WITHOUT: curve.absent}
    out, other = (curve.present, curve.absent) if presence else (curve.absent, curve.present)
    with np.errstate(over="ignore", invalid="ignore"):
        allowed = np.exp(min(epsilon, 700.0)) * other
    known = np.concatenate(list(laws.values()))
    highest = float(np.max(known[np.isfinite(known)], initial=0.0)) or 1.0
    unit = own if 0 < own < np.inf else 1.0
    ratio = _log_ratio(curve)
    traces = densities(curve.x, laws, (LineStyle(color=color), OTHER), hover=where)
    traces.append(
        line(
            curve.x,
            np.minimum(allowed / highest, 2 * _HEADROOM),
            f"e^ε times “{WITHOUT if presence else WITH}”",
            LineStyle(color=NEUTRAL, dash="dot", width=1.5),
            hover="",
        )
    )
    traces += [
        area(
            curve.x[part],
            out[part] / highest,
            allowed[part] / highest,
            CONFIDENTIAL,
            "δ",
            opacity=0.7,
            showlegend=place == 0,
        )
        for place, part in enumerate(_excesses(out, allowed))
    ]
    traces += _spikes(curve, color)
    traces.append(
        line(
            curve.x,
            ratio / unit,
            stroke=LineStyle(color=color),
            hover=f"{where}: %{{customdata:,.3~r}}".removeprefix(": "),
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
        {curve.label: cells(curve.x, quantity)} | laws,
        alt=f"The law of {curve.label}, with the record and without. {title}.{_spikes_text(curve)}",
        traces=traces,
        height=460,
        xaxis=axis(
            curve.label,
            anchor="y3",
            range=[float(curve.x[0]), float(curve.x[-1])],
            **date_ticks(quantity, curve.x[0], curve.x[-1]),
            **FITTING,
        ),
        yaxis=axis(
            "how likely<br>(1: likeliest)",
            tickvals=[0, 1],
            range=[0, _HEADROOM],
            domain=[0.42, 1],
            **FITTING,
        ),
        yaxis3=_ratio_axis(own) | {"domain": [0, 0.34]},
        shapes=[
            band(
                -epsilon / unit,
                epsilon / unit,
                FAINT,
                LineStyle(color=NEUTRAL, dash="dot", width=1),
                yref="y3",
            )
        ],
        yaxis2={"overlaying": "y", "side": "right", "range": [0, _HEADROOM], "visible": False},
    )


def _ratio_axis(own: float) -> dict[str, Any]:
    """Return the axis of the ratio, in the person's own loss where that is finite."""
    if not 0 < own < np.inf:
        return axis("log of ratio")
    return axis("log of ratio,<br>in own ε", range=[-_MOST, _MOST], tickvals=[-1, 0, 1], **FITTING)


def _log_ratio(curve: Line) -> FloatArray:
    """Return ``log(with/without)``, NaN where a float cannot tell."""
    ratio = np.full(curve.x.shape, np.nan)
    seen = (curve.present > _SMALLEST) & (curve.absent > _SMALLEST)
    ratio[seen] = np.log(curve.present[seen]) - np.log(curve.absent[seen])
    return ratio


def _laws_title(epsilon: float, delta: float, *, presence: bool) -> str:
    this, other = (WITH, WITHOUT) if presence else (WITHOUT, WITH)
    times = significant(float(np.exp(min(epsilon, 700.0))), up=True)
    if delta <= 0:
        return (
            f"At ε = {significant(epsilon)} no result is more than {times} times as likely with "
            "one dataset as with the other"
        )
    return (
        f"At ε = {significant(epsilon)} the likelihood {this} exceeds {times} times that {other} "
        f"by {delta_text(delta)} in all"
    )


def delta_text(delta: float) -> str:
    """Return a delta, rounded up; a very small one as less than 10⁻¹².

    >>> delta_text(0.12345), delta_text(3e-40), delta_text(0.0)
    ('δ = 0.124', 'δ below 10⁻¹²', 'δ = 0')
    """
    if 0 < delta < _NEGLIGIBLE:
        return "δ below 10⁻¹²"
    return f"δ = {significant(delta, up=True)}"


def _excesses(above: FloatArray, allowed: FloatArray) -> Iterator[slice]:
    """Yield every stretch where ``above`` exceeds what is allowed."""
    with np.errstate(invalid="ignore"):
        outside = above > allowed
    edges = np.flatnonzero(np.diff(outside, prepend=False, append=False))
    for start, stop in edges.reshape(-1, 2):
        yield slice(start, stop)


def _spikes(curve: Line, color: str) -> list[Trace]:
    width = float(curve.x[-1] - curve.x[0])
    traces = []
    for spike in curve.spikes:
        inward = 1 if spike.at < curve.x[len(curve.x) // 2] else -1
        for share, aside, stroke in (
            (spike.present, 0, LineStyle(color=color)),
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
        f"{percent(spike.present)} with the record and {percent(spike.absent)} without."
        for spike in curve.spikes
    )


def realized_picture(
    found: tuple[Realized, Realized], *, own: float, delta: float, observed: float | None
) -> Picture:
    """Return how large the loss of actual releases turns out, against what is certain.

    ``found`` are the losses of simulated releases without the person, and with;
    ``delta`` goes with the person's ``own`` epsilon. The loss ``observed`` of an actual
    release is marked, if there is one.
    """
    traces, parts = [], []
    for part, name, stroke in (
        (found[1], WITH, LineStyle(color=CONFIDENTIAL)),
        (found[0], WITHOUT, OTHER),
    ):
        places = np.linspace(0, len(part.losses) - 1, _POINTS).astype(np.intp)
        parts.append((name, part.losses[places], part.share[places]))
        traces.append(
            line(
                part.losses[places],
                100 * part.share[places],
                name,
                stroke,
                hover="%{y:.1f}% of releases lose at most %{x:,.3~r}",
                fill=FAINT,
            )
        )
    shapes, notes = [], []
    if np.isfinite(own):
        shapes.append(vertical(own, stroke=DOTTED))
        notes.append(above("epsilon", own))
    if observed is not None and np.isfinite(observed):
        shapes.append(vertical(observed))
        notes.append(above("this one", observed, 0.06, **PLATE))
    ends = [own, observed or 0.0, *(float(x[-1]) for _, x, _ in parts)]
    known = [end for end in ends if np.isfinite(end)]
    title = _realized_title(found[1].losses, own, delta)
    if observed is not None:
        title = f"This release caused a loss of {epsilon_text(observed)}. {title}"
    table = pd.concat(
        [
            pd.DataFrame({"world": name, "loss at most": losses, "share": share})
            for name, losses, share in parts
        ]
    )
    return Picture.of(
        title,
        table,
        drawn="Share of releases against the loss they cause",
        traces=traces,
        xaxis=axis("actual loss, ε", range=[0, _ROOM * (max(known, default=0.0) or 1.0)]),
        yaxis=axis("share of releases, %", range=[0, 103]),
        shapes=shapes,
        annotations=notes,
    )


def _realized_title(losses: FloatArray, own: float, delta: float) -> str:
    """Say what half of the releases cost, or how many cost all that they may."""
    whole = float(np.mean(losses >= own * (1 - _SAME))) if np.isfinite(own) else 0.0
    at = f" (at δ = {significant(delta)})" if delta > 0 else ""
    if whole > _HALF:
        often = "Every release causes" if whole == 1 else f"Of the releases, {percent(whole)} cause"
        return f"{often} the largest possible loss, the own ε = {epsilon_text(own)}{at}"
    half = float(np.median(losses))
    return (
        f"Median actual loss: {epsilon_text(half)}, with a worst case of the "
        f"own ε = {epsilon_text(own)}{at}"
    )


def detection_picture(
    curve: tuple[FloatArray, FloatArray], *, prior: float, guess: float, key: str
) -> Picture:
    """Return the receiver operating characteristic of the best test.

    ``curve`` has the chances of a false alarm, ascending, and of detection; ``guess``
    says how often the best guess is right, with that belief before.
    """
    alarm, detection = _thinned(*curve)
    best = int(np.argmax(prior * detection + (1 - prior) * (1 - alarm)))
    even = float(np.max(detection - alarm))
    hover = "false positives %{x:.3f}, true positives %{y:.3f}"
    blind = max(prior, 1 - prior)
    return Picture.of(
        (
            f"An attacker who is {percent(prior)} sure beforehand guesses right {nearest(guess)} "
            f"of the time at best, and {percent(blind)} "
            "without the release"
        ),
        {"false alarm": alarm, "found": detection},
        drawn=f"True-positive rate against false-positive rate; they differ by at most "
        f"{percent(even)}",
        traces=[
            line(
                alarm,
                detection,
                "best test",
                LineStyle(color=STYLES[key].color, width=3),
                hover=hover,
            ),
            line(
                [0, 1],
                [0, 1],
                "guessing blindly",
                LineStyle(color=NEUTRAL, dash="dash", width=1.5),
                hover="",
            ),
            points([alarm[best]], [detection[best]], "best guess", _GUESS, hover=hover),
        ],
        height=400,
        xaxis=axis("false-positive rate", range=[-0.02, 1.02]),
        yaxis=axis("true-positive rate", range=[-0.02, 1.02]),
    )


def belief_picture(
    evidence: tuple[FloatArray, FloatArray], *, prior: float, guarantee: float, key: str
) -> Picture:
    """Return beliefs after a release against beliefs before.

    ``evidence`` is that of simulated releases without the person, and with; the belief
    ``prior`` is marked. The ``guarantee`` over all tables is a pure epsilon, or
    infinite.
    """
    before = np.linspace(0.001, 0.999, 201)
    absent, present = (
        np.quantile(part, (0.05, 0.5, 0.95), method="inverted_cdf") for part in evidence
    )
    low, middle, high = (posterior(before, level) for level in present)
    guessed, told = LineStyle(color=STYLES[key].color, width=2), "90% of releases with the record"
    traces = [
        area(100 * before, 100 * high, 100 * low, "rgba(127,127,127,0.18)", told),
        _belief(before, middle, "half of them are above", guessed),
        _belief(before, posterior(before, absent[1]), "the same without", GUIDE),
    ]
    if np.isfinite(guarantee):
        traces += [
            _belief(before, posterior(before, sign * guarantee), name, DOTTED)
            for sign, name in ((1, "guarantee, any table"), (-1, "guarantee, lower"))
        ]
    at = posterior(prior, present)
    least, half, most = (100 * float(each) for each in at)
    traces.append(
        points(
            [100 * prior],
            [half],
            "the belief set here",
            _GUESS | {"size": 11},
            hover="before %{x:.1f}%: after %{y:.1f}%",
            error_y=interval([most - half], [half - least], thickness=2, width=6),
        )
    )
    return Picture.of(
        (
            f"Belief in the presence of the record goes from {percent(prior)} to between "
            f"{at_least(float(at[0]))} and {at_most(float(at[2]))} in 90% of releases"
        ),
        {"before": before, "5%": low, "half": middle, "95%": high},
        drawn="Belief after the release against belief before",
        traces=traces,
        height=420,
        xaxis=axis("belief before, %", range=[0, 100]),
        yaxis=axis("belief afterwards, %", range=[0, 102]),
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        margin={"l": 60, "r": 24, "t": 24, "b": 100},
    )


def game_text(rounds: tuple[Round, ...], guess: float) -> str:
    """Return how the attacker fared, beside the best that is possible.

    >>> from dpcore.studies.individual.hypothesis_tests import Round
    >>> game_text((Round(True, 0.3, True), Round(False, 0.1, True)), 0.61)
    'The attacker was right in 1 of 2 rounds; in the long run 61% at best'
    """
    right = sum(turn.present == turn.guess for turn in rounds)
    return (
        f"The attacker was right in {right} of {len(rounds)} rounds; in the long run "
        f"{nearest(guess)} at best"
    )


def _belief(before: FloatArray, after: FloatArray, name: str, stroke: LineStyle) -> Trace:
    return line(
        100 * before,
        100 * after,
        name,
        stroke,
        hover="before %{x:.1f}%: after %{y:.1f}%",
        aside=NAME,
        showlegend=not name.endswith("lower"),
    )


def _thinned(alarm: FloatArray, detection: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return few points of a curve, the corner of the best even guess among them."""
    if len(alarm) <= _POINTS:
        return alarm, detection
    # As far apart along the curve as can be.
    along = np.cumsum(np.abs(np.diff(alarm, prepend=0)) + np.abs(np.diff(detection, prepend=0)))
    places = np.searchsorted(along, np.linspace(0, along[-1], _POINTS))
    places = np.unique(
        np.append(np.minimum(places, len(alarm) - 1), [0, int(np.argmax(detection - alarm))])
    )
    return alarm[places], detection[places]


_DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")
_STYLES = (
    LineStyle(color="#D55E00"),
    LineStyle(color="#CC79A7", dash="dash"),
    LineStyle(color="#0072B2", dash="dot"),
    LineStyle(color="#009E73", dash="dashdot"),
    LineStyle(color="#56B4E9", dash="longdash"),
)


def bounds_picture(
    profile: Profile, *, delta: float, own: float, key: str, exact: bool = True
) -> Picture:
    """Return the exact profile with published bounds; dotted where they understate.

    Bounds are compared with the person's ``own`` epsilon at ``delta``; a profile that
    is not ``exact`` is an upper bound.
    """
    name = "exact" if exact else "at most"
    shown = profile.delta > 0
    traces = [
        line(
            profile.epsilon[shown],
            profile.delta[shown],
            name,
            LineStyle(color=STYLES[key].color, width=3.5),
            hover="ε = %{x:,.4~r}: δ = %{y:,.3~r}",
            aside=name,
        )
    ]
    for place, bound in enumerate(profile.bounds):
        traces += _bound_traces(bound, _DASHES[place % len(_DASHES)])
    wrong = [bound for bound in profile.bounds if at_delta(bound, delta) < own * (1 - 1e-6)]
    title = (
        f"At δ = {significant(delta)} the own loss is "
        f"{'exactly' if exact else 'at most'} {epsilon_text(own)}"
    )
    if wrong:
        least = min(wrong, key=lambda bound: at_delta(bound, delta))
        said = significant(at_delta(least, delta))
        title += f"; “{least.label}” says {said}, and claims too much"
    elif profile.bounds:
        title += "; all bounds shown are above it there"
    table = {"delta": DELTAS} | {b.label: b.epsilon for b in profile.bounds}
    if not profile.bounds:
        table = {"epsilon": profile.epsilon, "delta": profile.delta}
    return Picture.of(
        title,
        table,
        drawn="The profile of the own loss, δ against ε",
        traces=traces,
        height=440,
        xaxis=axis("ε"),
        yaxis=log_axis("δ", exponentformat="power", range=[-12, 0]),
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        margin={"l": 60, "r": 24, "t": 24, "b": 120},
    )


def _bound_traces(bound: BoundCurve, dash: str) -> list[Trace]:
    """Return the curve of a bound, and crosses where it lies below the loss."""
    mark = "as published" if bound.published else "corrected or always valid"
    curve = line(
        bound.epsilon,
        DELTAS,
        bound.label,
        LineStyle(color=NEUTRAL, dash=dash, width=1.8),
        hover="ε = %{x:,.4~r} at δ = %{y:,.3~r}",
        aside=f"{bound.label}, {mark}",
    )
    wrong = bound.understates
    if not wrong.any():
        return [curve]
    places = np.flatnonzero(wrong)[:: max(1, int(wrong.sum()) // 12)]
    crosses = points(
        bound.epsilon[places],
        DELTAS[places],
        f"{bound.label}: understates",
        dot(CONFIDENTIAL, 8, "x"),
        hover="below the loss: ε = %{x:,.4~r} at δ = %{y:,.3~r}",
    )
    return [curve, crosses]


def checks_picture(checks: Sequence[BoundCheck]) -> Picture:
    """Return each bound over the exact loss, along the exact losses of the people."""
    quotients = np.concatenate([check.lowest for check in checks])
    low = min(0.5, 0.9 * float(quotients.min()))
    listed = "; ".join(
        f"{check.label} understates for {percent(check.understated)}" for check in checks
    )
    return Picture.of(
        _checks_title(checks),
        {
            "bound": [check.label for check in checks],
            "share with a larger loss, %": [100 * check.understated for check in checks],
            "largest exact loss over the bound": [check.worst for check in checks],
        },
        alt=f"Lines of bound over exact loss, the smallest of each group. {listed}.",
        traces=[
            line(
                check.epsilon,
                check.lowest,
                check.label,
                stroke,
                hover="exact loss %{x:,.3~r}: the bound is %{y:,.3~r} times as much",
                aside=NAME,
            )
            for check, stroke in zip(checks, _STYLES, strict=False)
        ],
        height=460,
        xaxis=log_axis("exact privacy loss, epsilon", exponentformat="power"),
        yaxis=log_axis(
            "bound / exact",
            range=[np.log10(low), np.log10(max(2.0, 1.1 * float(quotients.max())))],
            tickvals=[0.1, 0.2, 0.5, 1, 2, 5, 10, 100],
        ),
        shapes=[
            band(low, 1, "rgba(213,94,0,0.12)"),
            level(1, stroke=LineStyle(color=NEUTRAL, width=2)),
        ],
        annotations=[
            note(
                "below 1: claims too much",
                0.01,
                np.log10(low),
                xref="paper",
                xanchor="left",
                yanchor="bottom",
                **PLATE,
            )
        ],
    )


def _checks_title(checks: Sequence[BoundCheck]) -> str:
    worst = max(
        (check for check in checks if check.published),
        key=lambda check: (check.understated, check.worst),
    )
    if worst.understated == 0:
        return "No published bound lies below an exact loss here"
    return (
        f"“{worst.label}” claims too much for {percent(worst.understated)} of the "
        f"losses here: the exact loss is up to {significant(worst.worst, 2)} times the "
        "bound"
    )
