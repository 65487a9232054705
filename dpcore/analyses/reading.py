"""From the parameters of a stored release back to the request that made it.

The record of a release holds all that defines its analysis. What it does not hold, the
unit of measurement and the description of a column, comes from the table in use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from dpcore import analyses
from dpcore.analyses.base import REQUEST, Question, Releasable, Request
from dpcore.analyses.bootstrap import BOOTSTRAP, BootstrapRequest
from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.model import MODEL_REQUEST, ModelRequest, model_question_from
from dpcore.analyses.number import Query
from dpcore.analyses.resized import RESIZED, ResizedRequest
from dpcore.analyses.subsampled import SUBSAMPLED, SubsampledRequest
from dpcore.codec import TEXT, object_in
from dpcore.data.dataset import DescribedTable
from dpcore.data.partitions.table import TableT
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
    dataset: DescribedTable,
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
        question = shape_of(content).read(content, dataset, _unit(content, called))
        read = _reader(parameters, question)
        return read(parameters, query=question, draw=draw)
    except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
        raise DataError(
            "the release cannot be traced back to a question about this table."
        ) from None


def shape_of(content: Mapping[str, object]) -> type[Question]:
    """Return the class of the question that its ``parameters()`` describe.

    Raises:
        LookupError, ValueError: They have no kind that is known.

    """
    usual = GroupedQuery if "group" in content else Query
    return _shapes().get(StatisticKind(str(content["kind"])), usual)


@lru_cache(maxsize=1)
def _shapes() -> dict[StatisticKind, type[Question]]:
    """Return the class of each kind that has one of its own: files here say which are theirs."""
    names = (one.name for one in iter_modules(analyses.__path__, f"{analyses.__name__}."))
    return {
        kind: shape
        for name in names
        for shape in vars(import_module(name)).values()
        if isinstance(shape, type) and issubclass(shape, Question)
        for kind in shape.kinds
    }


def is_model(parameters: Mapping[str, object]) -> bool:
    """Tell whether parameters are those of a model, as a request says itself."""
    return parameters.get("kind") == "model"


def model_request_from(
    parameters: Mapping[str, object],
    dataset: DescribedTable,
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
