"""From the parameters of a released model back to the request that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.errors import DataError, DPCoreError
from dpcore.models.design import Design, UnitRows
from dpcore.models.kinds import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.relations import NeighboringRelation
from dpcore.releases.model_request import ModelRequest
from dpcore.releases.reading import (
    list_in,
    number_in,
    object_in,
    text_in,
    truth_in,
    whole_in,
)
from dpcore.releases.rebuilding import column_from, unit_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpcore.data.dataset import Dataset


def is_model(parameters: Mapping[str, object]) -> bool:
    """Tell whether parameters are those of a model, as a request says itself."""
    return parameters.get("kind") == "model"


def model_request_from(
    parameters: Mapping[str, object], dataset: Dataset, *, draw: int = 1
) -> ModelRequest:
    """Return the request with these ``parameters()``, about the columns of a table.

    Arguments as for ``rebuilding.request_from``.

    Raises:
        DataError: These are not the parameters of a model of columns of this table; the
            message never quotes them.

    """
    try:
        gamma, matrix = parameters["gamma"], parameters["matrix"]
        share = parameters["share"]
        known = {} if share is None else {"share": number_in(share)}
        return ModelRequest(
            question=_question(object_in(parameters["question"]), dataset),
            mechanism_key=text_in(parameters["mechanism"]),
            epsilon=number_in(parameters["epsilon"]),
            delta=number_in(parameters["delta"]),
            draw=draw,
            gamma=None if gamma is None else number_in(gamma),
            samples=whole_in(parameters["samples"]),
            matrix=None
            if matrix is None
            else tuple(
                tuple(number_in(number) for number in list_in(row))
                for row in list_in(matrix)
            ),
            **known,
        )
    except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
        message = "the release cannot be traced back to a model of this table."
        raise DataError(message) from None


def _question(content: Mapping[str, object], dataset: Dataset) -> ModelQuestion:
    model = ModelKind(text_in(content["model"]))
    penalty, threshold = object_in(content["penalty"]), content["threshold"]
    # Older records have neither.
    origin, apart = content.get("origin"), content.get("others_apart", False)
    return ModelQuestion(
        design=Design(
            target=column_from(content["target"], dataset),
            features=tuple(
                column_from(feature, dataset)
                for feature in list_in(content["features"])
            ),
            intercept=truth_in(content["intercept"]),
            counts=model is ModelKind.POISSON,
            unit_rows=UnitRows(text_in(content["unit_rows"])),
            origin=None if origin is None else number_in(origin),
            others_apart=truth_in(apart),
        ),
        model=model,
        penalty=Penalty(
            strength=number_in(penalty["strength"]),
            spares_first=truth_in(penalty["spares_first"]),
            per_person=truth_in(penalty["per_person"]),
        ),
        relation=NeighboringRelation(text_in(content["relation"])),
        unit=unit_from(content["unit"]),
        most_people=whole_in(content["most_people"]),
        threshold=None if threshold is None else number_in(threshold),
    )
