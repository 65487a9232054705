"""From the parameters of a stored release back to the request that made it.

The record of a release holds all that defines its analysis. What it does not hold, the
unit of measurement and the description of a column, comes from the table in use.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.errors import DataError, DPCoreError
from dpcore.mechanisms.resized import bootstrap as resized_bootstrap
from dpcore.mechanisms.resized import repair as resized_repair
from dpcore.privacy.bootstrap.bounds import Bound
from dpcore.privacy.bootstrap.calibration import Correction
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.bootstrap_request import BootstrapRequest
from dpcore.releases.constraints import Constraint, ConstraintKind
from dpcore.releases.reading import (
    list_in,
    number_in,
    object_in,
    text_in,
    truth_in,
    whole_in,
)
from dpcore.releases.request import Request
from dpcore.releases.resized_request import Form, ResizedRequest
from dpcore.releases.subsampled_request import SubsampledRequest
from dpcore.statistics.grouped_query import ANY_SIZE, GroupedQuery
from dpcore.statistics.groups import GroupSizes
from dpcore.statistics.joint_query import JointQuery
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.membership import Membership
from dpcore.statistics.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpcore.data.dataset import Dataset
    from dpcore.releases.model_request import ModelRequest
    from dpcore.statistics.question import Question


ResampledRequest = BootstrapRequest | SubsampledRequest | ResizedRequest
"""A question about one column that resamples of the table answer."""
StatisticRequest = Request | ResampledRequest
"""A question whose answer is a number or several, not a model."""


def request_from(
    parameters: Mapping[str, object], dataset: Dataset, *, draw: int = 1
) -> StatisticRequest:
    """Return the request with these ``parameters()``, about the columns of a table.

    Columns are as they were declared for the release, which may differ from how the
    table declares them now: read the table ``as_declared`` for the request. Of a pooled
    statistic with private labels, only the number of people and of groups is known.
    What a request does not use is as if it had not been set.

    Args:
        parameters: As ``parameters`` of a request returns them, and JSON keeps them.
        dataset: The table of the release.
        draw: The how-manieth draw the release was.

    Raises:
        DataError: These are not the parameters of a question about columns of this
            table; the message never quotes them.

    """
    try:
        read = _RESAMPLED.get(parameters.get("kind"))
        if read is not None:
            question = _question(object_in(parameters["query"]), dataset)
            return read(parameters, question, draw)
        constraint, weights = parameters.get("constraint"), parameters.get("weights")
        return Request(
            query=_question(object_in(parameters["query"]), dataset),
            mechanism_key=text_in(parameters["mechanism"]),
            epsilon=number_in(parameters["epsilon"]),
            delta=number_in(parameters["delta"]),
            draw=draw,
            constraint=None if constraint is None else _constraint(constraint),
            weights=None
            if weights is None
            else tuple(number_in(weight) for weight in list_in(weights)),
        )
    except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
        message = "the release cannot be traced back to a question about this table."
        raise DataError(message) from None


def as_declared(request: StatisticRequest | ModelRequest, dataset: Dataset) -> Dataset:
    """Return the table with its columns declared as they were for the request."""
    asked = request.query if isinstance(request, StatisticRequest) else request.question
    return dataset.with_columns(*asked.columns)


def _bootstrap(
    parameters: Mapping[str, object], question: Question, draw: int
) -> BootstrapRequest:
    bound = parameters["bound"]
    known = {} if bound is None else {"bound": Bound(text_in(bound))}
    return BootstrapRequest(
        query=_of_one(question),
        rho=number_in(parameters["rho"]),
        delta=number_in(parameters["delta"]),
        times=whole_in(parameters["times"]),
        correction=Correction(text_in(parameters["correction"])),
        draw=draw,
        **known,
    )


def _subsampled(
    parameters: Mapping[str, object], question: Question, draw: int
) -> SubsampledRequest:
    scheme, _, law = text_in(parameters["mechanism"]).partition("-")
    if scheme != "subsampled":
        raise ValueError
    people = parameters["people"]
    return SubsampledRequest(
        query=_of_one(question),
        law=law,
        epsilon=number_in(parameters["epsilon"]),
        delta=number_in(parameters["delta"]),
        share=number_in(parameters["share"]),
        people=None if people is None else whole_in(people),
        draw=draw,
    )


def _resized(
    parameters: Mapping[str, object], question: Question, draw: int
) -> ResizedRequest:
    form = _FORMS[text_in(parameters["mechanism"])]
    known = _guarantee(parameters) if form is Form.REPAIRED else {}
    return ResizedRequest(
        query=_of_one(question),
        draws=whole_in(parameters["draws"]),
        form=form,
        draw=draw,
        **known,
    )


def _of_one(question: Question) -> Query:
    if not isinstance(question, Query):
        raise TypeError
    return question


def _guarantee(parameters: Mapping[str, object]) -> dict[str, float]:
    return {name: number_in(parameters[name]) for name in ("epsilon", "delta")}


_FORMS: Final = {
    resized_bootstrap.KEY: Form.PUBLISHED,
    resized_repair.KEY: Form.REPAIRED,
}
_RESAMPLED: Final[Mapping[object, Callable[..., ResampledRequest]]] = {
    "bootstrap": _bootstrap,
    "subsampled": _subsampled,
    "resized": _resized,
}


def _question(content: Mapping[str, object], dataset: Dataset) -> Question:
    kind = StatisticKind(text_in(content["kind"]))
    relation = NeighboringRelation(text_in(content["relation"]))
    unit, size = unit_from(content["unit"]), _size(content)
    group = None if "group" not in content else column_from(content["group"], dataset)
    if "columns" in content:
        return JointQuery(
            kind=kind,
            numbers=tuple(
                column_from(one, dataset) for one in list_in(content["columns"])
            ),
            relation=relation,
            unit=unit,
            size=size,
            group=group,
            groups=None if group is None else _groups(content, group, size),
        )
    edges, q = content["edges"], content.get("q")
    query = Query(
        kind=kind,
        column=column_from(content["column"], dataset),
        relation=relation,
        unit=unit,
        size=size,
        membership=_membership(content["membership"]),
        edges=None
        if edges is None
        else tuple(number_in(edge) for edge in list_in(edges)),
        q=None if q is None else number_in(q),
    )
    if group is None:
        return query
    # Ratios of groups by a public minimum of people are no longer asked.
    if kind.of_ratios and "moments" not in content:
        raise LookupError
    return GroupedQuery(part=query, group=group)


def _size(content: Mapping[str, object]) -> TableSize:
    if "moments" in content:
        return ANY_SIZE
    parts = object_in(content["size"])
    return TableSize(people=whole_in(parts["people"]), public=truth_in(parts["public"]))


def unit_from(content: object) -> PrivacyUnit:
    """Return whom a guarantee protects, as the parameters of a question say.

    Raises:
        LookupError, TypeError: They do not.
        ParameterError: No unit owns so few rows.

    """
    parts = object_in(content)
    return PrivacyUnit(noun=text_in(parts["noun"]), rows=whole_in(parts["rows"]))


def column_from(content: object, dataset: Dataset) -> Column:
    """Return the column of a table that ``column_parameters`` described.

    Raises:
        LookupError, TypeError, ValueError: It is not described, or not as it should be.
        ParameterError: The table has no such column, or its parts contradict.

    """
    declared = declared_column(content)
    now = dataset.column(declared.name)
    return replace(declared, unit=now.unit, description=now.description)


def declared_column(content: object) -> Column:
    """Return the column that ``column_parameters`` described, without its unit.

    Raises:
        LookupError, TypeError, ValueError: It is not described, or not as it should be.
        ParameterError: Its parts contradict.

    """
    parts = object_in(content)
    replacement = parts["replacement"]
    return Column(
        name=text_in(parts["name"]),
        kind=ColumnKind(text_in(parts["kind"])),
        bounds=_interval(parts["bounds"]),
        labels=tuple(text_in(label) for label in list_in(parts["labels"])),
        missing=MissingPolicy(text_in(parts["missing"])),
        replacement=replacement
        if replacement is None or isinstance(replacement, str)
        else number_in(replacement),
    )


def _interval(content: object) -> Interval | None:
    if content is None:
        return None
    lower, upper = list_in(content)
    return Interval(
        lower=-math.inf if lower is None else number_in(lower),
        upper=math.inf if upper is None else number_in(upper),
    )


def _membership(content: object) -> Membership | None:
    if content is None:
        return None
    parts = object_in(content)
    label = parts.get("label")
    return Membership(
        label=None if label is None else text_in(label),
        interval=_interval(parts.get("interval")),
    )


def _groups(
    content: Mapping[str, object], group: Column, size: TableSize
) -> GroupSizes:
    if truth_in(content["labels_public"]):
        sizes = tuple(whole_in(one) for one in list_in(content["sizes"]))
        return GroupSizes(sizes=sizes)
    # Private: only the sum and the number of sizes are used, and stored.
    sizes = (size.people, *(0 for _ in group.labels))
    return GroupSizes(sizes=sizes, labels_public=False)


def _constraint(content: object) -> Constraint:
    parts = object_in(content)
    remainder, branching = parts["remainder"], parts["branching"]
    known = {} if branching is None else {"branching": whole_in(branching)}
    return Constraint(
        kind=ConstraintKind(text_in(parts["kind"])),
        remainder=None if remainder is None else whole_in(remainder),
        syntheses=whole_in(parts["syntheses"]),
        **known,
    )
