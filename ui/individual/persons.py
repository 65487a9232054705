"""Choosing one person of the table. CONFIDENTIAL: row numbers say who stands out.

The choice is not part of the address of the page.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.data.preparation.steps import names_of
from dpcore.formatting import in_full, significant
from dpcore.individual.losses import Losses
from ui import controls, session
from ui.individual.subject import AnySubject
from ui.study import Study
from ui.text import literal

MOST, TYPICAL, LEAST = (
    "the most exposed person",
    "a typical person (in the middle of all)",
    "the least exposed person",
)
ROW = "a row of the table"
COMPARED = "Losses here compare with the table without the person, whatever is compared above."
_WHO = [MOST, TYPICAL, LEAST, ROW]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One person: their place behind the release, and row, from 0. CONFIDENTIAL."""

    entry: int = field(repr=False)
    row: int = field(repr=False)
    epsilon: float = field(repr=False)


def choose(subject: AnySubject, study: Study, key: str, *, usual: str = MOST) -> Person | None:
    """Ask whom to look at; ``None``, with a word why, where that row does not count."""
    left, right = controls.row([2, 1])
    # Who has several rows is told by their number, in the order of the table.
    noun = study.terms.unit.noun
    number_of = "Row" if study.dataset.cap is None else f"Number of the {noun}"
    who = left.selectbox(
        "Person",
        _WHO,
        index=_WHO.index(usual),
        format_func=lambda who: who.replace("person", noun),
        key=f"{key}-person",
        kept="session",
    )
    exposure = subject.exposure
    rows = subject.rows(study)
    if who == ROW:
        number = right.number(
            number_of,
            1,
            (1, study.dataset.people),
            key=f"{key}-row-{session.generation()}",
            kept="page",
        )
        found = np.flatnonzero(rows == number - 1)
        if len(found) == 0:
            st.info(
                "This row has no value of what is asked for, so it is not part of the "
                "release. Choose another one."
            )
            return None
        entry = int(found[0])
    elif who == MOST:
        entry = int(exposure.ranking(1)[0])
    else:
        place = exposure.people // 2 if who == TYPICAL else 0
        entry = int(np.flatnonzero(exposure.epsilon == exposure.ordered[place])[0])
    person = Person(entry=entry, row=int(rows[entry]), epsilon=float(exposure.epsilon[entry]))
    limit = "at most " if exposure.upper else ""
    called = names_of(study.in_memory, np.array([person.row]))
    named = "".join(f", {name} {said}" for name, (said,) in called.items())
    st.markdown(
        f"{number_of} {person.row + 1}{literal(named)}: own privacy loss {limit}"
        f"ε {significant(person.epsilon, up=exposure.upper)}"
        + (f" at δ {in_full(exposure.delta)}." if exposure.delta else ".")
        + _as_exposed(who, exposure)
    )
    return person


def who(places: NDArray[np.intp], study: Study) -> dict[str, list[int] | list[str]]:
    """Return who some people are: rows of the table, or who has several of them."""
    dataset = study.in_memory
    # No column of the table is called like those that follow.
    called: dict[str, list[int] | list[str]] = {
        f"{name}, whose rows": said for name, said in names_of(dataset, places).items()
    }
    if dataset.cap is not None:
        return called
    return {"row": [int(place) + 1 for place in places], **called}


def _as_exposed(who: str, exposure: Losses) -> str:
    """Say how many others lose as much as the most exposed person."""
    others = len(exposure.at_the_top()) - 1 if who == MOST else 0
    if not others:
        return ""
    unit = session.unit()
    lose = f"{unit.noun} loses" if others == 1 else f"{unit.nouns} lose"
    return f" {others:,} other {lose} as much; this is the first in the table."


def guarantee(subject: AnySubject) -> float | None:
    """Return the epsilon over all tables; ``None`` if losses are about other changes.

    Public.
    """
    alike = subject.relation is subject.promised
    return subject.exposure.worst_case if alike else None
