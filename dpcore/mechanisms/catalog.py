"""The mechanisms that the studio offers, in the order in which it shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.boundary_inflated_geometric import BoundaryInflatedGeometric
from dpcore.mechanisms.bounded_gaussian import (
    BoundaryInflatedGaussian,
    PureTruncatedGaussian,
    TruncatedGaussian,
)
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.folded import FoldedLaplace
from dpcore.mechanisms.gaussian import Gaussian, classic, liu, one_sided, two_sided
from dpcore.mechanisms.generalized import GeneralizedGaussian
from dpcore.mechanisms.label_rounds import LabelRounds
from dpcore.mechanisms.label_selection import LabelSelection
from dpcore.mechanisms.laplace import AveragedLaplace, Laplace
from dpcore.mechanisms.limited_laplace import LimitedLaplace
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.mechanisms.truncated import TruncatedLaplace


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A mechanism on offer.

    Attributes:
        key: Its name in files and links.
        label: Its name on the screen.
        sentence: What it does, in plain words.
        calibrate: Makes it from a sensitivity, a budget and bounds.
        needs_delta: Whether it guarantees nothing at ``delta = 0``.
        bounded: Whether its releases stay within the bounds.
        releasable: Whether it has a ``secure_draw``; without one it can be studied only.
        flaw: Why its claim may fail, as a clause; empty where it holds.

    """

    key: str
    label: str
    sentence: str
    calibrate: Callable[..., Mechanism]
    needs_delta: bool = False
    bounded: bool = False
    releasable: bool = True
    flaw: str = ""

    @property
    def claim_holds(self) -> bool:
        """Return whether it gives the epsilon it is calibrated to, whatever that is."""
        return not self.flaw


CATALOG: dict[str, Entry] = {
    entry.key: entry
    for entry in (
        Entry(
            key="laplace",
            label="Laplace",
            sentence="Adds Laplace noise. Unbiased; results may lie outside the bounds.",
            calibrate=Laplace.calibrate,
        ),
        Entry(
            key="bit",
            label="BIT Laplace",
            sentence="Adds Laplace noise, then clamps the result to the bounds.",
            bounded=True,
            calibrate=BoundaryInflatedLaplace.calibrate,
        ),
        Entry(
            key="truncated",
            label="Truncated Laplace, calibrated",
            sentence="Redraws until inside the bounds, with enough noise.",
            bounded=True,
            calibrate=TruncatedLaplace.calibrate,
        ),
        Entry(
            key="truncated-published",
            label="Truncated Laplace, as published",
            sentence="Redraws until inside the bounds. Its actual cost is up to 2ε.",
            bounded=True,
            calibrate=TruncatedLaplace.calibrate_as_published,
            flaw="redrawing outside the bounds reveals the location of the value",
        ),
        Entry(
            key="folded",
            label="Folded Laplace",
            sentence="Adds Laplace noise, then reflects results at the bounds.",
            bounded=True,
            calibrate=FoldedLaplace.calibrate,
        ),
        Entry(
            key="gaussian",
            label="Gaussian (analytic)",
            sentence="Adds Gaussian noise with the exact calibration.",
            needs_delta=True,
            calibrate=Gaussian.calibrate,
        ),
        Entry(
            key="averaged",
            label="Averaged Laplace (10 draws)",
            sentence="Averages ten Laplace draws. Nearly normal, with more noise.",
            calibrate=AveragedLaplace.calibrate,
        ),
        Entry(
            key="bit-gaussian",
            label="BIT Gaussian",
            sentence="Adds Gaussian noise, then clamps the result to the bounds.",
            needs_delta=True,
            bounded=True,
            calibrate=BoundaryInflatedGaussian.calibrate,
        ),
        Entry(
            key="truncated-gaussian",
            label="Truncated Gaussian",
            sentence="Redraws until inside the bounds. Unlike Laplace, it needs no more noise.",
            needs_delta=True,
            bounded=True,
            calibrate=TruncatedGaussian.calibrate,
        ),
        Entry(
            key="limited",
            label="Limited Laplace",
            sentence="Adds Laplace noise of a limited range. With probability δ it reveals all.",
            needs_delta=True,
            calibrate=LimitedLaplace.calibrate,
        ),
        Entry(
            key="generalized",
            label="Generalized Gaussian (order 3)",
            sentence="Adds noise with thinner tails than Gaussian. For study only.",
            needs_delta=True,
            calibrate=GeneralizedGaussian.calibrate,
            releasable=False,
        ),
        Entry(
            key="gaussian-classic",
            label="Gaussian (classic rule)",
            sentence="Adds Gaussian noise by the textbook rule for ε below 1.",
            needs_delta=True,
            calibrate=classic,
            flaw="the rule is valid only for ε below 1",
        ),
        Entry(
            key="gaussian-pdp",
            label="Gaussian (Liu's pDP)",
            sentence="Adds Gaussian noise. The loss exceeds ε with probability δ at most, which "
            "is probabilistic DP (pDP).",
            needs_delta=True,
            calibrate=liu,
        ),
        Entry(
            key="gaussian-pdp-exact",
            label="Gaussian (exact pDP)",
            sentence="The same, with the smallest sufficient noise.",
            needs_delta=True,
            calibrate=two_sided,
        ),
        Entry(
            key="gaussian-pdp-one-sided",
            label="Gaussian (one-sided pDP)",
            sentence="The same, for losses above ε only.",
            needs_delta=True,
            calibrate=one_sided,
        ),
    )
}
EXPONENTIAL = Entry(
    key="exponential",
    label="Exponential mechanism",
    sentence="Chooses among evenly spaced values; values of better rank are likelier.",
    bounded=True,
    # It adds no noise to a number, so that it is not among the others.
    calibrate=cast("Callable[..., Mechanism]", Exponential.calibrate),
)
"""The only mechanism for a median or another quantile."""
LABEL_SELECTION = Entry(
    key="label-selection",
    label="Optimal partition selection",
    sentence="Adds truncated geometric noise to every count. Releases labels above a threshold.",
    needs_delta=True,
    calibrate=cast("Callable[..., Mechanism]", LabelSelection.calibrate),
)
"""The only mechanism for labels that nobody knows."""
LABEL_ROUNDS = Entry(
    key="label-rounds",
    label="DP-SIPS",
    sentence="In three rounds, adds Gaussian noise to sums of weights and releases labels above a "
    "threshold. Labels that were released leave more weight for the others.",
    needs_delta=True,
    calibrate=cast("Callable[..., Mechanism]", LabelRounds.calibrate),
)
"""The only mechanism for labels that nobody knows, in rounds."""
SPANNING_TREE = Entry(
    key="spanning-tree",
    label="MST",
    sentence="Adds noise to the counts of columns and of a privately chosen tree of pairs: "
    "Gaussian noise, or Laplace noise without a δ.",
    needs_delta=True,
    calibrate=cast("Callable[..., Mechanism]", Gaussian.calibrate),
)
"""The only mechanism for a synthetic table."""
DISCRETE = Entry(
    key="bit-discrete",
    label="BIT discrete Laplace",
    sentence="Adds whole-number Laplace noise to a count, then clamps it to the bounds.",
    bounded=True,
    calibrate=BoundaryInflatedGeometric.calibrate,
)
"""For counts only."""
STUDIED = CATALOG | {
    "bounded-gaussian": Entry(
        key="bounded-gaussian",
        label="Bounded Gaussian, pure ε",
        sentence="Redraws until inside the bounds, with enough noise for ε without δ.",
        bounded=True,
        calibrate=PureTruncatedGaussian.calibrate,
    )
}
"""What can be studied between finite bounds: one more."""
EVERY = STUDIED | {
    entry.key: entry
    for entry in (EXPONENTIAL, LABEL_SELECTION, LABEL_ROUNDS, SPANNING_TREE, DISCRETE)
}
"""All mechanisms, by key."""
