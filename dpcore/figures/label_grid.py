"""Numbers of the cells that the labels of several columns make, as a colored table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.theme import ROWS, SCALE, axis, plain
from dpcore.figures.traces import heat
from dpcore.formatting import distinct
from dpcore.releases.digits import reach, with_ends
from dpcore.releases.table import TOO_FEW

_ROW, _LOW_ROW, _MARGIN = 62, 34, 150
_MOST_IN_WORDS: Final = 80
_ONE_LINE: Final = 50
"""Letters of a row that fit beside each other on a phone: its name and its intervals."""
_EQUAL_CONTRAST: Final = 0.179
"""The luminance from which black words have more contrast than white ones (WCAG)."""
_TOTAL: Final = "total"
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
        self,
        values: FloatArray,
        noise: FloatArray,
        quantity: Quantity,
        *,
        truth: FloatArray | None,
        totals: bool = False,
    ) -> dict[str, Any]:
        """Return what draws the cells, colored by their values, with words in each.

        The words are the value with its interval, or with the ``truth`` in Classroom
        mode; of many cells they show where one points. A value that is NaN has too few
        people to say. Numbers beyond those of the cells are left out. With ``totals``
        the sums of rows and columns stand beside the cells, without color.
        """
        *upright, across = self.labels
        rows = ["<br>".join(map(plain, labels)) for labels in product(*upright)]
        heads = [plain(label) for label in across]
        shape = len(rows), len(across)
        count = shape[0] * shape[1]
        words = [
            _words(value, ends, quantity, None if truth is None else truth[place])
            for place, (value, ends) in enumerate(zip(values[:count], noise[:count], strict=True))
        ]
        joined = [word.replace(" to<br>", " to ") for word in words]
        longest, head = (
            max(len(line) for text in texts for line in text.split("<br>"))
            for texts in (joined, rows)
        )
        words = joined if head + longest * (len(across) + totals) <= _ONE_LINE else words
        colored = values[:count] if quantity.whole else _sure(values[:count], noise[:count])
        known = colored[~np.isnan(colored)].tolist()
        # Counts are colored from 0 on, as bars begin there.
        known += [0.0, 1.0] if quantity.whole or not known else []
        ends = min(known), max(known)
        within = np.reshape(np.array(words, dtype=object), shape)
        colored = colored.reshape(shape)
        if totals:
            sums = _with_sums(values[:count].reshape(shape), below=bool(upright))
            heads, rows = [*heads, _TOTAL], [*rows, _TOTAL] if upright else rows
            added = [(0, sums.shape[0] - shape[0]), (0, 1)]
            colored = np.pad(colored, added, constant_values=np.nan)
            within = np.pad(within, added)
            for place in zip(*np.nonzero(np.isnan(colored)), strict=True):
                within[place] = quantity.measured(float(sums[place]), 0.0)
        few = count <= _MOST_IN_WORDS
        cells = heat(
            heads,
            rows,
            colored,
            SCALE,
            ends,
            hover="%{y}, %{x}<br>%{customdata}<extra></extra>",
            customdata=within.tolist(),
            text=_readable(within, colored, ends).tolist() if few else None,
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


def _with_sums(values: FloatArray, *, below: bool) -> FloatArray:
    """Return a table with the sums of its rows at the right, and those of columns below.

    >>> _with_sums(np.array([[1.0, 2.0], [3.0, 4.0]]), below=True).tolist()
    [[1.0, 2.0, 3.0], [3.0, 4.0, 7.0], [4.0, 6.0, 10.0]]
    """
    wide = np.append(values, values.sum(axis=1, keepdims=True), axis=1)
    return np.append(wide, wide.sum(axis=0, keepdims=True), axis=0) if below else wide


def _readable(words: NDArray[Any], colored: FloatArray, ends: tuple[float, float]) -> NDArray[Any]:
    """Return words in black or white, whichever has more contrast with the color behind."""
    channels = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for _, color in SCALE])
    part = (colored - ends[0]) / (ends[1] - ends[0] or 1.0)
    stops = [stop for stop, _ in SCALE]
    red, green, blue = (np.interp(part, stops, channel / 255) ** 2.2 for channel in channels.T)
    dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < _EQUAL_CONTRAST
    ink = np.where(dark, "white", "black").astype(object)
    return np.asarray('<span style="color:' + ink + '">' + words + "</span>")


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
