"""Everybody's loss under a regression: ``python -m benchmarks.models``.

Beside it the time that reading the table from memory twice takes, which nothing that
looks at every person twice can beat, and the time of refitting the model without each
person, measured on a few and scaled up.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import median
from dpcore.models import leverage_and_residual
from dpcore.models.influence import Influence
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import removals

_PEOPLE, _FEATURES, _RUNS, _REFITS = 1_000_000, 20, 5, 3
_DELTA = 1e-6


def main() -> None:
    """Measure each step in one process, and print it."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (_PEOPLE, _FEATURES)) / np.sqrt(_FEATURES)
    y = np.clip(x @ rng.normal(size=_FEATURES) + 0.1 * rng.normal(size=_PEOPLE), -1, 1)
    table = x.nbytes + y.nbytes
    before = _resident()
    penalty = Penalty(strength=1.0)
    fit = fit_ridge(x, y, penalty=penalty)
    found = removals(fit)
    noise = NoisyFit(gamma=1.0)
    steps: dict[str, Callable[[], object]] = {
        "two reads of the table": lambda: float(x.sum() + x.max()),
        "fit and all sensitivities": lambda: removals(fit_ridge(x, y, penalty=penalty)),
        "all epsilons, output perturbation": lambda: noise.losses(
            Influence.of_moves(found.move), delta=_DELTA
        ),
        "all epsilons, posterior sample": lambda: leverage_and_residual.epsilon_of(
            found.outside, np.abs(found.residual), _DELTA
        ),
    }
    print(f"regression of {_PEOPLE:,} people on {_FEATURES} features")
    took = {name: median(step, _RUNS) for name, step in steps.items()}
    reads = took["two reads of the table"]
    for name, seconds in took.items():
        print(
            f"{name}: {seconds:.3f} s, ratio {seconds / reads:.1f} (load {os.getloadavg()[0]:.1f})",
            flush=True,
        )
    peak = (_resident() - before) / table
    print(f"memory above the table at the peak: {peak:.2f} x the table")
    begun = time.perf_counter()
    for person in range(_REFITS):
        fit.refit(np.array([person]))
    naive = (time.perf_counter() - begun) / _REFITS * _PEOPLE
    ours = took["fit and all sensitivities"]
    print(
        f"refitting without each person: {naive / 86400:.1f} days, {naive / ours:,.0f} "
        "times as long"
    )


def _resident() -> int:
    """Return the most memory that the process has had so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
