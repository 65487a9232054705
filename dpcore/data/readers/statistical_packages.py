"""Files of SPSS, Stata and SAS: codes become the answers that they stand for.

What such a file says of its columns is public, like the questionnaire: what a column
means, which answers it may hold, and which codes stand for no answer.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from dpcore.data import limits
from dpcore.data.column_storage import typed_column, typed_number_column
from dpcore.data.columns import MAX_LABELS, ColumnKind
from dpcore.data.proposals import proposed
from dpcore.data.readers.file_table import FIRST_LINE, FileTable, column_names
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


_SPSS: Final = (b"$FL2", b"$FL3")
_STATA: Final = b"<stata_dta>"
_SAS: Final = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_TRANSPORT: Final = b"HEADER RECORD*******LIB"
_PORTABLE: Final = b"SPSSPORT"
_PORTABLE_BEFORE: Final = 1_000
"""Bytes within which a portable file says that it is one."""
_PORTABLE_END: Final = b"Z"
"""One that is cut would else be read as a shorter table."""
_OLD_STATA: Final = (105, 108, 110, 111, 113, 114, 115)
"""Versions that the first byte of an older Stata file may name."""
_TEXT_BYTES: Final = 50
"""What Python adds to a text."""
_LONGEST: Final = 300
"""Most characters of a meaning."""
_WRONG: Final = (
    OSError, EOFError, ValueError, UnicodeError, OverflowError, KeyError, TypeError,
    IndexError, AttributeError, ArithmeticError, RuntimeError,
)  # fmt: skip
"""What reading a damaged file raises, beside the errors of the library itself."""


def is_coded(data: bytes) -> bool:
    """Return whether a file says at its beginning that it is of one of the programs."""
    return bool(_program(data))


def _program(data: bytes) -> str:
    """Return how ``_READERS`` names the kind of a file; empty for any other file."""
    if data.startswith(_SPSS):
        return "SPSS"
    # An older one begins with the version, the order of bytes, and a 1.
    old = data[:1] and data[0] in _OLD_STATA and data[1:3] in {b"\1\1", b"\2\1"}
    if data.startswith(_STATA) or (old and len(data) > 3):  # noqa: PLR2004 - as said
        return "Stata"
    if data.startswith(_SAS):
        return "SAS"
    if data.startswith(_TRANSPORT):
        return "SAS transport"
    # A portable file is broken into lines of 80 characters.
    beginning = data[:_PORTABLE_BEFORE].replace(b"\r", b"").replace(b"\n", b"")
    return "SPSS portable" if _PORTABLE in beginning else ""


_READERS: Final = {
    "SPSS": "read_sav",
    "Stata": "read_dta",
    "SAS": "read_sas7bdat",
    "SAS transport": "read_xport",
    "SPSS portable": "read_por",
}


def read_coded(data: bytes) -> FileTable:
    """Return the table of a file of SPSS, Stata or SAS, with answers for codes.

    A column whose codes have labels as its answers holds those labels; another keeps
    its numbers, and its labels are part of its meaning. Codes that the file declares to
    be missing, and Stata's ``.a`` to ``.z``, are missing. Dates and times are ISO text.
    A SAS file has no labels: they are in a file of their own, a catalog.

    Raises:
        DataError: The file is damaged or too large, or a column has no name.

    """
    limits.check_bytes(len(data))
    # Only SPSS and Stata know codes that a person has declared to be missing.
    known = {"user_missing": True} if _program(data) in {"SPSS", "Stata"} else {}
    _, said = _read(data, metadataonly=True, **known)
    names = column_names([str(name or "") for name in said.column_names], None)
    # About how many bytes a row takes in memory: a number 8, a text what Python adds to it.
    stored = said.variable_storage_width.values()
    width = sum(8 if each <= 8 else each + _TEXT_BYTES for each in stored)  # noqa: PLR2004 - bytes
    if said.number_rows:
        limits.check_rows(said.number_rows, len(names), limits.CODED_CELLS)
        limits.check_unpacked(said.number_rows * width)
    # Not every file says how many rows it has, and a packed one may have very many.
    most = min(limits.CODED_CELLS // len(names), limits.MAX_UNPACKED // width)
    frame, _ = _read(data, row_limit=most + 1)
    limits.check_rows(len(frame), len(names), limits.CODED_CELLS)
    limits.check_unpacked(len(frame) * width)
    return _coded(frame, said, names)


def _read(data: bytes, **options: Any) -> tuple[pd.DataFrame, Any]:  # noqa: ANN401 - options of the library
    import pyreadstat  # noqa: PLC0415 - slow to import, rarely used

    name = _program(data)
    read = getattr(pyreadstat, _READERS[name])
    try:
        if name == "SPSS portable" and not data.rstrip().endswith(_PORTABLE_END):
            raise EOFError
        frame, said = read(io.BytesIO(data), **options)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, *_WRONG):
        raise DataError(
            f"the {name} file cannot be read: it is damaged or incomplete. Save the table again, "
            "or upload it as CSV."
        ) from None
    return frame, said


def _coded(frame: pd.DataFrame, said: Any, names: list[str]) -> FileTable:  # noqa: ANN401 - untyped library
    import pandas as pd  # noqa: PLC0415 - slow to import

    lines = pd.RangeIndex(FIRST_LINE, FIRST_LINE + len(frame), name="line")
    cells, answers, meanings, missing = {}, {}, {}, {}
    for place, (name, old) in enumerate(zip(names, said.column_names, strict=True)):
        absent = said.missing_ranges.get(old, [])
        labels = _labels(said.variable_value_labels.get(old, {}), absent)
        values = frame[old]
        meaning = (said.column_labels[place] or "").strip()
        measure = said.variable_measure.get(old, "unknown")
        if labels and _are_answers(labels, measure):
            # A code that has no label stays as it is.
            values = values.map(
                lambda code, of=labels: of.get(code, _code(code)), na_action="ignore"
            )
            listed = tuple(dict.fromkeys(labels.values()))
            answers[name] = listed if len(listed) <= MAX_LABELS else ()
        elif labels:
            codes = ", ".join(f"{_code(code)} = {one}" for code, one in labels.items())
            meaning = f"{meaning} ({codes})".strip()
        cells[name], meanings[name] = _column(values), meaning[:_LONGEST]
        if absent:
            ends = [(_code(each["lo"]), _code(each["hi"])) for each in absent]
            missing[name] = ", ".join(
                low if low == high else f"{low} to {high}" for low, high in ends
            )
    table = pd.DataFrame(cells, copy=False).set_axis(lines, axis=0)
    columns = tuple(
        replace(
            column,
            description=meanings[column.name],
            labels=answers.get(column.name, ())
            if column.kind is ColumnKind.CATEGORY
            else column.labels,
        )
        for column in proposed(table, missing_codes=())
    )
    return FileTable(frame=table, columns=columns, missing=missing)


def _are_answers(labels: Mapping[Any, str], measure: str) -> bool:
    """Return whether the labels of codes are the answers of a column.

    The file's own description decides, and never its cells: a code without a label is
    an answer in its own words. Where the file does not say, the labels of a run of
    integers, or of text, are answers; those of single codes, such as 99, are not.
    """
    if measure in {"nominal", "ordinal"}:
        return True
    if measure == "scale":
        return False
    codes = [code for code in labels if not isinstance(code, str)]
    whole = all(float(code).is_integer() for code in codes)
    return not codes or (whole and max(codes) - min(codes) + 1 == len(codes))


def _column(values: pd.Series) -> pd.Series:
    """Return the cells of a column as they are held."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    from pandas.api.types import is_float_dtype, is_object_dtype  # noqa: PLC0415

    if is_float_dtype(values.dtype):
        return typed_number_column(values.to_numpy(dtype=np.float64))
    if is_object_dtype(values.dtype):
        values = values.astype("str").where(values.notna())
    cells = pa.array(values, from_pandas=True)
    whole = cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells])
    return typed_column(whole)


def _labels(known: Mapping[Any, str], absent: list[Any]) -> dict[Any, str]:
    """Return the answers that codes stand for, without those that are none."""
    numbers = any(not isinstance(code, str) for code in known)
    return {
        code: text.strip() or _code(code)
        for code, text in known.items()
        if not any(_within(code, ends["lo"], ends["hi"]) for ends in absent)
        # The letters of Stata's own missing values are no values of a number.
        and not (isinstance(code, str) and len(code) == 1 and numbers)
    }


def _within(code: Any, low: Any, high: Any) -> bool:  # noqa: ANN401 - a number or a text
    return isinstance(code, str) is isinstance(low, str) and low <= code <= high


def _code(code: Any) -> str:  # noqa: ANN401 - a number or a text
    return f"{code:.15g}" if isinstance(code, int | float) else str(code)
