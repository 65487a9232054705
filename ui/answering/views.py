"""What the Release page shows of a question of each shape, by the plan of its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from dpcore.analyses.base import Request
from dpcore.analyses.cross_table import CrossPlan
from dpcore.analyses.differences import DifferencePlan
from dpcore.analyses.groups import GroupPlan
from dpcore.analyses.marginals import MarginalsPlan
from dpcore.analyses.matrix import MatrixPlan
from dpcore.analyses.mean_and_spread import SpreadPlan
from dpcore.analyses.means import MeansPlan
from dpcore.analyses.measurement import Direct, Plan
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.analyses.shares import SharePlan
from dpcore.analyses.weighted import WeightedPlan
from dpcore.arrays import FloatArray
from dpcore.figures.theme import Picture
from dpcore.releases.record import Release
from ui.answering import (
    chains,
    crossed,
    groups,
    marginals,
    matrices,
    means,
    numbers,
    pair,
    ranks,
    spread,
    weighted,
)
from ui.answering.numbers import Cells


class AnswerPicture(Protocol):
    """Draws a release beside what it would be without noise."""

    def __call__(self, answer: Release, asked: Request, *, truth: FloatArray) -> Picture:
        """Return the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """What is shown of a question, before and after its release.

    Attributes:
        preview: Shows the noise before the release.
        show: Shows the answer.
        picture: Returns the picture of the answer beside the truth, for a class.
        details: Says how much one unit can move the answer.

    """

    preview: Callable[[Request, Cells], None] = numbers.preview
    show: Callable[[Release, Request], None] = numbers.show
    picture: AnswerPicture = numbers.picture
    details: Callable[[Request], str] = numbers.details


VIEWS: Final[dict[type[Plan], AnswerView]] = {
    Direct: AnswerView(),
    SharePlan: AnswerView(preview=numbers.preview_shares),
    CrossPlan: AnswerView(show=crossed.show, picture=crossed.picture),
    MarginalsPlan: AnswerView(
        preview=marginals.preview, show=marginals.show, picture=marginals.picture
    ),
    RankPlan: AnswerView(preview=ranks.preview, show=ranks.show, picture=ranks.picture),
    ChainPlan: AnswerView(
        preview=chains.preview, show=chains.show, picture=chains.picture, details=chains.details
    ),
    GroupPlan: AnswerView(
        preview=groups.preview, show=groups.show, picture=groups.picture, details=groups.details
    ),
    DifferencePlan: AnswerView(
        preview=pair.preview, show=pair.show, picture=pair.picture, details=pair.details
    ),
    MeansPlan: AnswerView(
        preview=means.preview, show=means.show, picture=means.picture, details=means.details
    ),
    WeightedPlan: AnswerView(
        preview=weighted.preview,
        show=weighted.show,
        picture=groups.picture,
        details=weighted.details,
    ),
    SpreadPlan: AnswerView(
        preview=spread.preview, show=spread.show, picture=spread.picture, details=spread.details
    ),
    MatrixPlan: AnswerView(
        preview=matrices.preview,
        show=matrices.show,
        picture=matrices.picture,
        details=matrices.details,
    ),
}


def view(asked: Request) -> AnswerView:
    """Return what is shown of a question."""
    return VIEWS[type(asked.plan)]
