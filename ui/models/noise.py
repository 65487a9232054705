"""Controls of what a mechanism on models needs besides epsilon and delta."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from dpcore.analyses.model import MODEL_MECHANISMS, ModelRequest
from dpcore.errors import ParameterError
from dpcore.models.question import ModelQuestion
from ui import controls, session
from ui.text import literal

_USUAL_GAMMA: Final = {"output": 100.0, "output-public": 100.0, "objective": 1.0}


def released(question: ModelQuestion, key: str, epsilon: float, delta: float) -> ModelRequest:
    """Ask for what the mechanism needs besides, and return the request."""
    left, right = controls.row(2)
    samples, share, matrix = 1, 0.5, None
    if key == "posterior":
        samples = left.number(
            "Number of samples",
            1,
            (1, 100),
            key="samples",
            kept="table",
            note="Several samples show how uncertain the posterior is; each is less "
            "precise, for the same price.",
        )
    if key == "adaptive":
        share = left.slider(
            "Part of ε for the first look",
            0.5,
            (0.05, 0.95),
            key="share",
            kept="table",
            note="The mechanism first measures how well the table determines the "
            "coefficients (the smallest eigenvalue of XᵀX), and draws them with the "
            "rest of ε.",
        )
    if key == "output-public":
        matrix = _matrix(question, left)
    free = question.model not in MODEL_MECHANISMS[key].guaranteed
    gamma = _gamma(right, key, free=free) if key != "adaptive" else None
    return ModelRequest(
        question=question,
        mechanism_key=key,
        epsilon=epsilon,
        delta=delta,
        gamma=gamma,
        samples=samples,
        matrix=matrix,
        share=share,
    )


def _gamma(cell: controls.Cell, key: str, *, free: bool) -> float | None:
    """Return the precision, ``None`` where ε and δ determine it."""
    if not free and not cell.checkbox(
        "Set the precision instead of ε",
        key="own-gamma",
        kept="table",
        note="The privacy cost is then that of this precision.",
    ):
        return None
    return cell.charged(
        "Precision γ",
        _USUAL_GAMMA.get(key, 1.0),
        (1e-12, 1e12),
        key=f"gamma-{key}",
        kept="table",
        note="One over the variance of the noise, in the unit of the mechanism.",
    ).inside


def _matrix(question: ModelQuestion, cell: controls.Cell) -> tuple[tuple[float, ...], ...]:
    """Return a public diagonal matrix with an entry for each coefficient."""
    names = question.labels
    text = cell.place.text_input(
        "Public precision of each coefficient",
        " ".join("1" for _ in names),
        key=f"precisions-{session.generation()}-{len(names)}",
        persist_state="session",
        help=f"A number for each, separated by spaces: {literal(', '.join(names))}. "
        "Larger means less noise on it. They must not be read from this table.",
    )
    try:
        numbers = [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) != len(names) or not all(0 < n < math.inf for n in numbers):
        raise ParameterError(
            f"the public precisions must be {len(names)} positive numbers, separated by spaces."
        )
    return tuple(tuple(row) for row in np.diag(numbers).tolist())
