"""Parquet and packed files mean what their CSV means, or say why they cannot be read.

A typed file keeps its types: cells are held and written otherwise than in a text file,
and have the same numbers, codes and missing values under every declaration.
"""

import bz2
import contextlib
import datetime as dt
import gzip
import io
import lzma
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.data import limits
from dpcore.data.dialects import sniff
from dpcore.data.readers.csv_reader import read_csv
from dpcore.data.readers.files import unpacked
from dpcore.data.readers.parquet import is_parquet, read_parquet
from dpcore.errors import DataError
from tests.data.agreeing import agree

PEOPLE = 1_500
DATES = ("came", "seen", "born")


def people():
    rng = np.random.default_rng(0)
    day = pd.Timestamp(2020, 1, 1)
    some = np.arange(PEOPLE)
    return pd.DataFrame(
        {
            "age": rng.integers(0, 90, PEOPLE),
            "pay": rng.normal(1e3, 99, PEOPLE).round(2),
            "sex": pd.Categorical(rng.choice(["m", "w", " d "], PEOPLE)),
            "member": rng.random(PEOPLE) < 0.5,
            "came": day + pd.to_timedelta(rng.integers(0, 99, PEOPLE), "D"),
            "seen": day + pd.to_timedelta(rng.integers(0, 10**7, PEOPLE), "s"),
            "code": rng.integers(0, 9, PEOPLE).astype(str),
            "visits": np.where(rng.random(PEOPLE) < 0.1, np.nan, some % 5),
            "name": [None if i % 7 == 0 else f'a,{i}"' for i in some],
            "born": [dt.date(2020, 1, 1 + i % 28) if i % 5 else None for i in some],
            "empty": [None] * PEOPLE,
            "asked": pd.array([None if i % 9 == 0 else i % 2 > 0 for i in some], "boolean"),
        }
    )


def as_csv(frame):
    return frame.to_csv(index=False).encode()


def as_parquet(columns, **options):
    buffer = io.BytesIO()
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    pq.write_table(table, buffer, **options)
    return buffer.getvalue()


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def as_zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACKED = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": as_zstd,
    "zip": lambda data: zipped(**{"__MACOSX/._x": b"", "../../x.csv": data}),
}


@pytest.mark.slow
def test_parquet_means_what_its_csv_means():
    frame = people()
    text = as_csv(frame)
    data = as_parquet(pa.Table.from_pandas(frame, preserve_index=False))
    assert is_parquet(data)
    found = read_parquet(data)
    assert found.notes == ()
    agree(found.frame, read_csv(text, sniff(text)), dates=DATES)


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_packed_file_is_the_file(pack):
    data = as_csv(people())
    packed = pack(data)
    assert unpacked(packed) == data
    for end in (7, len(packed) // 2, len(packed) - 3):
        with pytest.raises(DataError, match="damaged"):
            unpacked(packed[:end])


def test_archive_in_several_parts_is_read_to_its_end():
    assert unpacked(gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n")) == b"a,b\n1,2\n"


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_small_archive_of_a_huge_file_is_refused_before_it_is_unpacked(pack, monkeypatch):
    monkeypatch.setattr(limits, "MAX_BYTES", 1 << 20)
    assert len(unpacked(pack(bytes(1 << 20)))) == 1 << 20
    with pytest.raises(DataError, match="more than 1 MB"):
        unpacked(pack(bytes((1 << 20) + 1)))


def test_workbook_is_left_to_be_refused_by_its_name():
    data = zipped(**{"[Content_Types].xml": b"", "xl/workbook.xml": b""})
    assert unpacked(data) is data
    with pytest.raises(DataError, match="Excel"):
        read_csv(data, sniff(data))


BAD = {
    "no name": ({"a": [1], " ": [1]}, "column 2 has no name"),
    "long name": ({"a" * 300: [1]}, "more than 200 characters"),
    "nobody": ({"a": pa.array([], pa.int64())}, "no records"),
    "same name": (
        pa.table([[1], [2]], names=["a", "a "]),
        "column 2 has the same name as column 1",
    ),
    "nothing to read": ({"a": [[1], [2]]}, "no column of the file holds"),
}


@pytest.mark.parametrize(("columns", "why"), BAD.values(), ids=BAD)
def test_parquet_that_is_no_table_of_people_is_told(columns, why):
    with pytest.raises(DataError, match=why):
        read_parquet(as_parquet(columns))


def test_row_numbers_of_pandas_are_left_out_and_a_nameless_first_column_is_row():
    frame = pd.DataFrame({"a": [5, 6]}, index=[3, 4])
    numbered = as_parquet(pa.Table.from_pandas(frame))
    assert "__index_level_0__" in pq.read_schema(io.BytesIO(numbered)).names
    assert list(read_parquet(numbered).frame) == ["a"]
    nameless = pa.table([[1, 2], [5, 6]], names=["", "a"])
    assert read_parquet(as_parquet(nameless)).frame["row"].tolist() == [1, 2]


def test_any_damage_is_told_or_does_not_matter():
    rng = np.random.default_rng(3)
    data = as_parquet({"a": [1, 2, 3] * 20, "b": ["x", "yy", None] * 20})
    for _ in range(300):
        broken = bytearray(data)
        for at in rng.integers(4, len(data) - 4, 3):
            broken[at] = rng.integers(256)
        with contextlib.suppress(DataError):
            read_parquet(bytes(broken))


def test_a_zip_archive_that_is_damaged_or_packed_in_an_unknown_way_is_refused():
    data = bytearray(zipped(table=b"a,b\n1,2\n" * 50))
    name = len("table")
    damaged = data[: 30 + name] + b"\xff" * 12 + data[42 + name :]
    unknown = bytearray(data)
    central = unknown.rindex(b"PK\x01\x02")
    unknown[8] = unknown[central + 10] = 97
    for wrong in (damaged, unknown):
        with pytest.raises(DataError, match="cannot be unpacked"):
            unpacked(bytes(wrong))
