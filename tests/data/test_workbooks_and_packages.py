"""Workbooks and files of SPSS, Stata and SAS mean what their CSV means."""

import contextlib
import datetime as dt
import io
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from dpcore.data import limits
from dpcore.data.cells import float_texts
from dpcore.data.columns import ColumnKind
from dpcore.data.readers.excel import open_sheet
from dpcore.data.readers.files import read, unpacked
from dpcore.data.readers.statistical_packages import is_coded, read_coded
from dpcore.errors import DataError
from tests.conftest import everything
from tests.data.agreeing import agree
from tests.data.test_arrow import as_feather
from tests.data.test_readers import as_csv, as_parquet, people, zipped

DAY = dt.datetime(2026, 1, 5)  # noqa: DTZ001 - cells have no time zone


def book(*rows, **sheets):
    """Return a workbook with rows in its first sheet, and others by name."""
    made = openpyxl.Workbook()
    for title, lines in {"people": rows, **sheets}.items():
        page = made.active if title == "people" else made.create_sheet(title)
        page.title = title
        for line in lines:
            page.append(line)
    return saved(made)


def saved(made):
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def as_excel(frame):
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False)
    return buffer.getvalue()


ENDINGS = {
    pyreadstat.write_sav: "sav",
    pyreadstat.write_dta: "dta",
    pyreadstat.write_por: "por",
    pyreadstat.write_xport: "xpt",
}


def coded(frame, write=pyreadstat.write_sav, **said):
    """Return a file of SPSS, Stata or SAS."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x.{ENDINGS[write]}")
        write(frame, str(path), **said)
        return path.read_bytes()


def opened(data, file_format=None):
    return read(unpacked(data), file_format)


DOORS = {
    "excel": as_excel,
    "spss": coded,
    "stata": lambda frame: coded(frame, pyreadstat.write_dta),
    "portable": lambda frame: coded(frame, pyreadstat.write_por).replace(b"\r\n", b"\n"),
    "sas transport": lambda frame: coded(frame, pyreadstat.write_xport),
    "parquet": lambda frame: as_parquet(pa.Table.from_pandas(frame)),
    "feather": lambda frame: as_feather(pa.Table.from_pandas(frame)),
    "zipped excel": lambda frame: zipped(**{"a.xlsx": as_excel(frame)}),
}


def survey():
    """Return a table of many people that every format can hold."""
    frame = people()
    frame["sex"] = frame["sex"].astype(str).str.strip()
    frame["name"] = [None if i % 7 == 0 else f"a,{i}" for i in range(len(frame))]
    return frame[["age", "pay", "sex", "came", "visits", "name", "code"]]


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_every_door_opens_what_the_csv_means(door):
    frame = survey()
    if door != "excel":
        frame = frame.head(200)
    told = opened(as_csv(frame))
    written = frame
    if door in {"spss", "stata", "portable", "sas transport"}:
        # They write a missing text as an empty one.
        written = frame.assign(name=frame["name"].fillna(""))
    found = opened(DOORS[door](written)).frame
    if door == "portable":  # which knows capital letters alone
        found = found.set_axis(told.frame.columns, axis=1)
    agree(found, told.frame, dates=("came",))


def test_answers_are_those_of_the_csv():
    frame = survey().head(300)
    ages = {opened(make(frame)).frame["age"].mean() for make in (as_csv, as_excel)}
    assert len(ages) == 1


def test_labels_become_answers_and_missing_codes_nobody_s():
    frame = pd.DataFrame(
        {
            "sex": [1, 2, 2, 1, 9, np.nan],
            "pay": [1000.5, 2000, np.nan, 99_999, 5, 7],
            "mood": [1.0, 2, 3, 4, 5, 3],
            "ok": [0, 1, 1, 0, 1, 0],
            "reason": ["x", "y", "-", "x", "y", "x"],
        }
    )
    data = coded(
        frame,
        column_labels=["Sex of the person", "Pay in euros", "Mood", "", ""],
        variable_value_labels={
            "sex": {1: "male", 2: "female ", 9: "no answer"},
            "mood": {1: "bad", 5: "good"},
            "ok": {0: "no", 1: "yes"},
            "reason": {"x": "work", "y": "home", "-": "none told"},
        },
        missing_ranges={"sex": [9], "pay": [{"lo": 90_000, "hi": 99_999}]} | {"reason": ["-"]},
    )
    assert is_coded(data)
    found = read_coded(data)
    sex, pay, mood, ok, reason = found.columns
    assert found.frame["sex"].tolist()[:4] == ["male", "female", "female", "male"]
    assert found.frame["sex"].isna().tolist() == [False] * 4 + [True] * 2
    assert found.frame["pay"].isna().tolist() == [False, False, True, True] + [False] * 2
    assert sex.kind is ColumnKind.CATEGORY
    # In the order of their codes, the one for no answer left out.
    assert sex.labels == ("male", "female")
    assert sex.description == "Sex of the person"
    assert pay.kind is ColumnKind.NUMBER
    assert pay.bounds is None
    assert mood.kind is ColumnKind.WHOLE
    assert mood.description == "Mood (1 = bad, 5 = good)"
    assert (ok.kind, ok.labels) == (ColumnKind.YES_NO, ("no", "yes"))
    assert reason.labels == ("work", "home")
    assert found.frame["reason"].isna().sum() == 1
    assert found.missing == {"sex": "9", "pay": "90000 to 99999", "reason": "-"}


def test_an_answer_that_nobody_gave_is_proposed_too():
    labels = {1: "north", 2: "south", 3: "west"}
    frame = pd.DataFrame({"region": [1.0, 2, 1]})
    for write in (pyreadstat.write_sav, pyreadstat.write_dta):
        found = read_coded(coded(frame, write, variable_value_labels={"region": labels}))
        assert found.columns[0].labels == ("north", "south", "west")


def test_letters_for_missing_values_of_stata_are_missing():
    frame = pd.DataFrame({"x": [1.0, "a", 3.0, "b"], "y": [1, 2, 1, 2]})
    data = coded(
        frame,
        pyreadstat.write_dta,
        missing_user_values={"x": ["a", "b"]},
        variable_value_labels={
            "x": {1: "one", 3: "three", "a": "refused"},
            "y": {1: "left", 2: "right"},
        },
    )
    found = read_coded(data)
    assert found.frame["x"].isna().tolist() == [False, True, False, True]
    # The labels of 1 and 3 alone are no list of answers: the file does not say so.
    assert found.columns[0].kind is ColumnKind.WHOLE
    assert found.columns[0].description == "(1 = one, 3 = three)"
    assert found.frame["y"].tolist() == ["left", "right", "left", "right"]


def test_cells_of_several_types_are_text_as_they_are_read():
    data = book(["x"], [1.0], [2.5], [True], [DAY], [DAY.replace(hour=3)], ["a"])
    assert opened(data).frame["x"].tolist() == [
        "1", "2.5", "True", "2026-01-05", "2026-01-05 03:00:00", "a",
    ]  # fmt: skip


def test_a_number_is_written_alike_whatever_else_its_column_holds():
    numbers = [5.0, 12_345_678_901.0, 2.5, 1e16, 1e15, 1e-7, -3.0]
    written = [*float_texts(numbers).values()]
    assert written[:5] == ["5", "12345678901", "2.5", "1e+16", "1000000000000000"]
    data = book(["x"], *[[number] for number in numbers], ["a"])
    assert opened(data).frame["x"].tolist() == [*written, "a"]


def test_formulas_without_a_value_and_merged_cells_are_counted_and_said():
    made = openpyxl.load_workbook(io.BytesIO(book(["a", "b", "c"], [1, 2, 3], [4, 5, 6])))
    page = made.active
    page["B2"], page["B3"] = "=A2*100", "=A3*100"
    page.merge_cells("C2:C3")
    found = opened(saved(made))
    assert found.frame["b"].isna().all()
    first, second = found.notes
    assert first.startswith("2 formulas have no stored value and count as missing.")
    assert second.startswith("1 range is merged.")
    assert opened(GOOD).notes == ()


def test_formulas_have_the_values_that_are_stored_with_them():
    made = openpyxl.load_workbook(io.BytesIO(GOOD))
    made.active["B2"] = "=A2*2"
    data = rewritten(saved(made), "xl/worksheets/sheet1.xml", b"<v></v>", b"<v>2</v>")
    data = rewritten(data, "xl/worksheets/sheet1.xml", b"<v />", b"<v>2</v>")
    data = rewritten(data, "xl/worksheets/sheet1.xml", b"<v/>", b"<v>2</v>")
    found = opened(data)
    assert found.notes == ()
    assert found.frame["b"].tolist() == [2, 4]


@pytest.mark.parametrize("seed", range(5))
def test_cells_are_those_that_openpyxl_reads(seed):
    rng = np.random.default_rng(seed)
    some = [
        1, -2.5, 1e16, 12345678901, 0.1 + 0.2, "x", " 5 ", "1.10", "01", "é<&>", "a\nb",
        True, False, None, "", DAY, DAY.replace(hour=3, minute=4, second=5),
        dt.date(1999, 12, 31), dt.time(8, 30), dt.timedelta(hours=30), "=1+1", "TRUE",
    ]  # fmt: skip
    rows = [[some[at] for at in rng.integers(0, len(some), rng.integers(1, 9))] for _ in range(40)]
    data = book(*rows)
    found = open_sheet(data, "people").rows
    page = openpyxl.load_workbook(io.BytesIO(data), data_only=True).active
    for line, row in enumerate(page.iter_rows(values_only=True), start=1):
        cells = [plain(cell) for cell in row]
        while cells and cells[-1] == (False, ""):
            cells.pop()
        assert [plain(cell) for cell in found.get(line, [])] == cells


def plain(cell):
    """Return a cell as both readers have it: days are days, a blank cell is text."""
    if isinstance(cell, dt.datetime) and cell.time() == dt.time.min:
        cell = cell.date()
    return isinstance(cell, bool), "" if cell is None else cell


def failed(error):
    made = openpyxl.Workbook()
    made.active.append(["a", "b"])
    made.active.append([1, error])
    made.active["B2"].data_type = "e"
    return saved(made)


def hidden():
    made = openpyxl.Workbook()
    made.create_sheet("other").sheet_state = "hidden"
    made.active.title = "shown"
    data = saved(made)
    return rewritten(data, "xl/workbook.xml", b'state="visible"', b'state="hidden"')


def rewritten(data, part, old, new):
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(buffer, "w") as sink:
        for item in source.infolist():
            text = source.read(item)
            sink.writestr(item, text.replace(old, new) if item.filename == part else text)
    return buffer.getvalue()


def bomb():
    """Return a workbook of two cells in the far corners of its sheet."""
    made = openpyxl.Workbook()
    made.active["A1"] = "a"
    made.active["XFD1048576"] = 2
    return saved(made)


GOOD = book(["a", "b"], [1, 2], [3, 4])
FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
SAV, DTA = coded(FRAME), coded(FRAME, pyreadstat.write_dta)
POR, XPT = coded(FRAME, pyreadstat.write_por), coded(FRAME, pyreadstat.write_xport)
SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
BAD = {
    "empty sheet": (book(), "the sheet is empty"),
    "header only": (book(["a", "b"]), "no records"),
    "no name": (book(["a", None, "c"], [1, 2, 3]), "column 2 has no name"),
    "no name before": (book(["row", "a"], [5, 1], [None, 2], [None, None, 3]),
                       "line 4 has a value in column 3"),
    "same name": (book(["a", "a "], [1, 2]), "same name as column 1"),
    "notes beside": (book(["A report"], ["a", 2], [1, 2]), "line 2 has a value in"),
    "longer row": (book(["a"], [1, 2]), "line 2 has a value in column 2"),
    "division by 0": (failed("#DIV/0!"), "line 2 of column 2 holds the error #DIV/0!"),
    "reference": (failed("#REF!"), "#REF!"),
    "long name": (book(["a" * 300], [1]), "more than 200 characters"),
    "other office": (zipped(**{"[Content_Types].xml": b"", "word/document.xml": b""}),
                     "no Excel workbook"),
    "binary book": (zipped(**{"[Content_Types].xml": b"", "xl/workbook.bin": b""}),
                    "no Excel workbook"),
    "no parts": (zipped(**{"[Content_Types].xml": b"", "xl/workbook.xml": b"<a"}),
                 "damaged"),
    "cut book": (GOOD[: len(GOOD) // 2], "damaged"),
    "old book": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "password"),
    "far corners": (bomb(), "more than 3,000,000 cells"),
    "no sheet data": (rewritten(GOOD, "xl/worksheets/sheet1.xml", b"sheetData", b"x"),
                      "the sheet is empty|damaged"),
    "broken cells": (rewritten(GOOD, "xl/worksheets/sheet1.xml", b"</v>", b"<v>"),
                     "damaged"),
    "all hidden": (hidden(), "no sheet that is not hidden"),
    "cut spss": (SAV[:-20], "SPSS file cannot be read"),
    "spss header alone": (SAV[:100], "SPSS file cannot be read"),
    "only $FL2": (b"$FL2", "SPSS file cannot be read"),
    "cut stata": (DTA[: len(DTA) // 2], "Stata file cannot be read"),
    "only stata_dta": (b"<stata_dta>", "Stata file cannot be read"),
    "old stata of nothing": (b"\x72\x02\x01\x00" + bytes(40), "Stata file cannot"),
    "cut portable": (POR[:-60], "SPSS portable file cannot be read"),
    "cut transport": (XPT[:200], "SAS transport file cannot be read"),
    "cut sas": (SAS + bytes(500), "SAS file cannot be read"),
    "spss without rows": (coded(FRAME.head(0)), "no records"),
    "stata without rows": (coded(FRAME.head(0), pyreadstat.write_dta), "no records"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "why"), BAD.values(), ids=BAD)
def test_file_that_is_no_table_of_people_is_told(data, why):
    with pytest.raises(DataError, match=why):
        opened(data)


def test_a_first_column_without_a_name_is_row():
    found = opened(book([None, "a"], [5, 1])).frame
    assert found["row"].tolist() == [5]


def test_sheet_of_too_many_cells_is_refused(monkeypatch):
    monkeypatch.setattr(limits, "SHEET_CELLS", 5)
    with pytest.raises(DataError, match="more than 5 cells"):
        opened(GOOD)
    monkeypatch.setattr(limits, "SHEET_BYTES", 0)
    with pytest.raises(DataError, match="a part of the workbook has more than 0 MB"):
        opened(GOOD)


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b' r="A1"', b' r="XFD1048576"'),
        (b' r="B3"', b' r="J1048576"'),
        (b' r="A1"', b" r='XFD1048576'"),
        (b'<c r="A1"', b'<c\nr="XFD1048576"'),
        (b' r="B1"', b' t="n" r="ZZZ99999"'),
    ],
)
def test_places_far_apart_are_refused_however_they_are_written(old, new):
    with pytest.raises(DataError, match=r"more than 3,000,000 cells|damaged"):
        opened(rewritten(book(["a", "b"], *[[1, 2]] * 300), SHEET, old, new))


@pytest.mark.slow
@pytest.mark.parametrize(
    "data", [GOOD, SAV, DTA, POR, XPT], ids=["excel", "spss", "stata", "por", "xpt"]
)
def test_any_damage_is_told_or_does_not_matter(data):
    rng = np.random.default_rng(3)
    for _ in range(150 if everything() else 40):
        broken = bytearray(data)
        for at in rng.integers(4, len(data) - 1, 3):
            broken[at] = rng.integers(256)
        with contextlib.suppress(DataError):
            opened(bytes(broken))
