"""The entries of a row that a feature becomes, one for each coefficient of a model.

A number and yes/no become one entry. A category becomes one for each of its public
labels but the reference: 1 for who has the label, 0 otherwise, so that at most one of
them is 1 and a category makes no row longer than a single number could.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError

MOST_COEFFICIENTS = 250
"""Beyond it a million rows would not fit into memory."""
_NEARER = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One entry of a row, besides the intercept. PUBLIC."""

    column: Column
    """The feature that it comes from."""
    label: str | None = None
    """The label that it is 1 for; ``None`` for numbers and yes/no."""

    @property
    def name(self) -> str:
        """Return the name of its coefficient, as in "age" or "party: other"."""
        name = self.column.name
        return name if self.label is None else f"{name}: {self.label}"


def terms_of(column: Column, *, others_apart: bool) -> tuple[Term, ...]:
    """Return the entries that a feature becomes; ``others_apart`` as in ``Design``."""
    if column.kind is not ColumnKind.CATEGORY:
        return (Term(column=column),)
    labels = column.labels if others_apart else column.labels[1:]
    return tuple(Term(column=column, label=label) for label in labels)


def indicators(codes: FloatArray, column: Column, *, others_apart: bool) -> FloatArray:
    """Return the entries of people with these labels, shape ``(n, terms)``.

    Who has none of the labels has their number for a code.
    """
    first = 0 if others_apart else 1
    places = np.arange(first, len(column.labels))
    return np.asarray((codes[:, np.newaxis] == places).astype(np.float64))


def code_of(entries: FloatArray, column: Column, *, others_apart: bool) -> int:
    """Return the position of the label behind a person's entries.

    That of the reference where no entry is 1: the first label, or the number of labels
    for a value that is not listed.
    """
    first = 0 if others_apart else 1
    if len(entries) == 0 or entries.max() <= 0:
        return len(column.labels) if others_apart else 0
    return first + int(np.argmax(entries))


def nearest(entries: FloatArray) -> FloatArray:
    """Return the nearest entries that somebody can have, shape ``(..., terms)``.

    >>> nearest(np.array([[0.2, 0.9], [0.1, 0.3]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    if entries.shape[-1] == 0:
        return entries
    places = np.argmax(entries, axis=-1)[..., np.newaxis]
    largest = np.take_along_axis(entries, places, axis=-1)
    here = np.arange(entries.shape[-1]) == places
    return np.asarray((here & (largest > _NEARER)).astype(np.float64))


def check_target(column: Column) -> None:
    """Refuse a column that a model cannot explain.

    Raises:
        ParameterError: It is a category, or a number without bounds.

    """
    number = column.kind.is_numeric
    if column.kind is ColumnKind.CATEGORY or (number and column.bounds is None):
        raise ParameterError(
            f"{column.name!r} must be yes/no or a number with public bounds to be "
            "explained; declare it so on the Data page."
        )


def check_feature(column: Column, *, others_apart: bool) -> None:
    """Refuse a column that cannot explain another.

    Raises:
        ParameterError: It is not declared, or a category with a single answer.

    """
    if not column.is_declared:
        what = "bounds" if column.kind.is_numeric else "labels"
        raise ParameterError(f"{column.name!r} needs public {what}; declare them on the Data page.")
    if not terms_of(column, others_apart=others_apart):
        raise ParameterError(
            f"{column.name!r} has a single label, which everybody shares: it explains "
            "nothing. Leave it out, or let values that are not listed be apart."
        )


def check_names(names: tuple[str, ...]) -> None:
    """Refuse names of coefficients that people could not tell apart.

    Raises:
        ParameterError: Two are equal, or there are too many.

    """
    if len(names) > MOST_COEFFICIENTS:
        raise ParameterError(
            f"a model has at most {MOST_COEFFICIENTS} coefficients, this one "
            f"{len(names)}: choose fewer features, or categories of fewer labels."
        )
    if len({*names, "constant"}) <= len(names):
        raise ParameterError(
            "two coefficients would have the same name: a column or label is called "
            "like another one, “intercept” or “constant”. Rename it."
        )
