"""Files as people have them: excerpts of real ones, and formats that are used again."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.cells import TEXT_CODES, text_of
from dpcore.data.columns import Column, ColumnKind, LabelEquality
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect, FileFormat
from dpcore.data.proposals import NO_YES, proposed
from dpcore.data.readers.files import first_rows, read
from dpcore.errors import ParameterError
from tests.data.test_workbooks_and_packages import DAY, book, coded

INCIDENTS = (
    "name,age,armed,pop,share_white,college,city\r"
    "person 1,16,No,3779,60.5,0.168509509,Millbrook\r"
    "person 2,27,Vehicle,2769,53.8,0.111402359,Pineville\r"
    "person 3,Unknown,Unknown,NA,-,NA,Ca√±on City\r"
    'person 4,25,"No, unknown",4343,73.8,0.147954033,Kenner\r'
).encode("mac-roman")
PURCHASES = (
    b" customer_id  date number_of_cds  dollar_value\r\n"
    b" 00001 19970101  1   11.77\r\n 00002 19970112  1   12.00\r\n"
    b" 00002 19970112  5   77.00\r\n 00004 19970101  2   29.33\r\n"
)


def kinds(opened):
    return {column.name: str(column.kind) for column in opened.columns}


def numbers(opened, name):
    column = next(each for each in opened.columns if each.name == name)
    frame = opened.frame[[name]]
    return Dataset(name="x", frame=frame, columns=(column,)).numbers(name).tolist()


def test_old_mac_line_ends_and_mixed_missing_codes():
    opened = read(INCIDENTS)
    assert opened.frame.shape == (4, 7)
    assert kinds(opened) == {
        **dict.fromkeys(("name", "armed", "city"), "category"),
        **dict.fromkeys(("age", "share_white", "college"), "number"),
        "pop": "whole number",
    }
    codes = {column.name: column.missing_codes for column in opened.columns}
    assert codes["age"] == (*TEXT_CODES, "Unknown")
    assert codes["share_white"] == (*TEXT_CODES, "-")
    # "Unknown" may be an answer, where there are others.
    assert codes["armed"] == TEXT_CODES
    age, share, people = (numbers(opened, x) for x in ("age", "share_white", "pop"))
    assert np.array_equal(age, [16, 27, np.nan, 25], equal_nan=True)
    assert np.array_equal(share, [60.5, 53.8, np.nan, 73.8], equal_nan=True)
    assert np.array_equal(people, [3779, 2769, np.nan, 4343], equal_nan=True)


def test_purchases_that_blanks_separate():
    opened = read(PURCHASES)
    assert opened.file_format.dialect.delimiter == " "
    assert text_of(opened.frame["customer_id"]).tolist() == [
        "00001", "00002", "00002", "00004",
    ]  # fmt: skip
    assert numbers(opened, "dollar_value") == [11.77, 12.0, 77.0, 29.33]


def test_survey_with_french_labels():
    work = {0: "NAP", 1: "Plein temps", 2: "Temps partiel", 5: "Retraité", 9: "NA"}
    data = coded(
        pd.DataFrame({"id": [1.0, 2, 3], "work": [1.0, 5, 9], "age": [60.0, 27, 99]}),
        variable_value_labels={"work": work, "age": {98: "DK", 99: "NA"}},
        variable_measure={"id": "scale", "work": "nominal", "age": "scale"},
    )
    opened = read(data)
    work_column = opened.columns[1]
    assert opened.frame["work"].tolist() == ["Plein temps", "Retraité", "NA"]
    assert work_column.labels == tuple(work.values())
    # NA is a label of the list: not missing.
    dataset = Dataset(name="x", frame=opened.frame, columns=opened.columns)
    assert dataset.codes("work").tolist() == [1, 3, 4]
    assert dataset.numbers("age").tolist() == [60, 27, 99]
    assert opened.columns[2].description == "(98 = DK, 99 = NA)"


@pytest.mark.parametrize(("no", "yes"), NO_YES)
def test_yes_and_no_are_known_in_any_capitals(no, yes):
    frame = pd.DataFrame({"x": [no.upper(), yes.title(), yes, no, None]})
    (column,) = proposed(frame)
    if no.upper().casefold() != no.casefold():  # a dotless i has no other case
        return
    assert column.kind is ColumnKind.YES_NO
    dataset = Dataset(name="x", frame=frame, columns=(column,))
    assert dataset.codes("x").tolist() == [0, 1, 1, 0, -1]


EXCEL = (
    *(0.0, 5, 2.5, 1e16, 12345678901, 2**53 - 1, 1e-7, -3, True, False, DAY),
    *("5", "5.0", "01", "x", "NA", "TRUE", None),
)


@settings(deadline=None, max_examples=60)
@given(
    cell=st.sampled_from(EXCEL),
    others=st.lists(st.sampled_from(EXCEL), min_size=1, max_size=5),
    as_numbers=st.booleans(),
)
def test_a_cell_of_a_workbook_means_the_same_beside_any_others(cell, others, as_numbers):
    equality = LabelEquality.AS_NUMBERS if as_numbers else LabelEquality.AS_WRITTEN
    labels = ("5", "2.5", "12345678901", "9007199254740991", "True", "2026-01-05", "x")
    declared = (
        Column(name="x", kind=ColumnKind.NUMBER, missing_codes=("5",)),
        Column(name="x", kind=ColumnKind.DATE),
        Column(name="x", kind=ColumnKind.CATEGORY, labels=labels, equality=equality),
    )

    def meaning(cells):
        rows = [[each, "k"] for each in cells]
        frame = read(book(["x", "y"], *rows)).frame[["x"]]
        text = text_of(frame["x"]).fillna("").iloc[0]
        number, date, label = (
            Dataset(name="t", frame=frame, columns=(column,)) for column in declared
        )
        found = number.numbers("x")[0], date.numbers("x")[0], label.codes("x")[0]
        return text, *map(str, found)

    assert meaning([cell, *others]) == meaning([cell])


CODES = (1.0, 2.0, 9.0, 2.5, 12345678901.0, 1e16, np.nan)


@settings(deadline=None, max_examples=40)
@given(
    cell=st.sampled_from(CODES),
    others=st.lists(st.sampled_from(CODES), min_size=1, max_size=5),
    measure=st.sampled_from(["nominal", "scale", "unknown"]),
    labels=st.sampled_from([{}, {1: "a", 2: "b"}, {1: "a", 9: "none"}]),
)
def test_a_code_of_a_survey_means_the_same_beside_any_others(cell, others, measure, labels):
    """Whether a column holds labels or codes is for its description alone to say."""

    def first(cells):
        frame = pd.DataFrame({"x": cells})
        data = coded(
            frame,
            variable_value_labels={"x": labels} if labels else {},
            variable_measure={"x": measure},
        )
        return text_of(read(data).frame["x"]).fillna("").iloc[0]

    assert first([cell, *others]) == first([cell])


def test_a_declared_format_is_used_where_the_columns_are_the_same():
    first = read("Größe;Jahr\n1,5;2024\nß;2025\n".encode("cp1252"))
    assert first.file_format.header == ("Größe", "Jahr")
    declared = replace(first.file_format, missing_codes=("-9",))
    others = (FileFormat(header=("Größe",)), FileFormat(sheet="x", header=("a",)))
    later = "Größe;Jahr\n1.500;2024\n".encode("cp1252")
    found = read(later, declared=(*others, declared))
    assert found.file_format == declared
    assert found.suggested.dialect == replace(declared.dialect, thousands=".")
    assert {column.missing_codes for column in found.columns} == {("-9",)}
    assert found.suggested.differences(found.file_format)[0] == "thousands mark point"
    # Other columns, or a wish of the curator, go before.
    assert read(b"a;b\n1;2\n", declared=(declared,)).file_format.missing_codes
    wanted = FileFormat(dialect=Dialect(delimiter=";", encoding="cp1252"))
    assert read(later, wanted, declared=(declared,)).file_format.dialect.decimal == "."


def test_a_declared_sheet_and_its_title_rows_are_used_again():
    table = [["id", "age"], [1, 31], [2, 45]]
    data = book(["read me"], people2=[["Tests"], ["ward east"], *table])
    first = read(data, sheet="people2")
    assert (first.file_format.sheet, first.file_format.title_rows) == ("people2", 2)
    declared = (first.file_format,)
    again = book(["read me"], people2=[["x", 5], [None], *table, [3, 50]])
    found = read(again, declared=declared)
    assert found.file_format == first.file_format
    assert len(found.frame) == 3
    assert found.suggested.title_rows == 0
    # Where the sheet is called otherwise, the file suggests which.
    with pytest.raises(Exception, match="no records"):
        read(book(["read me"], other=table), declared=declared)


def test_a_parquet_or_survey_takes_declared_missing_codes():
    data = coded(pd.DataFrame({"a": [1.0, -9.0]}))
    declared = FileFormat(missing_codes=("-9",), header=("a",))
    found = read(data, declared=(declared,))
    assert found.file_format == declared
    assert numbers(found, "a")[0] == 1
    assert np.isnan(numbers(found, "a")[1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"title_rows": -1},
        {"missing_codes": ("a", "a")},
        {"missing_codes": ("",)},
        {"missing_codes": (" a",)},
    ],
)
def test_an_impossible_format_is_refused(wrong):
    with pytest.raises(ParameterError):
        FileFormat(**wrong)


def test_first_rows_hold_letters_beyond_ascii_that_come_late():
    names = ["Anna"] * 50 + ["Zoë", "Jörg", "Käthe", "Änne"]
    frame = read("\n".join(["name,n", *(f"{x},1" for x in names)]).encode()).frame
    shown = first_rows(frame)
    assert shown["name"].tolist() == ["Anna"] * 5 + ["Zoë", "Jörg", "Käthe"]
    assert shown["n"].tolist() == ["1"] * 8
    assert first_rows(frame.astype({"name": "str"})).equals(shown)
