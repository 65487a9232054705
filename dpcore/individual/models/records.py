"""Records of a model in the units of the columns, and as the model sees them."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.models.design import Design, UnitRows, code_of


def record_of(design: Design, values: FloatArray) -> tuple[FloatArray, float]:
    """Return the row and target of somebody with these values, as the model sees them.

    Args:
        design: How columns become rows.
        values: One number for each of ``design.columns``, the target first: yes/no as 1
            and 0, the label of a category as its position (a value that is not listed
            as the number of labels), other numbers in the units of their column.

    Raises:
        ParameterError: There is another number of values, or one is not finite.

    """
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (len(design.columns),) or not np.isfinite(values).all():
        raise ParameterError(f"a record of this model has {len(design.columns)} finite numbers.")
    target, *entries = (
        design.entries(column, value[np.newaxis])[0]
        for column, value in zip(design.columns, values, strict=True)
    )
    raw = np.concatenate([np.ones(int(design.intercept)), *entries])
    # ``legal`` expects rows as they are after dividing.
    return design.legal(raw / design.root), float(target[0])


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
    scale = design.root
    if design.unit_rows is not UnitRows.DIVIDE and design.intercept and row[0] > 0:
        scale = 1 / float(row[0])
    raw = np.asarray(row, dtype=np.float64) * scale
    values = [_in_units(design, design.target, target)]
    for column, places in design.blocks:
        values.append(
            float(code_of(raw[places], column, others_apart=design.others_apart))
            if column.kind is ColumnKind.CATEGORY
            else _in_units(design, column, float(raw[places][0]))
        )
    return np.array(values)


def _in_units(design: Design, column: Column, value: float) -> float:
    center, width = design.scale(column)
    return center + width * value
