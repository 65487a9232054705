"""What the penalty does to a model, beside what the noise does."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from dpcore.analyses.model import ModelRequest
from dpcore.analyses.model_errors import errors_of, taken_of_spread
from dpcore.arrays import FloatArray
from dpcore.formatting import in_full, percent, significant
from dpcore.models.loss_functions import ModelKind
from dpcore.models.question import Fit
from dpcore.models.shrinkage import Plain
from ui import results, session
from ui.models import in_columns
from ui.text import literal

_ROUNDING: Final = 1e-9
_SPREADS: Final = (1.0, 0.5, 0.1)
_NUMBERS: Final = frozenset({ModelKind.LINEAR, ModelKind.HUBER})
_WITHIN: Final = {
    ModelKind.LINEAR: "lie within the target's bounds",
    ModelKind.HUBER: "lie within the target's bounds",
    ModelKind.LOGISTIC: "are chances between 2 and 98 in 100",
    ModelKind.POISSON: "lie below the target's upper bound",
}


def ahead(asked: ModelRequest) -> None:
    """Say what penalty and noise do to a released model. PUBLIC."""
    question = asked.question
    strength = question.penalty.strength
    if strength == 0:
        return
    errors = errors_of(asked.plan)
    shares = [percent(taken_of_spread(question, part)) for part in _SPREADS]
    about = "" if question.model is ModelKind.LINEAR else "about "
    noise = (
        "not known in public"
        if errors.noise is None
        else f"moves predictions by up to {_moved(asked, errors.noise)}, typically"
    )
    st.markdown(
        "**Two errors**\n"
        f"- The noise for privacy: {noise}.\n"
        f"- The penalty (λ {in_full(strength)}): moves predictions by up to {about}"
        f"{_moved(asked, errors.penalty)}, typically, if those of a fit without it "
        f"{_WITHIN[question.model]}. It pulls every coefficient towards 0: by about "
        f"{shares[0]} where a column's values spread evenly over its bounds, "
        f"{shares[1]} where over half of them, {shares[2]} where over a tenth."
    )
    st.caption(
        "Where columns go together the penalty may even turn a sign around. More draws "
        f"do not mend it; tighter bounds or more {session.unit().counted} do."
    )


def behind(asked: ModelRequest, fit: Fit, plain: Plain) -> None:
    """Show the fit with its penalty beside the one without it. CONFIDENTIAL."""
    st.markdown("**The fit in the units of the columns**")
    theta = plain.theta
    table = in_columns.exact(asked, fit.theta, theta)
    results.table(table, key="fit-units")
    if theta is None:
        st.caption(
            "There is no single fit without a penalty: some columns depend on others, "
            "or tell every yes from every no. What the penalty does cannot be told."
        )
        return
    kept = np.linalg.norm(fit.theta) / (np.linalg.norm(theta) or 1.0)
    flipped = _flipped(asked, fit.theta, theta)
    signs = f" The sign of {literal(flipped)} is turned around." if flipped else ""
    st.markdown(
        f"The penalty moves predictions of these {session.unit().counted} by "
        f"{_moved(asked, plain.moved)}, typically. All coefficients together are "
        f"{percent(float(kept))} as long as without it.{signs}"
    )


def _flipped(asked: ModelRequest, theta: FloatArray, plain: FloatArray) -> str:
    """Return the names of the coefficients whose sign the penalty changes.

    One that is mere rounding beside the largest has no sign.
    """
    names, least = asked.question.labels, _ROUNDING * np.abs(plain).max()
    signs = np.where(np.abs(plain) > least, np.sign(theta * plain), 0)
    turned = [name for name, sign in zip(names, signs, strict=True) if sign < 0]
    return ", ".join(f"“{name}”" for name in turned if name != "intercept")


def _moved(asked: ModelRequest, size: float) -> str:
    """Return a change of predictions in the words of the model."""
    question = asked.question
    if question.model in _NUMBERS:
        unit = question.design.target.unit
        number = size * question.design.scale(question.design.target)[1]
        return f"{significant(number, 2)}{f' {literal(unit)}' if unit else ''}"
    if question.model is ModelKind.LOGISTIC:
        return f"{significant(size, 2)} in log odds"
    return f"{percent(float(np.expm1(min(size, 50.0))))} of a count"
