"""Linear regression with a ridge penalty.

``theta = argmin |y - X theta|^2 / 2 + theta^T Lambda theta / 2``, so that ``theta =
H^-1 X^T y`` with ``H = X^T X + Lambda``. To weigh people by ``w``, multiply their rows
and targets by ``sqrt(w)``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import DataError
from dpcore.models.factor import Factor, checked_table, factor_of, moments, nobody, triangle
from dpcore.models.penalty import Penalty
from dpcore.models.tables import (
    InMemory,
    JoinedRows,
    OfTable,
    Passes,
    Table,
    packed,
    summed,
    unpacked,
)
from dpcore.statistics.statistic import Sums

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RidgeFit(OfTable):
    """A fitted linear model, with the table it was fitted to. CONFIDENTIAL."""

    table: Table = field(repr=False)
    """Whom it was fitted to."""
    moments: Sums = field(repr=False)
    """``X^T X`` and ``X^T y`` of everybody."""
    penalty: Penalty
    factor: Factor = field(repr=False)
    """The factor of the Hessian ``H``; ``factor.condition`` says how well the rows
    determine the coefficients.
    """
    theta: FloatArray = field(repr=False)
    """The coefficients, shape ``(d,)``."""
    known: dict[str, tuple[Hashable, Any]] = field(default_factory=dict, repr=False)
    """What was found about the fit and is kept as long as it is there."""
    linear: ClassVar[Literal[True]] = True
    found: ClassVar[bool] = True

    @property
    def gram(self) -> FloatArray:
        """Return ``X^T X``, shape ``(d, d)``."""
        columns = self.table.columns
        return unpacked(self.moments, (columns, columns), (columns,))[0]

    def seen_with(self, x: FloatArray, y: FloatArray) -> RidgeFit:
        """Return the fit of everybody, with but some of the rows and targets."""
        some = InMemory(features=x, target=y, people=self.people)
        rest = self.with_penalty_of(self.people - 1)
        known: dict[str, tuple[Hashable, Any]] = {}
        if rest is not self:
            seen = replace(rest, table=some, known={})
            known["rest"] = self.people - 1, seen
        return replace(self, table=some, known=known)

    def read_by(self, dataset: PartitionedDataset) -> RidgeFit:
        """Return the same fit, whose table in parts is read by another reader."""
        return replace(self, table=self.table.read_by(dataset), known={})

    @property
    def residuals(self) -> FloatArray:
        """Return ``y - X theta``, shape ``(n,)``."""
        return np.asarray(self.target - self.features @ self.theta)

    def keep(self, what: str, about: Hashable, compute: Callable[[], _T]) -> _T:
        """Return ``compute()``, or what it returned before for the same ``about``.

        Everybody's move does not depend on how much noise hides it, so that another
        epsilon needs no other pass over the rows. Of each kind the latest is kept.
        """
        if what not in self.known or self.known[what][0] != about:
            self.known[what] = about, compute()
        return cast("_T", self.known[what][1])

    def with_penalty_of(self, people: int) -> RidgeFit:
        """Return the fit to the same rows with the penalty that ``people`` would have.

        Only a penalty per person depends on them; otherwise this is the same fit.
        """
        if not self.penalty.per_person or people == self.people:
            return self
        return self.keep(
            "rest", people, lambda: _fitted(self.table, self.moments, self.penalty, people)
        )

    def with_penalty(self, penalty: Penalty) -> RidgeFit:
        """Return the fit to the same rows with another penalty."""
        return _fitted(self.table, self.moments, penalty, self.people)

    def again(self, x: FloatArray, y: FloatArray, penalty: Penalty) -> RidgeFit:
        """Return the fit of the same model to other rows."""
        return fit_ridge(x, y, penalty=penalty)

    @property
    def gradient_variance(self) -> FloatArray:
        """Return ``s^2 X'X`` of a fit without a penalty, ``s^2`` from its residuals."""
        return self._scale * self.factor.hessian

    @property
    def cramer_rao(self) -> float:
        """Return the least variance of unbiased coefficients: ``s^2 tr((X'X)^-1)``."""
        inverse = self.factor.solve(np.eye(len(self.theta)))
        return float(np.trace(inverse)) * self._scale

    @property
    def _scale(self) -> float:
        free = max(self.people - len(self.theta), 1)
        return float(np.sum(self.residuals**2)) / free

    def pulled(self, pull: FloatArray) -> FloatArray:
        """Return the minimum of the objective plus ``pull^T theta``, shape ``(d,)``.

        Or that of each of several pulls, shape ``(m, d)``.
        """
        return np.asarray(self.theta - self.factor.solve(pull.T).T)

    def refit(
        self, without: NDArray[np.intp], record: tuple[FloatArray, float] | None = None
    ) -> FloatArray | None:
        """Return the coefficients without some people and with another record.

        From the rows themselves, in time ``n d^2``; the formulas of this package give
        the same in time ``d^2``. ``None`` if the rows that are left do not determine
        them.
        """
        rest: Passes = self.table.without(without)
        if record is not None:
            row, answer = record
            other = InMemory.of(row[np.newaxis], np.array([answer]))
            rest = JoinedRows(parts=(rest, other))
        if rest.people == 0:
            # Of nothing, the penalty alone makes the coefficients 0.
            free = self.penalty.convexity(1) == 0
            return None if free else np.zeros_like(self.theta)
        try:
            found = _factor(rest, _moments(rest), self.penalty, rest.people)
        except DataError:
            return None
        return found.solution


def fit_ridge(x: FloatArray, y: FloatArray, *, penalty: Penalty) -> RidgeFit:
    """Return the fit of targets ``y``, shape ``(n,)``, to rows ``x``, shape ``(n, d)``.

    Raises:
        DataError: There is nobody, or the rows do not determine all coefficients.
        ParameterError: The shapes do not fit, or a number is missing or beyond 1e100.

    >>> from dpcore.models.penalty import Penalty
    >>> x = np.array([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> fit = fit_ridge(x, np.array([0.0, 1.0, 2.0]), penalty=Penalty(strength=1.0))
    >>> fit.theta.round(12)
    array([0.75      , 0.66666667])

    """
    return ridge_of(InMemory.of(*checked_table(x, y)), penalty=penalty)


def ridge_of(table: Table, *, penalty: Penalty) -> RidgeFit:
    """Return the fit to a table, in one pass over the parts.

    And one more where the features are all but linearly dependent. Of nobody, a penalty
    makes the coefficients 0.

    Raises:
        DataError: The rows do not determine all coefficients, or a part cannot be read.

    """
    sums = _moments(table)
    if sums.people == 0 and penalty.convexity(1) == 0:
        raise nobody()
    return _fitted(table, sums, penalty, max(sums.people, 1))


def _fitted(table: Table, sums: Sums, penalty: Penalty, people: int) -> RidgeFit:
    factor = _factor(table, sums, penalty, people)
    return RidgeFit(
        table=table, moments=sums, penalty=penalty, factor=factor, theta=factor.solution
    )


def _factor(rows: Passes, sums: Sums, penalty: Penalty, people: int) -> Factor:
    """Return the factor of the Hessian with the penalty that ``people`` would have."""
    columns = rows.columns
    gram, right = unpacked(sums, (columns, columns), (columns,))
    return factor_of(
        gram,
        right,
        penalty.diagonal(columns, people),
        triangles=lambda lengths: rows.each(partial(_triangle, lengths)),
        people=sums.people,
    )


def _moments(rows: Passes) -> Sums:
    return summed(rows.each(_moments_of_part))


def _moments_of_part(x: FloatArray, y: FloatArray) -> Sums:
    return packed(len(y), *moments(x, y))


def _triangle(lengths: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    return triangle(x, y, None, lengths)
