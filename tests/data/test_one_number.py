"""The number of one label is that of a cell of a column with the same text."""

from __future__ import annotations

import math

import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

from dpcore.data.cells import PLAIN, number, numbers_of


@given(st.text("0123456789.-+eE infINFty\n_,x٣", max_size=9))
@example("1e400")
@example("-1e400")
@example("1e-400")
@example("-Infinity")
@example("5.")
@example("9" * 400)
@example("0." + "0" * 400 + "1")
@example("1_000")
def test_a_label_is_the_number_that_a_cell_is(text):
    label = number(text)
    (cell,) = numbers_of(pd.Series([text.strip()], dtype="str"), PLAIN)
    assert label == cell or (math.isnan(label) and math.isnan(cell))
