"""Addresses that say what no control can hold."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app import hand
from tests.app.conftest import close_tab
from tests.conftest import PATIENCE, ROOT


@pytest.mark.parametrize("text", ["1e309", "-inf", "Infinity", "9" * 400])
def test_infinite_settings_are_taken_out_of_the_address(text):
    close_tab()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    app.query_params |= {"s1-people": text, "s1-epsilon": "2", "example": "nan"}
    app.run()
    assert "s1-people" not in app.query_params
    assert app.query_params["s1-epsilon"] == "2"


def test_a_text_that_no_float_holds_stays_where_a_control_wrote_it(open_page):
    app = open_page("study2")
    (numbers,) = [one for one in app.text_input if "Numbers of people" in one.label]
    hand.put(app, numbers, "9" * 400)
    assert app.query_params[numbers.proto.query_param_key] == "9" * 400
