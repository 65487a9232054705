"""The target of an attack: a simulated village, or people of the table in use.

What is asked about one's own table stays out of the address, and is forgotten with the
page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from ui.controls import Kept
from ui.form import Asked, ChoiceSetting, NumberSetting, Setting, SettingsForm
from ui.study import Study

_TWO: Final = 2
_WIDTHS: Final = (1.4, 1.0, 1.0, 1.0)
_SEED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackTarget:
    """Some people, and what the controls about them are called.

    Attributes:
        dataset: CONFIDENTIAL, unless it is simulated.
        simulated: Whether it is the village.
        masked: Whether no single person's value may be on screen.

    """

    dataset: Dataset
    simulated: bool
    masked: bool

    @property
    def kept(self) -> Kept:
        """Return where settings about these people are kept."""
        return "address" if self.simulated else "page"

    def key(self, name: str) -> str:
        """Return the key of a control about these people."""
        return name if self.simulated else f"own-{name}-{session.generation()}"

    def called(self, place: int) -> str:
        """Return how a person is called, who never has the name of a row."""
        return SOMEBODY if self.simulated and place == 0 else f"person {place + 1}"

    def show(self, picture: Picture, key: str) -> None:
        """Show a picture of these people; the village has nothing to hide."""
        results.show(picture, f"attack-{key}", simulated=self.simulated)


def of_village() -> AttackTarget:
    """Return the village."""
    return AttackTarget(dataset=village(), simulated=True, masked=False)


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
        f"The attack uses at most {SAMPLE} rows, drawn at random without a look at any value, "
        "and renumbered: no number here identifies a row. All releases are "
        "simulated; nothing is charged, kept or exported."
    )
    return AttackTarget(dataset=sample, simulated=False, masked=masked)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredAttack:
    """An attack, with the settings that it is shown by.

    Attributes:
        show: Shows it on some people, on what is attacked of them if anything is, and
            with the settings by name.
        row: What is set beside what is attacked.
        column: What keys call the column under attack; empty where no table is read.
        yes_no: Whether a column of two labels is proposed, or one of numbers.
        split: Whether a column of numbers is split at a public threshold.
        person: What the person is called that the attack is about; empty for none.

    """

    show: Callable[..., None]
    row: Mapping[str, Setting]
    column: str = ""
    yes_no: bool = False
    split: bool = False
    person: str = ""

    def __call__(self, subject: AttackTarget) -> None:
        """Ask what is set, and show the attack."""
        if not self.column:
            if not subject.simulated:
                st.caption("This attack uses the settings below alone, and no table.")
            self.show(subject, **SettingsForm(row=self.row).ask())
            return
        columns = attackable(subject.dataset)
        if not columns:
            st.info("Declare bounds or labels of a column on Data to attack it.")
            return

        def target(column: int, value: float | None = None) -> Target:
            attacked = columns[column]
            if not attacked.kind.is_numeric:
                return numbers(subject.dataset, attacked, attacked.labels[int(value or 0)])
            found = numbers(subject.dataset, attacked)
            return found if value is None else at_least(found, value)

        row: dict[str, Asked] = {
            "column": self._column(subject, columns),
            "value": lambda asked: self._value(subject, columns[asked["column"]]),
        }
        if self.person:
            row["person"] = lambda asked: self._person(subject, target(**asked).people)
        asked = SettingsForm(row={**row, **self.row}, widths=_WIDTHS).ask()
        attacked = {name: asked.pop(name) for name in ("column", "value") if name in asked}
        if self.person:
            asked["person"] -= 1
        self.show(subject, target(**attacked), **asked)

    def _column(self, subject: AttackTarget, columns: Sequence[Column]) -> Setting:
        proposed = [
            place for place, one in enumerate(columns) if one.kind.is_numeric != self.yes_no
        ]
        if self.yes_no:
            proposed.sort(key=lambda place: len(columns[place].labels) != _TWO)
        return ChoiceSetting(
            label="Column under attack",
            options=range(len(columns)),
            value=proposed[0] if proposed else 0,
            named=lambda place: columns[place].title,
            key=subject.key(f"{self.column}-column"),
            kept=subject.kept,
        )

    def _value(self, subject: AttackTarget, column: Column) -> Setting | None:
        """Return the setting of who counts: with a label, or at least a number."""
        bounds = column.bounds
        if not column.kind.is_numeric:
            count = len(column.labels)
            return ChoiceSetting(
                label="Who counts",
                options=range(count),
                value=count - 1,
                named=column.labels.__getitem__,
                key=subject.key(f"{self.column}-label-{count}"),
                kept=subject.kept,
            )
        if not self.split or bounds is None:
            return None
        return NumberSetting(
            label="Yes is a value of at least",
            value=float(bounds.lower + bounds.width / 2),
            within=(float(bounds.lower), float(bounds.upper)),
            key=subject.key(f"{self.column}-from-{bounds.lower:g}-{bounds.upper:g}"),
            kept="page",
            note="Public: it starts in the middle of the bounds.",
        )

    def _person(self, subject: AttackTarget, people: int) -> Setting:
        """Return the setting of a person of the sample, by number."""
        note = f"Of {people} people."
        return NumberSetting(
            label=self.person,
            value=1,
            within=(1, people),
            key=subject.key("attack-person"),
            kept=subject.kept,
            note=f"{note} Number 1 is {SOMEBODY}." if subject.simulated else note,
        )


def show_verdict(careless: str, private: str) -> None:
    """Say in a sentence each what the careless and the private release told."""
    left, right = st.columns(2)
    left.warning(f"**Careless release.** {careless}", icon=":material/lock_open:")
    right.success(f"**The studio's release.** {private}", icon=":material/lock:")


def show_lesson(teaches: str, stops: str) -> None:
    """Say what the attack teaches, and what stops it."""
    st.markdown(f"**What this teaches.** {teaches}\n\n**What stops it.** {stops}")
