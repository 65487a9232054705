"""How far off the answer to a planned question will be, from public numbers only.

It is the number that is shown before a release: the half-width of its noise, so that 95
of 100 answers, with all their numbers at once, fall within it of the table's own value.
Who happens to be in the table, if that is a sample, comes on top and costs nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache, singledispatch
from typing import Any, Final

from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.bootstrap import BootstrapPlan
from dpcore.analyses.differences import DifferencePlan
from dpcore.analyses.groups import GroupPlan
from dpcore.analyses.matrix import MatrixPlan
from dpcore.analyses.means import MeansPlan
from dpcore.analyses.measurement import Direct
from dpcore.analyses.model import ModelPlan
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.analyses.resized import PublishedPlan, RepairedPlan
from dpcore.analyses.subsampled import SubsampledPlan
from dpcore.formatting import significant
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace

_MANY: Final = 10**6
"""People enough that the error of noise of scale 1 does not span the bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Width:
    """The half-width of an answer at 95 %.

    Attributes:
        half: In ``unit``, at least 0; infinite where nothing can be said.
        unit: Empty for a share or another number without one.
        of: Of what it is one where that is not the answer alone, or why nothing can be
            said; else empty.

    """

    half: float
    unit: str = ""
    of: str = ""

    @property
    def text(self) -> str:
        """Return the half-width as it is written; places are whole, and rounded up.

        >>> Width(half=77.6, unit="ranks").text, Width(half=77.62, unit="years").text
        ('78', '77.6')
        """
        whole = self.unit == "ranks" and math.isfinite(self.half)
        return significant(math.ceil(self.half) if whole else self.half)

    @property
    def assumed(self) -> bool:
        """Tell whether it is that of a group of a size that was assumed."""
        return self.of.startswith(("a group", "the difference, if"))


def width_of(request: Releasable, *, group: int) -> Width:
    """Return the half-width of the answer to a request, the worst of several numbers.

    ``group`` is of how many people a group is meant, where the answer is a ratio of
    every group: their sizes are private.

    Raises:
        ParameterError: The request cannot be carried out.

    """
    return _width(request.plan, request, group)


@singledispatch
def _width(plan: Any, request: Releasable, group: int) -> Width:  # noqa: ANN401, ARG001 - any plan
    """Return what a plan says of its numbers, all of them at once."""
    if not isinstance(request, Request):
        return Width(half=math.inf, of="depends on the answer")
    count = len(plan.half_widths(LEVEL))
    half = float(plan.half_widths(level_of_each(count)).max())
    return Width(half=half, unit=request.quantity.of_differences)


@_width.register(Direct)
def _(plan: Direct, request: Releasable, group: int) -> Width:  # noqa: ARG001
    each = plan.half_widths(level_of_each(plan.together))
    return Width(half=float(each.max()), unit=request.quantity.of_differences)


@_width.register(GroupPlan)
def _(plan: GroupPlan, request: Releasable, group: int) -> Width:
    return Width(
        half=_of_group(plan, group),
        unit=request.quantity.of_differences,
        of=f"a group of {group:,}",
    )


def _of_group(plan: GroupPlan, group: int) -> float:
    """Return how far off the ratio of a group will be; infinite for too few people.

    That of a mean is ``min(reach / group, 1)`` times the width of the bounds, and its
    reach is that of noise of scale 1 times the scale. It does not change with epsilon.
    """
    if plan.ratio.ddof is not None:
        (half,) = plan.ratio_half_widths((group,))
        return math.inf if math.isnan(half) else float(half)
    fewest, part = _of_scale_one(replace(plan, mechanism=_one(plan.mechanism)))
    if group <= fewest * plan.mechanism.noise:
        return math.inf
    return min(part * plan.mechanism.noise / group, plan.ratio.bounds.width)


@lru_cache(maxsize=256)
def _of_scale_one(plan: GroupPlan) -> tuple[float, float]:
    """Return the fewest people that noise of scale 1 lets be told from none, and reach.

    The reach is times the width of the bounds.
    """
    (half,) = plan.ratio_half_widths((_MANY,))
    return plan.fewest, float(half) * _MANY


def _one(mechanism: Laplace | Gaussian) -> Laplace | Gaussian:
    return replace(mechanism, noise=1.0)


@_width.register(MeansPlan)
def _(plan: MeansPlan, request: Releasable, group: int) -> Width:  # noqa: ARG001
    fewest, part = _of_heights(replace(plan, mechanism=_one(plan.mechanism)))
    few = group <= fewest * plan.mechanism.noise
    return Width(
        half=math.inf if few else min(part * plan.mechanism.noise / group, 1.0),
        of=f"a group of {group:,}, as a part of each column's range",
    )


@lru_cache(maxsize=256)
def _of_heights(plan: MeansPlan) -> tuple[float, float]:
    """Return the fewest people that noise of scale 1 lets be told from none, and reach.

    The latter is that of a sum of heights between the bounds.
    """
    return plan.fewest, plan.reach


@_width.register(DifferencePlan)
def _(plan: DifferencePlan, request: Releasable, group: int) -> Width:
    half = plan.half_width((group, group))
    return Width(
        half=math.inf if math.isnan(half) else half,
        unit=request.quantity.of_differences,
        of=f"the difference, if the smaller of the two groups has {group:,}",
    )


@_width.register(ChainPlan)
def _(plan: ChainPlan, request: Releasable, group: int) -> Width:  # noqa: ARG001
    ranks = float(plan.ranks.max())
    return Width(half=ranks, unit="ranks", of="places in the sorted table")


@_width.register(RankPlan)
def _(plan: RankPlan, request: Releasable, group: int) -> Width:  # noqa: ARG001
    (ranks,) = plan.half_widths(LEVEL)
    return Width(half=float(ranks), unit="ranks", of="places in the sorted table")


@_width.register(MatrixPlan)
def _(plan: MatrixPlan, request: Releasable, group: int) -> Width:  # noqa: ARG001
    each = plan.half_widths(level_of_each(len(plan.statistic.labels)))
    parts = each / plan.release.largest
    return Width(half=float(parts.max()), of="part of the largest possible")


@_width.register(ModelPlan)
def _(plan: ModelPlan, request: Releasable, group: int) -> Width:  # noqa: ARG001
    widths = plan.half_widths
    if widths is None:
        return Width(half=math.inf, of="depends on the table")
    return Width(half=float(widths.max()), of="coefficients on the scale of the model")


@_width.register(SubsampledPlan)
def _(plan: SubsampledPlan, request: Releasable, group: int) -> Width:  # noqa: ARG001
    of = "the noise; who is sampled adds to it"
    return Width(half=plan.noise_half_width(), unit=request.quantity.of_differences, of=of)


@_width.register(BootstrapPlan)
@_width.register(RepairedPlan)
@_width.register(PublishedPlan)
def _(plan: Any, request: Releasable, group: int) -> Width:  # noqa: ANN401, ARG001
    return Width(half=math.inf, unit=request.quantity.of_differences, of="depends on who is drawn")
