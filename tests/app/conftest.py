"""Pages in process, without a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def app() -> AppTest:
    # All AppTests share one session id, and with it the vault.
    st.cache_resource.clear()
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    return test.run()


@pytest.fixture
def open_page(app: AppTest) -> Callable[[str], AppTest]:
    def go(name: str) -> AppTest:
        app.switch_page(f"pages/{name}.py").run()
        assert not app.exception
        return app

    return go
