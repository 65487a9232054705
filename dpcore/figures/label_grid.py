"""Numbers of the cells that the labels of several columns make, as a colored table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.theme import ROWS, SCALE, axis, plain
from dpcore.figures.traces import heat
from dpcore.formatting import distinct
from dpcore.releases.digits import reach, with_ends
from dpcore.releases.table import TOO_FEW

_ROW, _LOW_ROW, _MARGIN = 62, 34, 150
_MOST_IN_WORDS: Final = 80
_GROUND: Final = "#D9D9D9"
GRAY: Final = "Cells are gray where the margin exceeds how much the surest half of them differ"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelGrid:
    """The columns whose labels make the cells of a table. PUBLIC.

    Attributes:
        titles: What the columns are called; the last one lies across.
        labels: The labels of each.

    """

    titles: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    def columns(self, others: tuple[str, ...] = ()) -> dict[str, list[str]]:
        """Return the labels of all cells, and of ``others`` beside, as columns of a table.

        >>> grid = LabelGrid(titles=("sex", "grade"), labels=(("women", "men"), ("A",)))
        >>> grid.columns(("other",))
        {'sex ': ['women', 'men', 'other'], 'grade ': ['A', 'A', '']}
        """
        cells = [*product(*self.labels)]
        cells += [(name, *("" for _ in self.titles[1:])) for name in others]
        # A space more, so that no other column of a table is called like one of these.
        titles = distinct(f"{title} " for title in self.titles)
        return {title: [cell[place] for cell in cells] for place, title in enumerate(titles)}

    def drawing(
        self, values: FloatArray, noise: FloatArray, quantity: Quantity, *, truth: FloatArray | None
    ) -> dict[str, Any]:
        """Return what draws the cells, colored by their values, with words in each.

        The words are the value with its interval, or with the ``truth`` in Classroom
        mode; of many cells they show where one points. A value that is NaN has too few
        people to say. Numbers beyond those of the cells are left out.
        """
        *upright, across = self.labels
        rows = ["<br>".join(map(plain, labels)) for labels in product(*upright)]
        shape = len(rows), len(across)
        count = shape[0] * shape[1]
        words = [
            _words(value, ends, quantity, None if truth is None else truth[place])
            for place, (value, ends) in enumerate(zip(values[:count], noise[:count], strict=True))
        ]
        within = np.reshape(words, shape).tolist()
        colored = values[:count] if quantity.whole else _sure(values[:count], noise[:count])
        known = colored[~np.isnan(colored)].tolist()
        # Counts are colored from 0 on, as bars begin there.
        known += [0.0, 1.0] if quantity.whole or not known else []
        few = count <= _MOST_IN_WORDS
        cells = heat(
            [plain(label) for label in across],
            rows,
            colored.reshape(shape),
            SCALE,
            (min(known), max(known)),
            hover="%{y}, %{x}<br>%{customdata}<extra></extra>",
            customdata=within,
            text=within if few else None,
            texttemplate="%{text}" if few else None,
            textfont={"size": 11},
            xgap=2,
            ygap=2,
        )
        across_title = plain(self.titles[-1])
        across_title += f" (cells: {plain(quantity.name)})" if quantity.name else ""
        return {
            "plot_bgcolor": _GROUND,
            "height": _MARGIN + (_ROW if few else _LOW_ROW) * len(rows),
            "traces": [cells],
            "xaxis": axis(across_title, automargin=True),
            "yaxis": axis(plain(", ".join(self.titles[:-1])), **ROWS),
        }


def _sure(values: FloatArray, noise: FloatArray) -> FloatArray:
    """Return the values whose margin is below how much the surest half differ; else NaN.

    >>> values, off = np.array([1.0, 5.0, 3.0, 90.0]), np.array([1.0, 1.0, 2.0, 200.0])
    >>> _sure(values, np.stack([values - off, values + off], axis=-1)).tolist()
    [1.0, 5.0, 3.0, nan]
    """
    margins = (noise[:, 1] - noise[:, 0]) / 2
    known = ~np.isnan(values)
    if not known.any():
        return values
    surest = values[known & (margins <= np.median(margins[known]))]
    return np.where(margins < np.ptp(surest), values, np.nan)


def _words(value: float, ends: FloatArray, quantity: Quantity, exact: float | None) -> str:
    """Return three lines, for the narrow cells of a phone."""
    if np.isnan(value):
        return TOO_FEW.replace(" ", "<br>")
    low, high = map(float, ends)
    shown, lower, upper = with_ends(float(value), (low, high), quantity)
    if exact is None:
        return f"{shown}<br>{lower} to<br>{upper}"
    off = reach((low, high), float(value))
    known = quantity.exactly(exact) if quantity.whole else quantity.measured(exact, off)
    return f"{shown}<br>without noise<br>{'none' if np.isnan(exact) else known}"
