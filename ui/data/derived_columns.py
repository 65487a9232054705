"""Derived columns of an upload, of numbers, dates and labels, and what they are called."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.conditions import Comparison, NumberCondition
from dpcore.data.preparation.date_columns import Age, DatePart, PartOfDate
from dpcore.data.preparation.derived_columns import (
    Bins,
    Calculated,
    Calculation,
    Flag,
    NewColumn,
    Recode,
    Recoded,
    Without,
)
from dpcore.data.preparation.steps import as_read, prepared, steps_of, widened
from dpcore.errors import DPCoreError, ParameterError
from ui import controls, layout, session
from ui.data import declaring
from ui.study import Draft, Study
from ui.text import literal, sentence_of

_DECIMAL_COMMA: Final = re.compile(r"^([-+]?\d+),(\d+)$")
_BINS, _FLAG = "bins of a number", "yes or no: a number compared with another"
_WITHOUT = "a column without codes for “no answer”"
_DIFFERENCE, _RATIO = "a difference of two numbers", "a ratio of two numbers"
_OF_NUMBERS = (_BINS, _FLAG, _DIFFERENCE, _RATIO)
_PART, _AGE = "year, quarter, month or weekday of a date", "age in years at a date"
_DAYS, _RECODED = "days between two dates", "recoded labels"
_AT_DAY = "a public date"


def ask(current: Draft | Study) -> None:
    """Offer to make new columns of those of an upload.

    A table with them is another one, not in use before it is accepted. What was done
    to its rows is done again.
    """
    key = f"new-columns-{session.generation()}"
    form = st.popover("Derived columns", key=key, on_change="rerun")
    layout.opened(form, partial(_change, current.in_memory))


def _change(dataset: Dataset) -> None:
    """Ask for a new column, and show those that were made."""
    made = steps_of(dataset).made
    st.caption(
        "If a file writes −9 or “n/a” for a missing answer, first make a column without "
        "these codes. Then use that column. Other columns can be derived from numbers "
        "(age in bins, cost minus payment), from dates (age at admission) or from "
        "labels. Each cell is made of its own row alone, and the recipe is the name of "
        "the column. Bounds of a difference are derived automatically. Bounds of a ratio "
        "are derived only if the denominator cannot be 0. Otherwise declare them."
    )
    every = [column.name for column in as_read(dataset).columns]
    usable = {*every, *(one.name for one in made if isinstance(one, Without))}
    columns = [column for column in widened(dataset).columns if column.name in usable]
    try:
        new = _form(columns, every)
        ready = new is not None and new not in made
        if st.button("Add the column", disabled=not ready) and new is not None:
            _keep(dataset, (*made, new))
    except DPCoreError as error:
        st.error(sentence_of(error))
    for place, one in enumerate(made):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{literal(one.name)}**")
            # Where something else is made of that column, it goes first.
            if st.button("Remove", key=f"remove-new-{session.generation()}-{place}"):
                _keep(dataset, (*made[:place], *made[place + 1 :]))


def _form(columns: list[Column], every: list[str]) -> NewColumn | None:
    """Show the controls of one column; return what they say, None while it is blank.

    It is made of some of the ``columns``, or for codes of ``every`` column.

    Raises:
        ParameterError: That is no recipe.

    """
    key = f"{session.generation()}"
    dates = [one.name for one in columns if one.kind is ColumnKind.DATE]
    numbers = [
        one.name for one in columns if one.kind.is_numeric and one.kind is not ColumnKind.DATE
    ]
    labelled = [one.name for one in columns if one.kind.has_labels]
    left, middle, right = controls.row(3)
    kind = left.selectbox(
        "Derived column",
        [
            *(_OF_NUMBERS if numbers else ()),
            *((_PART, _AGE) if dates else ()),
            *((_DAYS,) if len(dates) > 1 else ()),
            *((_RECODED,) if labelled else ()),
            _WITHOUT,
        ],
        key=f"new-kind-{key}",
        kept="session",
    )
    if kind == _WITHOUT:
        return _without(middle, right, every, numbers, key)
    if kind == _RECODED:
        return _recoded(middle, right, labelled, key)
    if kind in {_PART, _AGE, _DAYS}:
        return _of_dates(kind, middle, right, dates, key)
    return _of_numbers(kind, middle, right, numbers, key)


def _of_numbers(
    kind: str, middle: controls.Cell, right: controls.Cell, numbers: list[str], key: str
) -> NewColumn | None:
    first = middle.selectbox("Of", numbers, key=f"new-first-{key}", kept="session")
    if kind == _BINS:
        text = right.place.text_input(
            "Edges of the bins",
            placeholder="18; 40; 65",
            key=f"new-edges-{key}",
            persist_state="session",
            help="Public numbers, chosen without the table. An edge belongs to the bin above it.",
        )
        edges = controls.listed(text, float, "edges")
        return Bins(column=first, edges=edges) if edges else None
    if kind == _FLAG:
        comparison = right.selectbox(
            "Is", list(Comparison), format_func=str, key=f"new-comparison-{key}", kept="session"
        )
        number = right.number("Public number", 0.0, key=f"new-number-{key}", kept="session")
        return Flag(condition=NumberCondition(column=first, comparison=comparison, number=number))
    others = [name for name in numbers if name != first]
    if not others:
        raise ParameterError("the table has no second column of numbers.")
    second = right.selectbox(
        "Minus" if kind == _DIFFERENCE else "Per",
        others,
        key=f"new-second-{key}-{hash(first)}",
        kept="session",
    )
    calculation = Calculation.DIFFERENCE if kind == _DIFFERENCE else Calculation.RATIO
    return Calculated(calculation=calculation, first=first, second=second)


def _of_dates(
    kind: str, left: controls.Cell, right: controls.Cell, dates: list[str], key: str
) -> NewColumn | None:
    label = {_PART: "Of", _AGE: "Since (such as birth)", _DAYS: "From"}[kind]
    first = left.selectbox(label, dates, key=f"new-date-{key}", kept="session")
    if kind == _PART:
        part = right.selectbox("Part", list(DatePart), key=f"new-part-{key}", kept="session")
        return PartOfDate(part=part, column=first)
    others = [name for name in dates if name != first]
    second = right.selectbox(
        "At" if kind == _AGE else "To",
        [*([_AT_DAY] if kind == _AGE else []), *others],
        key=f"new-other-date-{key}-{hash(first)}-{kind}",
        kept="session",
    )
    if kind == _DAYS:
        return Calculated(calculation=Calculation.DIFFERENCE, first=second, second=first)
    if second != _AT_DAY:
        return Age(born=first, at=second)
    at = right.day("Public date", None, key=f"new-day-{key}")
    return None if at is None else Age(born=first, at=at)


def _recoded(
    left: controls.Cell, right: controls.Cell, labelled: list[str], key: str
) -> NewColumn | None:
    column = left.selectbox("Of", labelled, key=f"new-labels-{key}", kept="session")
    text = right.place.text_area(
        "Recoding of the labels",
        placeholder="Unknown; - = unknown",
        height="content",
        key=f"new-recodes-{key}",
        persist_state="session",
        help="One line for each new label: the old labels separated by semicolons, an equals sign, "
        "and the new label. All other labels stay.",
    )
    recodes = []
    for line in filter(None, map(str.strip, text.splitlines())):
        old, _, into = line.rpartition("=")
        labels = tuple(label.strip() for label in old.split(";") if label.strip())
        recodes.append(Recode(labels=labels, into=into.strip()))
    return Recoded(column=column, recodes=tuple(recodes)) if recodes else None


def _without(
    left: controls.Cell, right: controls.Cell, every: list[str], numbers: list[str], key: str
) -> Without | None:
    column = left.selectbox("Of", every, key=f"new-coded-{key}", kept="session")
    text = right.place.text_input(
        "Codes for “no answer”",
        placeholder="-9; 99; n/a",
        key=f"new-codes-{key}",
        persist_state="session",
        help="As written in the file, separated by semicolons. Take them from the documentation of "
        "the file: the codes that occur are confidential. These codes are treated as missing "
        "values.",
    )
    codes = tuple(code.strip() for code in text.split(";") if code.strip())
    if column in numbers:
        # A number is the same number, however the file marks its decimals.
        codes = tuple(_DECIMAL_COMMA.sub(r"\1.\2", code) for code in codes)
    return Without(column=column, codes=codes) if codes else None


def _keep(dataset: Dataset, made: tuple[NewColumn, ...]) -> None:
    """Take the same steps with other new columns."""
    steps = replace(steps_of(dataset), made=made)
    declaring.make(
        "Making the columns …",
        lambda: prepared(as_read(dataset), steps, key=session.fingerprint_key()),
        same_rows=True,
    )
