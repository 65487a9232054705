"""Study 2 beside a loop of scalar draws: ``python -m benchmarks.studies``.

The loop releases the same samples with the same procedures and scales, one number at a
time. It draws with diffprivlib's bounded mechanisms where that is installed, else with
the same algorithms in plain Python (redraw until inside; clamp).
"""

from __future__ import annotations

import math
import random
import time
from typing import TYPE_CHECKING

import numpy as np

from dpcore.studies.proportion_design import Design
from dpcore.studies.proportion_study import run_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.inference.universal_histogram import Tree

    Draw = Callable[[float, float, float], float]

try:
    from diffprivlib.mechanisms import LaplaceTruncated
except ImportError:
    LaplaceTruncated = None

_SEED = 1


def main() -> None:
    """Run the default study both ways in one process, and print the ratio."""
    design = Design()
    run_all(design, rng=np.random.default_rng(_SEED))
    begun = time.perf_counter()
    run_all(design, rng=np.random.default_rng(_SEED))
    ours = time.perf_counter() - begun
    begun = time.perf_counter()
    draws = _loop(design)
    theirs = time.perf_counter() - begun
    peer = "plain Python" if LaplaceTruncated is None else "diffprivlib (clamped part)"
    print(f"study 2, vectorized, with all its results: {ours:.3f} s")
    print(f"{draws:,} scalar draws, {peer}, releases only: {theirs:.3f} s")
    print(f"ratio: {theirs / ours:.0f}")


def _loop(design: Design) -> int:
    """Draw every release of the study, one number after another; return how many."""
    rng = np.random.default_rng(_SEED)
    tree = design.tree
    draws = 0
    for people in design.people:
        counts = rng.multinomial(people, design.shares, design.repetitions)
        samples = (counts / people).tolist()
        for epsilon in design.epsilons:
            flat = 1 / (people * epsilon)
            for draw in (_truncated, _clamped):
                for sample in samples:
                    draws += _release(sample, flat, draw, design, tree)
    return draws


def _release(
    sample: list[float], flat: float, draw: Draw, design: Design, tree: Tree
) -> int:
    noisy = [draw(share, flat, 1.0) for share in sample]
    _rescaled(noisy)
    orders = (design.sequence, design.sequence[::-1])
    for order in orders:
        left = 1.0
        for cell in order[:-1]:
            left = max(left - draw(sample[cell], flat, left), 0.0)
    nodes = [draw(node, tree.depth * flat, 1.0) for node in tree.sums(sample).tolist()]
    for _ in range(design.sets):
        _rescaled([draw(share, design.sets * flat, 1.0) for share in sample])
    return len(noisy) * (1 + design.sets) + 2 * (len(noisy) - 1) + len(nodes)


def _rescaled(noisy: list[float]) -> list[float]:
    total = sum(noisy)
    return [part / total for part in noisy] if total > 0 else noisy


def _laplace(scale: float) -> float:
    u = random.random() - 0.5  # noqa: S311 - a simulation
    return -math.copysign(scale * math.log1p(-2 * abs(u)), u)


def _truncated(value: float, scale: float, upper: float) -> float:
    value = min(value, upper)
    if upper == 0:
        return 0.0
    while True:
        drawn = value + _laplace(scale)
        if 0 <= drawn <= upper:
            return drawn


def _clamped(value: float, scale: float, upper: float) -> float:
    if LaplaceTruncated is None:
        return min(max(value + _laplace(scale), 0.0), upper)
    # Sensitivity 1 at epsilon 1/scale is the scale; values are clamped to the bounds.
    mechanism = LaplaceTruncated(
        epsilon=1.0, delta=0.0, sensitivity=scale, lower=0.0, upper=upper
    )
    return float(mechanism.randomise(value))


if __name__ == "__main__":
    main()
