"""Files that are small, or of no use, and would take long or fill the memory."""

import io
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from benchmarks.bombs import workbook
from dpcore.data import limits
from dpcore.data.readers.files import read
from dpcore.data.readers.sheet_xml import SheetSize, pieces
from dpcore.errors import DataError
from tests.data.test_workbooks_and_packages import as_excel, coded

FRAME = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0)})
ONE = "<c{}><v>1</v></c>"


def as_parquet(table, **options):
    made = io.BytesIO()
    pq.write_table(table, made, **options)
    return made.getvalue()


def as_arrow(table):
    made = io.BytesIO()
    with pa.ipc.new_file(made, table.schema) as writer:
        writer.write_table(table)
    return made.getvalue()


TABLE = pa.Table.from_pandas(FRAME)
FILES = {
    "csv": FRAME.to_csv(index=False).encode(),
    "irregular csv": b'a,b\n1,x"y\n' + b"1,2\n" * 40,
    "excel": as_excel(FRAME),
    "parquet": as_parquet(TABLE),
    "arrow": as_arrow(TABLE),
    "spss": coded(FRAME),
    "stata": coded(FRAME, pyreadstat.write_dta),
    "sas": coded(FRAME, pyreadstat.write_xport),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_every_format_has_the_same_limits(data, monkeypatch):
    assert len(read(data).frame) >= 40
    monkeypatch.setattr(limits, "MAX_CELLS", 79)
    with pytest.raises(DataError, match=r"more than 79 cells.*Keep fewer"):
        read(data)
    monkeypatch.setattr(limits, "MAX_ROWS", 39)
    with pytest.raises(DataError, match=r"more than 39 records.*Keep fewer"):
        read(data)


@pytest.mark.parametrize("mark", [b",", b"a,"])
def test_no_fields_are_made_of_an_endless_header(mark):
    with pytest.raises(DataError, match=r"header has more than 2,000 columns"):
        read(mark * (4 << 20))


def test_blank_lines_without_end_are_refused_unread(monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROWS", 50)
    assert len(read(b"\n" * 99 + b"a,b\n1,2\n").frame) == 1
    with pytest.raises(DataError, match=r"more than 100 lines.*blank lines"):
        read(b'a,b\n"1",2\n' + b"\n" * 99 + b"3,4\n")


def test_long_texts_of_a_survey_are_refused_before_they_are_read(monkeypatch):
    data = coded(pd.DataFrame({"a": ["x" * 3_000] * 600}))
    assert len(read(data).frame) == 600
    monkeypatch.setattr(limits, "MAX_UNPACKED", 1 << 20)
    with pytest.raises(DataError, match="unpacked it has more than 1 MB"):
        read(data)


@pytest.mark.parametrize(
    "xml", ['<row><c r="A1" <c r="B1"></row>', '<row><c r="?"/></row>', "<row>\0</row>"]
)
def test_cells_that_cannot_be_placed_are_damage(xml):
    with pytest.raises(DataError, match="damaged"):
        read(workbook([xml]))


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
def test_pieces_are_the_sheet_and_no_cell_is_cut(size, monkeypatch):
    monkeypatch.setattr("dpcore.data.readers.sheet_xml._PIECE", size)
    with zipfile.ZipFile(io.BytesIO(as_excel(FRAME))) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml")
        with archive.open("xl/worksheets/sheet1.xml") as file:
            found = [*pieces(file, limits.always)]
    assert b"".join(found) == xml
    whole, scanned = SheetSize(), SheetSize()
    whole.add(xml)
    for piece in found:
        scanned.add(piece)
    assert scanned == whole


def test_white_space_in_a_formula_is_seen_once():
    cell = f'<c r="A1"><f>1</f>{" " * 100_000}<x/></c>'
    with pytest.raises(DataError, match=r"empty|damaged"):
        read(workbook([f"<row>{cell}</row>"]))


def test_one_long_text_in_many_cells_is_refused(monkeypatch):
    cell = '<c r="A{0}" t="s"><v>{1}</v></c>'
    rows = [cell.format(1, 1), *(cell.format(row, 0) for row in range(2, 60))]
    rows = [f"<row>{row}</row>" for row in rows]
    texts = (f"<si><t>{'x' * 30_000}</t></si>", "<si><t>a</t></si>")
    data = workbook(rows, texts)
    assert len(read(data).frame) == 58
    monkeypatch.setattr(limits, "SHEET_BYTES", 1 << 20)
    with pytest.raises(DataError, match=r"text in the cells .* more than 1 MB"):
        read(data)
    # In few cells it is not too much, however many others there are.
    few = [rows[0], rows[1], *(row.replace(">0<", ">1<") for row in rows[2:])]
    assert len(read(workbook(few, texts)).frame) == 58
    monkeypatch.setattr(limits, "SHEET_CELLS", 1)
    with pytest.raises(DataError, match=r"different texts|more than 1 cells"):
        read(workbook(["<row>" + ONE.format("") + "</row>"], texts))


class _ClosedTab(BaseException):
    """Raised as Streamlit ends a script: no error of a reader."""


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_reading_ends_between_any_two_blocks(data, monkeypatch):
    monkeypatch.setattr("dpcore.data.readers.excel._TOGETHER", 10)
    calls = []
    read(data, proceed=lambda: calls.append(0))
    assert len(calls) > 1
    for last in range(len(calls)):
        left = iter(range(last))

        def proceed(left=left):
            if next(left, None) is None:
                raise _ClosedTab

        with pytest.raises(_ClosedTab):
            read(data, proceed=proceed)
