"""From the parameters of a stored release back to the request that made it.

The record of a release holds all that defines its analysis. What it does not hold, the
unit of measurement and the description of a column, comes from the table in use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from dpcore.analyses.base import REQUEST, Question, Releasable, Request
from dpcore.analyses.bootstrap import BOOTSTRAP, BootstrapRequest
from dpcore.analyses.bounds import BoundsQuery
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import DifferenceQuery
from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.labels import LabelsQuery
from dpcore.analyses.marginals import MarginalsQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.means import MeansQuery
from dpcore.analyses.model import MODEL_REQUEST, ModelRequest, model_question_from
from dpcore.analyses.number import Query
from dpcore.analyses.resized import RESIZED, ResizedRequest
from dpcore.analyses.spanning_tree import SyntheticQuery
from dpcore.analyses.subsampled import SUBSAMPLED, SubsampledRequest
from dpcore.analyses.weighted import WeightedQuery
from dpcore.codec import TEXT, object_in
from dpcore.data.partitions.table import Table, TableT
from dpcore.errors import DataError, DPCoreError
from dpcore.relations import PrivacyUnit
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import UNIT

ResampledRequest = BootstrapRequest | SubsampledRequest | ResizedRequest
"""A question about one column that resamples of the table answer."""
StatisticRequest = Request | ResampledRequest
"""A question whose answer is a number or several, not a model."""


def request_from(
    parameters: Mapping[str, object],
    dataset: Table,
    *,
    draw: int = 1,
    called: PrivacyUnit | None = None,
) -> StatisticRequest:
    """Return the request with these ``parameters()``, about the columns of a table.

    Columns are as they were declared for the release, which may differ from how the
    table declares them now: read the table ``as_declared`` for the request. Of a pooled
    statistic with private labels, only the number of people and of groups is known.
    What a request does not use is as if it had not been set. ``called`` says what the
    rows are called; without it, what they were called when their key was chosen.

    Raises:
        DataError: These are not the parameters of a question about columns of this
            table; the message never quotes them.

    """
    try:
        content = object_in(parameters["query"])
        unit = _unit(content, called)
        found = (shape for name, shape in _SHAPES.items() if name in content)
        shape = next(found, Query)
        if shape is JointQuery and content["kind"] == StatisticKind.MEANS:
            shape = MeansQuery
        question = shape.read(content, dataset, unit)
        read = _reader(parameters, question)
        return read(parameters, query=question, draw=draw)
    except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
        raise DataError(
            "the release cannot be traced back to a question about this table."
        ) from None


def is_model(parameters: Mapping[str, object]) -> bool:
    """Tell whether parameters are those of a model, as a request says itself."""
    return parameters.get("kind") == "model"


def model_request_from(
    parameters: Mapping[str, object],
    dataset: Table,
    *,
    draw: int = 1,
    called: PrivacyUnit | None = None,
) -> ModelRequest:
    """Return the request with these ``parameters()``, about the columns of a table.

    Arguments as for ``request_from``.

    Raises:
        DataError: These are not the parameters of a model of columns of this table; the
            message never quotes them.

    """
    try:
        content = object_in(parameters["question"])
        question = model_question_from(content, dataset, _unit(content, called))
        return MODEL_REQUEST.read(parameters, question=question, draw=draw)
    except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
        raise DataError("the release cannot be traced back to a model of this table.") from None


def as_declared(request: Releasable, dataset: TableT) -> TableT:
    """Return the table with its columns declared as they were for the request."""
    return cast("TableT", dataset.with_columns(*request.asked.columns))


def _reader(
    parameters: Mapping[str, object], question: Question
) -> Callable[..., StatisticRequest]:
    match parameters.get("kind"), question:
        case "bootstrap", Query():
            return BOOTSTRAP.read
        case "subsampled", Query():
            return SUBSAMPLED.read
        case "resized", Query():
            return RESIZED[TEXT.read(parameters["mechanism"])].read
        case _:
            return REQUEST.read


def _unit(content: Mapping[str, object], called: PrivacyUnit | None) -> PrivacyUnit:
    """Return the unit of a stored question: its key holds no name but the first one."""
    unit = UNIT.read(content["unit"])
    return unit.called(called or PrivacyUnit(noun=unit.key))


_SHAPES: Final[dict[str, type[Question]]] = {
    "tables": MarginalsQuery,
    "crossed": CrossedQuery,
    "pair": DifferenceQuery,
    "columns": JointQuery,
    "weight": WeightedQuery,
    "group": GroupedQuery,
    "decades": BoundsQuery,
    "longest": LabelsQuery,
    "axes": SyntheticQuery,
}
"""The shape of a question by a parameter that it has; those before it come first."""
