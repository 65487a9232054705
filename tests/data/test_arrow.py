"""Arrow and Feather files mean what their CSV means, and nothing fills the memory."""

import contextlib
import struct

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather

from dpcore.data import limits
from dpcore.data.dialects import sniff
from dpcore.data.readers.csv_reader import read_csv
from dpcore.data.readers.files import is_text, read, unpacked
from dpcore.data.readers.parquet import is_arrow, read_arrow, read_parquet
from dpcore.errors import DataError
from tests.data.agreeing import agree
from tests.data.test_readers import BAD, DATES, as_csv, as_parquet, people


def table_of(columns):
    return columns if isinstance(columns, pa.Table) else pa.table(columns)


def as_stream(columns, compression=None, **options):
    table, sink = table_of(columns), pa.BufferOutputStream()
    said = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=said) as writer:
        writer.write_table(table, **options)
    return sink.getvalue().to_pybytes()


def as_file(columns, compression=None):
    table, sink = table_of(columns), pa.BufferOutputStream()
    said = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(sink, table.schema, options=said) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def as_feather(columns):
    sink = pa.BufferOutputStream()
    feather.write_feather(table_of(columns), sink)
    return sink.getvalue().to_pybytes()


WRITTEN = {
    "feather": as_feather,
    "file": as_file,
    "file, zstd": lambda columns: as_file(columns, "zstd"),
    "stream": as_stream,
    "stream, lz4": lambda columns: as_stream(columns, "lz4"),
    "stream in batches": lambda columns: as_stream(columns, "zstd", max_chunksize=99),
}


@pytest.mark.slow
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_arrow_means_what_its_csv_means(write):
    frame = people()
    text = as_csv(frame)
    data = write(pa.Table.from_pandas(frame, preserve_index=False))
    assert is_arrow(data)
    assert not is_text(data)
    assert unpacked(data) is data
    agree(read(data).frame, read_csv(text, sniff(text)), dates=DATES)


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize(("columns", "why"), BAD.values(), ids=BAD)
def test_arrow_that_is_no_table_of_people_is_told(columns, why, write):
    with pytest.raises(DataError, match=why):
        read_arrow(write(columns))


def test_cells_are_those_of_the_same_parquet():
    columns = {
        "small": pa.array([1, None, 3], pa.int8()),
        "exact": pa.array(["1.50", None, "2.25"]).cast(pa.decimal128(9, 2)),
        "float": pa.array([1.5, float("inf"), float("nan")], pa.float32()),
        "yes": [True, None, False],
        "day": pa.array([1, 2, None], pa.date32()),
        "same": pa.array(["a", "a", None]).dictionary_encode(),
        "large": pa.array(["a", "b", None], pa.large_string()),
        "view": pa.array(["a", " b ", None], pa.string_view()),
    }
    told = read_parquet(as_parquet(columns)).frame
    for write in WRITTEN.values():
        found = read_arrow(write(columns)).frame
        assert found.astype(object).equals(told.astype(object))


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize("write", [as_file, as_stream])
def test_small_file_of_a_huge_table_is_refused_before_it_is_unpacked(
    write, compression, monkeypatch
):
    data = write({"a": np.zeros(1 << 20)}, compression)
    assert len(data) < 1 << 17
    assert len(read_arrow(data).frame) == 1 << 20
    monkeypatch.setattr(limits, "MAX_UNPACKED", 1 << 20)

    def unpack(*_, **__):
        raise AssertionError

    monkeypatch.setattr(pa.ipc, "open_stream", unpack)
    with pytest.raises(DataError, match="unpacked it has more than"):
        read_arrow(data)


def test_a_huge_list_of_answers_is_refused_too(monkeypatch):
    answers = pa.DictionaryArray.from_arrays([0, 1], ["x" * (1 << 21), "y"])
    data = as_stream({"a": answers}, "zstd")
    assert len(read_arrow(data).frame) == 2
    monkeypatch.setattr(limits, "MAX_UNPACKED", 1 << 20)
    with pytest.raises(DataError, match="unpacked it has more than"):
        read_arrow(data)


def test_a_length_that_is_a_lie_is_damage():
    """A buffer that says it unpacks to less, or to far more, than it does."""
    data = as_stream({"a": np.zeros(1 << 16)}, "zstd")
    said = struct.pack("<q", 8 << 16)
    assert data.count(said) == 1
    for lie in (8, 1 << 40, 1 << 62):
        with pytest.raises(DataError, match=r"damaged|unpacked"):
            read_arrow(data.replace(said, struct.pack("<q", lie)))


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_any_damage_is_told_or_does_not_matter(write):
    rng = np.random.default_rng(3)
    data = write({"a": [1, 2, 3] * 20, "b": ["x", "yy", None] * 20})
    for _ in range(150):
        broken = bytearray(data)
        for at in rng.integers(8, len(data) - 4, 3):
            broken[at] = rng.integers(256)
        with contextlib.suppress(DataError):
            read_arrow(bytes(broken))
