"""Releases as a CSV table, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from dpcore.releases.record import WATERMARK, Mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.releases.labelled import Ends
    from dpcore.releases.record import Release

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def to_csv(releases: Sequence[Release]) -> str:
    """Return the releases as CSV text with a header, one row for each coordinate.

    Numbers that follow from those have a row each, without an interval, and without a
    unit: it is the unit of the coordinates.

    Text that a spreadsheet would run as a formula is written after an apostrophe;
    numbers stay numbers.
    """
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, _COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for release in releases:
        for position in range(len(release.labels)):
            row = _row(release, position)
            writer.writerow({name: _inert(cell) for name, cell in row.items()})
        for label, value in release.derived.items():
            row = _shared(release) | {"label": label, "value": value, "unit": ""}
            writer.writerow({name: _inert(cell) for name, cell in row.items()})
    return file.getvalue()


_COLUMNS = (
    *("id", "title", "label", "value"),
    *("level", "noise_lower", "noise_upper", "total_lower", "total_upper"),
    *("mechanism", "noise", "epsilon", "delta", "rho"),
    *("relation", "unit", "draw", "created", "mode", "watermark"),
)


def _row(release: Release, position: int) -> dict[str, str | float | None]:
    label = release.labels[position]
    intervals = release.intervals
    noise = _ends(intervals.noise if intervals else None, label)
    total = _ends(intervals.total if intervals else None, label)
    return _shared(release) | {
        "label": label,
        "value": release.values[position],
        "level": intervals.level if intervals else None,
        "noise_lower": noise[0],
        "noise_upper": noise[1],
        "total_lower": total[0],
        "total_upper": total[1],
    }


def _shared(release: Release) -> dict[str, str | float | None]:
    """Return what every row of a release says."""
    return {
        "id": release.id,
        "title": release.title,
        "mechanism": release.mechanism_label,
        "noise": release.noise,
        **release.cost.to_json(),
        "relation": release.relation.value,
        "unit": release.unit,
        "draw": release.draw,
        "created": release.created,
        "mode": release.mode.value,
        "watermark": WATERMARK if release.mode is Mode.CLASSROOM else "",
    }


def _inert(cell: str | float | None) -> str | float | None:
    runs = isinstance(cell, str) and cell.startswith(_FORMULA_STARTS)
    return f"'{cell}" if runs else cell


def _ends(ends: Ends | None, label: str) -> tuple[float | None, float | None]:
    return (ends or {}).get(label, (None, None))
