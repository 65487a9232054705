"""The two studies beside loops of scalar draws: ``python -m benchmarks.studies``.

The loops make the same draws as the studies, at the same scales and between the same
bounds, one number after another and nothing else: no post-processing, no intervals, no
summaries. They are run on a part of the repetitions, and their time is scaled up.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable

import numpy as np

from benchmarks.peers import Bounded, Diffprivlib, Plain, peers
from benchmarks.timing import median
from dpcore.studies import covariance_study, proportion_study
from dpcore.studies.covariance_study import CovarianceDesign
from dpcore.studies.proportion_study import ProportionDesign

_SEED, _RUNS = 1, 9
# One in ten repetitions of either study is drawn one by one.
_PART, _TIMES = 50, 10


def main() -> None:
    """Run both default studies both ways in one process, and print the ratios."""
    covariances, proportions = CovarianceDesign(), ProportionDesign()
    steps: dict[str, Callable[[], object]] = {
        "study 1": lambda: tuple(covariance_study.run(covariances, _rng())),
        "study 2": lambda: tuple(proportion_study.run(proportions, rng=_rng())),
    }
    ours = {name: median(step, _RUNS, clock=time.process_time) for name, step in steps.items()}
    for name, seconds in ours.items():
        print(f"{name}: {seconds:.3f} s (load {os.getloadavg()[0]:.1f})")
    for peer in peers():
        _compare(peer, "study 1", _covariances(covariances, peer), ours)
        _compare(peer, "study 2", _proportions(proportions, peer), ours)


def _rng() -> np.random.Generator:
    return np.random.default_rng(_SEED)


def _compare(
    peer: Plain | Diffprivlib, study: str, loop: Iterable[int], ours: dict[str, float]
) -> None:
    begun = time.process_time()
    draws = _TIMES * sum(loop)
    theirs = _TIMES * (time.process_time() - begun)
    ratios = ", ".join(
        f"{theirs / seconds:.0f} times {name}"
        for name, seconds in ours.items()
        if name.startswith(study)
    )
    print(f"{draws:,} draws one by one, {peer.name}: {theirs:.1f} s, {ratios}")


def _covariances(design: CovarianceDesign, peer: Plain | Diffprivlib) -> Iterable[int]:
    """Release matrices one number after another; yield how many numbers."""
    for scenario in design.scenarios:
        release = design.release(scenario.key, scenario.people)
        truth = design.truth(scenario.correlation).tolist()
        bounded = peer.clamped if scenario.key == "bit" else peer.truncated
        tops = release.largest.tolist()
        variances = [
            bounded(release.step(j, tops[j]).mechanism.noise, 0.0, tops[j]) for j in (0, 1)
        ]
        reaches = []
        for _ in range(_PART):
            first, second = (draw(value) for draw, value in zip(variances, truth, strict=False))
            reaches.append(math.sqrt(first * second))
            yield 2
        # All scales at once: the loop is not to wait for them.
        scales = release.covariance_scales(2, np.array(reaches)).tolist()
        for noise, reach in zip(scales, reaches, strict=True):
            bounded(noise, -reach, reach)(truth[2])
            yield 1


def _proportions(design: ProportionDesign, peer: Plain | Diffprivlib) -> Iterable[int]:
    """Release shares one number after another; yield how many numbers."""
    rng = _rng()
    for people in design.people:
        counts = rng.multinomial(people, design.shares, _PART)
        samples = (counts / people).tolist()
        for epsilon in design.epsilons:
            flat = 1 / (people * epsilon)
            for bounded in (peer.truncated, peer.clamped):
                yield from _shares(samples, flat, bounded, design)


def _shares(
    samples: list[list[float]], flat: float, bounded: Bounded, design: ProportionDesign
) -> Iterable[int]:
    tree = design.tree
    alone = bounded(flat, 0.0, 1.0)
    layered = bounded(tree.depth * flat, 0.0, 1.0)
    part = bounded(design.sets * flat, 0.0, 1.0)
    for sample in samples:
        draws = [alone(share) for share in sample]
        for order in (design.sequence, design.sequence[::-1]):
            left = 1.0
            for cell in order[:-1]:
                drawn = bounded(flat, 0.0, left)(sample[cell])
                draws.append(drawn)
                left = max(left - drawn, 0.0)
        draws += [layered(node) for node in tree.sums(sample).tolist()]
        draws += [part(share) for _ in range(design.sets) for share in sample]
        yield len(draws)


if __name__ == "__main__":
    main()
