"""Files as people have them: excerpts of real ones, and formats that are used again."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.cells import text_of
from dpcore.data.columns import Column, ColumnKind, LabelEquality
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect, FileFormat
from dpcore.data.readers.files import first_rows, read
from dpcore.errors import ParameterError
from tests.data.test_workbooks_and_packages import DAY, book, coded


def numbers(opened, name):
    column = next(each for each in opened.columns if each.name == name)
    frame = opened.frame[[name]]
    return Dataset(name="x", frame=frame, columns=(column,)).numbers(name).tolist()


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
