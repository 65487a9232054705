"""Declarations of columns as cells of a grid, which can be typed or pasted. PUBLIC.

Dates are written as 2024-12-31, or as the file writes them. Labels have semicolons or line
ends between them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from math import floor, isnan
from typing import Any, Final

from dpcore.data.bounds import Interval, template_of
from dpcore.data.columns import Column, ColumnKind, MissingPolicy, yes_no
from dpcore.data.dates import DateFormat, date_text, day_of, days_of
from dpcore.errors import ParameterError
from dpcore.formatting import in_full

Cells = Mapping[Any, object]
"""Cells of one row by the name of the field; None where a cell was cleared."""

_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")


class Field(StrEnum):
    """A column of the grid."""

    USE = "use"
    NAME = "column"
    KIND = "type"
    LOWER = "lower"
    UPPER = "upper"
    LABELS = "labels"
    UNIT = "unit"
    IF_MISSING = "if missing"
    IMPUTED = "imputed value"
    STATUS = "status"
    AT_LEAST = "at least"
    MEANING = "meaning"


class IfMissing(StrEnum):
    """What happens to a missing value, as the grid says it."""

    LEAVE_OUT = "leave out"
    IMPUTE = "impute"
    NONE = "none is missing"


def cells_of(column: Column) -> dict[str, object]:
    """Return what the grid shows of a column.

    >>> cells_of(Column(name="age", kind=ColumnKind.WHOLE))["status"]
    'needs bounds'
    """
    lower, upper = (
        ("", "")
        if column.bounds is None
        else (_written(column, column.bounds.lower), _written(column, column.bounds.upper))
    )
    imputed = "" if column.replacement is None else _written(column, column.replacement)
    return {
        Field.USE: column.kind.is_numeric or column.kind.has_labels,
        Field.NAME: column.name,
        Field.KIND: column.kind.value,
        Field.LOWER: lower,
        Field.UPPER: upper,
        Field.LABELS: "; ".join(column.labels),
        Field.UNIT: column.unit,
        Field.IF_MISSING: if_missing(column).value if column.is_declared else "",
        Field.IMPUTED: imputed,
        Field.AT_LEAST: "" if column.at_least is None else f"{column.at_least}",
        Field.STATUS: status(column),
        Field.MEANING: column.description,
    }


def status(column: Column) -> str:
    """Return whether questions can be asked of a column, or what it lacks."""
    if not (column.kind.is_numeric or column.kind.has_labels):
        return str(column.kind)
    if not column.is_declared:
        return "needs bounds" if column.kind.is_numeric else "needs a list"
    if len(column.labels) == 1 and re.search(r"[,;]", column.labels[0]):
        return "split labels by ;"
    if column.found_epsilon is not None:
        return f"found with ε = {in_full(column.found_epsilon)}"
    return "imputes middle" if imputes_middle(column) else "ready"


def imputes_middle(column: Column) -> bool:
    """Return whether missing numbers count as the middle of the bounds, as proposed."""
    return column.replacement is not None and column.replacement == middle_of(column)


def middle_of(column: Column) -> float | None:
    """Return what missing numbers count as at first; None for dates and labels."""
    bounds = column.bounds
    if bounds is None or column.kind is ColumnKind.DATE or column.complete:
        return None
    middle = (bounds.lower + bounds.upper) / 2
    return max(float(floor(middle)), bounds.lower) if column.kind is ColumnKind.WHOLE else middle


def if_missing(column: Column) -> IfMissing:
    """Return what happens to missing values of a column that is declared."""
    if column.complete:
        return IfMissing.NONE
    return IfMissing.IMPUTE if column.missing is MissingPolicy.REPLACE else IfMissing.LEAVE_OUT


def of_kind(column: Column, kind: ColumnKind) -> Column:
    """Return the column with another type, and nothing declared of the old one."""
    fresh = (
        yes_no(column.name, ("no", "yes"))
        if kind is ColumnKind.YES_NO
        else Column(name=column.name, kind=kind)
    )
    return replace(
        fresh,
        unit=column.unit,
        description=column.description,
        display_name=column.display_name,
        missing_codes=column.missing_codes,
        notation=column.notation,
        dates=column.dates,
        at_least=column.at_least,
    )


def declared(column: Column, typed: Cells) -> Column:
    """Return the column as some of its cells now say it.

    Raises:
        ParameterError: The cells contradict each other, or cannot be read.

    """
    kind = _kind(column, typed)
    if kind is not column.kind:
        column = of_kind(column, kind)
    column = replace(
        column,
        unit=_text(typed, Field.UNIT, column.unit),
        description=_text(typed, Field.MEANING, column.description),
    )
    if kind.is_numeric:
        column = _number(column, typed)
    elif kind.has_labels:
        column = _labelled(column, typed)
    return _with_minimum(column, typed)


def _with_minimum(column: Column, typed: Cells) -> Column:
    if Field.AT_LEAST not in typed:
        return column
    fewest = _read(_COUNT, typed[Field.AT_LEAST], Field.AT_LEAST)
    if fewest is not None and not fewest.is_integer():
        raise ParameterError(f"{Field.AT_LEAST}: type a whole number such as 400.")
    return replace(column, at_least=None if fewest is None else int(fewest))


def undeclared(column: Column) -> Column:
    """Return a column of which no question can be asked: its cells cannot be used."""
    if column.kind is ColumnKind.YES_NO:
        return replace(of_kind(column, ColumnKind.CATEGORY), equality=column.equality)
    return replace(_leaving_out(column), bounds=None, labels=(), found_epsilon=None)


def with_common_bounds(column: Column) -> Column:
    """Return a column of numbers without bounds with those that its name suggests.

    >>> age = with_common_bounds(Column(name="Age", kind=ColumnKind.WHOLE))
    >>> age.bounds, age.unit
    (Interval(lower=0.0, upper=100.0), 'years')
    """
    numbers = {ColumnKind.NUMBER, ColumnKind.WHOLE}
    known = template_of(column.name)
    if column.kind not in numbers or column.bounds is not None or known is None:
        return column
    ends: Cells = {Field.LOWER: f"{known.bounds.lower}", Field.UPPER: f"{known.bounds.upper}"}
    return declared(replace(column, unit=column.unit or known.unit), ends)


def _kind(column: Column, typed: Cells) -> ColumnKind:
    if typed.get(Field.USE) is False:
        return ColumnKind.NOT_USED
    kind = ColumnKind(str(typed.get(Field.KIND) or column.kind))
    usable = kind.is_numeric or kind.has_labels
    taken_up = typed.get(Field.USE) is True and not usable
    return ColumnKind.CATEGORY if taken_up else kind


def _text(typed: Cells, field: Field, before: str) -> str:
    return str(typed.get(field, before) or "").strip()


def _number(column: Column, typed: Cells) -> Column:
    before = column.bounds
    known = (None, None) if before is None else (before.lower, before.upper)
    lower, upper = (
        _read(column, typed[field], field) if field in typed else end
        for field, end in zip((Field.LOWER, Field.UPPER), known, strict=True)
    )
    if lower is None or upper is None:
        return undeclared(column)
    if lower >= upper:
        raise ParameterError("the lower bound must lie below the upper.")
    usual = IfMissing.LEAVE_OUT if column.kind is ColumnKind.DATE else IfMissing.IMPUTE
    policy = _policy(column, typed, usual)
    kept = None if imputes_middle(column) else column.replacement
    open_ = replace(undeclared(column), bounds=Interval(lower=lower, upper=upper))
    if open_.bounds == before:
        open_ = replace(open_, found_epsilon=column.found_epsilon)
    if policy is IfMissing.LEAVE_OUT:
        return open_
    if not _is_blank(typed.get(Field.IMPUTED)):
        kept = _read(column, typed[Field.IMPUTED], Field.IMPUTED)
    middle = middle_of(open_)
    usual_value = float(floor((lower + upper) / 2)) if middle is None else middle
    return _imputed(open_, usual_value if kept is None else kept, policy)


def _labelled(column: Column, typed: Cells) -> Column:
    labels = column.labels
    if Field.LABELS in typed:
        parts = re.split(r"[;\n]", str(typed[Field.LABELS] or ""))
        labels = tuple(part.strip() for part in parts if part.strip())
    policy = _policy(column, typed, IfMissing.LEAVE_OUT)
    kept = typed.get(Field.IMPUTED, column.replacement)
    found = column.found_epsilon if labels == column.labels else None
    open_ = replace(_leaving_out(column), labels=labels, found_epsilon=found)
    if policy is IfMissing.NONE and labels:
        return _imputed(open_, labels[0] if kept not in labels else str(kept), policy)
    if policy is IfMissing.LEAVE_OUT or kept not in labels:
        return open_
    return _imputed(open_, str(kept), policy)


def _leaving_out(column: Column) -> Column:
    return replace(column, missing=MissingPolicy.DROP, replacement=None, complete=False)


def _policy(column: Column, typed: Cells, usual: IfMissing) -> IfMissing:
    chosen = typed.get(Field.IF_MISSING)
    if chosen:
        return IfMissing(str(chosen))
    if not _is_blank(typed.get(Field.IMPUTED)):
        return IfMissing.IMPUTE
    return if_missing(column) if column.is_declared else usual


def _imputed(column: Column, value: float | str, policy: IfMissing) -> Column:
    return replace(
        column,
        missing=MissingPolicy.REPLACE,
        replacement=value,
        complete=policy is IfMissing.NONE,
        at_least=None,
    )


def _is_blank(cell: object) -> bool:
    return cell is None or not str(cell).strip()


_COUNT: Final = Column(name="count", kind=ColumnKind.WHOLE)


def _read(column: Column, cell: object, field: Field) -> float | None:
    """Return the number or day of a cell; None where it is blank.

    A day is written as 2024-12-31, or as the file writes the dates of the column.
    """
    dated = column.kind is ColumnKind.DATE
    if isinstance(cell, float | int):
        return float(cell)
    text = str(cell if cell is not None else "").strip().replace("\u2212", "-")
    if not text:
        return None
    try:
        if dated:
            return _day(text, column.dates)
        bare = "".join(text.split())
        return float(bare.replace(",", "") if _THOUSANDS.fullmatch(bare) else bare)
    except ValueError:
        form = "a date such as 2024-12-31" if dated else "a number"
        raise ParameterError(f"{field}: type {form}.") from None


def _day(text: str, form: DateFormat) -> float:
    try:
        return day_of(dt.date.fromisoformat(text))
    except ValueError:
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        days = float(days_of(pa.array([text]), form)[0])
        if isnan(days):
            raise
        return days


def _written(column: Column, value: float | str) -> str:
    if isinstance(value, str):
        return value
    if column.kind is ColumnKind.DATE:
        return date_text(value, time_of_day=column.dates.time_of_day)
    return f"{int(value)}" if float(value).is_integer() and abs(value) < 1e15 else f"{value!r}"  # noqa: PLR2004 - exact integers
