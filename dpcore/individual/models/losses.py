"""What the release of a model reveals about each person. CONFIDENTIAL.

Everything is about two laws for each person: the release with the table, and that with
the table without the person (Wang 2019, definition 2). Where a unit owns ``k`` rows and
nothing says which, the loss is that of a unit with ``k`` rows like the person's own. A
table may hold fewer of them. Then that loss is no fact about it, and it is kept within
what ``k`` rows can do at all.

What leverage and residual cost stands in the laws: under noise, by a person's move, in
``models.model_mechanisms.noisy_coefficients``; in one posterior sample in
``models.leverage_and_residual``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.mechanisms.person_laws import PersonLaws
from dpcore.models.glm_influence import AuditedRemovals
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.question import Fit
from dpcore.models.ridge import RidgeFit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaving:
    """What happens when each person leaves. CONFIDENTIAL.

    Attributes:
        epsilon: Loss of each person, shape ``(n,)``.
        leverage: Share of a prediction that the person's own record makes, in [0, 1].
        residual: What the fit without the person misses the person's target by: of
            the prediction for linear and Huber models, of the mean for others, there
            after one Newton step.
        lengths: How far the coefficients move in the norm of the noise.
        error: Largest relative error of approximate moves that an audit found; 0 where
            they are exact.
        exact: Whether the losses are exact, but for that error.
        note: What they are otherwise, or what to know of them.
        upper: Whether they are upper bounds.

    """

    epsilon: FloatArray = field(repr=False)
    leverage: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    lengths: FloatArray = field(repr=False)
    error: float = field(default=0.0, repr=False)
    exact: bool = True
    note: str = ""
    upper: bool = False


def leaving(
    law: ModelMechanism,
    fit: Fit,
    *,
    delta: float,
    rows: int = 1,
    codes: NDArray[np.intp] | None = None,
    audited: AuditedRemovals | None = None,
    rng: np.random.Generator,
) -> Leaving:
    """Return what the release reveals about whether each person is there.

    ``codes`` are everybody's units, where they are known, instead of ``rows``.

    Raises:
        ParameterError: Losses under this law are not known for such a model.

    """
    real = law.for_fit(fit)
    if codes is not None:
        if not fit.linear:
            raise ParameterError("units whose rows are known need a linear model.")
        epsilon, lengths, note = real.unit_losses(fit, codes, delta=delta)
        here = real.influence(fit)
    else:
        here = real.influence(fit, rows=rows, audited=audited, rng=rng)
        epsilon, lengths = real.losses(here, delta=delta), here.move
        note = real.note or copies_note(rows)
    return Leaving(
        epsilon=epsilon,
        leverage=here.leverage,
        residual=here.residual,
        lengths=lengths,
        error=here.error,
        exact=not note,
        note=note,
        upper=real.upper or (codes is not None and bool(note)),
    )


def copies_note(rows: int) -> str:
    """Return what a loss is where a unit owns several rows, nobody knows which."""
    if rows == 1:
        return ""
    return (
        f"those of {rows} rows like the person's own; where the table does not hold so "
        "many, they are estimates within the guarantee"
    )


def laws_of_model(fit: Fit, law: ModelMechanism, person: int, *, rows: int = 1) -> PersonLaws:
    """Return the laws of a released model, with a person and without.

    ``rows`` is how many rows one unit may own, all like this one.

    Raises:
        DataError: There is no such person, or no fit without them.
        ParameterError: The two laws have no known form: an adaptive sample, noise of a
            shape that comes from the data or a perturbed objective for a nonlinear
            model, or a posterior sample under a penalty per person.

    """
    if not 0 <= person < fit.people:
        raise DataError(f"there are {fit.people} people; choose one of them.")
    real = law.for_fit(fit)
    return real.pair(real.influence(fit, rows=rows, people=np.array([person])))


def evidence_of_release(
    fit: RidgeFit, law: ModelMechanism, person: int, released: FloatArray
) -> float:
    """Return ``log Q - log P`` of released coefficients of a linear model.

    ``P`` is the law without the person, ``Q`` that with them; the size of the result
    is the loss that this release really caused (Redberg and Wang 2021, definition 3).

    ``released`` has one row of coefficients for each sample, shape ``(T, d)``.

    Raises:
        DataError: There is no fit without the person.
        ParameterError: The law has no density of this kind (an adaptive sample).

    """
    theta = np.atleast_2d(np.asarray(released, dtype=np.float64))
    return law.for_fit(fit).evidence(fit, person, theta)
