"""A synthetic table beside the counts that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    ROWS,
    SCALE,
    STYLES,
    TRUTH,
    Picture,
    axis,
    plain,
)
from dpcore.figures.traces import dot, heat, interval, points
from dpcore.formatting import brief, significant
from dpcore.synthesis.pair_distances import PairDistance

_ROW, _REST, _LONGEST = 20, 120, 30
_AT_MOST = "at most "
_WORDS = 8
"""Columns of a map of pairs whose numbers fit into its cells on a phone, at most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SyntheticCounts:
    """The counts of one released question, and those of the synthetic table. PUBLIC.

    Attributes:
        title: What was asked.
        names: Name of each cell.
        released: The released counts, shape ``(k,)``.
        ends: Where the counts of the table lie, shape ``(k, 2)``.
        synthetic: The counts of the synthetic table.
        level: Confidence of all intervals together.

    """

    title: str
    names: Sequence[str]
    released: FloatArray
    ends: FloatArray
    synthetic: FloatArray
    level: float

    @property
    def inside(self) -> int:
        """Return how many synthetic counts lie in their intervals, in whole people."""
        low, high = np.floor(self.ends[:, 0]), np.ceil(self.ends[:, 1])
        return int(np.count_nonzero((self.synthetic >= low) & (self.synthetic <= high)))


def kept_picture(cells: SyntheticCounts, *, unit: str) -> Picture:
    """Return the synthetic counts beside the released ones with their intervals."""
    number = len(cells.names)
    share = "All" if cells.inside == number else f"{cells.inside} of"
    title = (
        f"{cells.title}: {share} {number} counts of the synthetic table lie where the "
        "release says that those of the real one lie"
    )
    return _picture(cells, title, unit, truth=None)


def original_picture(cells: SyntheticCounts, truth: FloatArray, *, unit: str) -> Picture:
    """Return them beside the counts of the original, too. CONFIDENTIAL."""
    off = float(np.abs(cells.synthetic - truth).mean())
    title = (
        f"{cells.title}: a count of the synthetic table is off by {significant(off)} "
        f"{unit} on average"
    )
    return _picture(cells, title, unit, truth=truth)


def _picture(cells: SyntheticCounts, title: str, unit: str, *, truth: FloatArray | None) -> Picture:
    names = [plain(brief(name, _LONGEST)) for name in cells.names]
    # SyntheticCounts are told apart by their place: short names of two may be the same.
    places = list(range(len(names)))
    low, high = cells.ends.T
    traces = [
        points(
            cells.released,
            places,
            "released, with its interval",
            dot(STYLES["laplace"].color, 7),
            hover="released %{x:,.4~r}<extra></extra>",
            error_x=interval(high - cells.released, cells.released - low, thickness=2),
        ),
        points(
            cells.synthetic,
            places,
            "synthetic table",
            dot(NEUTRAL if truth is None else CONFIDENTIAL, 10, "diamond-open",
                line={"width": 2}),
            hover="synthetic %{x}<extra></extra>",
        ),
    ]  # fmt: skip
    table: dict[str, Any] = {
        "cell": list(cells.names),
        "released": cells.released,
        "lower end": low,
        "upper end": high,
        "synthetic": cells.synthetic,
    }
    if truth is not None:
        traces.append(
            points(truth, places, "original", TRUTH, hover="original %{x}<extra></extra>")
        )
        table["original"] = truth
    return Picture.of(
        title,
        table,
        drawn="A row for each cell, with the released count and its interval, and the "
        "count of the synthetic table",
        traces=traces,
        height=_REST + _ROW * len(names),
        xaxis=axis(plain(unit)),
        yaxis=axis("", **ROWS) | {"tickvals": places, "ticktext": names},
    )


def distances_picture(distances: Sequence[PairDistance], columns: Sequence[str]) -> Picture:
    """Return how far every pair of columns can be from the original. PUBLIC.

    ``columns`` are in the order of the question.
    """
    names = [plain(brief(name, _LONGEST)) for name in columns]
    shape = (len(columns), len(columns))
    most, words, said = np.full(shape, np.nan), *np.full((2, *shape), "", dtype=object)
    place = {name: at for at, name in enumerate(columns)}
    for one in distances:
        at = place[one.second], place[one.first]
        most[at] = min(one.most, 1.0)
        said[at] = one.said
        text = "–" if one.most >= 1 else one.said.removeprefix(_AT_MOST)
        words[at] = f"<b>{text}</b>" if one.counted else text
    worst = max(distances, key=lambda one: one.most)
    groups = {
        kind: max(those, key=lambda one: one.most)
        for kind, those in (
            ("pairs counted together", [one for one in distances if one.counted]),
            ("other pairs", [one for one in distances if not one.counted]),
        )
        if those
    }
    limits = ", ".join(f"{one.said} for {kind}" for kind, one in groups.items())
    places = list(range(len(names)))
    return Picture.of(
        f"Rows that would have to change: {limits}",
        {
            "column": [one.first for one in distances],
            "other column": [one.second for one in distances],
            "counted together": ["yes" if one.counted else "no" for one in distances],
            "from the released counts": [one.released for one in distances],
            "from the original": [one.said for one in distances],
        },
        drawn="Every pair of columns with its largest distance from the original; pairs "
        "that were counted together in bold",
        more=f"The loosest is of {worst.first} with {worst.second}: {worst.said}",
        traces=[
            heat(
                places[:-1],
                places[1:],
                most[1:, :-1],
                SCALE,
                (0.0, min(max(worst.most, 0.01), 1.0)),
                hover="%{customdata}<extra></extra>",
                customdata=said[1:, :-1].tolist(),
                text=words[1:, :-1].tolist() if len(columns) <= _WORDS else None,
                texttemplate="%{text}" if len(columns) <= _WORDS else None,
                # Plotly would count the letters of <b>, and shrink the numbers.
                textfont={"size": 11},
                xgap=2,
                ygap=2,
                hoverongaps=False,
            )
        ],
        height=_REST + 30 * len(names),
        xaxis=axis(
            "",
            tickvals=places[:-1],
            ticktext=names[:-1],
            tickangle=90,
            automargin=True,
            ticklabeloverflow="allow",
        ),
        yaxis=axis("", **ROWS) | {"tickvals": places[1:], "ticktext": names[1:]},
    )
