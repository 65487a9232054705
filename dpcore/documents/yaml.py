"""The little of YAML that an entry of a registry needs: maps, lists, texts, numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Noted:
    """A value with a remark for the one who fills in the file.

    Attributes:
        value: What the field holds.
        remark: One line, written above it as a comment.

    """

    value: str | int | list[str]
    remark: str


Value: TypeAlias = "str | int | Decimal | list[str] | dict[str, Value] | Noted"
"""What a field of a map may hold."""


def written(content: dict[str, Value], indent: int = 0) -> str:
    r"""Return a map in block style, texts in double quotes, so that each stays a text.

    Numbers are written without an exponent, which some readers take for a text.

    >>> from decimal import Decimal
    >>> print(written({"a": "no", "b": {"c": Decimal("1E-7")}, "d": ["x"]}), end="")
    a: "no"
    b:
      c: 0.0000001
    d:
      - "x"
    """
    return "".join(_field(name, value, indent) for name, value in content.items())


def _field(name: str, value: Value, indent: int) -> str:
    left = " " * indent
    if isinstance(value, Noted):
        remark = " ".join(value.remark.split())
        return f"{left}# {remark}\n{_field(name, value.value, indent)}"
    if isinstance(value, dict):
        return f"{left}{name}:\n{written(value, indent + 2)}"
    if isinstance(value, list):
        lines = "".join(f"{left}  - {_scalar(item)}\n" for item in value)
        return f"{left}{name}:\n{lines}"
    return f"{left}{name}: {_scalar(value)}\n"


def _scalar(value: str | int | Decimal) -> str:
    if isinstance(value, str):
        # What JSON quotes, YAML 1.2 reads as the same text.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(value)
    text = f"{value:f}"
    return text if "." in text else f"{text}.0"
