"""Releases as a CSV table, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from math import ceil, floor, isfinite
from typing import Final

from dpcore.analyses.base import Mode
from dpcore.analyses.measurement import Ends
from dpcore.data.dialects import DECIMAL_POINT, Dialect
from dpcore.data.quantities import Quantity
from dpcore.releases.declared import bounds_text, people_text
from dpcore.releases.digits import noise_unit, quantity_in
from dpcore.releases.record import WATERMARK, Release

# Full-width signs count: a spreadsheet may read them as the plain ones. So does what
# follows a semicolon, a tab or a line end, which separate cells in some countries.
_FORMULA = re.compile(r"^(?=[\t\r\n])|(?:^|(?<=[;\t\r\n]))(?=\s*[=+\-@＝＋－＠])")
TOO_FEW = "too few to say"
"""Stands for a number of a group whose count cannot tell it from an empty one."""
NO_PERCENTAGE: Final = "none: the base may be 0 or less"
"""Stands for a percentage of a mean that its interval does not distinguish from 0."""
_UNNAMED = re.compile(r"[^\w.]+")
_LONGEST_NAME = 60


Cell = str | float | Decimal | None


def to_csv(
    releases: Sequence[Release], *, table: str = "", dialect: Dialect = DECIMAL_POINT
) -> str:
    """Return the releases as CSV text with a header, one row for each coordinate.

    Numbers that follow from those have a row each, with an interval where one is known,
    such as a correlation. ``joint`` counts how many of their kind hold together. What
    cannot be said has a row that says so. ``table`` says what the table holds, as in
    ``Release.to_json``, and ``dialect`` what separates cells and decimals.

    Where a release was made in a plan, more columns say of how many releases, and what
    those were charged together; epsilon, delta and rho are of each alone. Where the
    curator has named a question, a column has the name.

    Text that a spreadsheet would run as a formula is written after an apostrophe;
    numbers stay numbers.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=dialect.delimiter, lineterminator="\r\n")
    planned = any(release.plan for release in releases)
    named = any(release.name for release in releases)
    columns = (("name",) if named else ()) + _COLUMNS
    columns += _OF_A_PLAN if planned else ()
    writer.writerow(columns)

    def write(row: dict[str, Cell]) -> None:
        writer.writerow(_written(row.get(name), dialect) for name in columns)

    for release in releases:
        shared = _shared(release) | {"table": table}
        numbers = [*zip(release.labels, release.values, strict=True)]
        for place, (label, value) in enumerate([*numbers, *release.derived.items()]):
            followed = place >= len(numbers)
            row = shared | _around(release, label, followed=followed)
            quantity = quantity_in(release, label)
            row |= {"label": label, "value": _cell(value, quantity, round)}
            for end, outwards in _ENDS.items():
                row[end] = _cell(row[end], quantity, outwards)
            write(row | {"unit": quantity.name})
        for label in release.unsaid:
            write(shared | {"label": label, "value": unsaid_text(release, label)})
    return file.getvalue()


def unsaid_text(release: Release, label: str) -> str:
    """Return why a number that was asked for cannot be said."""
    few = not (release.labels and ", in percent of " in label)
    return TOO_FEW if few else NO_PERCENTAGE


def file_name(releases: Sequence[Release]) -> str:
    """Return a name, without its ending, that says what a file of releases holds.

    >>> from dpcore.releases.record import Release
    >>> file_name([])
    'no-releases'
    """
    if not releases:
        return "no-releases"
    first, last = releases[0], releases[-1]
    what = f"{first.known_as} draw {first.draw}"
    if len(releases) > 1:
        what = f"{len(releases)} releases"
    kind = "classroom" if first.mode is Mode.CLASSROOM else "released"
    words = _UNNAMED.sub("-", what)[:_LONGEST_NAME].strip("-")
    return f"{kind}-{words}-{last.created[:10]}"


_COLUMNS = (
    *("id", "title", "statement", "label", "value"),
    *("level", "joint", "noise_lower", "noise_upper", "total_lower", "total_upper"),
    *("mechanism", "noise", "noise_unit", "epsilon", "delta", "rho"),
    *("bounds", "people", "table", "budget"),
    *("relation", "unit", "draw", "created", "mode", "watermark", "version"),
)
_ENDS: Final = {
    "noise_lower": floor,
    "noise_upper": ceil,
    "total_lower": floor,
    "total_upper": ceil,
}
"""The ends of intervals, and how they are rounded: outwards, as in documents."""
_OF_A_PLAN = ("plan", "plan_releases", "plan_epsilon", "plan_delta", "plan_rho")


def _cell(value: Cell, quantity: Quantity, whole: Callable[[float], int]) -> Cell:
    """Return a number as the cell of a table: a date as text, counts made ``whole``."""
    if not isinstance(value, float):
        return value
    if quantity.is_date:
        return quantity.about(value)
    return Decimal(whole(value)) if quantity.whole and isfinite(value) else value


def _around(release: Release, label: str, *, followed: bool) -> dict[str, Cell]:
    """Return the intervals around one number; ``followed`` if it is a derived one."""
    intervals = release.intervals
    noise, total = release.noise_ends, release.total_ends
    alike = release.derived if followed else release.labels
    known = [each for each in alike if each in (noise or total)]
    nothing = followed and label not in known
    lower, upper = _ends(noise, label)
    total_lower, total_upper = _ends(total, label)
    return {
        "level": None if intervals is None or nothing else intervals.level,
        # One interval holds by itself.
        "joint": f"all {len(known)} together" if len(known) > 1 and not nothing else "",
        "noise_lower": lower,
        "noise_upper": upper,
        "total_lower": total_lower,
        "total_upper": total_upper,
    }


def _shared(release: Release) -> dict[str, Cell]:
    """Return what every row of a release says."""
    return {
        "id": release.id,
        "name": release.name,
        "title": release.title,
        "statement": release.said,
        "mechanism": release.mechanism_label,
        "noise": release.noise,
        "noise_unit": noise_unit(release),
        **{name: Decimal(part) for name, part in release.cost.to_json().items()},
        "bounds": bounds_text(release.request),
        "people": _size(release),
        "budget": release.budget.describe() if release.budget else "",
        "relation": release.relation.value,
        "draw": release.draw,
        "created": release.created,
        "mode": release.mode.value,
        "watermark": WATERMARK if release.mode is Mode.CLASSROOM else "",
        "version": release.version,
        **_plan(release),
    }


def _size(release: Release) -> str:
    """Return what is public about the number of rows, and what they are called."""
    size = people_text(release.request)
    return size if release.of_several_rows or not size else f"{size} {release.nouns}".rstrip()


def _plan(release: Release) -> dict[str, Cell]:
    plan = release.plan
    if plan is None:
        return {}
    parts = plan.cost.to_json().items()
    return {
        "plan": plan.name,
        "plan_releases": Decimal(plan.releases),
        **{f"plan_{name}": Decimal(part) for name, part in parts},
    }


def _written(cell: Cell, dialect: Dialect) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell and _FORMULA.sub("'", cell)
    return str(cell).replace(".", dialect.decimal)


def _ends(ends: Ends | None, label: str) -> tuple[float | None, float | None]:
    return (ends or {}).get(label, (None, None))
