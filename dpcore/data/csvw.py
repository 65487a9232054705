"""Declarations as CSVW-EO metadata, the W3C's CSV on the Web with bounds and keys. PUBLIC.

CSVW-EO 0.2 names `minimum`, `maximum`, `keyValues`, `required` and `privacyId` of a column
and `maxContributions` of a table. What it has no word for keeps its declaration.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from dpcore.data.columns import Column, ColumnKind
from dpcore.data.declaration_grid import Field, IfMissing, cells_of, declared
from dpcore.errors import ParameterError

_CONTEXT: Final = "http://www.w3.org/ns/csvw"
_TYPES: Final = {
    ColumnKind.NUMBER: "double",
    ColumnKind.WHOLE: "integer",
    ColumnKind.DATE: "date",
    ColumnKind.YES_NO: "boolean",
    ColumnKind.CATEGORY: "string",
    ColumnKind.IDENTIFIER: "string",
    ColumnKind.NOT_USED: "string",
}
_KINDS: Final = {
    **dict.fromkeys(("decimal", "double", "float", "number"), ColumnKind.NUMBER),
    **dict.fromkeys(
        (
            *("integer", "long", "int", "short", "positiveInteger", "nonNegativeInteger"),
            *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
            "negativeInteger",
        ),
        ColumnKind.WHOLE,
    ),
    **dict.fromkeys(("date", "dateTime", "dateTimeStamp"), ColumnKind.DATE),
}


def metadata_of(columns: Iterable[Column], *, rows_of_one: int = 1) -> str:
    """Return the metadata of a table; one privacy unit owns at most ``rows_of_one`` rows."""
    table = {
        "@context": _CONTEXT,
        "@type": "Table",
        "maxContributions": rows_of_one,
        "tableSchema": {"columns": [_column_metadata(column) for column in columns]},
    }
    return json.dumps(table, ensure_ascii=False, indent=2)


def declared_in(metadata: str, columns: Iterable[Column]) -> tuple[Column, ...]:
    """Return the columns with what the metadata says of those of the same name.

    Raises:
        ParameterError: It is no such metadata, names none of the columns, or
            contradicts itself.

    """
    said = _described(metadata)
    known = [*columns]
    if not said.keys() & {column.name for column in known}:
        raise ParameterError("the metadata contain no column of this table.")
    return tuple(_with(column, said.get(column.name)) for column in known)


def is_metadata(text: str) -> bool:
    """Return whether a text in JSON is metadata of this kind."""
    return '"tableSchema"' in text


def _column_metadata(column: Column) -> dict[str, object]:
    cells = cells_of(column)
    found: dict[str, object] = {
        "@type": "Column",
        "name": column.name,
        "datatype": _TYPES[column.kind],
        "required": column.complete,
    }
    if column.kind is ColumnKind.IDENTIFIER:
        found["privacyId"] = True
    if column.bounds is not None:
        numeric = column.kind is not ColumnKind.DATE
        ends = (column.bounds.lower, column.bounds.upper)
        days = (cells[Field.LOWER], cells[Field.UPPER])
        found["minimum"], found["maximum"] = ends if numeric else days
    if column.labels:
        found["keyValues"] = [*column.labels]
    if column.description:
        found["dc:description"] = column.description
    return found


def _described(metadata: str) -> dict[str, Mapping[str, Any]]:
    try:
        table = json.loads(metadata)
        listed = table["tableSchema"]["columns"]
        return {str(one["name"]): dict(one) for one in listed}
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ParameterError("this is not CSVW-EO metadata in JSON.") from None


def _with(column: Column, said: Mapping[str, Any] | None) -> Column:
    """Return the column as it is described; as it was where it is not."""
    if said is None:
        return column
    labels = [str(one) for one in _listed(said)]
    typed: dict[str, object] = {Field.KIND: _kind(column, said, labels)}
    if labels:
        typed[Field.LABELS] = "\n".join(labels)
    ends = {Field.LOWER: said.get("minimum"), Field.UPPER: said.get("maximum")}
    typed |= {field: str(end) for field, end in ends.items() if end is not None}
    if said.get("required") is True:
        typed[Field.IF_MISSING] = IfMissing.NONE
    if said.get("dc:description"):
        typed[Field.MEANING] = said["dc:description"]
    return declared(column, typed)


def _kind(column: Column, said: Mapping[str, Any], labels: list[str]) -> ColumnKind:
    if said.get("privacyId") is True:
        return ColumnKind.IDENTIFIER
    datatype = str(said.get("datatype", ""))
    if labels:
        both = len(labels) == len(("no", "yes"))
        yes_no = both and (datatype == "boolean" or column.kind is ColumnKind.YES_NO)
        return ColumnKind.YES_NO if yes_no else ColumnKind.CATEGORY
    text = column.kind if not column.kind.is_numeric else ColumnKind.CATEGORY
    return _KINDS.get(datatype, text)


def _listed(said: Mapping[str, Any]) -> list[object]:
    """Return the public values of a column: its keys, or those of its partitions."""
    keys = said.get("keyValues")
    if isinstance(keys, list):
        return keys
    partitions = said.get("partitions")
    if not isinstance(partitions, list):
        return []
    predicates = [one.get("predicate", {}) for one in partitions if isinstance(one, dict)]
    return [one["partitionValue"] for one in predicates if one.get("partitionValue") is not None]
