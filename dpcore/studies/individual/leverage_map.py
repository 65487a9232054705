"""Why people are exposed in a released model: their leverage and their residual.

What a release tells about a person depends on how strongly the record pulls on the
coefficients and on how far the prediction without the person misses the target. Which
measure of leverage says all depends on the shape of the noise. CONFIDENTIAL.

A person's loss from a model comes from two causes: how unusual the record is, which
gives it leverage, and how far the prediction without the person misses it. CONFIDENTIAL
where it is made from a table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.factor import row_blocks
from dpcore.models.influence import Influence
from dpcore.models.model_mechanisms.model_mechanism import LossAt, ModelMechanism
from dpcore.models.question import Fit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Causes:
    """Leverage and residual of everybody, what a loss is made of. CONFIDENTIAL."""

    name: str
    """What is meant by leverage, in words."""
    short: str
    """The same in a word or two, as the head of a column."""
    leverage: FloatArray = field(repr=False)
    """Of each person, shape ``(n,)``."""
    residual: FloatArray = field(repr=False)
    """What the prediction without the person misses, shape ``(n,)``."""
    loss_at: LossAt | None = field(repr=False)
    """The loss for a leverage and a residual, where these decide it."""
    variation: FloatArray | None = field(repr=False)
    """Total variation of the two laws of each person, shape ``(n,)``; ``None`` where it
    is not known fast.
    """


def causes(
    law: ModelMechanism,
    fit: Fit,
    *,
    leverage: FloatArray,
    residual: FloatArray,
    shift: FloatArray,
    delta: float,
    leaves: bool = True,
) -> Causes:
    """Return what decides everybody's loss.

    For noise of a public shape, leverage is the move of the coefficients for each unit
    of residual, ``|H^-1 x|_A``; for a posterior sample ``x' H^-1 x`` without the
    person. For others no two numbers decide the loss.

    Args:
        law: The law of the release.
        fit: The model.
        leverage: ``x' H^-1 x`` with the person, shape ``(n,)``.
        residual: What the prediction without the person misses, shape ``(n,)``.
        shift: Length of the move of the coefficients, in the norm of the noise.
        delta: What goes with the losses.
        leaves: Whether people leave, rather than have another record.

    """
    here = Influence(
        leverage=leverage,
        residual=residual,
        move=shift,
        square=np.broadcast_to(np.nan, shift.shape),
        spread=np.broadcast_to(np.nan, shift.shape),
    )
    real = law.for_fit(fit)
    loss_at = real.loss_by(delta)
    variation = None if loss_at is None else real.variation(here, delta=delta)
    if real.public:
        directions = real.metric.directions(fit.factor)
        pull = np.empty(fit.people)
        for rows in row_blocks(*fit.features.shape):
            moved = fit.features[rows] @ directions
            pull[rows] = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        missed = residual
        if leaves:
            with np.errstate(divide="ignore", invalid="ignore"):
                by_move = np.copysign(shift / pull, residual)
            missed = np.where(pull > 0, by_move, residual)
        return Causes(
            name="pull of the record: move of the model per unit of residual",
            short="pull",
            leverage=pull,
            residual=missed,
            loss_at=loss_at if leaves else None,
            variation=variation,
        )
    return Causes(
        name="leverage of the record (without the person)",
        short="leverage without them",
        leverage=here.outside,
        residual=residual,
        loss_at=loss_at,
        variation=variation,
    )


_CELLS = 40
_COLUMNS, _HEIGHTS = 121, 241
_DIGITS = (1, 2, 5)
_MOST_LINES = 5
_DECADES = 8
_MARGIN = 1.05
_NARROW = 0.2
_LEAST = 5e-3


class IsoLine(NamedTuple):
    """Where people of one loss lie, on the side of positive residuals."""

    epsilon: float
    leverage: FloatArray
    """Ascending."""
    residual: FloatArray
    """Size of the residual there, at least 0."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeverageMap:
    """How many people lie where, and what they lose there. CONFIDENTIAL."""

    leverage_edges: FloatArray = field(repr=False)
    """Of the cells, ascending, equally far apart in logarithms."""
    residual_edges: FloatArray = field(repr=False)
    """Of the cells, ascending."""
    people: NDArray[np.intp] = field(repr=False)
    """Number of people in each cell, shape ``(residuals, leverages)``."""
    epsilon: FloatArray = field(repr=False)
    """Their mean loss; NaN in an empty cell. Same shape."""
    top: NDArray[np.intp] = field(repr=False)
    """Entries of the most exposed who are on the map, the most exposed first."""
    top_leverage: FloatArray = field(repr=False)
    """Their leverage, in that order."""
    top_residual: FloatArray = field(repr=False)
    """Their residual."""
    top_epsilon: FloatArray = field(repr=False)
    """Their loss."""
    above: tuple[float, float] = field(repr=False)
    """Share of the people on the map whose leverage, and whose residual in size, lie
    below those of the most exposed.
    """
    left_out: int = field(repr=False)
    """How many have no finite residual, or leverage 0."""
    lines: tuple[IsoLine, ...] = field(repr=False)
    """Where people of some round losses lie."""
    floor: float = field(repr=False)
    """Loss of somebody of median leverage whose record is predicted perfectly; NaN
    where no loss is known for a leverage and a residual.
    """


def leverage_map(
    leverage: FloatArray,
    residual: FloatArray,
    epsilon: FloatArray,
    *,
    loss_at: LossAt | None = None,
    most: int = 10,
) -> LeverageMap:
    """Return the map of ``n`` people, each array of shape ``(n,)``.

    Args:
        leverage: At least 0: what multiplies the residual in the move of the model.
        residual: What the prediction without the person misses.
        epsilon: Loss of each person.
        loss_at: The loss for a leverage and a residual, where it depends on these two
            numbers alone; gives the lines of equal loss.
        most: How many of the most exposed to name.

    Raises:
        ParameterError: The arrays have different shapes, or nobody can be drawn.

    """
    if not leverage.shape == residual.shape == epsilon.shape or leverage.ndim != 1:
        raise ParameterError("leverages, residuals and losses must have one shape (n,).")
    drawn = np.isfinite(residual) & np.isfinite(leverage) & (leverage > 0)
    drawn &= np.isfinite(epsilon)
    if not drawn.any():
        raise ParameterError("nobody has a finite residual and a positive leverage to draw.")
    entries = np.flatnonzero(drawn)
    x, y, loss = leverage[entries], residual[entries], epsilon[entries]
    high = float(x.max())
    low = max(float(x.min()), high * 10.0**-_DECADES)
    x_edges = np.geomspace(low / _MARGIN, high * _MARGIN, _CELLS + 1)
    reach = _MARGIN * (float(np.abs(y).max()) or 1.0)
    # Both sides, though one of them be narrow; 0 is on the map.
    least = _NARROW * reach
    ends = (min(_MARGIN * float(y.min()), -least), max(_MARGIN * float(y.max()), least))
    y_edges = np.linspace(*ends, _CELLS + 1)
    across = np.log(np.maximum(x, x_edges[0]) / x_edges[0])
    across *= _CELLS / np.log(x_edges[-1] / x_edges[0])
    up = (y - y_edges[0]) * (_CELLS / (y_edges[-1] - y_edges[0]))
    column = np.minimum(across.astype(np.intp), _CELLS - 1)
    cell = np.clip(up.astype(np.intp), 0, _CELLS - 1) * _CELLS + column
    shape = (_CELLS, _CELLS)
    counts = np.bincount(cell, minlength=_CELLS**2).reshape(shape)
    sums = np.bincount(cell, loss, minlength=_CELLS**2).reshape(shape).astype(np.float64)
    with np.errstate(invalid="ignore"):
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    count = min(most, len(loss))
    found = np.argpartition(loss, len(loss) - count)[len(loss) - count :]
    top = np.asarray(found[np.lexsort((found, -loss[found]))])
    lines: tuple[IsoLine, ...] = ()
    floor = np.nan
    if loss_at is not None:
        lines = _lines(loss_at, _levels(loss), (float(x_edges[0]), float(x_edges[-1])), reach)
        floor = float(loss_at(np.array([np.median(x)]), np.zeros(1))[0])
    return LeverageMap(
        leverage_edges=x_edges,
        residual_edges=y_edges,
        people=counts,
        epsilon=means,
        top=entries[top],
        top_leverage=x[top],
        top_residual=y[top],
        top_epsilon=loss[top],
        above=(float(np.mean(x < x[top[0]])), float(np.mean(np.abs(y) < np.abs(y[top[0]])))),
        left_out=len(leverage) - len(entries),
        lines=lines,
        floor=floor,
    )


def _levels(loss: FloatArray) -> list[float]:
    """Return a few round losses between the smallest and the largest, far apart."""
    high = float(loss.max())
    positive = loss[loss > 0]
    if len(positive) == 0:
        return []
    low = max(float(np.quantile(positive, 0.1)), high * _LEAST)
    powers = range(int(np.floor(np.log10(low))), int(np.floor(np.log10(high))) + 1)
    known = [digit * 10.0**power for power in powers for digit in _DIGITS]
    inside = [level for level in known if low <= level <= high] or [high / 2]
    return inside[::-1][:: -(-len(inside) // _MOST_LINES)]


def _lines(
    loss_at: LossAt, levels: list[float], ends: tuple[float, float], reach: float
) -> tuple[IsoLine, ...]:
    """Return where the loss is each of ``levels``, by interpolation over residuals."""
    x = np.geomspace(*ends, _COLUMNS)
    # Closer together near 0, where the lines of small losses are.
    y = reach * np.linspace(0, 1, _HEIGHTS) ** 2
    grid = np.maximum.accumulate(loss_at(x[:, np.newaxis], y), axis=1)
    lines = []
    for level in levels:
        heights = np.array(
            [np.interp(level, column, y, left=np.nan, right=np.nan) for column in grid]
        )
        heights[grid[:, 0] >= level] = np.nan
        known = np.isfinite(heights)
        if known.any():
            lines.append(IsoLine(level, x[known], heights[known]))
    return tuple(lines)
