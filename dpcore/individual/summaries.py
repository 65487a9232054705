"""Summaries of everybody's privacy loss. CONFIDENTIAL, all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray


class ExposedPerson(NamedTuple):
    """One person's exposure."""

    entry: int
    """Position among the values, from 0; ``Query.rows`` has the row of the table."""
    value: float
    """The person's value behind the statistic (the first of several), not clamped."""
    shift: float
    """Largest change of the statistic, added up over its coordinates."""
    epsilon: float


class GroupExposure(NamedTuple):
    """The exposure of a group of people."""

    label: str
    people: int
    mean: float
    median: float
    ninth_decile: float
    maximum: float


def by_group(
    epsilon: FloatArray, codes: NDArray[np.int64], labels: tuple[str, ...]
) -> tuple[GroupExposure, ...]:
    """Return a summary for each code that occurs; see ``Exposure.by_group``."""
    names = (*labels, "other", "missing")
    groups = np.where(codes < 0, len(labels) + 1, codes)
    order = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[order], return_index=True)
    members = np.split(epsilon[order], starts[1:])
    return tuple(
        _summary(names[code], losses)
        for code, losses in zip(present, members, strict=True)
    )


def _summary(label: str, epsilon: FloatArray) -> GroupExposure:
    median, ninth_decile = np.quantile(epsilon, [0.5, 0.9], method="inverted_cdf")
    return GroupExposure(
        label=label,
        people=len(epsilon),
        mean=float(epsilon.mean()),
        median=float(median),
        ninth_decile=float(ninth_decile),
        maximum=float(epsilon.max()),
    )
