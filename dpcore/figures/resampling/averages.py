"""Averages of Laplace draws: against Gaussian noise, against normality, and shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import percent, significant
from dpcore.studies.resampling.averages import Rivals
from dpcore.studies.resampling.equipartition import Sharing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.figures.theme import Stroke
    from dpcore.studies.resampling.bootstrap_normality import Normality
    from dpcore.studies.resampling.equipartition import Equipartition

_POINTS = 33
_ENOUGH = 0.9
_FEW = 10
_DRAWS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70)


def limits_picture(rivals: Rivals, *, watermark: bool) -> Picture:
    """Return up to how many draws an average beats Gaussian noise; figure 2."""
    deltas = np.geomspace(1e-10, 1e-2, _POINTS)
    several = [Rivals(epsilon=rivals.epsilon, delta=float(d)) for d in deltas]
    published = [one.published_limit for one in several]
    exact = [one.limit for one in several]
    title = (
        f"At δ {significant(rivals.delta)} the average of fewer than "
        f"{significant(rivals.limit)} Laplace draws has less noise than Gaussian noise "
        f"calibrated exactly; {significant(rivals.published_limit)} is claimed"
    )
    at = {"type": "log", "dtick": 2, "title": {"text": "δ (log scale)"}}
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=[
                _line(deltas, published, "log(1.25/δ), claimed", STROKES["averaged"]),
                _line(
                    deltas,
                    exact,
                    f"exact, ε {significant(rivals.epsilon)}",
                    STROKES["gaussian"],
                ),
            ],
            xaxis=at | {"exponentformat": "power"},
            yaxis={"title": {"text": "draws"}, "rangemode": "tozero"},
        ),
        alt=f"Two decreasing lines against δ from 1e-10 to 1e-2. {title}.",
        table=pd.DataFrame(
            {"δ": deltas, "log(1.25/δ)": published, "exact limit": exact}
        ),
    )


def rivals_picture(rivals: Rivals, draws: int, *, watermark: bool) -> Picture:
    """Return the variance of averages of 1 to ``draws`` draws, and of Gaussian noise.

    The steep line has the same pure epsilon for every number of draws, the flatter one
    the same epsilon and delta.
    """
    k = np.array(sorted({*(each for each in _DRAWS if each < draws), draws}))
    pure = [rivals.average(int(each)) for each in k]
    fair = [rivals.fair(int(each)) for each in k]
    level = [rivals.level(int(each)) for each in k]
    flat = np.ones(len(k))
    traces = [
        _line(k, pure, "average, same pure ε", STROKES["averaged"]),
        _line(k, fair, "average, same ε and δ", STROKES["laplace"]),
        _line(k, rivals.analytic * flat, "Gaussian, exact", STROKES["gaussian"]),
        _line(
            k, rivals.classic * flat, "Gaussian, classic", STROKES["gaussian-classic"]
        ),
    ]
    title = (
        f"One Laplace draw has variance {significant(fair[0])}, the average of "
        f"{draws} has {significant(fair[-1])} at the same ε and δ, Gaussian noise "
        f"{significant(rivals.analytic)}"
    )
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=traces,
            xaxis={"title": {"text": "Laplace draws averaged"}, **_whole(draws)},
            yaxis={
                "title": {"text": "variance of the noise (sensitivity 1)"},
                "rangemode": "tozero",
            },
        ),
        alt=f"Variances against the number of draws. {title}. At the same pure ε the "
        f"average of {draws} has {significant(pure[-1])}; the classic Gaussian "
        f"{significant(rivals.classic)}.",
        table=pd.DataFrame(
            {
                "draws": k,
                "variance at the same pure ε": pure,
                "its ε at δ": level,
                "variance at the same ε and δ": fair,
                "Gaussian, exact": rivals.analytic * flat,
                "Gaussian, classic": rivals.classic * flat,
            }
        ),
    )


def normality_picture(
    found: Sequence[Normality], *, picks: bool, watermark: bool
) -> Picture:
    """Return how often averages pass for normal; figure 3, above or below.

    Args:
        found: By increasing numbers of draws; at least one.
        picks: Whether the truly normal of two samples is looked for, instead of
            testing one sample.
        watermark: Whether the picture is for the classroom only.

    """
    k = [one.draws for one in found]
    if picks:
        pairs = [(one.anderson_picks, one.shapiro_picks) for one in found]
        y = "normal sample picked"
    else:
        pairs = [(one.anderson, one.shapiro) for one in found]
        y = "not rejected at 5 %"
    names = ("Anderson and Darling", "Shapiro and Wilk")
    strokes = (STROKES["bit"], STROKES["laplace"])
    traces = [
        _line(k, [pair[i] for pair in pairs], names[i], strokes[i])
        | {
            "mode": "lines+markers",
            "error_y": {
                "type": "data",
                "array": [
                    2 * one.error(pair[i])
                    for one, pair in zip(found, pairs, strict=True)
                ],
                "thickness": 1.2,
                "width": 3,
            },
        }
        for i in range(2)
    ]
    right = 0.5 if picks else 0.95
    traces.append(
        {
            "type": "scatter",
            "x": [k[0], k[-1]],
            "y": [right, right],
            "mode": "lines",
            "name": "guessing" if picks else "truly normal",
            "line": {"color": NEUTRAL, "dash": "dash", "width": 2},
            "hoverinfo": "skip",
        }
    )
    title = _picks_title(found) if picks else _normality_title(found)
    table = {
        "draws averaged": k,
        **{name: [pair[i] for pair in pairs] for i, name in enumerate(names)},
        "samples": [one.samples for one in found],
    }
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=traces,
            xaxis={"title": {"text": "Laplace draws averaged"}, **_whole(k[-1])},
            yaxis={"title": {"text": y}, "tickformat": ".0%"},
        ),
        alt=f"Shares with bars of two standard errors, of two tests. {title}.",
        table=pd.DataFrame(table),
    )


def sharing_picture(parts: Equipartition, *, watermark: bool) -> Picture:
    """Return the variance of an average of ``k`` answers by how they share a budget."""
    kinds: list[Sharing] = list(Sharing)
    variances = [parts.variance(kind) for kind in kinds]
    spent = [parts.spent(kind) for kind in kinds]
    honest = [cost <= parts.epsilon * (1 + 1e-9) for cost in spent]
    published = spent[kinds.index(Sharing.PUBLISHED)]
    excess = (
        f"advanced composition as published spends ε {significant(published, 4)} "
        f"instead of {significant(parts.epsilon)}"
        if published > parts.epsilon
        else "advanced composition as published keeps its promise here"
    )
    one, zcdp = variances[0], variances[kinds.index(Sharing.ZCDP)]
    best = variances[kinds.index(Sharing.LAPLACE)]
    title = (
        f"Averaging {parts.times} Laplace answers multiplies the variance by "
        f"{significant(best / one)} at best; {excess}"
    )
    return Picture(
        title=title,
        figure=frame(
            watermark=watermark,
            traces=[
                {
                    "type": "bar",
                    "orientation": "h",
                    "x": variances,
                    "y": [str(kind).replace(", ", ",<br>") for kind in kinds],
                    "text": [
                        significant(v) + ("" if fine else ", too much")
                        for v, fine in zip(variances, honest, strict=True)
                    ],
                    "textposition": "outside",
                    "cliponaxis": False,
                    "marker": {
                        "color": [
                            STROKES["laplace"].color if fine else STROKES["bit"].color
                            for fine in honest
                        ]
                    },
                    "hovertemplate": "%{y}: %{x:.4g}<extra></extra>",
                }
            ],
            xaxis={
                "title": {"text": "variance (sensitivity 1)"},
                "range": [0, 1.45 * max(variances)],
            },
            yaxis={"autorange": "reversed", "automargin": True},
        ),
        alt=f"Bars of variances by the way of sharing. {title}. Under zCDP the "
        f"variance is {significant(zcdp)} for any number of answers.",
        table=pd.DataFrame(
            {
                "shared by": [str(kind) for kind in kinds],
                "variance of the average": variances,
                "ε really spent": spent,
            }
        ),
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
        f"normality in over {percent(_ENOUGH)} of the cases "
        f"({percent(first.anderson)} and {percent(first.shapiro)})"
    )


def _picks_title(found: Sequence[Normality]) -> str:
    last = found[-1]
    return (
        f"Told to pick the truly normal one of two samples, the tests are right in "
        f"{percent(found[0].anderson_picks)} and {percent(found[0].shapiro_picks)} "
        f"with {found[0].draws} draw{'s' if found[0].draws > 1 else ''}, and in "
        f"{percent(last.anderson_picks)} and {percent(last.shapiro_picks)} with "
        f"{last.draws}"
    )


def _whole(most: int) -> dict[str, int]:
    """Return ticks of whole numbers, where there is room for those between."""
    return {"dtick": 1} if most <= _FEW else {}


def _line(x: Any, y: Any, name: str, stroke: Stroke) -> dict[str, Any]:  # noqa: ANN401 - arrays or lists
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "name": name,
        "line": {"color": stroke.color, "dash": stroke.dash, "width": 2.5},
        "marker": {"symbol": stroke.symbol, "size": 7},
        "hovertemplate": "%{x:.4g}: %{y:.4g}<extra>%{fullData.name}</extra>",
    }
