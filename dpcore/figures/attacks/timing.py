"""What the time of a release gives away. Of public settings alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.attacks.looks import BEFORE, CARELESS, PRIVATE, SHARE_OF_GUESSES
from dpcore.figures.marks import NAME, bars, line, now
from dpcore.figures.theme import GUIDE, Picture, axis, log_axis
from dpcore.studies.attacks.timing import Stopwatch
from dpcore.wording import nearest, significant

_BARS = 40
_HEIGHT = 300


def stopwatch_picture(watch: Stopwatch, names: tuple[str, str], *, redrawn: bool) -> Picture:
    """Return how long releases take in two worlds, as two histograms."""
    both = np.concatenate([watch.first, watch.second])
    low, high = float(both.min()), float(both.max())
    edges = np.linspace(low, high if high > low else low + 1, _BARS + 1)
    counts = [np.histogram(each, edges)[0] for each in (watch.first, watch.second)]
    means = [significant(float(each.mean())) for each in (watch.first, watch.second)]
    how = "Drawn until it fits" if redrawn else "With as many draws every time"
    title = (
        f"{how}, a release takes {means[0]} µs on average at {names[0]}, and "
        f"{means[1]} µs at {names[1]}"
    )
    middle = (edges[:-1] + edges[1:]) / 2
    return Picture.of(
        title,
        {"from, µs": edges[:-1], "to, µs": edges[1:], names[0]: counts[0], names[1]: counts[1]},
        drawn="Two histograms of simulated times over each other",
        height=_HEIGHT,
        traces=[
            bars(
                middle,
                count,
                name,
                {"color": stroke.color},
                hover="around %{x:.0f} µs: %{y} releases",
                aside=NAME,
                opacity=0.65,
                width=edges[1] - edges[0],
            )
            for count, name, stroke in zip(
                counts, names, (CARELESS if redrawn else PRIVATE, BEFORE), strict=True
            )
        ],
        barmode="overlay",
        xaxis=axis("time of one release, µs (simulated)"),
        yaxis=axis("releases"),
    )


def rounds_picture(
    timed: Sequence[int], right: FloatArray, *, allowed: FloatArray, chosen: int
) -> Picture:
    """Return how often the best test of the time is right, over the releases timed.

    ``allowed`` is what the epsilon of so many releases together allows.
    """
    here = float(np.interp(np.log(chosen), np.log(timed), right))
    return Picture.of(
        f"After {chosen:,} timed release{'s' if chosen > 1 else ''} the time alone "
        f"tells which value it is {nearest(here)} of the time",
        {
            "releases timed": timed,
            "right by the time of redrawing": right,
            "right by a steady time": np.full(len(timed), 0.5),
            "what their ε allows all that is released": allowed,
        },
        drawn="A line that rises from little more than half to nearly always, and a "
        "level one at half",
        height=_HEIGHT,
        traces=[
            line(timed, 100 * share, name, stroke, hover="%{x:,} timed: %{y:.1f} %", aside=NAME)
            for name, share, stroke in (
                ("drawn until it fits", right, CARELESS),
                ("as many draws every time", np.full(len(timed), 0.5), PRIVATE),
                ("what ε allows in all", allowed, GUIDE),
            )
        ],
        xaxis=log_axis("releases timed", timed[0], timed[-1]),
        yaxis=axis(SHARE_OF_GUESSES, range=[46, 104]),
        shapes=[now(chosen, textposition="start", yanchor="bottom", xanchor="left")],
    )
