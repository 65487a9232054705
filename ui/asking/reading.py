"""Declaring how the cells of a column are read: dates, numeric codes, missing codes."""

from __future__ import annotations

import zoneinfo
from dataclasses import replace
from typing import Final

import numpy as np
import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dates import DateFormat, DateOrder, date_of, day_of
from dpcore.errors import ParameterError
from ui import controls

_ORDERS: Final = {
    DateOrder.ISO: "2024-12-31 (year, month, day)",
    DateOrder.DAY_FIRST: "31.12.2024 (day, month, year)",
    DateOrder.MONTH_FIRST: "12/31/2024 (month, day, year)",
}


def dates(column: Column, key: str) -> Column:
    """Ask how dates are written, and for their bounds; nothing is declared of missing.

    Raises:
        ParameterError: The bounds are in the wrong order, or there is no such time
            zone.

    """
    first, second, third = controls.row(3)
    orders, form = list(_ORDERS), column.dates
    order = first.selectbox(
        "Dates are written as",
        orders,
        index=orders.index(form.order),
        format_func=_ORDERS.__getitem__,
        key=f"date-order-{key}",
        kept="session",
        note="Cells that are written otherwise are invalid, and count as missing.",
    )
    timed = second.place.checkbox(
        "The time of day counts",
        form.time_of_day,
        key=f"date-time-{key}",
        persist_state="session",
        help="If not, every moment counts as its date.",
    )
    zones = _zones()
    zone = third.selectbox(
        "Time zone",
        zones,
        index=zones.index(form.time_zone) if form.time_zone in zones else 0,
        key=f"date-zone-{key}",
        kept="session",
        note="Moments with an offset from UTC are converted to this time zone. All "
        "others are taken as written.",
    )
    form = DateFormat(order=order, time_of_day=timed, time_zone=zone)
    bounds = _bounds(column, key)
    return replace(
        column,
        dates=form,
        bounds=bounds,
        missing=MissingPolicy.DROP,
        replacement=None,
        complete=False,
    )


def _zones() -> list[str]:
    return ["UTC", *sorted(zoneinfo.available_timezones() - {"UTC"})]


def _bounds(column: Column, key: str) -> Interval | None:
    known = column.bounds
    left, right = controls.row(2)
    low = None if known is None else date_of(known.lower)
    high = None if known is None else date_of(known.upper)
    lower = left.day("First possible date", low, key=f"first-day-{key}")
    upper = right.day("Last possible date", high, key=f"last-day-{key}")
    st.caption(
        "Dates outside the bounds are clamped. Narrow bounds add bias; wide bounds add noise."
    )
    if lower is None or upper is None:
        return None
    if lower >= upper:
        raise ParameterError(f"the first date ({lower}) must lie before the last ({upper}).")
    return Interval(lower=day_of(lower), upper=day_of(upper))


def imputed_date(cell: controls.Cell, column: Column, *, key: str) -> float:
    """Ask for the date that missing ones are imputed as; first the middle."""
    bounds, known = column.bounds, column.replacement
    if bounds is None:
        raise ParameterError("set the bounds of the column first.")
    middle = np.floor((bounds.lower + bounds.upper) / 2)
    start = float(known) if isinstance(known, float | int) else float(middle)
    shown = date_of(start)
    found = cell.day("Impute missing values with", shown, key=f"imputed-{key}")
    return day_of(found or shown)


def equality(column: Column, key: str) -> LabelEquality:
    """Ask whether labels, or identifiers, are numeric codes."""
    codes = st.checkbox(
        "Labels are numeric codes: 1, 1.0 and 01 are the same"
        if column.kind.has_labels
        else "Identifiers are numeric codes: 1, 1.0 and 01 are the same",
        column.equality is not LabelEquality.AS_WRITTEN,
        key=f"numeric-codes-{key}",
        persist_state="session",
        help="If not, a cell is met only by a label that is written the same.",
    )
    if not codes:
        return LabelEquality.AS_WRITTEN
    # What was declared before this could be said stays the same declaration.
    unstated = column.equality is LabelEquality.UNSTATED
    return column.equality if unstated else LabelEquality.AS_NUMBERS


def missing_codes(column: Column, key: str) -> tuple[str, ...]:
    """Ask which cells stand for a missing value, beside blank ones."""
    if column.kind in {ColumnKind.YES_NO, ColumnKind.NOT_USED}:
        return column.missing_codes
    text = st.text_input(
        "Missing-value codes",
        "; ".join(column.missing_codes),
        placeholder="such as -9; 99; n/a",
        key=f"missing-codes-{key}",
        persist_state="session",
        help="Cells that stand for a missing value, beside blank ones, with semicolons "
        "between. Type what the questionnaire says: which codes occur is confidential. "
        "A label of the public list is never a missing code.",
    )
    codes = (code.strip() for code in text.split(";"))
    return tuple(dict.fromkeys(code for code in codes if code))
