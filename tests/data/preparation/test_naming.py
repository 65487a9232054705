"""Whoever is most exposed is called what the table calls them, however prepared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpcore.data.dataset import Dataset
from dpcore.data.preparation.steps import names_of
from dpcore.data.proposals import proposed


@pytest.fixture
def visits():
    frame = pd.DataFrame({"who": [*"babcac"], "x": [1.0, 2.0, 3.0, 9.0, 4.0, 9.0]})
    frame.index = pd.RangeIndex(2, 8, name="line")
    return Dataset(name="visits", frame=frame, columns=proposed(frame))


def called(dataset):
    return names_of(dataset, np.arange(dataset.people))


def test_rows_that_are_people_have_no_name(visits):
    assert called(visits) == {}
