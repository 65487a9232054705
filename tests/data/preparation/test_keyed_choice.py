"""Which rows stay does not depend on how cells are held in memory, nor on others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.preparation.contribution_bounds import chosen
from tests.data.preparation.test_recipes import HELD

KEY = bytes(range(32))
FORMS = {
    "category": ("1", "01", "1.0", "-0", "b", "9007199254740993", "1e5"),
    "integers": ("0", "1", "-7", "9007199254740993"),
    "doubles": ("0.0", "1.0", "-2.5", "123456.75"),
    "floats": ("0", "1", "-2.5", "1e+300"),
}


@pytest.mark.parametrize("held", FORMS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_rows_that_stay_are_those_of_the_same_cells_held_as_text(held, data):
    texts = data.draw(st.lists(st.sampled_from([*FORMS[held], None]), min_size=1, max_size=12))
    person = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts)))
    )
    places = []
    for way in (held, "text"):
        frame = pd.DataFrame({"who": pd.Series(person), "x": HELD[way](texts)})
        places.append(chosen(frame, person, 2, key=KEY).tolist())
    assert places[0] == places[1]
