"""How public values become JSON and come back, declared once for both ways.

Parsed JSON is not trusted: reading raises LookupError, TypeError, ValueError or
OverflowError where it is not what was written, and whatever the value itself refuses.
A ``FieldError`` is all of the first three, and names the field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
E = TypeVar("E", bound="StrEnum")


_WRONG: Final = (LookupError, TypeError, ValueError, OverflowError)


class FieldError(LookupError, TypeError, ValueError):
    """A field of a JSON text is not what it should be.

    Attributes:
        problem: What is wrong, without the value.
        path: The names and places of the fields it is in, the outermost first.

    """

    def __init__(self, problem: str, *path: str | int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path

    def within(self, *names: str | int) -> FieldError:
        """Return the error of what the field is in, by its names from the outermost."""
        return FieldError(self.problem, *names, *self.path)

    def __str__(self) -> str:
        """Return which field it is and what is wrong: "items, 2, epsilon: ..."."""
        return f"{', '.join(map(str, self.path))}: {self.problem}"


def parsed(text: str | bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return the value of a JSON text, all of whose numbers and texts can be used.

    Raises:
        FieldError: A number is not finite, or a text is no Unicode.
        ValueError: It is not JSON, or an object has two fields of one name.
        RecursionError: It is nested too deeply.

    """
    content = json.loads(text, object_pairs_hook=_object)
    _check(content)
    return content


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has two fields of one name.")
    return found


def _check(content: object) -> None:
    """Refuse numbers that no float holds, and halves of characters."""
    if isinstance(content, float) and not math.isfinite(content):
        raise FieldError("the number is not finite")
    if isinstance(content, int):
        try:
            float(content)
        except OverflowError:
            raise FieldError("the number is too large") from None
    if isinstance(content, str) and not content.isascii():
        try:
            content.encode()
        except UnicodeEncodeError:
            raise FieldError("the text holds half a character") from None
    parts: Iterable[tuple[str | int, object]] = ()
    if isinstance(content, dict):
        parts = content.items()
    elif isinstance(content, list):
        parts = enumerate(content, start=1)
    for name, part in parts:
        try:
            _check(part)
        except FieldError as error:
            raise error.within(name) from None


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
        self.build = build
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
                try:
                    found = part.codec.read(held[name])
                except _WRONG as error:
                    raise _of_field(error, name, missing=name not in held) from None
                if found is not None:
                    arguments[argument] = found
        return self.build(**arguments)


Codec = Pair[T] | Schema[T]


def _of_field(error: Exception, name: str, *, missing: bool) -> FieldError:
    if isinstance(error, FieldError):
        return error.within(name)
    problem = "the value is missing" if missing else "the value is not allowed"
    return FieldError(problem, name)


def several(one: Codec[T]) -> Pair[tuple[T, ...]]:
    """Return the codec of a tuple."""
    return Pair(
        lambda values: [one.write(value) for value in values],
        lambda content: tuple(
            _part(one, part, place) for place, part in enumerate(list_in(content), start=1)
        ),
    )


def _part(one: Codec[T], content: object, place: int) -> T:
    try:
        return one.read(content)
    except FieldError as error:
        raise error.within(place) from None


def by_name(one: Codec[T]) -> Pair[dict[str, T]]:
    """Return the codec of values by name."""
    return Pair(
        lambda values: {name: one.write(value) for name, value in values.items()},
        lambda content: {name: one.read(part) for name, part in object_in(content).items()},
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
    number = float(content if isinstance(content, float) else WHOLE.read(content))
    if not math.isfinite(number):
        raise FieldError("the number is not finite")
    return number


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
