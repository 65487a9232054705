"""A linear model after one record has changed, for everybody at once. CONFIDENTIAL.

Replacing the record ``(x, y)`` by ``(x', y')`` changes the Hessian by ``x' x'^T - x
x^T``, of rank two; a newcomer changes it by rank one. With ``U`` the rows that come and
go, ``S`` their signs, ``Z = H^-1 U`` and ``K = (S + U^T Z)^-1`` the Woodbury formula
gives ``H'^-1 = H^-1 - Z K Z^T``, and brings everybody's leverage, residual and
direction up to date with a few products of the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.models.blocks import row_blocks
from dpcore.studies.individual.model_losses import RidgeState, metric_of, ridge_losses
from dpcore.studies.individual.outlier import Moved

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.models.metrics import Metric
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit

_RESTS_ON_ONE: Final = 1 - 1e-6


class RidgeBase(NamedTuple):
    """What updates of a ridge fit start from: everything that needs the rows."""

    fit: RidgeFit
    metric: Metric
    people: NDArray[np.intp]
    """The people who are watched, ascending."""
    rows: FloatArray
    state: RidgeState
    losses: FloatArray
    """Their losses, before anything moves."""
    owned: int = 1
    """How many rows one unit may own."""


def ridge_base(
    fit: RidgeFit, law: Law, people: NDArray[np.intp], *, delta: float, owned: int = 1
) -> RidgeBase:
    """Return leverages, residuals, lengths and losses of the watched ``people``.

    ``owned`` is how many rows, like each person's own, one unit may own.

    Raises:
        ParameterError: The penalty is per person, so that it changes with them.

    """
    if fit.penalty.per_person:
        message = "moving people needs a penalty of the sum of losses."
        raise ParameterError(message)
    metric = metric_of(law)
    everybody = len(people) == fit.people
    rows = fit.features if everybody else fit.features[people]
    target = fit.target if everybody else fit.target[people]
    state = _state(fit, metric, rows, target)
    losses = ridge_losses(law, state, delta=delta, rows=owned)
    return RidgeBase(fit, metric, people, rows, state, losses, owned)


def move_in_ridge(
    base: RidgeBase,
    law: Law,
    person: int | None,
    record: tuple[FloatArray, float],
    *,
    delta: float,
) -> Moved:
    """Return the losses before and after a record of a linear model changes.

    Args:
        base: The fit before, with the people who are watched.
        law: How the model is released.
        person: Whose record becomes ``record``; ``None`` for a newcomer.
        record: A row of features, shape ``(d,)``, and a target.
        delta: The delta that all losses go with.

    Raises:
        DataError: The fit rests on the person alone.
        ParameterError: The row has another length, or a number is not finite.

    """
    fit = base.fit
    x, y = np.asarray(record[0], dtype=np.float64), float(record[1])
    if x.shape != fit.theta.shape or not (np.isfinite(x).all() and np.isfinite(y)):
        message = f"a record needs {len(fit.theta)} finite numbers and a target."
        raise ParameterError(message)
    columns, signs, targets = [x], [1.0], [y]
    own_before = np.nan
    if person is not None:
        old = fit.features[person]
        columns, signs = [x, old], [1.0, -1.0]
        targets.append(float(fit.target[person]))
        own = _state(fit, base.metric, old[np.newaxis], fit.target[[person]])
        if own.leverage[0] > _RESTS_ON_ONE:
            message = "the model rests on this person's record alone; choose another."
            raise DataError(message)
        own_before = float(ridge_losses(law, own, delta=delta, rows=base.owned)[0])
    update = _Update.of(fit, base.metric, np.array(columns), np.array(signs), targets)
    own_place = np.searchsorted(base.people, person) if person is not None else -1
    watched = 0 <= own_place < len(base.people) and base.people[own_place] == person
    before = base.losses
    after = ridge_losses(law, update.state(base), delta=delta, rows=base.owned)
    own_state = update.state(
        base._replace(
            rows=x[np.newaxis],
            state=_state(fit, base.metric, x[np.newaxis], np.array([y])),
        )
    )
    return Moved(
        before=np.delete(before, own_place) if watched else before,
        after=np.delete(after, own_place) if watched else after,
        own_before=own_before,
        own_after=float(ridge_losses(law, own_state, delta=delta, rows=base.owned)[0]),
    )


class _Update(NamedTuple):
    """What a change of rank one or two does to products with the inverse Hessian."""

    solved: FloatArray
    """``H^-1 U``, shape ``(d, m)``."""
    core: FloatArray
    """``(S + U^T H^-1 U)^-1``, shape ``(m, m)``."""
    step: FloatArray
    """The move of the coefficients."""
    crossed: FloatArray
    """``H^-1 A H^-1 U``, shape ``(d, m)``."""
    lengths: FloatArray
    """``U^T H^-1 A H^-1 U``, shape ``(m, m)``."""

    @classmethod
    def of(
        cls,
        fit: RidgeFit,
        metric: Metric,
        columns: FloatArray,
        signs: FloatArray,
        targets: list[float],
    ) -> _Update:
        solved = fit.factor.solve(columns.T)
        core = np.linalg.inv(np.diag(signs) + columns @ solved)
        core = (core + core.T) / 2
        missed = signs * (np.array(targets) - columns @ fit.theta)
        pull = solved @ missed
        step = pull - solved @ (core @ (columns @ pull))
        root = metric.root(fit.factor)
        crossed = fit.factor.solve(root.T @ (root @ solved))
        return cls(solved, core, step, crossed, (root @ solved).T @ (root @ solved))

    def state(self, base: RidgeBase) -> RidgeState:
        """Return the state of the watched people after the change."""
        before, m = base.state, len(self.core)
        tools = np.column_stack([self.solved, self.crossed, self.step])
        leverage, length, residual = (np.empty(len(base.rows)) for _ in range(3))
        for part in row_blocks(*base.rows.shape):
            found = base.rows[part] @ tools
            across, crossed = found[:, :m], found[:, m : 2 * m]
            turned = across @ self.core
            leverage[part] = before.leverage[part]
            leverage[part] -= np.einsum("ij,ij->i", turned, across)
            length[part] = before.length[part]
            away = turned @ self.lengths - 2 * crossed
            length[part] += np.einsum("ij,ij->i", away, turned)
            residual[part] = before.residual[part] - found[:, -1]
        return RidgeState(
            leverage=np.clip(leverage, 0.0, 1.0, out=leverage),
            residual=residual,
            length=np.maximum(length, 0.0, out=length),
            square=before.square,
        )


def state_of(fit: RidgeFit, metric: Metric, people: NDArray[np.intp]) -> RidgeState:
    """Return what the losses of some people depend on."""
    return _state(fit, metric, fit.features[people], fit.target[people])


def _state(
    fit: RidgeFit, metric: Metric, rows: FloatArray, target: FloatArray
) -> RidgeState:
    inverse_root = fit.factor.inverse_root
    directions = metric.directions(fit.factor)
    leverage, length, square, missed = (np.empty(len(rows)) for _ in range(4))
    for part in row_blocks(*rows.shape):
        block = rows[part]
        halves, steps = block @ inverse_root, block @ directions
        leverage[part] = np.einsum("ij,ij->i", halves, halves)
        length[part] = np.einsum("ij,ij->i", steps, steps)
        square[part] = np.einsum("ij,ij->i", block, block)
        missed[part] = block @ fit.theta
    return RidgeState(
        leverage=leverage, residual=target - missed, length=length, square=square
    )
