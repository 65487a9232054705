"""What may be told of secret losses, and what an attacker makes of it. CONFIDENTIAL."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpcore.arrays import FloatArray
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    GUIDE,
    PUBLIC,
    ROWS,
    LineStyle,
    Picture,
    axis,
    log_axis,
    plain,
)
from dpcore.figures.traces import NAME, above, dot, line, points, vertical
from dpcore.formatting import brief, epsilon_text, in_full, measured, significant
from dpcore.studies.attacks.noise import Recovery
from dpcore.studies.individual.reports import Reports

_STYLES = {
    "secret truth": LineStyle(color=CONFIDENTIAL),
    "free report": LineStyle(color=PUBLIC, dash="dash"),
    "as published": LineStyle(color="#CC79A7", dash="dashdot"),
    "with a noisy Hessian": LineStyle(color="#009E73", dash="dot"),
}


def reports_picture(reports: Reports, *, guarantee: float) -> Picture:
    """Return the shares of units below each loss: actual, and as published."""
    curves = {"secret truth": reports.truth, **reports.by_name}
    ranks = np.linspace(0, 1, 301)[1:]
    read = {
        name: np.asarray(np.quantile(values, ranks, method="inverted_cdf"))
        for name, values in curves.items()
    }
    finite = np.concatenate([values[np.isfinite(values)] for values in read.values()])
    top = max(float(finite.max(initial=0.0)), guarantee)
    floor = max(1e-4 * top, float(finite[finite > 0].min(initial=top)))
    truth, free = (_middle(curves[name]) for name in ("secret truth", "free report"))
    rest = "; ".join(
        f"{name}: median {epsilon_text(_middle(values))}, "
        f"largest {epsilon_text(float(values.max()))}"
        for name, values in curves.items()
    )
    return Picture.of(
        (
            f"Median loss: actual {epsilon_text(truth)}, published {epsilon_text(free)}, "
            f"guaranteed {epsilon_text(guarantee)}"
        ),
        {"share": ranks} | read,
        more=f"{rest}",
        traces=[
            line(
                np.maximum(values, floor),
                100 * ranks,
                name,
                _STYLES[name],
                hover="%{y:.0f}% at most %{x:,.3~r}",
                aside=NAME,
            )
            for name, values in read.items()
            if np.isfinite(values).any()
        ],
        xaxis=log_axis("loss, ε", dtick=1, exponentformat="power"),
        yaxis=axis("cumulative share, %", range=[0, 103]),
        shapes=[
            vertical(
                guarantee,
                "worst case (DP)",
                GUIDE,
                textposition="start",
                textangle=None,
                font={"size": 12},
            )
        ],
    )


def coverage_table(
    covered: Mapping[str, float], reports: Reports, *, nominal: float
) -> pd.DataFrame:
    """Return how often each report held, and how many times the truth it says."""
    with np.errstate(divide="ignore", invalid="ignore"):
        times = {
            name: float(np.nanmedian(told / reports.truth))
            for name, told in reports.by_name.items()
        }
    return pd.DataFrame(
        {
            "report": list(covered),
            "nominal": [f"{significant(100 * nominal, 4)}%" for _ in covered],
            "held": [f"{significant(100 * share, 4)}%" for share in covered.values()],
            "median times the truth": [significant(times[name]) for name in covered],
        }
    )


def _middle(values: FloatArray) -> float:
    return float(np.quantile(values, 0.5, method="inverted_cdf"))


def told_text(found: Recovery) -> str:
    """Return the loss that was told, with the digits that it was told with."""
    return in_full(found.told) if found.slack == 0 else epsilon_text(found.told)


def recovery_picture(found: Recovery, *, what: str, unit: str) -> Picture:
    """Return the release with its noise, the candidates, and the truth, on one axis.

    ``what`` is attacked, such as "mean of age".
    """
    suffix = f" {unit}" if unit else ""
    rows = {
        "released": ([found.release], PUBLIC, "circle", found.reach),
        "possible, given the loss": (
            [*found.candidates],
            CONFIDENTIAL,
            "diamond-open",
            found.slack,
        ),
        "the attacker's choice": ([found.recovered], CONFIDENTIAL, "diamond", found.slack),
    }
    ends = [
        *[found.truth, found.release, *found.candidates],
        found.release - found.reach,
        found.release + found.reach,
    ]
    margin = 0.08 * (max(ends) - min(ends)) or 1.0
    exact = found.error <= 1e-6 * max(abs(found.truth), found.reach)
    gain = found.reach / found.error if found.error > 0 else float("inf")
    return Picture.of(
        (
            f"From a loss of {told_text(found)}, the attacker computes "
            f"{significant(found.recovered, 6)}{suffix}: "
            + (
                "the exact answer"
                if exact
                else f"off by {significant(found.error)}, where the release may be off by "
                f"{significant(found.reach)}, {significant(gain, 2)} times more"
            )
        ),
        {
            "what": ["without noise", "released", *["possible"] * len(found.candidates), "found"],
            "value": [found.truth, found.release, *found.candidates, found.recovered],
        },
        more=f"Without noise the {what} is {significant(found.truth, 6)}"
        f"{suffix}; released {measured(found.release, found.reach)}{suffix}",
        traces=[
            points(
                xs,
                [name] * len(xs),
                name,
                dot(color, 13, symbol),
                hover="%{x:,.6~r}",
                aside=NAME,
                error_x={"type": "constant", "value": reach, "thickness": 2},
            )
            for name, (xs, color, symbol, reach) in rows.items()
        ],
        height=320,
        showlegend=False,
        margin={"l": 60, "r": 24, "t": 40, "b": 50},
        xaxis=axis(plain(brief(what, 30)), range=[min(ends) - margin, max(ends) + margin]),
        yaxis=ROWS,
        shapes=[vertical(found.truth, stroke=DOTTED)],
        annotations=[above("without noise", found.truth, xanchor="auto")],
    )
