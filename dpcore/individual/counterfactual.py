"""Move one person, and watch everybody: a loss is not one's own property. CONFIDENTIAL.

``what_if_ridge`` has the formulas for linear models; other models and statistics are
computed anew.

A linear model after one record has changed, for everybody at once. CONFIDENTIAL.

Replacing the record ``(x, y)`` by ``(x', y')`` changes the Hessian by ``x' x'^T - x
x^T``, of rank two; a newcomer changes it by rank one. With ``U`` the rows that come and
go, ``S`` their signs, ``Z = H^-1 U`` and ``K = (S + U^T Z)^-1`` the Woodbury formula
gives ``H'^-1 = H^-1 - Z K Z^T``, and brings everybody's leverage, residual and
direction up to date with a few products of the rows.

Records of a model in the units of the columns, and as the model sees them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.reading import StatisticRequest
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import DataError, ParameterError
from dpcore.individual.per_instance_loss import StatisticLosses, per_instance_losses
from dpcore.models.design import Design, UnitRows, code_of
from dpcore.models.factor import row_blocks
from dpcore.models.glm import GlmFit, fit_glm
from dpcore.models.glm_influence import audited_removals
from dpcore.models.influence import UNIQUE_FROM, Influence
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.ridge import RidgeFit, fit_ridge

SAME: Final = 1e-6
"""Relative change of a loss that counts as none."""
_TOP, _DRAWN, _SEED = 20, 20, 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moved:
    """Losses before and after one person's record became another. CONFIDENTIAL.

    Attributes:
        before: Losses of the others who are watched, shape ``(m,)``.
        after: Losses of the same people afterwards.
        own_before: The moved person's loss; NaN for a newcomer, who had none.
        own_after: The same afterwards.

    """

    before: FloatArray = field(repr=False)
    after: FloatArray = field(repr=False)
    own_before: float = field(repr=False)
    own_after: float = field(repr=False)

    @property
    def watched(self) -> int:
        """Return how many others are watched."""
        return len(self.before)

    @property
    def rising(self) -> int:
        """Return how many of the others lose more than before."""
        return int(np.count_nonzero(self.after > self.before * (1 + SAME)))

    @property
    def falling(self) -> int:
        """Return how many of the others lose less than before."""
        return int(np.count_nonzero(self.after < self.before * (1 - SAME)))

    @property
    def largest_rise(self) -> float:
        """Return by which factor the loss grows of whom it hits hardest."""
        known = (self.before > 0) & np.isfinite(self.before)
        if not known.any():
            return 1.0
        return float((self.after[known] / self.before[known]).max())


def move_in_statistic(
    request: StatisticRequest,
    exposure: StatisticLosses,
    person: int | None,
    value: FloatArray | float,
) -> Moved:
    """Return the losses before and after a value behind a statistic changes.

    ``person`` is a position among the values of ``exposure``, ``None`` for a newcomer.

    Raises:
        ParameterError: A newcomer cannot join a public number of people.

    """
    values = np.array(exposure.values)
    if person is None:
        if request.query.size.public:
            raise ParameterError("nobody can join a table whose number of people is public.")
        values = np.concatenate([values, np.asarray(value, dtype=float)[np.newaxis]])
    else:
        values[person] = value
    query = request.query
    after = per_instance_losses(
        request.plan,
        query.statistic,
        values,
        relation=exposure.relation,
        delta=exposure.delta,
        rows=query.unit.rows,
    )
    others = np.ones(exposure.people, dtype=bool)
    if person is not None:
        others[person] = False
    return Moved(
        before=exposure.epsilon[others],
        after=after.epsilon[: exposure.people][others],
        own_before=np.nan if person is None else float(exposure.epsilon[person]),
        own_after=float(after.epsilon[-1 if person is None else person]),
    )


def move_in_glm(
    fit: GlmFit,
    law: ModelMechanism,
    person: int | None,
    record: tuple[FloatArray, float],
    *,
    delta: float,
) -> Moved:
    """Return the losses before and after a record of a nonlinear model changes.

    The model is fitted anew. Shifts of both fits are one-step approximations, with the
    most exposed people refitted (``models.glm_influence``); the moved person is refitted
    exactly.

    ``person`` is ``None`` for a newcomer; ``record`` is a row of features and a target.

    Raises:
        DataError: There is no fit with the new record, or none without the person.
        ParameterError: The law is another one, or the record is not one of the model.

    """
    if not law.public:
        raise ParameterError("this view of a nonlinear model needs noise of a public shape.")
    x, y = np.asarray(record[0], dtype=np.float64), float(record[1])
    if x.shape != fit.theta.shape:
        raise ParameterError(f"a record needs {len(fit.theta)} numbers and a target.")
    if person is None:
        features, target = np.vstack([fit.features, x]), np.append(fit.target, y)
    else:
        features, target = fit.features.copy(), fit.target.copy()
        features[person], target[person] = x, y
    other = fit_glm(features, target, loss=fit.loss, penalty=fit.penalty)
    before, after = (_glm_losses(one, law, delta) for one in (fit, other))
    others = np.ones(fit.people, dtype=bool)
    if person is not None:
        others[person] = False
    last = fit.people if person is None else person
    own = law.losses(_left_out(other, law, last), delta=delta)
    own_before = np.nan
    if person is not None:
        own_before = float(law.losses(_left_out(fit, law, person), delta=delta)[0])
    return Moved(
        before=before[others],
        after=after[: fit.people][others],
        own_before=own_before,
        own_after=float(own[0]),
    )


def _left_out(fit: GlmFit, law: ModelMechanism, person: int) -> Influence:
    found = law.influence(fit, people=np.array([person]))
    if not np.isfinite(found.move[0]):
        raise DataError("the model cannot be fitted without this person; choose another.")
    return found


def _glm_losses(fit: GlmFit, law: ModelMechanism, delta: float) -> FloatArray:
    """Return everybody's loss after a short audit."""
    rng = np.random.default_rng(_SEED)
    audited = audited_removals(fit, law.metric, rng=rng, top=_TOP, drawn=_DRAWN)
    return law.losses(law.influence(fit, audited=audited), delta=delta)


class RidgeBase(NamedTuple):
    """What updates of a ridge fit start from: everything that needs the rows."""

    fit: RidgeFit
    people: NDArray[np.intp]
    """The people who are watched, ascending."""
    rows: FloatArray
    state: _State
    losses: FloatArray
    """Their losses, before anything moves."""
    owned: int = 1
    """How many rows one unit may own."""


class _State(NamedTuple):
    """Numbers of people in the fit with everybody: see ``Influence.of_members``."""

    leverage: FloatArray
    residual: FloatArray
    length: FloatArray
    square: FloatArray

    def influence(self, law: ModelMechanism, strength: float, owned: int) -> Influence:
        """Return what the people are to the fit, with ``owned`` rows a unit."""
        found = Influence.of_members(**self._asdict())
        return found.owned(owned, strength=strength, largest=law.metric.largest)


def ridge_base(
    fit: RidgeFit, law: ModelMechanism, people: NDArray[np.intp], *, delta: float, owned: int = 1
) -> RidgeBase:
    """Return leverages, residuals, lengths and losses of the watched ``people``.

    ``owned`` is how many rows, like each person's own, one unit may own.

    Raises:
        ParameterError: The penalty is per person, so that it changes with them; or
            losses take too long: several posterior samples, or an adaptive one.

    """
    if fit.penalty.per_person:
        raise ParameterError("moving people needs a penalty of the sum of losses.")
    law = quick_law(fit, law)
    everybody = len(people) == fit.people
    rows = fit.features if everybody else fit.features[people]
    target = fit.target if everybody else fit.target[people]
    state = _state(fit, _norm(law), rows, target)
    here = law.influence(fit, rows=owned, people=None if everybody else people)
    losses = law.losses(here, delta=delta)
    return RidgeBase(fit, people, rows, state, losses, owned)


def quick_law(fit: RidgeFit, law: ModelMechanism) -> ModelMechanism:
    """Return the law that a release really has, where losses take no time.

    Raises:
        ParameterError: They do: several posterior samples, or an adaptive one.

    """
    if law.precision is None or law.samples > 1:
        message = "this view needs noise on the coefficients, one posterior sample, "
        message += "or objective perturbation."
        raise ParameterError(message)
    return law.for_fit(fit)


def move_in_ridge(
    base: RidgeBase,
    law: ModelMechanism,
    person: int | None,
    record: tuple[FloatArray, float],
    *,
    delta: float,
) -> Moved:
    """Return the losses before and after a record of a linear model changes.

    ``person`` is ``None`` for a newcomer; ``record`` is a row of features and a target.

    Raises:
        DataError: The fit rests on the person alone.
        ParameterError: The row has another length, or a number is not finite.

    """
    fit, law = base.fit, quick_law(base.fit, law)
    x, y = np.asarray(record[0], dtype=np.float64), float(record[1])
    if x.shape != fit.theta.shape or not (np.isfinite(x).all() and np.isfinite(y)):
        raise ParameterError(f"a record needs {len(fit.theta)} finite numbers and a target.")
    columns, signs, targets = [x], [1.0], [y]
    own_before = np.nan
    if person is not None:
        columns, signs = [x, fit.features[person]], [1.0, -1.0]
        targets.append(float(fit.target[person]))
        own = law.influence(fit, rows=base.owned, people=np.array([person]))
        own_before = float(law.losses(own, delta=delta)[0])
        if not np.isfinite(own_before):
            raise DataError("the model rests on this person's record alone; choose another.")
    norm = _norm(law)
    update = _Update.of(fit, norm, np.array(columns), np.array(signs), targets)
    moved = _state(fit, norm, x[np.newaxis], np.array([y]))
    states = update.state(base.rows, base.state), update.state(x[np.newaxis], moved)
    strength = fit.penalty.constant
    seen = [state.influence(law, strength, base.owned) for state in states]
    if any((part.leverage >= UNIQUE_FROM).any() for part in seen):
        # So close to 1 a leverage has no digits left to update.
        seen = _anew(base, law, person, (x, y))
    after, own_after = (law.losses(part, delta=delta) for part in seen)
    place = np.searchsorted(base.people, person) if person is not None else -1
    watched = 0 <= place < len(base.people) and base.people[place] == person
    return Moved(
        before=np.delete(base.losses, place) if watched else base.losses,
        after=np.delete(after, place) if watched else after,
        own_before=own_before,
        own_after=float(own_after[0]),
    )


def _anew(
    base: RidgeBase, law: ModelMechanism, person: int | None, record: tuple[FloatArray, float]
) -> list[Influence]:
    """Return what the watched people, and the moved one, are to a fit of its own."""
    fit, place = base.fit, base.fit.people if person is None else person
    features = np.vstack([fit.features, record[0]])
    target = np.append(fit.target, record[1])
    if person is not None:
        features[person], target[person] = record
        features, target = features[:-1], target[:-1]
    other = fit_ridge(features, target, penalty=fit.penalty)
    return [
        law.influence(other, rows=base.owned, people=people)
        for people in (base.people, np.array([place]))
    ]


def _norm(law: ModelMechanism) -> Metric:
    """Return the norm of lengths that losses need: a public one, or the plain one."""
    return law.metric if law.public else ISOTROPIC


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

    def state(self, rows: FloatArray, before: _State) -> _State:
        """Return the state of people with these rows after the change."""
        m = len(self.core)
        tools = np.column_stack([self.solved, self.crossed, self.step])
        leverage, length, residual = (np.empty(len(rows)) for _ in range(3))
        for part in row_blocks(*rows.shape):
            found = rows[part] @ tools
            across, crossed = found[:, :m], found[:, m : 2 * m]
            turned = across @ self.core
            leverage[part] = before.leverage[part]
            leverage[part] -= np.einsum("ij,ij->i", turned, across)
            length[part] = before.length[part]
            away = turned @ self.lengths - 2 * crossed
            length[part] += np.einsum("ij,ij->i", away, turned)
            residual[part] = before.residual[part] - found[:, -1]
        return _State(
            leverage=np.clip(leverage, 0.0, 1.0, out=leverage),
            residual=residual,
            length=np.maximum(length, 0.0, out=length),
            square=before.square,
        )


def _state(fit: RidgeFit, metric: Metric, rows: FloatArray, target: FloatArray) -> _State:
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
    return _State(leverage, target - missed, length, square)


def record_of(design: Design, values: FloatArray) -> tuple[FloatArray, float]:
    """Return the row and target of somebody with these values, as the model sees them.

    Args:
        design: How columns become rows.
        values: One number for each of ``design.columns``, the target first: yes/no as 1
            and 0, the label of a category as its position (a value that is not listed
            as the number of labels), other numbers in the units of their column.

    Raises:
        ParameterError: There is another number of values, or one is not finite.

    """
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (len(design.columns),) or not np.isfinite(values).all():
        raise ParameterError(f"a record of this model has {len(design.columns)} finite numbers.")
    target, *entries = (
        design.entries(column, value[np.newaxis])[0]
        for column, value in zip(design.columns, values, strict=True)
    )
    raw = np.concatenate([np.ones(int(design.intercept)), *entries])
    # ``legal`` expects rows as they are after dividing.
    return design.legal(raw / design.root), float(target[0])


def record_in_units(design: Design, row: FloatArray, target: float) -> FloatArray:
    """Return the values of ``design.columns`` behind a row and a target.

    The inverse of ``record_of``, but for rows that were clipped: of these the direction
    is kept, and values are those of a row of length 1.

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.data.columns import Column, ColumnKind
    >>> from dpcore.models.design import Design
    >>> number = ColumnKind.NUMBER
    >>> wide = Interval(lower=0.0, upper=10.0)
    >>> age, pay = (Column(name=n, kind=number, bounds=wide) for n in ("age", "pay"))
    >>> design = Design(target=pay, features=(age,))
    >>> record_in_units(design, *record_of(design, np.array([2.0, 7.5])))
    array([2. , 7.5])
    """
    scale = design.root
    if design.unit_rows is not UnitRows.DIVIDE and design.intercept and row[0] > 0:
        scale = 1 / float(row[0])
    raw = np.asarray(row, dtype=np.float64) * scale
    values = [_in_units(design, design.target, target)]
    for column, places in design.blocks:
        values.append(
            float(code_of(raw[places], column, others_apart=design.others_apart))
            if column.kind is ColumnKind.CATEGORY
            else _in_units(design, column, float(raw[places][0]))
        )
    return np.array(values)


def _in_units(design: Design, column: Column, value: float) -> float:
    center, width = design.scale(column)
    return center + width * value
