"""How public values become JSON and come back, declared once for both ways.

Parsed JSON is not trusted: reading raises LookupError, TypeError, ValueError or
OverflowError where it is not what was written, and whatever the value itself refuses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import StrEnum

T = TypeVar("T")
E = TypeVar("E", bound="StrEnum")


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """From a value to what JSON holds, and from parsed JSON to the value."""

    write: Callable[[T], Any]
    read: Callable[[object], T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a JSON object.

    Attributes:
        codec: How it is written and read.
        argument: What builds the value from it, where that has another name.
        of: What is written, where that is not the attribute of the argument's name.
        needed: Whether reading fails where the object lacks it.
        empty: Whether it is written where there is nothing in it, too.

    """

    codec: Codec[Any]
    argument: str = ""
    of: Callable[[Any], Any] | None = None
    needed: bool = True
    empty: bool = True


def since(codec: Codec[Any]) -> Part:
    """Return a part that older objects lack: it is what the value has by default."""
    return Part(codec=codec, needed=False)


def if_any(codec: Codec[Any], of: Callable[[Any], Any] | None = None) -> Part:
    """Return a part that is left out where there is none."""
    return Part(codec=optional(codec), of=of, needed=False, empty=False)


class Schema(Generic[T]):
    """How a value with named parts is written as a JSON object, and read.

    Args:
        build: Makes the value of its parts, such as the class of a dataclass.
        parts: Each part by its name in JSON.

    """

    def __init__(self, build: Callable[..., T], **parts: Codec[Any] | Part) -> None:
        self._build = build
        self.parts = {
            name: part if isinstance(part, Part) else Part(codec=part)
            for name, part in parts.items()
        }

    def write(self, value: T) -> dict[str, Any]:
        """Return the JSON object of a value."""
        written = {}
        for name, part in self.parts.items():
            of = part.of
            held = of(value) if of else getattr(value, part.argument or name)
            if part.empty or held not in (None, ()):
                written[name] = part.codec.write(held)
        return written

    def read(self, content: object, **known: object) -> T:
        """Return the value of a JSON object; null stands for what it has by default.

        What is ``known`` already is not read.
        """
        held, arguments = object_in(content), dict(known)
        for name, part in self.parts.items():
            argument = part.argument or name
            if argument not in known and (part.needed or name in held):
                found = part.codec.read(held[name])
                if found is not None:
                    arguments[argument] = found
        return self._build(**arguments)


Codec = Pair[T] | Schema[T]


def several(one: Codec[T]) -> Pair[tuple[T, ...]]:
    """Return the codec of a tuple."""
    return Pair(
        lambda values: [one.write(value) for value in values],
        lambda content: tuple(one.read(part) for part in list_in(content)),
    )


def by_name(one: Codec[T]) -> Pair[dict[str, T]]:
    """Return the codec of values by name."""
    return Pair(
        lambda values: {name: one.write(value) for name, value in values.items()},
        lambda content: {
            name: one.read(part) for name, part in object_in(content).items()
        },
    )


def optional(some: Codec[T]) -> Pair[T | None]:
    """Return the codec of a value that may be null."""
    return Pair(
        lambda value: None if value is None else some.write(value),
        lambda content: None if content is None else some.read(content),
    )


def keyed(keys: Mapping[T, str]) -> Pair[T]:
    """Return the codec of values that have a key each."""
    values = {key: value for value, key in keys.items()}
    return Pair(keys.__getitem__, lambda content: values[TEXT.read(content)])


def choice(kind: type[E]) -> Pair[E]:
    """Return the codec of an enumeration."""
    return keyed({member: member.value for member in kind})


def _of(kind: type[T]) -> Callable[[object], T]:
    def read(content: object) -> T:
        # In Python, true is a whole number; in JSON it is not.
        if isinstance(content, kind) and isinstance(content, bool) is (kind is bool):
            return content
        raise TypeError

    return read


def _number(content: object) -> float:
    return float(content if isinstance(content, float) else WHOLE.read(content))


def _ends(content: object) -> tuple[float, float]:
    lower, upper = list_in(content)
    return (
        -math.inf if lower is None else NUMBER.read(lower),
        math.inf if upper is None else NUMBER.read(upper),
    )


object_in: Final[Callable[[object], dict[str, Any]]] = _of(dict)
list_in: Final[Callable[[object], list[Any]]] = _of(list)
TEXT: Final = Pair(str, _of(str))
WHOLE: Final = Pair(int, _of(int))
TRUTH: Final = Pair(bool, _of(bool))
NUMBER: Final = Pair(float, _number)
OBJECT: Final = Pair(dict, object_in)
ENDS: Final[Pair[tuple[float, float]]] = Pair(
    lambda ends: [float(end) if math.isfinite(end) else None for end in ends], _ends
)
"""Two ends of an interval; JSON has no infinity, so an infinite one is null."""
