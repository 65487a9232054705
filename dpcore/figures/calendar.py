"""Dates on the axes of figures, which are drawn of numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from dpcore.data.quantities import Quantity
from dpcore.figures.traces import Trace


def placed(traces: Iterable[Trace], along: str, quantity: Quantity) -> list[Trace]:
    """Return marks with dates where they have days since 1970 on the axis ``along``.

    What hovering says of them is a date, too. Other quantities stay as they are.
    """
    if not quantity.is_date:
        return [*traces]
    return [_placed(trace, along, quantity) for trace in traces]


def date_axis(quantity: Quantity) -> dict[str, Any]:
    """Return what an axis of a quantity is beside its title.

    >>> from dpcore.data.quantities import DATES, Quantity
    >>> date_axis(Quantity(unit=DATES)), date_axis(Quantity(unit="years"))
    ({'type': 'date'}, {})
    """
    return {"type": "date"} if quantity.is_date else {}


def date_ticks(quantity: Quantity, low: float, high: float) -> dict[str, Any]:
    """Return five dates from ``low`` to ``high`` for an axis that stays one of days.

    Bars with a width in days stand on such an axis.
    """
    if not quantity.is_date:
        return {}
    places = np.linspace(low, high, 5)
    return {"tickvals": places.tolist(), "ticktext": cells(places, quantity)}


def cells(values: Sequence[float] | Any, quantity: Quantity) -> Any:  # noqa: ANN401 - a column of a table
    """Return numbers as a column of a table: dates as text, others as they are."""
    if not quantity.is_date:
        return values
    return [_text(value, quantity) for value in values]


def _placed(trace: Trace, along: str, quantity: Quantity) -> Trace:
    changed = dict(trace)
    changed[along] = [_text(value, quantity) for value in trace[along]]
    hover = trace.get("hovertemplate")
    if hover is not None:
        changed["hovertemplate"] = _NUMBERS[along].sub(f"%{{{along}}}", hover)
    return changed


def _text(value: float | None, quantity: Quantity) -> str | None:
    if value is None or math.isnan(value):
        return None
    return quantity.about(value)


_NUMBERS: Final = {along: re.compile(rf"%\{{{along}:[^}}]*\}}") for along in "xy"}
