"""The databases that the administrator names, with addresses that nobody else sees."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from dpcore.errors import DataError

VARIABLE: Final = "EPSILON_STUDIO_DATABASES"
NO_DRIVER: Final = (
    "the packages that speak to databases are not installed. Ask whoever runs this "
    "program to install what requirements-postgresql.txt lists."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A database that may be read.

    Attributes:
        name: What people call it. Public.
        address: The URL of SQLAlchemy that leads to it. It may hold a password: it is
            not to be shown, logged or kept.

    """

    name: str
    address: str = field(repr=False)


def databases() -> tuple[Database, ...]:
    """Return the databases that ``$EPSILON_STUDIO_DATABASES`` names, in its order.

    Each line is a name, ``=`` and an address. Blank lines, and those that begin with
    ``#``, are left out.

    Raises:
        DataError: A line is none of that, or a name is there twice; says which line,
            and nothing of what it holds.

    """
    found: dict[str, Database] = {}
    lines = os.environ.get(VARIABLE, "").splitlines()
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line or line.startswith("#"):
            continue
        name, _, address = (part.strip() for part in line.partition("="))
        # An address without a name has its own signs of equality, and a password.
        if not address or not name or "://" in name:
            problem = "is no name with an address, such as clinic=postgresql://…"
        elif name in found:
            problem = "has the name of a line before"
        else:
            found[name] = Database(name=name, address=address)
            continue
        raise DataError(
            f"line {number} of {VARIABLE} {problem}. Ask whoever runs this program to correct it."
        )
    return tuple(found.values())
