"""Labels that nobody knows: how often one is released, and because of whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.label_rounds import LabelRoundsPlan
from dpcore.analyses.labels import LabelsPlan
from dpcore.arrays import FloatArray
from dpcore.figures.theme import (
    DOTTED,
    GUIDE,
    NEUTRAL,
    PUBLIC,
    LineStyle,
    Picture,
    axis,
    categories,
)
from dpcore.figures.traces import bars, line, note, vertical
from dpcore.formatting import percent, significant
from dpcore.mechanisms.label_selection import laplace_threshold
from dpcore.relations import PrivacyUnit

_THRESHOLD = LineStyle(color=NEUTRAL, width=1)
_POINTS = 300
_FEW_ZEROS = 7
"""Powers of 10 below 1 that chances are counted between."""


def selection_picture(plan: LabelsPlan, unit: PrivacyUnit) -> Picture:
    """Return how often a label is released, by its number of people. PUBLIC."""
    law, many = plan.law, unit.with_losses
    sure = law.people_needed(0.95)
    people = np.unique(np.linspace(0, 2 * law.threshold + 2, _POINTS).astype(np.intp))
    often, single = law.released(people), law.because_of_one(people)
    single[0] = 0.0
    laplace = laplace_threshold(epsilon=law.epsilon, delta=law.end_probability, people=people)
    return Picture.of(
        f"A label of {sure:,} {many} is released with a probability of 95%",
        {
            many: people,
            "probability of release": often,
            "with Laplace noise and a threshold": laplace,
            f"only because of one {unit.noun}": single,
        },
        drawn=f"Probability that a label is released, by its number of {many}, with the "
        f"threshold at {law.threshold:,}",
        more=f"The dashed line is Laplace noise and a threshold at the same cost. The dotted line "
        f"is the probability that a label appears only because of one {unit.noun}, at most "
        f"{percent(float(single.max()))}",
        traces=[
            line(people, laplace, "Laplace noise and threshold", GUIDE, hover="%{x:,}: %{y:.1%}"),
            line(
                people, single, f"only because of one {unit.noun}", DOTTED, hover="%{x:,}: %{y:.2%}"
            ),
            line(people, often, "released", LineStyle(color=PUBLIC), hover="%{x:,}: %{y:.1%}"),
        ],
        shapes=[vertical(law.threshold, stroke=_THRESHOLD)],
        annotations=[
            note(f"released above {law.threshold:,} ", law.threshold, 0.9, xanchor="right")
        ],
        xaxis=axis(f"{many} with the label", rangemode="tozero"),
        yaxis=axis("probability", tickformat=".0%", range=[0, 1.04]),
        height=300,
    )


def rounds_picture(plan: LabelRoundsPlan, one_round: LabelsPlan, unit: PrivacyUnit) -> Picture:
    """Return how often a label is found in rounds, by its number of people. PUBLIC."""
    law, many, most = plan.law, unit.nouns, unit.cap or 1
    needed = law.people_needed(0.95, most)
    end = 1.2 * max(needed, one_round.law.people_needed(0.95))
    people = np.unique(np.linspace(0, end, _POINTS).astype(np.intp))
    alone, all_left = (law.released(people, labels) for labels in (1, most))
    alone[0] = all_left[0] = 0.0
    single = one_round.law.released(people)
    return Picture.of(
        f"A label of {needed:,} {many} is found with a probability of at least 95%",
        {
            many: people,
            "this label alone is left": alone,
            f"{most:,} labels each are left": all_left,
            "one round": single,
        },
        drawn=f"Probability that a label is found in three rounds, by its number of {many}. It is "
        "between the two lines",
        more=f"The upper line is for {many} whose other labels were found. The lower line is for "
        f"{many} with {most:,} labels of which none was found. The dashed line is one round at the "
        "same cost",
        traces=[
            line(people, single, "one round", GUIDE, hover="%{x:,}: %{y:.1%}"),
            line(people, alone, "no other label left", DOTTED, hover="%{x:,}: %{y:.1%}"),
            line(
                people,
                all_left,
                f"{most:,} labels left",
                LineStyle(color=PUBLIC),
                hover="%{x:,}: %{y:.1%}",
            ),
        ],
        xaxis=axis(f"{many} with the label", rangemode="tozero"),
        yaxis=axis("probability", tickformat=".0%", range=[0, 1.04]),
        height=300,
    )


def dependence_picture(plan: LabelsPlan, sizes: NDArray[np.int64], unit: PrivacyUnit) -> Picture:
    """Return how likely people's labels appear only because of them. CONFIDENTIAL.

    ``sizes`` are the numbers of people of all labels; whoever has several labels counts
    with each of them.
    """
    law, many = plan.law, unit.with_losses
    chances = law.because_of_one(sizes)
    edges = np.concatenate([[0.0], 10.0 ** np.arange(-_FEW_ZEROS, 0.5)])
    counted = _counts(chances, sizes, edges)
    names = ["0", *(f"{significant(100 * float(edge))}%" for edge in edges[1:])]
    largest = float(chances.max(initial=0.0))
    most = float(law.because_of_one(law.threshold + 1))
    return Picture.of(
        f"Largest chance here {percent(largest)}, at most {percent(most)} in any table",
        {"chance that a label appears only because of one": names, many: counted},
        drawn=f"Number of {many} by the chance that their label appears only because of them",
        traces=[bars(names, counted, marker={"color": PUBLIC}, hover="%{x}: %{y:,}")],
        xaxis=categories(names, "chance, up to"),
        yaxis=axis(many),
        height=280,
    )


def _counts(chances: FloatArray, sizes: NDArray[np.int64], edges: FloatArray) -> NDArray[np.int64]:
    """Return how many people have no chance, and how many one between two edges each."""
    place = np.searchsorted(edges, chances, side="left")
    return np.bincount(place, weights=sizes, minlength=len(edges)).astype(np.int64)
