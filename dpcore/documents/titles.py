"""Columns by the names that pages and documents use, in what records hold.

Records name columns by the names that make a question what it is. A display name may
be given, or changed, after an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dpcore.data.columns import Column


def titled(parameters: Mapping[str, Any], columns: Iterable[Column]) -> dict[str, Any]:
    """Return the parameters of a question with the titles of its columns for names.

    >>> from dpcore.data.columns import Column, ColumnKind
    >>> stay = Column(name="stay", kind=ColumnKind.NUMBER, display_name="days")
    >>> titled({"column": {"name": "stay", "kind": "number"}}, [stay])
    {'column': {'name': 'days', 'kind': 'number'}}
    """
    titles = {column.name: column.title for column in columns if column.display_name}
    return {name: _titled(part, titles) for name, part in parameters.items()}


def relabelled(label: str, columns: Iterable[Column]) -> str:
    """Return the name of a number with the titles of columns for their names."""
    named = [column for column in columns if column.display_name]
    for column in sorted(named, key=lambda one: -len(one.name)):
        whole = rf"(?<!\w){re.escape(column.name)}(?!\w)"
        label = column.title.join(re.split(whole, label))
    return label


def _titled(part: object, titles: Mapping[str, str]) -> object:
    if isinstance(part, list):
        return [_titled(one, titles) for one in part]
    if not isinstance(part, dict):
        return part
    found = {name: _titled(one, titles) for name, one in part.items()}
    # Of all parts, columns alone have a name.
    if isinstance(name := part.get("name"), str):
        found["name"] = titles.get(name, name)
    return found
