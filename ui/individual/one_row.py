"""What is shown only of tables with one row a person."""

from __future__ import annotations


def needs_one_row(what: str) -> str:
    """Return, in a sentence, that ``what`` needs one row a person.

    >>> needs_one_row("moving somebody")
    'Moving somebody is shown where one row is a person: make one of each on Data.'
    """
    return (
        f"{what[0].upper()}{what[1:]} is shown where one row is a person: make one of each on Data."
    )
