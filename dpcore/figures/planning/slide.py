"""What budgets buy: a row a question, a column a budget, a cell the error."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import Mark, heat
from dpcore.figures.theme import Picture, plain
from dpcore.planning.comparison import Comparison
from dpcore.planning.needs import every_target, total_text
from dpcore.planning.widths import Width
from dpcore.wording import brief, epsilon_text, people, significant

_SHOWN: Final = "#A9D6EE"
_UNSAID: Final = "#E9E4D2"
_HIDDEN: Final = "#C4C7CC"
_SCALE: Final = (
    *((edge / 3, _HIDDEN) for edge in (0, 1)),
    *((edge / 3, _UNSAID) for edge in (1, 2)),
    *((edge / 3, _SHOWN) for edge in (2, 3)),
)
_ENOUGH, _SHORT = "✓ ", "✗ "
_CANNOT: Final = "can't say"
_ROW: Final = 62
_LONGEST: Final = 52


def slide_picture(found: Comparison) -> Picture:
    """Return the half-width of every question under every budget.

    Cells that show what must be seen have a hook, and those that do not are gray and
    have a cross; where nobody said what must be seen they have neither. A star says
    that it hangs on a size of groups that was assumed.
    """
    marks = found.enough
    columns = [_budget(total, own=i == found.own) for i, total in enumerate(found.totals)]
    texts = [
        [
            _cell(Width(half=half, unit=unit), mark, void=void, star=star)
            for half, mark, void in zip(halves, shown, voids, strict=True)
        ]
        for halves, shown, voids, star, unit in zip(
            found.halves.tolist(),
            marks.tolist(),
            found.void.tolist(),
            found.assumed,
            found.units,
            strict=True,
        )
    ]
    rows = len(found.names)
    title = _takeaway(found, marks)
    return Picture.of(
        title,
        _table(found, marks, columns),
        alt=_alt(title, found, texts, columns),
        traces=[_cells(columns, marks, texts)],
        annotations=[_name(found, place) for place in range(rows)],
        height=70 + _ROW * rows,
        margin={"l": 8, "r": 8, "t": 54, "b": 8},
        xaxis={
            "side": "top",
            "showgrid": False,
            "title": {"text": "in all, ε"},
            "fixedrange": True,
        },
        yaxis={
            "autorange": "reversed",
            "showgrid": False,
            "showticklabels": False,
            "ticks": "",
            "fixedrange": True,
        },
    )


def _budget(total: float, *, own: bool) -> str:
    return f"{significant(total)}{' (plan)' if own else ''}"


def _cells(columns: list[str], marks: FloatArray, texts: list[list[str]]) -> Mark:
    """Return the cells, a line without any above each row, for the question's name."""
    rows = len(texts)
    shades = np.full((2 * rows, len(columns)), np.nan)
    shades[1::2] = np.where(np.isnan(marks), 1.0, 2 * marks)
    written: list[list[str]] = []
    for row in texts:
        written += [[""] * len(columns), row]
    return heat(
        columns,
        list(range(2 * rows)),
        shades,
        _SCALE,
        (-0.5, 2.5),
        hover="ε %{x}: %{text}",
        xgap=3,
        ygap=3,
        text=written,
        texttemplate="%{text}",
        textfont={"color": "#11131A", "size": 13},
    )


def _name(found: Comparison, place: int) -> dict[str, Any]:
    wanted = found.wanted[place]
    must = f"; must show {significant(float(wanted))}" if math.isfinite(wanted) else ""
    unit = f", ± {found.units[place]}" if found.units[place] else ""
    text = brief(f"{found.names[place]}{unit}", _LONGEST - len(must)) + must
    return {
        "text": plain(text),
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 2 * place,
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": 13},
    }


def _cell(width: Width, mark: float, *, void: bool, star: bool) -> str:
    if math.isnan(width.half):
        return "no room"
    if void:
        return f"{_SHORT * (not math.isnan(mark))}says nothing"
    sign = "" if math.isnan(mark) else _ENOUGH if mark else _SHORT
    star = star and bool(sign)
    return f"{sign}{_CANNOT if math.isinf(width.half) else width.text}{'*' * star}"


def _takeaway(found: Comparison, marks: FloatArray) -> str:
    """Say how many targets the plan meets, and the smallest total that meets all."""
    asked = np.isfinite(found.wanted)
    if not asked.any():
        if len(found.totals) == 1:
            return (
                f"What {people(len(found.names), 'planned answer')} will be off by; "
                "say what must be seen to judge them"
            )
        return (
            f"What {people(len(found.names), 'planned answer')} would be off by, under "
            f"{people(len(found.totals), 'budget')}; say what must be seen to compare "
            "them"
        )
    met, targets = int(np.nansum(marks[asked, found.own])), int(asked.sum())
    own = significant(found.totals[found.own])
    if met < targets:
        some = f"meets {met or 'none'} of {targets} targets"
        title = f"The plan {some if targets > 1 else 'misses the target'}"
        others = len(found.names) - targets
        told = total_text(found.smallest, targets=targets, others=others)
        return f"{title} with ε {own}" + (f"; {told}" if told else "")
    title = f"The plan meets {every_target(targets)} with ε {own}"
    if math.isnan(found.smallest):
        return title
    least = epsilon_text(found.smallest)
    if found.smallest >= found.totals[found.own] or least == own:
        return f"{title}, and no smaller total does"
    return f"{title}; ε {least} would do (best split)"


def _table(found: Comparison, marks: FloatArray, columns: list[str]) -> dict[str, Any]:
    table: dict[str, Any] = {
        "question": found.names,
        "unit": found.units,
        "of": found.notes,
        "must show": found.wanted,
    }
    for place, column in enumerate(columns):
        table[f"± at ε {column}"] = found.halves[:, place]
        table[f"shown at ε {column}"] = [
            "" if math.isnan(mark) else "yes" if mark else "no" for mark in marks[:, place].tolist()
        ]
    return table


def _alt(title: str, found: Comparison, texts: list[list[str]], columns: list[str]) -> str:
    lines = []
    for name, unit, row in zip(found.names, found.units, texts, strict=True):
        cells = ", ".join(
            f"{cell.replace(_ENOUGH, 'enough ').replace(_SHORT, 'too wide ')} at ε {at}"
            for at, cell in zip(columns, row, strict=True)
        )
        lines.append(f"{name}{f', in {unit}' if unit else ''}: {cells}")
    return f"Half-widths at 95 %, by budget. {title}. {'; '.join(lines)}."
