"""Records in the units of the columns and as a model sees them are inverse."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.individual.counterfactual import record_in_units, record_of
from dpcore.models.design import Design
from tests.models.test_design import AGE, OWNS, PAY, TOWN, TOWNS

EVERY = Design(target=PAY, features=(TOWN, AGE, OWNS), origin=300.0)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("apart", [False, True])
@given(
    pay=st.floats(0, 1000), town=st.integers(0, 3), age=st.floats(20, 60), owns=st.integers(0, 1)
)
def test_records_come_back(intercept, apart, pay, town, age, owns):
    design = replace(EVERY, intercept=intercept, others_apart=apart)
    values = np.array([pay, town, age, owns], dtype=float)
    back = record_in_units(design, *record_of(design, values))
    # Values that are not listed count with the first label, unless they are apart.
    values[1] = 0 if town == 3 and not apart else town
    assert back == pytest.approx(values, abs=1e-9)


def test_a_record_is_the_row_of_somebody_in_the_table():
    design = Design(target=PAY, features=(TOWN, AGE))
    table = design.matrix(TOWNS)
    codes = TOWNS.codes("town")[table.rows]
    for place, row in enumerate(table.rows):
        values = [TOWNS.numbers(name)[row] for name in ("pay", "age")]
        made, target = record_of(
            design, np.array([values[0], codes[place], values[1]], dtype=float)
        )
        assert made == pytest.approx(table.features[place])
        assert target == pytest.approx(table.target[place])


def test_other_shapes_are_refused():
    with pytest.raises(ParameterError, match="4 finite numbers"):
        record_of(EVERY, np.zeros(5))
    with pytest.raises(ParameterError, match="4 finite numbers"):
        record_of(EVERY, np.array([0.0, np.nan, 30.0, 1.0]))
