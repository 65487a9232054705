"""Labels that DP-SIPS would find, and the present rule: ``python -m benchmarks.label_rounds``.

DP-SIPS (Swanberg, Desfontaines and Haney 2023) repeats a noisy threshold, removes the labels
that were released, and spends more in each round. A person with ``t`` labels left adds
``1 / √t`` to each, so that Gaussian noise of scale ``σ`` and the threshold
``max_t (1 / √t + σ Φ^-1((1 - δ)^(1 / t)))`` (Gopi et al. 2020) make a round. Rounds of
``μ_i`` are one of ``√(sum μ_i^2)``. Half of δ is for the thresholds. The relation is
add/remove, and each person has up to ``k`` labels of a Zipf law.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.label_selection import LabelSelection
from dpcore.mechanisms.mechanism import Sensitivity

_EPSILON: Final = 1.0
_DELTA: Final = 1e-6
_PEOPLE: Final = 20_000
_LABELS: Final = 5_000
_TABLES: Final = 5
_SHARES: Final = (0.05, 0.15, 0.8)
"""Parts of the squared level of Gaussian DP, and of δ, for each round."""


def main() -> None:
    """Print the mean number of labels that both find, by the exponent and by ``k``."""
    rng = np.random.default_rng(1)
    for exponent in (1.0, 1.5):
        for most in (1, 3, 10, 30):
            tables = [table(exponent, most, rng) for _ in range(_TABLES)]
            rule = LabelSelection.calibrate(epsilon=_EPSILON, delta=_DELTA, changes=most)
            now = [rule.released(np.bincount(one[1])).sum() for one in tables]
            rounds = [found(one[0], one[1], most, rng) for one in tables]
            print(f"Zipf {exponent}, up to {most}: {np.mean(now):.0f}, {np.mean(rounds):.0f}")


def table(exponent: float, most: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the people and their labels, shape ``(2, n)``, each pair once."""
    often: FloatArray = 1 / np.arange(1, _LABELS + 1) ** exponent
    who = np.repeat(np.arange(_PEOPLE), rng.integers(1, most + 1, _PEOPLE))
    labels = rng.choice(_LABELS, size=len(who), p=often / often.sum())
    return np.unique(np.stack([who, labels]), axis=1)


def found(
    who: NDArray[np.intp], labels: NDArray[np.intp], most: int, rng: np.random.Generator
) -> int:
    """Return how many labels the rounds of DP-SIPS release."""
    whole = Gaussian.calibrate(
        sensitivity=Sensitivity.scalar(1.0),
        epsilon=_EPSILON,
        delta=_DELTA / 2,
        bounds=Interval(lower=0.0, upper=np.inf),
    ).noise
    released = np.zeros(_LABELS, dtype=bool)
    left = np.arange(1, most + 1)
    for share in _SHARES:
        scale = whole / np.sqrt(share)
        each = -np.expm1(np.log1p(-share * _DELTA / 2) / left)
        threshold = (1 / np.sqrt(left) - scale * ndtri(each)).max()
        weights = 1 / np.sqrt(np.bincount(who, minlength=_PEOPLE))[who]
        noisy = np.bincount(labels, weights=weights, minlength=_LABELS)
        noisy[noisy > 0] += rng.normal(scale=scale, size=np.count_nonzero(noisy))
        released |= noisy > threshold
        kept = ~released[labels]
        who, labels = who[kept], labels[kept]
    return int(released.sum())


if __name__ == "__main__":
    main()
