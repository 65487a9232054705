"""Addresses that say what no control can hold."""

import pytest
from streamlit.testing.v1 import AppTest

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
