"""Whether two tables of the same people mean the same under every declaration."""

import numpy as np
import pyarrow as pa

from dpcore.data.cells import canonical, text_of
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.dates import DateFormat

SOME = 20


def declarations(name, cells, *, is_date):
    """Return declarations of a column: of every kind that its cells may be read as."""
    if is_date:
        form = DateFormat(time_of_day=True)
        return [Column(name=name, kind=ColumnKind.DATE, dates=form)]
    texts = pa.array(text_of(cells).dropna().astype("str"), pa.string())
    whole = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    labels = tuple(dict.fromkeys(canonical(whole).to_pylist()))[:SOME]
    yes_no = {"labels": ("False", "True"), "missing": MissingPolicy.REPLACE}
    return [
        Column(name=name, kind=ColumnKind.NUMBER),
        Column(name=name, kind=ColumnKind.NUMBER, missing_codes=("1", "2.0")),
        Column(name=name, kind=ColumnKind.WHOLE),
        Column(
            name=name, kind=ColumnKind.CATEGORY, labels=labels, equality=LabelEquality.AS_NUMBERS
        ),
        Column(name=name, kind=ColumnKind.YES_NO, replacement="False", **yes_no),
    ]


def agree(found, told, *, dates=()):
    """Check numbers, codes and missing values of every column, and the lines."""
    assert list(found) == list(told)
    assert found.index.equals(told.index)
    for name in told:
        for column in declarations(name, told[name], is_date=name in dates):
            left, right = (
                Dataset(name="x", frame=frame[[name]], columns=(column,)) for frame in (found, told)
            )
            assert np.array_equal(left.missing(name), right.missing(name)), column
            values = (
                (left.numbers(name), right.numbers(name))
                if column.kind.is_numeric
                else (left.codes(name), right.codes(name))
            )
            assert np.array_equal(*map(np.asarray, values), equal_nan=True), column
