"""The target of an attack: a made-up village, or people of the table in use.

What is asked about one's own table stays out of the address, and is forgotten with the
page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import streamlit as st

from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.figures.theme import Picture
from dpcore.studies.attacks.targets import (
    SAMPLE,
    SOMEBODY,
    Target,
    at_least,
    attackable,
    class_sample,
    numbers,
    village,
)
from ui import results, session
from ui.controls import Cell, Kept
from ui.study import Study

_TWO: Final = 2
_SEED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackTarget:
    """Some people, and what the controls about them are called.

    Attributes:
        dataset: CONFIDENTIAL, unless it is made up.
        made_up: Whether it is the village.
        masked: Whether no single person's value may be on screen.

    """

    dataset: Dataset
    made_up: bool
    masked: bool

    @property
    def kept(self) -> Kept:
        """Return where settings about these people are kept."""
        return "address" if self.made_up else "page"

    def key(self, name: str) -> str:
        """Return the key of a control about these people."""
        return name if self.made_up else f"own-{name}-{session.generation()}"

    def called(self, place: int) -> str:
        """Return how a person is called, who never has the name of a row."""
        if self.made_up and place == 0:
            return SOMEBODY
        return f"person {place + 1}"

    def say_unread(self) -> None:
        """Say of an attack on typed numbers that it does not read one's table."""
        if not self.made_up:
            st.caption("This attack uses the settings below alone, and no table.")

    def show(self, picture: Picture, key: str) -> None:
        """Show a picture of these people; the village has nothing to hide."""
        results.show(picture, f"attack-{key}", simulated=self.made_up)


def of_village() -> AttackTarget:
    """Return the village."""
    return AttackTarget(dataset=village(), made_up=True, masked=False)


def of_table(study: Study) -> AttackTarget:
    """Return a class-sized sample of the table in use, and ask what may be seen.

    CONFIDENTIAL.
    """
    sample = session.remember(
        "attacked-sample",
        f"{study.fingerprint} {session.generation()}",
        lambda: class_sample(study.in_memory, rng=np.random.default_rng(_SEED)),
    )
    masked = not st.toggle(
        "Show values",
        key="attack-values",
        help="Off, so that the page can be projected: nobody's own value is shown, nor "
        "a total from which it follows.",
    )
    st.caption(
        f"Attacked are at most {SAMPLE} rows, drawn at random without a look at any "
        "value, and numbered anew: no number here leads to a row. All releases are "
        "simulated; nothing is charged, kept or exported."
    )
    return AttackTarget(dataset=sample, made_up=False, masked=masked)


def ask_numbers(
    cells: tuple[Cell, Cell], subject: AttackTarget, name: str, *, yes_no: bool = False
) -> Target | None:
    """Ask for a column of numbers, or for a label that counts as 1.

    ``yes_no`` says which kind comes first. Returns ``None``, with a word why, where no
    column can be attacked.
    """
    column = _ask_column(cells[0], subject, name, yes_no=yes_no)
    if column is None:
        return None
    label = _ask_label(cells[1], subject, name, column)
    return numbers(subject.dataset, column, label)


def ask_secret(cells: tuple[Cell, Cell], subject: AttackTarget, name: str) -> Target | None:
    """Ask for a column of two values, or one that is split at a public threshold."""
    column = _ask_column(cells[0], subject, name, yes_no=True)
    if column is None:
        return None
    if not column.kind.is_numeric:
        label = _ask_label(cells[1], subject, name, column)
        return numbers(subject.dataset, column, label)
    bounds = column.bounds
    if bounds is None:
        return None
    threshold = cells[1].number(
        "Yes is a value of at least",
        float(bounds.lower + bounds.width / 2),
        (float(bounds.lower), float(bounds.upper)),
        key=subject.key(f"{name}-from-{bounds.lower:g}-{bounds.upper:g}"),
        kept="page",
        note="Public: it starts in the middle of the bounds.",
    )
    return at_least(numbers(subject.dataset, column), threshold)


def ask_person(cell: Cell, subject: AttackTarget, target: Target, label: str) -> int:
    """Ask for a person of the sample by number, and return the place, from 0."""
    number = cell.number(
        label,
        1,
        (1, target.people),
        key=subject.key("attack-person"),
        kept=subject.kept,
        note=f"Of {target.people} people."
        + (f" Number 1 is {SOMEBODY}." if subject.made_up else ""),
    )
    return int(number) - 1


def _ask_column(cell: Cell, subject: AttackTarget, name: str, *, yes_no: bool) -> Column | None:
    columns = attackable(subject.dataset)
    if not columns:
        st.info("Declare bounds or labels of a column on Data to attack it.")
        return None
    usual = [
        place for place, column in enumerate(columns) if (column.kind.is_numeric) is not yes_no
    ]
    if yes_no:
        usual.sort(key=lambda place: len(columns[place].labels) != _TWO)
    place = cell.selectbox(
        "Column under attack",
        range(len(columns)),
        index=usual[0] if usual else 0,
        format_func=lambda place: columns[place].title,
        key=subject.key(f"{name}-column"),
        kept=subject.kept,
    )
    return columns[place]


def _ask_label(cell: Cell, subject: AttackTarget, name: str, column: Column) -> str | None:
    if column.kind.is_numeric:
        return None
    labels = column.labels
    place = cell.selectbox(
        "Who counts",
        range(len(labels)),
        index=len(labels) - 1,
        format_func=labels.__getitem__,
        key=subject.key(f"{name}-label-{len(labels)}"),
        kept=subject.kept,
    )
    return labels[place]


def show_verdict(careless: str, private: str) -> None:
    """Say in a sentence each what the careless and the private release told."""
    left, right = st.columns(2)
    left.warning(f"**Careless release.** {careless}", icon=":material/lock_open:")
    right.success(f"**The studio's release.** {private}", icon=":material/lock:")


def show_lesson(teaches: str, stops: str) -> None:
    """Say what the attack teaches, and what stops it."""
    st.markdown(f"**What this teaches.** {teaches}\n\n**What stops it.** {stops}")
