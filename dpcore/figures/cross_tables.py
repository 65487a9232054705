"""The counts of a cross table with their intervals, and the sums beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.answers import as_released, held_text, interval_columns
from dpcore.figures.theme import ROWS, SCALE, Picture, axis, on_axis, plain
from dpcore.figures.traces import heat
from dpcore.formatting import measured
from dpcore.releases.digits import with_ends

_COUNT = Quantity(whole=True)
_ROW, _MARGIN = 62, 150
_MOST_IN_WORDS = 80
_UNTOLD = "the intervals of the largest overlap, so their order is not certain"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossNumbers:
    """What was released of a cross table. PUBLIC.

    Attributes:
        names: What the rows and what the columns are called.
        axes: Which column makes the rows, and which the columns.
        counts: Shape ``(r, c)``.
        noise: Where those of the table lie, shape ``(r, c, 2)``.
        total: Those to be expected in such a sample; None where the table is all of
            the population.

    """

    names: tuple[tuple[str, ...], tuple[str, ...]]
    axes: tuple[str, str]
    counts: FloatArray
    noise: FloatArray
    total: FloatArray | None

    @property
    def reach(self) -> float:
        """Return how far the ends of an interval lie from its count, at most."""
        return float(np.max(np.abs(self.noise - self.counts[..., np.newaxis])))


def cross_picture(
    found: CrossNumbers, *, statement: str, unit: str, truth: FloatArray | None
) -> Picture:
    """Return a table of counts, colored by them, with an interval in each cell.

    ``truth`` holds the counts without noise, shape ``(r, c)``, in Classroom mode only:
    there they stand in the cells instead of the intervals.
    """
    rows, columns = ([plain(name) for name in names] for names in found.names)
    title = cross_text(found, unit=unit)
    few = found.counts.size <= _MOST_IN_WORDS
    cells = heat(
        columns,
        rows,
        found.counts,
        SCALE,
        (0.0, max(float(found.counts.max()), 1.0)),
        hover="%{y}, %{x}: %{customdata}<extra></extra>",
        customdata=_words(found, ": 95%, ", " "),
        # In three lines, for the narrow cells of a phone.
        text=_in_cells(found, truth) if few else None,
        texttemplate="%{text}" if few else None,
        textfont={"size": 11},
        xgap=2,
        ygap=2,
    )
    table = _table(found)
    if truth is not None:
        table[f"{unit} without noise"] = truth.ravel()
        title = as_released(title)
    first, second = found.axes
    return Picture.of(
        title,
        table,
        drawn=f"A table of {len(rows)} rows and {len(columns)} columns with a "
        f"sanitized count in each cell: {on_axis(statement)}",
        height=_MARGIN + _ROW * len(rows),
        traces=[cells],
        xaxis=axis(plain(second), automargin=True),
        yaxis=axis(plain(first), **ROWS),
    )


def cross_text(found: CrossNumbers, *, unit: str) -> str:
    """Return which cell is the fullest, as far as that can be told."""
    order = np.argsort(found.counts, axis=None)[::-1]
    places = [divmod(int(place), found.counts.shape[1]) for place in order]
    first = places[0]
    rows, columns = found.names
    cell = f"“{rows[first[0]]}” and “{columns[first[1]]}”"
    count = held_text(found.counts[first], found.noise[first], _COUNT)
    text = (
        f"Most {unit} are in {cell}: {count}"
        if found.noise[first][0] > max(found.noise[place][1] for place in places[1:])
        else f"{cell} has the largest released count, {count}; {_UNTOLD}"
    )
    reach = found.reach
    return f"{text}. All cells and sums hold at once; a cell is within ± " + measured(reach, reach)


def _in_cells(found: CrossNumbers, truth: FloatArray | None) -> list[list[str]]:
    """Return the words of each cell: the count, and its interval or the truth."""
    if truth is None:
        return _words(found, "<br>", "<br>")
    error = found.reach
    return [
        [
            f"{_COUNT.measured(count, error)}<br>without noise<br>{exact:,.0f}"
            for count, exact in zip(counts, exacts, strict=True)
        ]
        for counts, exacts in zip(found.counts.tolist(), truth.tolist(), strict=True)
    ]


def _words(found: CrossNumbers, before: str, within: str) -> list[list[str]]:
    told = []
    for counts, ends in zip(found.counts, found.noise, strict=True):
        row = []
        for count, (low, high) in zip(counts.tolist(), ends.tolist(), strict=True):
            value, lower, upper = with_ends(count, (low, high), _COUNT)
            row.append(f"{value}{before}{lower} to{within}{upper}")
        told.append(row)
    return told


def _table(found: CrossNumbers) -> dict[str, Any]:
    rows, columns = found.names
    table: dict[str, Any] = {
        found.axes[0]: [row for row in rows for _ in columns],
        f"{found.axes[1]} ": [column for _ in rows for column in columns],
        "sanitized count": found.counts.ravel(),
    } | interval_columns(found.noise, found.total)
    return table
