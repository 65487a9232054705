"""Blocks of a table give the columns that all its records give at once."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.data.dialects import Dialect
from dpcore.data.readers import csv_reader
from dpcore.data.readers.csv_reader import read_csv

CELLS = st.sampled_from(
    ["1", "-7", "2.5", "", "NA", "x", "TRUE", "false", "1e400", "9" * 17, "-9" + "0" * 17]
)


@given(table=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12), together=st.integers(1, 5))
def test_a_file_is_read_alike_in_blocks_of_any_size(table, together):
    data = "a,b\n" + "".join(f"{first},{second}\n" for first, second in table)
    whole = read_csv(data.encode(), Dialect())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv_reader, "_records_together", lambda _: together)
        parts = read_csv(data.encode(), Dialect())
    pd.testing.assert_frame_equal(parts, whole)
