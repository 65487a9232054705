"""From the parameters of a stored release back to the request that made it.

The record of a release holds all that defines its analysis. What it does not hold, the
unit of measurement and the description of a column, comes from the table in use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

from dpcore.analyses.base import REQUEST, Question, Releasable, Request
from dpcore.analyses.bootstrap import BOOTSTRAP, BootstrapRequest
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import PAIRED, DifferenceQuery
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.matrix import GROUPS, JOINT
from dpcore.analyses.means import MEANS, MeansQuery
from dpcore.analyses.model import MODEL_REQUEST, ModelRequest
from dpcore.analyses.number import QUERY, Query
from dpcore.analyses.resized import RESIZED, ResizedRequest
from dpcore.analyses.subsampled import SUBSAMPLED, SubsampledRequest
from dpcore.codec import TEXT, TRUTH, list_in, object_in
from dpcore.data.columns import Column, MissingPolicy
from dpcore.data.partitions.table import Table, TableT
from dpcore.errors import DataError, DPCoreError
from dpcore.models.loss_functions import ModelKind
from dpcore.models.question import DESIGN, MODEL, ModelQuestion
from dpcore.relations import PrivacyUnit
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN, SIZE, UNIT
from dpcore.statistics.pooled import GroupSizes

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
        question = _question(content, dataset, _unit(content, called))
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
        question = _model_question(content, dataset, _unit(content, called))
        return MODEL_REQUEST.read(parameters, question=question, draw=draw)
    except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
        raise DataError("the release cannot be traced back to a model of this table.") from None


def as_declared(request: Releasable, dataset: TableT) -> TableT:
    """Return the table with its columns declared as they were for the request."""
    return cast("TableT", dataset.with_columns(*request.asked.columns))


def column_from(content: object, dataset: Table) -> Column:
    """Return the column of a table that the parameters of a question declare.

    Raises:
        LookupError, TypeError, ValueError: It is not described, or not as it should be.
        ParameterError: The table has no such column, or its parts contradict.

    """
    declared = COLUMN.read(content)
    now = dataset.column(declared.name)
    return replace(
        declared,
        unit=now.unit,
        description=now.description,
        display_name=now.display_name,
        complete=now.complete and declared.missing is MissingPolicy.REPLACE,
    )


def columns_from(content: object, dataset: Table) -> tuple[Column, ...]:
    """Return several columns, as ``column_from``."""
    return tuple(column_from(one, dataset) for one in list_in(content))


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


def _question(content: Mapping[str, object], dataset: Table, unit: PrivacyUnit) -> Question:
    if "crossed" in content:
        return _crossed(content, dataset, unit)
    if "pair" in content:
        return _difference(content, dataset, unit)
    if content["kind"] == StatisticKind.MEANS:
        return _means(content, dataset, unit)
    group = column_from(content["group"], dataset) if "group" in content else None
    if "columns" in content:
        numbers = columns_from(content["columns"], dataset)
        groups = None if group is None else _groups(content, group)
        return JOINT.read(content, unit=unit, numbers=numbers, group=group, groups=groups)
    known = {"size": ANY_SIZE} if "moments" in content else {}
    column = column_from(content["column"], dataset)
    part = QUERY.read(content, unit=unit, column=column, **known)
    if group is None:
        return part
    # Ratios of groups by a public minimum of people are no longer asked.
    if part.kind.of_ratios and not known:
        raise LookupError
    return GroupedQuery(part=part, group=group)


def _difference(
    content: Mapping[str, object], dataset: Table, unit: PrivacyUnit
) -> DifferenceQuery:
    if content["kind"] != StatisticKind.DIFFERENCE:
        raise LookupError
    one, other = PAIRED.read(content["pair"])
    part = QUERY.read(
        {**content, "kind": StatisticKind.MEAN.value},
        unit=unit,
        column=column_from(content["column"], dataset),
        size=ANY_SIZE,
    )
    group = column_from(content["group"], dataset)
    return DifferenceQuery(part=part, group=group, pair=(one, other))


def _means(content: Mapping[str, object], dataset: Table, unit: PrivacyUnit) -> MeansQuery:
    told = MEANS.read(
        content,
        unit=unit,
        numbers=columns_from(content["columns"], dataset),
        group=column_from(content["group"], dataset),
    )
    del told["kind"]
    return MeansQuery(**told)


def _crossed(content: Mapping[str, object], dataset: Table, unit: PrivacyUnit) -> CrossedQuery:
    if content["kind"] != StatisticKind.CROSS_TABLE:
        raise LookupError
    counted = {**content, "kind": StatisticKind.HISTOGRAM.value}
    first, second = (
        QUERY.read(
            {**counted, "membership": None, "edges": axis.get("edges")},
            unit=unit,
            column=column_from(axis["column"], dataset),
        )
        for axis in map(object_in, list_in(content["crossed"]))
    )
    return CrossedQuery(first=first, second=second)


def _groups(content: Mapping[str, object], group: Column) -> GroupSizes:
    if TRUTH.read(content["labels_public"]):
        return GROUPS.read(content)
    # Private: only the sum and the number of sizes are used, and stored.
    people = SIZE.read(content["size"]).people
    return GROUPS.read(content, sizes=(people, *(0 for _ in group.labels)))


def _model_question(
    content: Mapping[str, object], dataset: Table, unit: PrivacyUnit
) -> ModelQuestion:
    design = DESIGN.read(
        content,
        target=column_from(content["target"], dataset),
        features=columns_from(content["features"], dataset),
        counts=content["model"] == ModelKind.POISSON,
    )
    asked = MODEL.read(content, unit=unit, design=design)
    # Parameters of earlier versions do not name it: their price did not cover it.
    covered = "covers_excess" in content or not asked.exchanges
    return asked if covered else replace(asked, covers_excess=False)
