"""From the parameters of a released model back to the request that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.codec import object_in
from dpcore.errors import DataError, DPCoreError
from dpcore.models.kinds import ModelKind
from dpcore.models.question import DESIGN, MODEL
from dpcore.releases.model_request import MODEL_REQUEST
from dpcore.releases.rebuilding import column_from, columns_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpcore.data.dataset import Dataset
    from dpcore.models.question import ModelQuestion
    from dpcore.releases.model_request import ModelRequest


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
        question = _question(object_in(parameters["question"]), dataset)
        return MODEL_REQUEST.read(parameters, question=question, draw=draw)
    except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
        message = "the release cannot be traced back to a model of this table."
        raise DataError(message) from None


def _question(content: Mapping[str, object], dataset: Dataset) -> ModelQuestion:
    design = DESIGN.read(
        content,
        target=column_from(content["target"], dataset),
        features=columns_from(content["features"], dataset),
        counts=content["model"] == ModelKind.POISSON,
    )
    return MODEL.read(content, design=design)
