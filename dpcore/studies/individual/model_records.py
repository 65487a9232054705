"""Records of a model in the units of the columns, and as the model sees them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models.design import UnitRows

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.data.columns import Column
    from dpcore.models.design import Design


def record_of(design: Design, values: FloatArray) -> tuple[FloatArray, float]:
    """Return the row and target of somebody with these values, as the model sees them.

    Args:
        design: How columns become rows.
        values: One number for each of ``design.columns``, the target first: yes/no as 1
            and 0, other numbers in the units of their column.

    Raises:
        ParameterError: There is another number of values, or one is not finite.

    """
    _check(design)
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (len(design.columns),) or not np.isfinite(values).all():
        message = f"a record of this model has {len(design.columns)} finite numbers."
        raise ParameterError(message)
    first = int(design.intercept)
    scaled = [
        _scaled(design, column, value)
        for column, value in zip(design.columns, values.tolist(), strict=True)
    ]
    root = math.sqrt(len(design.labels))
    raw = np.concatenate([np.ones(first), scaled[1:]])
    # ``legal`` expects rows as they are after dividing.
    divided = design.unit_rows is UnitRows.DIVIDE
    row = design.legal(raw / root if divided else raw)
    return row, float(scaled[0])


def record_in_units(design: Design, row: FloatArray, target: float) -> FloatArray:
    """Return the values of ``design.columns`` behind a row and a target.

    The inverse of ``record_of``, but for rows that were clipped: of these the direction
    is kept, and values are those of a row of length 1.

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.data.columns import Column, ColumnKind
    >>> from dpcore.models.design import Design
    >>> number = ColumnKind.NUMBER
    >>> wide = Interval(lower=0.0, upper=10.0)
    >>> age, pay = (Column(name=n, kind=number, bounds=wide) for n in ("age", "pay"))
    >>> design = Design(target=pay, features=(age,))
    >>> record_in_units(design, *record_of(design, np.array([2.0, 7.5])))
    array([2. , 7.5])
    """
    _check(design)
    scale = 1.0
    if design.unit_rows is UnitRows.DIVIDE:
        scale = math.sqrt(len(design.labels))
    elif design.intercept and row[0] > 0:
        scale = 1 / float(row[0])
    entries = np.asarray(row, dtype=np.float64)[int(design.intercept) :] * scale
    scaled = [target, *entries.tolist()]
    return np.array(
        [
            _in_units(design, column, value)
            for column, value in zip(design.columns, scaled, strict=True)
        ]
    )


def _check(design: Design) -> None:
    if len(design.labels) != int(design.intercept) + len(design.features):
        message = "this view needs features that are numbers or yes/no."
        raise ParameterError(message)


def _frame(design: Design, column: Column) -> tuple[float, float]:
    """Return the value that becomes 0, and the distance that becomes 1."""
    bounds = column.bounds
    if bounds is None or (design.counts and column is design.target):
        return 0.0, 1.0
    return (bounds.lower + bounds.upper) / 2, bounds.width / 2


def _scaled(design: Design, column: Column, value: float) -> float:
    center, width = _frame(design, column)
    if column.bounds is not None:
        value = float(column.bounds.clip(value))
    return (value - center) / width


def _in_units(design: Design, column: Column, value: float) -> float:
    center, width = _frame(design, column)
    return center + width * value
