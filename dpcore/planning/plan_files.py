"""A plan as JSON, and back: to be kept with its account, handed on, and loaded.

It holds what the parameters of its questions hold, names of columns and public bounds
included, and nothing that was computed from a table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.reading import is_model, model_request_from, request_from
from dpcore.codec import (
    NUMBER,
    OBJECT,
    TEXT,
    TRUTH,
    WHOLE,
    FieldError,
    Part,
    Schema,
    choice,
    if_any,
    list_in,
    object_in,
    optional,
    parsed,
    since,
)
from dpcore.data.partitions.table import Table
from dpcore.errors import DataError, DPCoreError, ParameterError
from dpcore.ledger.store import LARGEST
from dpcore.planning.analysis_plan import MOST_ITEMS, AnalysisPlan, PlannedQuery, Split
from dpcore.relations import PrivacyUnit
from dpcore.statistics.parameters import NAMES

FORMAT: Final = "epsilon-studio plan"
VERSION: Final = 1
_SHARPER: Final = (
    "an answer cannot be sharpened in a plan. Sharpen it below the earlier answer on Release."
)
_REPAIR: Final = "Correct the file, or download the plan again."
_LONGEST_FIELD: Final = 40
_WRONG = (LookupError, TypeError, ValueError, ArithmeticError, RecursionError)

_ITEM: Final = Schema(
    PlannedQuery, name=TEXT, weight=NUMBER, locked=TRUTH, wanted=optional(NUMBER), group=WHOLE
)
_ASSUMED: Final[Schema[Any]] = Schema(
    dict,
    mean_weight=if_any(
        NUMBER, of=lambda item: getattr(getattr(item.request, "query", None), "mean_weight", None)
    ),
)
"""What margins of error assume, which is no part of a question."""
_ENTRY: Final[Schema[dict[str, Any]]] = Schema(dict, name=TEXT, request=OBJECT)
_ITEMS: Final = ("items",)
_PRICE: Final[Schema[dict[str, Any]]] = Schema(
    dict, mechanism=since(TEXT), epsilon=since(NUMBER), delta=since(NUMBER), rho=since(NUMBER)
)
"""What every request says of its price; all else is about columns of the table."""
_PRICE_OF: Final[Schema[dict[str, Any]]] = Schema(dict, request=_PRICE)
_BASKET: Final = Schema(
    AnalysisPlan,
    total=NUMBER,
    delta=NUMBER,
    split=Part(codec=choice(Split)),
    follows_budget=if_any(TRUTH, of=lambda basket: basket.follows_budget or None),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A plan that was read.

    Attributes:
        basket: The plan, of the questions that this table can be asked.
        lost: Names of the others: a column went away, or is of another kind.

    """

    basket: AnalysisPlan
    lost: tuple[str, ...] = ()


def to_json(basket: AnalysisPlan) -> str:
    """Return a plan as text; ``from_json`` makes the same plan of it.

    Raises:
        ParameterError: It holds a number that JSON cannot hold.

    """
    unit = next((item.request.unit for item in basket.items), PrivacyUnit())
    content = {
        "format": FORMAT,
        "version": VERSION,
        **_BASKET.write(basket),
        **({"row": NAMES.write(unit)} if unit.is_named else {}),
        "items": [
            {**_ITEM.write(item), **_ASSUMED.write(item), "request": item.request.parameters()}
            | ({} if item.own_name else {"titled": True})
            for item in basket.items
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str | bytes, dataset: Table, called: PrivacyUnit | None = None) -> Loaded:
    """Return the plan of a text, about the columns of a table.

    ``called`` has the name that the rows of the table have now; without it they keep
    that of the plan. A question whose name is its title is named by that of now.

    Raises:
        DataError: It is no plan, or a field has a value that it cannot have; the
            message names the field and never quotes a value.

    """
    try:
        if len(text) > LARGEST:
            raise ValueError
        # Of any other file not even the names of its fields are quoted.
        content = object_in(json.loads(text))
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError
        content = parsed(text)
        basket = _BASKET.read(content)
        row = content.get("row")
        then = None if row is None else NAMES.read(row)
        read = partial(_request, dataset=dataset)
        return _filled(
            basket,
            list_in(content["items"]),
            partial(read, called=then),
            partial(read, called=called or then),
        )
    except FieldError as error:
        message = f"the plan cannot be read. {_field(error)}. {_REPAIR}"
    except ParameterError as error:
        message = f"the plan cannot be read: {error} {_REPAIR}"
    except (*_WRONG, DPCoreError):
        message = "this is no plan that this version of the studio has written."
    raise DataError(message)


def _field(error: FieldError) -> str:
    """Return which field it is, and what is wrong with it, as part of a sentence."""
    path = ", ".join(str(name)[:_LONGEST_FIELD] for name in error.path)
    return f"In the field “{path}” {error.problem}"


def traced(request: Releasable, dataset: Table) -> Releasable:
    """Return the request as it comes back from its own parameters.

    So a plan is the same before and after it was kept.

    Raises:
        DataError: It is not about columns of this table.
        ParameterError: It sharpens an answer.

    """
    assumed = _ASSUMED.write(PlannedQuery.of(request))
    return _in_plan(_request(request.parameters(), dataset, request.unit), **assumed)


def _in_plan(request: Releasable, **assumed: float) -> Releasable:
    """Return a request whose margins of error assume what a plan says.

    Raises:
        ParameterError: It sharpens an answer, which no plan can pay for.

    """
    if not isinstance(request, Request):
        return request
    if request.sharpens is not None:
        raise ParameterError(_SHARPER)
    query: Any = request.query
    return replace(request, query=replace(query, **assumed)) if assumed else request


def _filled(
    basket: AnalysisPlan,
    entries: list[Any],
    then: Callable[[Mapping[str, object]], Releasable],
    now: Callable[[Mapping[str, object]], Releasable],
) -> Loaded:
    """Return the basket with questions that are worded as ``now``, and not ``then``."""
    if len(entries) > MOST_ITEMS:
        raise ValueError
    lost = []
    for place, entry in enumerate(entries, start=1):
        try:
            name, parameters = _ENTRY.read(entry).values()
            _PRICE_OF.read(entry)
            try:
                request = now(parameters)
            except DPCoreError:
                lost.append(name)
                continue
            request = _in_plan(request, **_ASSUMED.read(entry))
            item = _ITEM.read(entry, request=request)
            # What it costs is known before it is planned, or it cannot be planned.
            _ = request.cost
            titled = entry.get("titled") is True
            if titled or name == PlannedQuery.of(then(parameters)).name:
                # Columns and rows may be called otherwise by now.
                item = replace(item, name=PlannedQuery.of(request).name)
        except FieldError as error:
            raise error.within(*_ITEMS, place) from None
        except ParameterError as error:
            raise ParameterError(f"question {place}: {error}") from None
        basket = basket.with_item(item)
    return Loaded(basket=basket, lost=tuple(lost))


def _request(
    parameters: Mapping[str, object], dataset: Table, called: PrivacyUnit | None
) -> Releasable:
    if is_model(parameters):
        return model_request_from(parameters, dataset, called=called)
    return request_from(parameters, dataset, called=called)
