"""Averages of Laplace draws: against Gaussian noise, against normality, and shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcore.figures.theme import GUIDE, ROWS, STYLES, LineStyle, Picture, axis, log_axis
from dpcore.figures.traces import NAME, Trace, Values, curves, interval, line, rows
from dpcore.formatting import percent, significant
from dpcore.studies.resampling.laplace_averages import (
    BudgetSharing,
    Equipartition,
    Normality,
    Rivals,
)

_ENOUGH = 0.9
_FEW = 10
_DRAWS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70)
_HEADROOM = 1.08
_GAUSSIAN = 1.35
"""By how much exact Gaussian noise may exceed the classic one, up to epsilon 10."""


def limits_picture(rivals: Rivals) -> Picture:
    """Return up to how many draws an average beats Gaussian noise; figure 2."""
    deltas = np.geomspace(1e-10, 1e-2, 33)
    several = [Rivals(epsilon=rivals.epsilon, delta=float(d)) for d in deltas]
    table: dict[str, Values] = {
        "δ": deltas,
        "log(1.25/δ)": [one.published_limit for one in several],
        "exact limit": [one.limit for one in several],
    }
    return Picture.of(
        (
            f"At δ = {significant(rivals.delta)} the average of fewer than "
            f"{significant(rivals.limit)} Laplace draws has less noise than Gaussian noise "
            f"calibrated exactly; {significant(rivals.published_limit)} is claimed"
        ),
        table,
        drawn="Two decreasing lines against δ from 10⁻¹⁰ to 0.01",
        traces=curves(
            table,
            "δ",
            {
                "log(1.25/δ)": ("log(1.25/δ), claimed", STYLES["averaged"]),
                "exact limit": (f"exact, ε = {significant(rivals.epsilon)}", STYLES["gaussian"]),
            },
            hover="%{x:,.4~r}: %{y:,.4~r}",
            aside=NAME,
        ),
        xaxis=log_axis("δ", dtick=2, exponentformat="power"),
        yaxis=axis("draws", range=[0, _HEADROOM * several[0].published_limit]),
    )


def rivals_picture(rivals: Rivals, draws: int) -> Picture:
    """Return the variance of averages of 1 to ``draws`` draws, and of Gaussian noise.

    The steep line has the same pure epsilon for every number of draws, the flatter one
    the same epsilon and delta. Variances are drawn over that of one draw, so that the
    axis does not move with epsilon; the table has them as they are.
    """
    k = np.array(sorted({*(each for each in _DRAWS if each < draws), draws}))
    pure = [rivals.average(int(each)) for each in k]
    fair = [rivals.fair(int(each)) for each in k]
    flat = np.ones(len(k))
    one = rivals.average(1)
    return Picture.of(
        (
            f"One Laplace draw has variance {significant(fair[0])}, the average of {draws} "
            f"has {significant(fair[-1])} at the same ε and δ, Gaussian noise "
            f"{significant(rivals.analytic)}"
        ),
        {
            "draws": k,
            "variance at the same pure ε": pure,
            "its ε at δ": [rivals.level(int(each)) for each in k],
            "variance at the same ε and δ": fair,
            "Gaussian, exact": rivals.analytic * flat,
            "Gaussian, classic": rivals.classic * flat,
        },
        drawn="Variances against the number of draws",
        more=f"At the same pure ε the "
        f"average of {draws} has {significant(pure[-1])}; the classic Gaussian "
        f"{significant(rivals.classic)}",
        traces=[
            _line(
                k,
                np.array(values) / one,
                name,
                STYLES[key],
                hover="%{x:,.4~r}: %{customdata:,.4~r}",
                customdata=values,
            )
            for values, name, key in (
                (pure, "average, same pure ε", "averaged"),
                (fair, "average, same ε and δ", "laplace"),
                (rivals.analytic * flat, "Gaussian, exact", "gaussian"),
                (rivals.classic * flat, "Gaussian, classic", "gaussian-classic"),
            )
        ],
        xaxis=axis("Laplace draws averaged", **_whole(draws)),
        yaxis=axis(
            "relative noise variance",
            range=[0, _HEADROOM * max(draws, _GAUSSIAN * rivals.published_limit)],
        ),
    )


def normality_picture(found: Sequence[Normality], *, picks: bool) -> Picture:
    """Return how often averages pass for normal; figure 3, above or below.

    ``found`` has at least one number of draws, increasing. With ``picks`` the truly
    normal of two samples is looked for, instead of testing one sample.
    """
    k = [one.draws for one in found]
    if picks:
        pairs = [(one.anderson_picks, one.shapiro_picks) for one in found]
        y = "normal sample picked"
    else:
        pairs = [(one.anderson, one.shapiro) for one in found]
        y = "not rejected at 5%"
    names = ("Anderson and Darling", "Shapiro and Wilk")
    strokes = (STYLES["bit"], STYLES["laplace"])
    traces = [
        _line(
            k,
            [pair[i] for pair in pairs],
            names[i],
            strokes[i],
            marker={"symbol": strokes[i].symbol, "size": 7},
            error_y=interval(
                [2 * one.error(pair[i]) for one, pair in zip(found, pairs, strict=True)],
                thickness=1.2,
                width=3,
            ),
        )
        for i in range(2)
    ]
    right = 0.5 if picks else 0.95
    name = "guessing" if picks else "truly normal"
    traces.append(line([k[0], k[-1]], [right, right], name, GUIDE, hover=""))
    table = {
        "draws averaged": k,
        **{name: [pair[i] for pair in pairs] for i, name in enumerate(names)},
        "samples": [one.samples for one in found],
    }
    return Picture.of(
        _picks_title(found) if picks else _normality_title(found),
        table,
        drawn="Shares with bars of two standard errors, of two tests",
        traces=traces,
        xaxis=axis("Laplace draws averaged", **_whole(k[-1])),
        yaxis=axis(y, tickformat=".0%"),
    )


def sharing_picture(parts: Equipartition) -> Picture:
    """Return the variance of an average of ``k`` answers by how they share a budget."""
    kinds: list[BudgetSharing] = list(BudgetSharing)
    variances = [parts.variance(kind) for kind in kinds]
    spent = [parts.spent(kind) for kind in kinds]
    honest = [cost <= parts.epsilon * (1 + 1e-9) for cost in spent]
    published = spent[kinds.index(BudgetSharing.PUBLISHED)]
    excess = (
        f"advanced composition as published spends ε = {significant(published, 4)} "
        f"instead of {significant(parts.epsilon)}"
        if published > parts.epsilon
        else "advanced composition as published holds here"
    )
    one, zcdp = variances[0], variances[kinds.index(BudgetSharing.ZCDP)]
    best = variances[kinds.index(BudgetSharing.LAPLACE)]
    return Picture.of(
        (
            f"Averaging {parts.times} Laplace answers multiplies the variance by "
            f"{significant(best / one)} at best; {excess}"
        ),
        {
            "shared by": [str(kind) for kind in kinds],
            "variance of the average": variances,
            "actual ε": spent,
        },
        drawn="Bars of variances by the way of sharing",
        more=f"Under zCDP the variance is {significant(zcdp)} for any number of answers",
        traces=[
            rows(
                [str(kind).replace(", ", ",<br>") for kind in kinds],
                variances,
                [
                    significant(v) + ("" if fine else ", too much")
                    for v, fine in zip(variances, honest, strict=True)
                ],
                [STYLES["laplace" if fine else "bit"].color for fine in honest],
                hover="%{y}: %{x:,.4~r}",
            )
        ],
        xaxis=axis("variance (sensitivity 1)", range=[0, 1.45 * max(variances)]),
        yaxis=ROWS,
    )


def _normality_title(found: Sequence[Normality]) -> str:
    passing = [n for n in found if min(n.anderson, n.shapiro) > _ENOUGH]
    if not passing:
        last = found[-1]
        return (
            f"Averages of {last.draws} draws still fail a test for normality in "
            f"{percent(1 - min(last.anderson, last.shapiro))} of the samples"
        )
    first = passing[0]
    return (
        f"From {first.draws} draws on, samples of averages pass both tests for "
        f"normality in over {percent(_ENOUGH)} of the cases ({percent(first.anderson)} "
        f"and {percent(first.shapiro)})"
    )


def _picks_title(found: Sequence[Normality]) -> str:
    last = found[-1]
    return (
        f"The tests pick the normal sample in {percent(found[0].anderson_picks)} and "
        f"{percent(found[0].shapiro_picks)} with {found[0].draws} "
        f"draw{'s' if found[0].draws > 1 else ''}, in {percent(last.anderson_picks)} and "
        f"{percent(last.shapiro_picks)} with {last.draws}"
    )


def _whole(most: int) -> dict[str, int]:
    """Return ticks of whole numbers, where there is room for those between."""
    return {"dtick": 1} if most <= _FEW else {}


def _line(x: Values, y: Values, name: str, stroke: LineStyle, **more: Any) -> Trace:  # noqa: ANN401 - Plotly's own vocabulary
    return line(x, y, name, stroke, **{"hover": "%{x:,.4~r}: %{y:,.4~r}", "aside": NAME} | more)
