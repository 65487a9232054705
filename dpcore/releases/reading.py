"""Parts of parsed JSON with their type checked: TypeError where it is another one."""

from __future__ import annotations

from typing import cast


def text_in(content: object) -> str:
    """Return ``content`` as text."""
    if not isinstance(content, str):
        raise TypeError
    return content


def number_in(content: object) -> float:
    """Return ``content`` as a number."""
    if isinstance(content, bool) or not isinstance(content, int | float):
        raise TypeError
    return float(content)


def whole_in(content: object) -> int:
    """Return ``content`` as a whole number."""
    if isinstance(content, bool) or not isinstance(content, int):
        raise TypeError
    return content


def truth_in(content: object) -> bool:
    """Return ``content`` as true or false."""
    if not isinstance(content, bool):
        raise TypeError
    return content


def object_in(content: object) -> dict[str, object]:
    """Return ``content`` as an object: names with what they hold."""
    if not isinstance(content, dict):
        raise TypeError
    return cast("dict[str, object]", content)


def list_in(content: object) -> list[object]:
    """Return ``content`` as a list."""
    if not isinstance(content, list):
        raise TypeError
    return cast("list[object]", content)
